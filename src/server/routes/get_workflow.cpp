#include "base/json.h"
#include "server/routes/common.h"
#include "server/routes/routes.h"

namespace fermata::server::routes {

void get_workflow(Api& api, Call call) {
  auto record = own_workflow(api, call);
  if (!record) return api.fail(call, record.error());
  http::Response unchanged = workflow_response(304, *record, {});
  if (call.request.header("if-none-match") == unchanged.headers.back().second) {
    unchanged.body.clear();
    return call.send(std::move(unchanged));
  }
  auto definition = api.definitions().load(record->current_hash);
  if (!definition) return api.fail(call, definition.error());
  Value body = workflow_value(*record);
  body.set("definition", (*definition)->canonical);
  body.set("layout", record->layout);
  call.send(workflow_response(200, *record, body));
}

}  // namespace fermata::server::routes
