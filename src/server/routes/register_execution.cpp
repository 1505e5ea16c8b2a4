#include "front/external_request.h"
#include "front/fields.h"
#include "server/routes/callback_routes.h"

namespace fermata::server::routes {
namespace {

Failure<Error> id_taken(const std::string& id) {
  return fail(ErrorCode::execution_exists,
              "The id `" + id + "` is taken by an execution with another body.");
}

Outcome<front::ResolvedWorkflow> external_workflow(Api& api, const Call& call) {
  FERMATA_TRY(workflow, front::resolve_workflow(api.catalog(), api.definitions(), call.who.account,
                                                WorkflowId(call.variable(0)), std::nullopt));
  if (!workflow.definition->external)
    return fail(ErrorCode::not_external, "The workflow `" + call.variable(0) +
                                             "` has a program; start it with POST …/executions.");
  if (!workflow.record.active)
    return fail(ErrorCode::workflow_inactive,
                "The workflow `" + call.variable(0) + "` has been deactivated.");
  return workflow;
}

void answer_execution(Api& api, const Call& call, const RunId& id, int status) {
  auto value = execution_value(api, call.who.account, id);
  if (!value) return api.fail(call, value.error());
  call.send_json(status, *value);
}

}  // namespace

StartRun external_start(const AccountId& account, const front::ResolvedWorkflow& workflow) {
  StartRun start;
  start.account = account;
  start.workflow = workflow.record.id;
  start.workflow_version = workflow.version;
  start.definition = workflow.definition;
  start.trigger_kind = "external";
  return start;
}

void register_execution(Api& api, Call call) {
  auto registration = front::read_registration(call.body);
  if (!registration) return api.fail(call, registration.error());
  const std::string& id = call.variable(1);
  if (!front::is_valid_id(id))
    return api.fail(call, {ErrorCode::invalid_id, "`" + id + "` cannot name an execution.", {}});
  auto workflow = external_workflow(api, call);
  if (!workflow) return api.fail(call, workflow.error());
  std::string hash = registration->hash();
  auto known = api.reader().summary(RunId(id));
  if (!known) return api.fail(call, known.error());
  if (*known) {
    const RunSummary& run = **known;
    bool same = run.account == call.who.account && run.workflow == workflow->record.id &&
                run.request_hash == hash;
    if (!same) return api.fail(call, id_taken(id).value);
    return answer_execution(api, call, run.id, 200);
  }
  StartRun start = external_start(call.who.account, *workflow);
  start.trigger = registration->trigger();
  start.labels = registration->labels;
  start.contact_id = registration->contact_id;
  start.request_hash = std::move(hash);
  Command command{RunId(id), std::move(start), call.who.actor};
  Call spare = call;
  bool taken = api.intake().submit(
      std::move(command), [&api, call = std::move(call)](Outcome<RunSummary> outcome) {
        // Somebody else registered it in between.
        if (!outcome && outcome.error().code == ErrorCode::idempotency_key_reused)
          return api.fail(call, id_taken(call.variable(1)).value);
        if (!outcome) return api.fail(call, outcome.error());
        api.pool().submit_owed(
            [&api, call, id = outcome->id] { answer_execution(api, call, id, 201); });
      });
  if (!taken) api.fail(spare, {ErrorCode::queue_full, "The engine's queue is full.", {}});
}

void complete_execution(Api& api, Call call) {
  front::Fields fields(call.body);
  CompleteRun complete;
  if (const Value* output = fields.any("output")) complete.output = *output;
  if (auto read = fields.finish(); !read) return api.fail(call, read.error());
  auto own = own_state(api, call.who.account, RunId(call.variable(0)));
  if (!own) return api.fail(call, own.error());
  // Asked for again, it is so already.
  bool same = own->run.definition->external && own->run.status == RunStatus::completed &&
              own->run.output == complete.output;
  if (same) return answer_execution(api, call, own->summary.id, 200);
  Command command{own->summary.id, std::move(complete), {}};
  submit(api, std::move(call), std::move(command),
         [](Api& told, const Call& asked, const RunSummary& summary) {
           told.pool().submit_owed(
               [&told, asked, id = summary.id] { answer_execution(told, asked, id, 200); });
         });
}

}  // namespace fermata::server::routes
