#include "front/fields.h"
#include "server/routes/common.h"
#include "server/routes/follow_trigger.h"
#include "server/routes/routes.h"

namespace fermata::server::routes {

void rollback_workflow(Api& api, Call call) {
  front::Fields fields(call.body);
  auto version = fields.integer("version", 1, UINT32_MAX);
  fields.require("version");
  if (auto read = fields.finish(); !read) return api.fail(call, read.error());
  AuditLine line = api.audit(call, "workflow.rollback", call.variable(0));
  line.details = Value::object({{"version", *version}});
  auto record = api.catalog().set_current(call.who.account, WorkflowId(call.variable(0)),
                                          static_cast<uint32_t>(*version), line);
  if (!record) return api.fail(call, record.error());
  follow_trigger(api, call, record->id, Followed::definition,
                 [record = *record](const Call& asked) {
                   asked.send(workflow_response(200, record, workflow_value(record)));
                 });
}

}  // namespace fermata::server::routes
