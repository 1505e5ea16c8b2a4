#include "server/routes/common.h"
#include "server/routes/routes.h"

namespace fermata::server::routes {

/// Runs under way keep their definition (G-3).
void delete_workflow(Api& api, Call call) {
  auto record = own_workflow(api, call);
  if (!record) return api.fail(call, record.error());
  auto removed = api.catalog().remove_workflow(
      call.who.account, record->id, api.audit(call, "workflow.delete", record->id.text()));
  if (!removed) return api.fail(call, removed.error());
  http::Response response;
  response.status = 204;
  call.send(std::move(response));
}

}  // namespace fermata::server::routes
