#include "front/run_query.h"
#include "front/start_request.h"
#include "server/end_wait.h"
#include "server/routes/common.h"
#include "server/routes/routes.h"

namespace fermata::server::routes {
namespace {

Outcome<StartRun> make_command(Api& api, const Call& call) {
  FERMATA_TRY(request, front::read_start(call.body));
  FERMATA_TRY(workflow, front::resolve_workflow(api.catalog(), api.definitions(), call.who.account,
                                                WorkflowId(call.variable(0)), request.version));
  if (!workflow.record.active)
    return fail(ErrorCode::workflow_inactive,
                "The workflow `" + call.variable(0) + "` has been deactivated.");
  StartRun start;
  start.account = call.who.account;
  start.workflow = workflow.record.id;
  start.workflow_version = workflow.version;
  start.definition = std::move(workflow.definition);
  start.trigger = request.input;
  start.input = std::move(request.input);
  start.labels = std::move(request.labels);
  start.contact_id = std::move(request.contact_id);
  start.start_at = request.start_at;
  start.timeout_ms = request.timeout_ms;
  start.rolls_back = request.rolls_back;
  start.trace = trace_of(call.request);
  return start;
}

void answer_whole(Api& api, const Call& call, const RunSummary& summary) {
  api.pool().submit_owed([&api, call, id = summary.id] {
    auto value = execution_value(api, call.who.account, id);
    if (!value) return api.fail(call, value.error());
    call.send_json(201, *value);
  });
}

/// A repeat is answered as the first was, though its workflow cannot be started any more.
void answer_repeat_or_fail(Api& api, const Call& call, const Error& refusal) {
  api.pool().submit_owed([&api, call, refusal] {
    NewRun run = new_run(api, call);
    auto known = own_state(api, call.who.account, run.id);
    if (!known) return api.fail(call, refusal);
    if (known->run.request_hash != run.request_hash)
      return api.fail(call, {ErrorCode::idempotency_key_reused,
                             "This Idempotency-Key came with another request before.",
                             {}});
    call.send(created_run(known->summary));
  });
}

}  // namespace

void start_execution(Api& api, Call call) {
  auto start = make_command(api, call);
  if (!start && !call.request.header("idempotency-key").empty())
    return answer_repeat_or_fail(api, call, start.error());
  if (!start) return api.fail(call, start.error());
  auto wait = wait_wanted(api, call);
  if (!wait) return api.fail(call, wait.error());
  NewRun run = new_run(api, call);
  start->request_hash = std::move(run.request_hash);
  std::shared_ptr<EndWait> end;
  if (*wait) end = EndWait::begin(api.hub(), api.deadlines(), run.id);
  Command command{std::move(run.id), *std::move(start), {}};
  submit(api, std::move(call), std::move(command),
         [end, wait = *wait](Api& served_by, const Call& asked, const RunSummary& summary) {
           if (!end) return asked.send(created_run(summary));
           if (is_terminal(summary.status)) return answer_whole(served_by, asked, summary);
           end->finish(std::chrono::milliseconds(wait->ms),
                       [&served_by, asked, summary](bool ended) {
                         if (ended) return answer_whole(served_by, asked, summary);
                         asked.send(created_run(summary));
                       });
         });
}

}  // namespace fermata::server::routes
