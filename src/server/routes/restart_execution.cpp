#include "server/routes/restart_execution.h"

#include "core/model/run.h"
#include "front/run_query.h"

namespace fermata::server::routes {

StartRun restart_command(const RunSummary& source, std::string kind,
                         std::shared_ptr<const Run> state) {
  StartRun start;
  start.account = source.account;
  start.workflow = source.workflow;
  // A fork may go back to before a migration and a retry go on in another version: the state knows
  // its own.
  start.workflow_version = state->workflow_version;
  start.definition = state->definition;
  start.labels = source.labels;
  start.contact_id = source.contact_id;
  start.parent = source.parent;
  start.input = state->input;
  start.trigger = state->trigger;
  start.trigger_kind = state->trigger_kind;
  start.rolls_back = state->rolls_back;
  start.origin = {source.id, std::move(kind)};
  start.seed = std::move(state);
  return start;
}

void restart_execution(Api& api, Call call, std::string kind, const MakeSeed& make, bool dry_run) {
  auto asked_dry = front::read_flag(call.query, "dry_run");
  if (!asked_dry) return api.fail(call, asked_dry.error());
  auto own = own_history(api, call);
  if (!own) return api.fail(call, own.error());
  auto seed = make({own->run.summary, own->run.history, own->definitions});
  if (!seed) return api.fail(call, seed.error());
  if (dry_run || *asked_dry) return call.send_json(200, seed->plan);
  StartRun start = restart_command(own->run.summary, std::move(kind), std::move(seed->state));
  NewRun run = new_run(api, call);
  start.request_hash = std::move(run.request_hash);
  start.trace = trace_of(call.request);
  Command command{std::move(run.id), std::move(start), {}};
  submit(
      api, std::move(call), std::move(command),
      [](Api&, const Call& asked, const RunSummary& summary) { asked.send(created_run(summary)); });
}

}  // namespace fermata::server::routes
