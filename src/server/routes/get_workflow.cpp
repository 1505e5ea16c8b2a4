#include "base/json.h"
#include "front/flow_text.h"
#include "server/routes/common.h"
#include "server/routes/routes.h"

namespace fermata::server::routes {

void get_workflow(Api& api, Call call) {
  auto record = own_workflow(api, call);
  if (!record) return api.fail(call, record.error());
  http::Response unchanged = workflow_response(304, *record, {});
  if (names_tag(call.request.header("if-none-match"), unchanged.headers.back().second)) {
    unchanged.body.clear();
    return call.send(std::move(unchanged));
  }
  auto definition = api.definitions().load_any(record->current_hash);
  if (!definition) return api.fail(call, definition.error());
  Value body = workflow_value(*record);
  body.set("language", definition->language());
  body.set("definition", definition->document());
  body.set("layout", record->layout);
  if (definition->is_flow()) {
    const flow::CheckedScript& script = definition->script->script;
    body.set("description", script.front.description);
    body.set("warnings", front::flow_findings(script.warnings, "warning", "/source"));
  }
  call.send(workflow_response(200, *record, body));
}

}  // namespace fermata::server::routes
