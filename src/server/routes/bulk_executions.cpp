#include <atomic>
#include <map>

#include "front/fields.h"
#include "front/run_query.h"
#include "server/routes/restart_execution.h"
#include "server/routes/routes.h"

namespace fermata::server::routes {
namespace {

enum class Action : uint8_t { cancel, pause, resume, retry };

struct BulkRequest {
  Action action = Action::cancel;
  RunFilter filter;
  std::string reason;
  bool dry_run = false;
};

std::optional<Action> action_of(std::string_view name) {
  if (name == "cancel") return Action::cancel;
  if (name == "pause") return Action::pause;
  if (name == "resume") return Action::resume;
  if (name == "retry") return Action::retry;
  return std::nullopt;
}

Outcome<BulkRequest> read_request(const Call& call) {
  BulkRequest out;
  front::Fields fields(call.body);
  std::string action = fields.text("action").value_or("");
  fields.require("action");
  auto known = action_of(action);
  if (!action.empty() && !known)
    fields.wrong("action", "One of cancel, pause, resume, retry is expected.");
  Value filter = fields.object("filter");
  bool all = fields.boolean("all").value_or(false);
  if (filter.size() == 0 && !all)
    fields.wrong("filter", "An empty filter selects everything and needs `\"all\": true`.");
  out.reason = fields.text("reason").value_or("");
  out.dry_run = fields.boolean("dry_run").value_or(false);
  FERMATA_TRY_VOID(fields.finish());
  if (filter.is_null()) filter = Value::object();
  FERMATA_TRY(runs, front::read_run_filter(filter, call.who.account));
  out.action = *known;
  out.filter = std::move(runs);
  return out;
}

/// Why the state of a run forbids the action, or nothing. Only a forecast: the run itself decides.
std::optional<ErrorCode> forbidden(Action action, RunStatus status) {
  if (action == Action::retry) {
    bool failed = status == RunStatus::failed || status == RunStatus::timed_out;
    return failed ? std::nullopt : std::optional(ErrorCode::run_not_failed);
  }
  if (is_terminal(status)) return ErrorCode::run_finished;
  if (action == Action::resume && status != RunStatus::paused) return ErrorCode::run_not_paused;
  if (action == Action::pause && status == RunStatus::paused) return ErrorCode::run_paused;
  return std::nullopt;
}

Outcome<std::vector<RunSummary>> select(Api& api, const RunFilter& filter) {
  std::vector<RunSummary> out;
  std::string cursor;
  do {
    FERMATA_TRY(page, api.reader().list(filter, front::page_limit_max, cursor));
    for (RunSummary& summary : page.items) out.push_back(std::move(summary));
    cursor = page.next_cursor;
    if (out.size() > api.options().bulk_runs_max)
      return fail(ErrorCode::invalid_field, "The filter matches more than bulk_runs_max, " +
                                                std::to_string(api.options().bulk_runs_max) +
                                                " executions; narrow it.");
  } while (!cursor.empty());
  return out;
}

Value forecast(Api& api, const BulkRequest& request, const std::vector<RunSummary>& runs) {
  constexpr size_t sample_max = 10;
  std::map<std::string_view, int64_t> by_status;
  std::map<std::string_view, int64_t> refused;
  Value sample = Value::array();
  for (const RunSummary& run : runs) {
    ++by_status[name_of(run.status)];
    if (auto code = forbidden(request.action, run.status)) {
      ++refused[name_of(*code)];
    } else if (sample.size() < sample_max) {
      sample.push(run.id.text());
    }
  }
  auto to_object = [](const auto& counts) {
    Value out = Value::object();
    for (const auto& [name, count] : counts) out.set(name, count);
    return out;
  };
  return Value::object({{"dry_run", true},
                        {"count", runs.size()},
                        {"by_status", to_object(by_status)},
                        {"sample", std::move(sample)},
                        {"refused", to_object(refused)},
                        {"as_of", to_rfc3339(api.now())}});
}

/// Collects what became of each run; when its last owner goes, all are known and it answers.
class Tally {
 public:
  Tally(Api& api, Call call, size_t matched)
      : api_(api), call_(std::move(call)), matched_(matched) {}
  /// The last to know may be the engine's thread, which has better things to do than writing JSON.
  ~Tally() {
    Value answer =
        Value::object({{"matched", matched_}, {"done", done_}, {"refused", std::move(refused_)}});
    api_.pool().submit_owed(
        [call = call_, answer = std::move(answer)] { call.send_json(200, answer); });
  }
  void done() {
    std::lock_guard lock(mutex_);
    ++done_;
  }
  void refused(const RunId& run, const Error& error) {
    std::lock_guard lock(mutex_);
    refused_.push(Value::object(
        {{"id", run.text()}, {"code", name_of(error.code)}, {"message", error.message}}));
  }

 private:
  Api& api_;
  const Call call_;
  const size_t matched_;
  std::mutex mutex_;
  int64_t done_ = 0;
  Value refused_ = Value::array();
};

Outcome<Command> retry_command(Api& api, const Call& call, const RunSummary& summary) {
  FERMATA_TRY(run, api.reader().find(summary.id));
  FERMATA_TRY(definitions, definitions_of(api, run.summary));
  FERMATA_TRY(seed, restart::retry({run.summary, run.history, definitions}));
  StartRun start = restart_command(run.summary, "retry", std::move(seed.state));
  std::string_view key = call.request.header("idempotency-key");
  if (key.empty()) return Command{RunId(api.new_uuid_v7()), std::move(start), {}};
  std::string each = std::string(key) + "\n" + summary.id.text();
  start.request_hash = "bulk retry";
  return Command{derived_run_id(call.who.account, each), std::move(start), {}};
}

Outcome<Command> command_for(Api& api, const Call& call, const BulkRequest& request,
                             const RunSummary& run) {
  if (auto code = forbidden(request.action, run.status))
    return fail(*code, std::string(title_of(*code)) + ".");
  switch (request.action) {
    case Action::cancel:
      return Command{run.id, CancelRun{request.reason}, {}};
    case Action::pause:
      return Command{run.id, PauseRun{}, {}};
    case Action::resume:
      return Command{run.id, ResumeRun{}, {}};
    case Action::retry:
      break;
  }
  return retry_command(api, call, run);
}

void act(Api& api, const Call& call, const BulkRequest& request,
         const std::vector<RunSummary>& runs) {
  auto tally = std::make_shared<Tally>(api, call, runs.size());
  for (const RunSummary& run : runs) {
    auto command = command_for(api, call, request, run);
    if (!command) {
      tally->refused(run.id, command.error());
      continue;
    }
    command->actor = call.who.actor;
    bool taken = api.intake().submit(*std::move(command),
                                     [tally, id = run.id](const Outcome<RunSummary>& outcome) {
                                       if (outcome) return tally->done();
                                       tally->refused(id, outcome.error());
                                     });
    if (!taken) tally->refused(run.id, {ErrorCode::queue_full, "The engine's queue is full.", {}});
  }
}

}  // namespace

void bulk_executions(Api& api, Call call) {
  auto request = read_request(call);
  if (!request) return api.fail(call, request.error());
  auto runs = select(api, request->filter);
  if (!runs) return api.fail(call, runs.error());
  if (request->dry_run) return call.send_json(200, forecast(api, *request, *runs));
  act(api, call, *request, *runs);
}

}  // namespace fermata::server::routes
