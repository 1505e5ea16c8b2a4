#include "server/routes/common.h"
#include "server/routes/follow_trigger.h"
#include "server/routes/routes.h"

namespace fermata::server::routes {

/// Runs under way keep their definition (G-3).
void delete_workflow(Api& api, Call call) {
  auto record = own_workflow(api, call);
  if (!record) return api.fail(call, record.error());
  auto removed = api.catalog().remove_workflow(
      call.who.account, record->id, api.audit(call, "workflow.delete", record->id.text()));
  if (!removed) return api.fail(call, removed.error());
  follow_trigger(api, call, record->id, Followed::removal, [](const Call& asked) {
    http::Response response;
    response.status = 204;
    asked.send(std::move(response));
  });
}

}  // namespace fermata::server::routes
