#include "cli/local_run.h"

#include <algorithm>
#include <chrono>

#include "base/uuid.h"
#include "core/run/view.h"

namespace fermata::cli {
namespace {

constexpr int64_t sleep_ms_max = 1'000;

}  // namespace

void LocalRun::committed(const RunSummary& summary, const HistoryChunk& events) {
  latest_ = summary;
  if (!stream_) stream_.emplace(summary.id, definition_, false);
  std::vector<Value> records;
  if (!stream_->read(events, 1, records)) return;
  stream_->tell_progress(records);
  for (const Value& record : records) {
    std::string_view event = record.get("event").as_string();
    // What steps have said stands above the end of the run.
    if (event == "run" && is_terminal(summary.status) && &record == &records.back()) show_said();
    progress_.show(event, record.get("data"));
  }
}

void LocalRun::logged(const WriteLog& line) { said_.emplace_back(line.level, line.message); }

void LocalRun::show_said() {
  for (const auto& [level, message] : std::exchange(said_, {})) progress_.say(level, message);
}

Outcome<void> LocalRun::start(Engine& engine, const std::string& name, const Value& input) {
  StartRun start;
  start.account = AccountId("default");
  start.workflow = WorkflowId(name);
  start.workflow_version = 1;
  start.definition = definition_;
  start.input = input;
  start.trigger = input;
  RunId id(uuid_v7(engine.clock().now(), engine.entropy->next(), engine.entropy->next()));
  latest_.id = id;
  bool taken =
      engine.host->submit({id, std::move(start), "local"}, [this](Outcome<RunSummary> done) {
        if (!done) refusal_ = done.error();
      });
  check(taken);
  return {};
}

void LocalRun::wait(Engine& engine, std::optional<Instant> at) {
  int64_t most = sleep_ms_max;
  if (at) most = std::clamp<int64_t>(at->ms - engine.clock().now().ms, 0, most);
  std::unique_lock lock(mutex_);
  answered_.wait_for(lock, std::chrono::milliseconds(most), [this] { return answer_came_; });
  answer_came_ = false;
}

Outcome<void> LocalRun::take_turns(Engine& engine) {
  while (!refusal_ && !is_terminal(latest_.status)) {
    NextTurn next = engine.host->turn();
    show_said();
    if (next.at_once || refusal_ || is_terminal(latest_.status)) continue;
    if (engine.calls->in_flight() > 0) {
      wait(engine, engine.movable ? std::nullopt : next.at);
    } else if (!latest_.next_due && latest_.calls_pending == 0) {
      return fail(ErrorCode::run_not_finished,
                  "The run waits for a signal, which only a server can receive.");
    } else if (engine.movable && latest_.next_due) {
      engine.movable->set(std::max(*latest_.next_due, engine.clock().now()));
    } else {
      wait(engine, next.at);
    }
  }
  if (refusal_) return Failure{*refusal_};
  return {};
}

Outcome<Value> LocalRun::execute(const GraphFile& file, const std::string& name, const Value& input,
                                 bool fast_forward) {
  definition_ = file.checked.definition;
  EngineWanted wanted;
  wanted.store = world_.memory_store();
  if (fast_forward) wanted.virtual_start = world_.system_clock()->now();
  // Who may run a program here may reach this machine's own network as well.
  wanted.private_networks =
      settings_.http_private_networks == "auto" ? "allow" : settings_.http_private_networks;
  wanted.on_answer = [this] {
    {
      std::lock_guard lock(mutex_);
      answer_came_ = true;
    }
    answered_.notify_one();
  };
  wanted.keys = front::given_keys(SealingKeys::fresh());
  FERMATA_TRY(engine, make_engine(world_, std::move(wanted), settings_, *this));
  FERMATA_TRY_VOID(keep_inlined(engine, file, settings_));
  engine.definitions->keep(definition_);
  FERMATA_TRY_VOID(start(engine, name, input));
  FERMATA_TRY_VOID(take_turns(engine));
  FERMATA_TRY(run, engine.store->reader().find(latest_.id));
  return view::execution(run.summary, run.history, definition_);
}

}  // namespace fermata::cli
