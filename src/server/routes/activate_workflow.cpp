#include "server/routes/common.h"
#include "server/routes/follow_trigger.h"
#include "server/routes/routes.h"

namespace fermata::server::routes {
namespace {

void set_active(Api& api, const Call& call, bool active) {
  AuditLine line =
      api.audit(call, active ? "workflow.activate" : "workflow.deactivate", call.variable(0));
  auto record =
      api.catalog().set_active(call.who.account, WorkflowId(call.variable(0)), active, line);
  if (!record) return api.fail(call, record.error());
  follow_trigger(api, call, record->id, active ? Followed::activation : Followed::deactivation,
                 [record = *record](const Call& asked) {
                   asked.send(workflow_response(200, record, workflow_value(record)));
                 });
}

}  // namespace

void activate_workflow(Api& api, Call call) { set_active(api, call, true); }
void deactivate_workflow(Api& api, Call call) { set_active(api, call, false); }

}  // namespace fermata::server::routes
