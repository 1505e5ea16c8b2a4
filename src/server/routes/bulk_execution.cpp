#include "server/routes/bulk_execution.h"

#include <algorithm>

#include "server/routes/restart_execution.h"

namespace fermata::server::routes {
namespace {

constexpr std::string_view actions[] = {"cancel", "pause",   "resume", "retry",
                                        "rerun",  "migrate", "signal"};

void read_version(front::Fields& fields, Value& parameters, bool required) {
  if (auto version = fields.integer("version", 1, UINT32_MAX)) parameters.set("version", *version);
  if (required) fields.require("version");
  Value map = fields.object("map");
  if (!map.is_null()) parameters.set("map", std::move(map));
}

void read_signal(front::Fields& fields, Value& parameters) {
  std::string name = fields.text("name", 100).value_or("");
  fields.require("name");
  if (!name.empty() && !front::is_valid_id(name))
    fields.wrong("name", "The signal's name is not allowed in a path.");
  parameters.set("name", name);
  if (const Value* payload = fields.any("payload")) parameters.set("payload", *payload);
}

/// True when the run is already as the action would leave it.
bool is_so(std::string_view action, RunStatus status) {
  if (action == "cancel") return status == RunStatus::cancelled;
  if (action == "pause") return status == RunStatus::paused;
  return action == "resume" && status != RunStatus::paused && !is_terminal(status);
}

Outcome<MigrationTarget> target_of(Api& api, const BulkRecord& bulk, const RunSummary& run) {
  auto version = static_cast<uint32_t>(bulk.parameters.get("version").as_integer());
  return migration_target(api, run, version, bulk.parameters.get("map"));
}

/// A retry or rerun: the new run's id follows from the operation and the old run, so a repeat finds
/// it made.
Outcome<Command> restart(Api& api, const BulkRecord& bulk, const RunSummary& summary) {
  FERMATA_TRY(run, api.reader().find(summary.id));
  FERMATA_TRY(definitions, definitions_of(api, run.summary));
  restart::Source source{run.summary, run.history, definitions};
  auto seed = [&]() -> Outcome<restart::Seed> {
    if (bulk.action == "rerun")
      return restart::rerun(source, std::string(bulk.parameters.get("from_node").as_string()));
    if (bulk.parameters.get("version").is_null()) return restart::retry(source);
    FERMATA_TRY(target, target_of(api, bulk, summary));
    return restart::retry(source, std::move(target));
  }();
  if (!seed) return Failure{std::move(seed).error()};
  StartRun start = restart_command(run.summary, bulk.action, std::move(seed->state));
  start.request_hash = "bulk " + bulk.id;
  RunId id = derived_run_id(bulk.account, "bulk\n" + bulk.id + "\n" + summary.id.text());
  return Command{std::move(id), std::move(start), bulk.actor};
}

Outcome<Command> command_for(Api& api, const BulkRecord& bulk, const RunSummary& run) {
  if (bulk.action == "retry" || bulk.action == "rerun") return restart(api, bulk, run);
  Command command{run.id, CancelRun{bulk.reason}, bulk.actor};
  if (bulk.action == "pause") command.body = PauseRun{};
  if (bulk.action == "resume") command.body = ResumeRun{};
  if (bulk.action == "signal")
    command.body = SignalRun{std::string(bulk.parameters.get("name").as_string()),
                             bulk.parameters.get("payload"), "bulk " + bulk.id};
  if (bulk.action == "migrate") {
    FERMATA_TRY(target, target_of(api, bulk, run));
    command.body =
        MigrateRun{target.workflow_version, std::move(target.definition), std::move(target.map)};
  }
  return command;
}

/// The command for one execution, or why there is none; nothing when nothing is left to do.
Outcome<std::optional<Command>> prepare(Api& api, const BulkRecord& bulk, const std::string& item,
                                        bool repeated) {
  FERMATA_TRY(run, api.reader().summary(RunId(item)));
  if (!run || run->account != bulk.account)
    return fail(ErrorCode::execution_not_found, "There is no execution `" + item + "`.");
  if (repeated && is_so(bulk.action, run->status)) return std::optional<Command>{};
  if (auto code = forbidden(bulk.action, run->status))
    return fail(*code, std::string(title_of(*code)) + ".");
  FERMATA_TRY(command, command_for(api, bulk, *run));
  return std::optional(std::move(command));
}

}  // namespace

ExecutionAction read_execution_action(front::Fields& fields) {
  ExecutionAction action{fields.text("action").value_or(""), Value::object()};
  fields.require("action");
  bool known = std::find(std::begin(actions), std::end(actions), action.name) != std::end(actions);
  if (!known && !action.name.empty())
    fields.wrong("action",
                 "One of cancel, pause, resume, retry, rerun, migrate, signal is expected.");
  if (action.name == "retry") read_version(fields, action.parameters, false);
  if (action.name == "migrate") read_version(fields, action.parameters, true);
  if (action.name == "signal") read_signal(fields, action.parameters);
  if (action.name == "rerun") {
    action.parameters.set("from_node", fields.text("from_node", 100).value_or(""));
    fields.require("from_node");
  }
  return action;
}

std::optional<ErrorCode> forbidden(std::string_view action, RunStatus status) {
  if (action == "retry") {
    bool failed = status == RunStatus::failed || status == RunStatus::timed_out;
    return failed ? std::nullopt : std::optional(ErrorCode::run_not_failed);
  }
  if (action == "rerun")
    return is_terminal(status) ? std::nullopt : std::optional(ErrorCode::run_not_finished);
  if (is_terminal(status)) return ErrorCode::run_finished;
  if (action == "resume" && status != RunStatus::paused) return ErrorCode::run_not_paused;
  if (action == "pause" && status == RunStatus::paused) return ErrorCode::run_paused;
  return std::nullopt;
}

void act_on_execution(Api& api, const BulkRecord& bulk, const std::string& item, bool repeated,
                      BulkDone done) {
  auto command = prepare(api, bulk, item, repeated);
  if (!command) return done(Failure{std::move(command).error()});
  if (!*command) return done({});
  bool taken =
      api.intake().submit(**std::move(command), [done](const Outcome<RunSummary>& outcome) {
        if (outcome) return done({});
        done(Failure{outcome.error()});
      });
  if (!taken) done(fail(ErrorCode::queue_full, "The engine's queue is full."));
}

}  // namespace fermata::server::routes
