#include "server/routes/store_definition.h"

#include "front/fields.h"
#include "front/run_query.h"
#include "server/problem.h"
#include "server/routes/common.h"
#include "server/routes/follow_trigger.h"

namespace fermata::server::routes {
namespace {

Outcome<bool> wants_current(const Call& call) {
  const std::string* text = front::find_value(call.query, "current");
  if (text == nullptr || *text == "true") return true;
  if (*text == "false") return false;
  return front::bad_query("current", "true or false is expected.");
}

}  // namespace

Outcome<WorkflowPut> begin_put(Api& api, const Call& call) {
  const std::string& id = call.variable(0);
  if (!front::is_valid_id(id) || id == "bulk" || id == "executions")
    return fail(ErrorCode::invalid_id, "`" + id + "` cannot name a workflow.");
  WorkflowPut put;
  put.account = call.who.account;
  put.id = WorkflowId(id);
  FERMATA_TRY(current, wants_current(call));
  put.make_current = current;
  FERMATA_TRY(revision, wanted_revision(call.request));
  put.if_revision = revision;
  put.at = api.now();
  put.actor = call.who.actor;
  return put;
}

Outcome<WorkflowStored> finish_put(Api& api, const Call& call, const WorkflowPut& put) {
  AuditLine line = api.audit(call, "workflow.put", put.id.text());
  line.details = Value::object({{"hash", put.hash.text()}});
  return api.catalog().put_workflow(put, line);
}

void answer_put(Api& api, const Call& call, const WorkflowStored& stored,
                const DefinitionHash& hash, std::string_view language, Value warnings) {
  Value body = workflow_value(stored.record);
  body.set("version", stored.version);
  body.set("current_version", stored.record.current_version);
  body.set("hash", hash.text());
  body.set("language", language);
  body.set("created_version", stored.created_version);
  body.set("warnings", std::move(warnings));
  bool created = stored.created_version && stored.version == 1;
  follow_trigger(api, call, stored.record.id, Followed::definition,
                 [created, record = stored.record, body](const Call& asked) {
                   asked.send(workflow_response(created ? 201 : 200, record, body));
                 });
}

void refuse_definition(Api& api, const Call& call, const std::vector<Finding>& errors,
                       Value shown_errors, Value shown_warnings) {
  size_t count = errors.size();
  Error error{ErrorCode::invalid_definition,
              count == 1 ? errors[0].message : "There are " + std::to_string(count) + " errors.",
              errors};
  Value document = problem_value(error, "urn:uuid:" + api.new_uuid_v7());
  document.set("errors", std::move(shown_errors));
  document.set("warnings", std::move(shown_warnings));
  call.send(problem_document(error, document));
}

}  // namespace fermata::server::routes
