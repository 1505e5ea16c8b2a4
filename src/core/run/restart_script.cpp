#include "core/flow/durable/activate.h"
#include "core/flow/durable/ledger.h"
#include "core/run/decide.h"
#include "core/run/history.h"
#include "core/run/restart_parts.h"
#include "core/run/script_migration.h"

/// New runs made from runs of scripts (F-48). The machine is deterministic, so the old run is
/// played again from its history; on the way it tells what it had ordered.
namespace fermata::restart {

namespace {

uint32_t number_of(const flow::Outgoing& ask) {
  return std::visit(
      [](const auto& body) -> uint32_t {
        using Body = std::remove_cvref_t<decltype(body)>;
        constexpr bool order =
            std::is_same_v<Body, flow::SubmitTask> || std::is_same_v<Body, flow::StartChild> ||
            std::is_same_v<Body, flow::SendSignal> || std::is_same_v<Body, flow::OpenApproval>;
        if constexpr (order) return body.number;
        return 0;
      },
      ask.what);
}

/// Whoever asked for this may get another answer the next time.
bool is_failed_work(const FlowSettled& settled) {
  bool outside = settled.kind == flow::AwaitableKind::task ||
                 settled.kind == flow::AwaitableKind::child ||
                 settled.kind == flow::AwaitableKind::send;
  return outside && settled.status != flow::AwaitableStatus::completed;
}

/// The old run, as far as it is played.
class ScriptReplay {
 public:
  explicit ScriptReplay(const Source& source) : source_(source) { run.id = source.summary.id; }

  Outcome<void> play(uint64_t last_sequence) {
    for (const HistoryChunk& chunk : source_.history) {
      FERMATA_TRY(events, decode_history(chunk));
      for (const Event& event : events) {
        if (event.sequence > last_sequence) return {};
        FERMATA_TRY_VOID(step(event));
        if (over_) return {};
      }
    }
    return {};
  }

  Run run;
  Run parked;                   ///< at the last park, or at the start
  std::vector<Event> since;     ///< what has reached it there
  std::vector<uint64_t> parks;  ///< their sequences
  std::map<uint32_t, flow::Outgoing> orders;

 private:
  Outcome<void> step(const Event& event) {
    const DefinitionHash* needs = nullptr;
    if (const auto* started = start_in(event.body)) needs = &started->hash;
    if (const auto* migrated = std::get_if<FlowMigrated>(&event.body)) needs = &migrated->hash;
    if (needs) run.definition = source_.definitions.find(*needs);
    if (!run.definition) return fail(ErrorCode::data_damaged, "a definition is missing");
    // From here on the run was ending; it broke before.
    over_ = std::holds_alternative<FlowEnding>(event.body);
    if (over_) return {};
    evolve(run, event);
    for (flow::Outgoing& ask : run.script_asks)
      if (uint32_t number = number_of(ask); number != 0) orders[number] = std::move(ask);
    if (run.finished() || !run.script || run.script->ended()) {
      over_ = true;
    } else {
      keep(event);
    }
    return {};
  }

  void keep(const Event& event) {
    bool resumed = std::holds_alternative<FlowResumed>(event.body);
    if (resumed) halfway_ = run.script->open.has_value();
    if (resumed && !halfway_) parks.push_back(event.sequence);
    bool rests = (resumed && !halfway_) || start_in(event.body) ||
                 std::holds_alternative<FlowMigrated>(event.body);
    if (rests) {
      parked = run;
      since.clear();
    } else if (reaches_script(event.body)) {
      since.push_back(event);
    }
  }

  bool reaches_script(const EventBody& body) const {
    if (std::holds_alternative<FlowNoted>(body)) return !halfway_;
    return std::holds_alternative<FlowSettled>(body) ||
           std::holds_alternative<FlowTimerFired>(body) ||
           std::holds_alternative<SignalReceived>(body);
  }

  const Source& source_;
  bool over_ = false;
  bool halfway_ = false;  ///< an activation was cut and has not ended yet
};

/// Work that failed before the last park and that the script has neither awaited nor put into a
/// composite: it would meet the old failure later, so the work is open again.
void reopen_unseen_failures(Run& run) {
  flow::Execution& script = run.own_script();
  std::vector<flow::Outgoing> told;
  flow::Ledger ledger(script, told);
  for (auto& [number, record] : script.awaitables) {
    bool work = record.kind == flow::AwaitableKind::task ||
                record.kind == flow::AwaitableKind::child ||
                record.kind == flow::AwaitableKind::send;
    bool failed = record.status == flow::AwaitableStatus::failed;
    if (!work || !failed || record.observed || record.delivered) continue;
    ledger.drop_bytes(record.result);
    record.status = flow::AwaitableStatus::pending;
    record.sequence = 0;
    record.result = {};
    ++script.pending;
  }
}

/// What is still awaited was somebody else's to do for the old run: it is ordered anew.
void order_anew(Run& run, std::map<uint32_t, flow::Outgoing>& orders) {
  run.script_orders.clear();
  for (const auto& [number, record] : run.script->awaitables) {
    auto found = orders.find(number);
    if (record.pending() && found != orders.end())
      run.script_orders.push_back(std::move(found->second));
  }
}

std::string shown_order(const flow::Outgoing& order) {
  if (const auto* task = std::get_if<flow::SubmitTask>(&order.what)) return "task " + task->name;
  if (const auto* child = std::get_if<flow::StartChild>(&order.what))
    return "workflow " + child->workflow;
  if (const auto* sent = std::get_if<flow::SendSignal>(&order.what)) return "signal " + sent->name;
  return "approval";
}

Value script_plan(const Run& run) {
  Value repeat = Value::array();
  for (const flow::Outgoing& order : run.script_orders) repeat.push(shown_order(order));
  Value reuse = Value::array();
  for (const auto& [number, record] : run.script->awaitables)
    if (!record.pending() && flow::is_outside(record.kind) && !record.name.empty())
      reuse.push(std::string(flow::kind_name(record.kind)) + " " + record.name);
  return Value::object({{"repeat", std::move(repeat)},
                        {"reuse", std::move(reuse)},
                        {"cancel", Value::array()},
                        {"warnings", Value::array()}});
}

Seed script_seed(Run run) {
  Seed seed;
  seed.plan = script_plan(run);
  seed.state = std::make_shared<const Run>(std::move(run));
  return seed;
}

void detach_script(Run& run) {
  detach(run);
  run.script_faults = 0;
  run.script_retry_at.reset();
  run.script_ended_by.clear();
  run.script_asks.clear();
}

}  // namespace

Outcome<Seed> retry_script(const Source& source, const std::optional<MigrationTarget>& target) {
  ScriptReplay old(source);
  FERMATA_TRY_VOID(old.play(UINT64_MAX));
  Run run = std::move(old.parked);
  for (const Event& event : old.since) {
    const auto* settled = std::get_if<FlowSettled>(&event.body);
    if (!settled || !is_failed_work(*settled)) evolve(run, event);
  }
  reopen_unseen_failures(run);
  Value report = Value::object();
  if (target && target->definition->hash != run.definition->hash) {
    FERMATA_TRY(moved, move_script(run, *target));
    report = std::move(moved.report);
    run.definition = target->definition;
    evolve(run, {run.last_sequence + 1, run.last_at, std::move(moved.event)});
  }
  if (target) run.workflow_version = target->workflow_version;
  // The work is the same work: the run key stays, so tasks carry the same keys (G-39).
  detach_script(run);
  order_anew(run, old.orders);
  Seed seed = script_seed(std::move(run));
  for (const Value::Member& member : report.members())
    seed.plan.set(member.key.as_string(), member.value);
  return seed;
}

Outcome<Seed> fork_script(const Source& source, uint64_t at_sequence, const Value& changes,
                          uint32_t snapshots_kept) {
  if (changes.is_object() && changes.size() > 0)
    return fail(ErrorCode::invalid_field, "changes: a script has no references to change");
  ScriptReplay all(source);
  FERMATA_TRY_VOID(all.play(UINT64_MAX));
  size_t gone = all.parks.size() > snapshots_kept ? all.parks.size() - snapshots_kept : 0;
  if (gone > 0 && at_sequence < all.parks[gone])
    return fail(ErrorCode::snapshot_gone, "the oldest state that is kept is that of sequence " +
                                              std::to_string(all.parks[gone]));
  ScriptReplay old(source);
  FERMATA_TRY_VOID(old.play(at_sequence));
  Run run = std::move(old.run);
  if (run.finished() || !run.script || run.script->ended() || run.last_sequence < at_sequence)
    return fail(ErrorCode::sequence_unknown, "at this sequence the execution had ended");
  detach_script(run);
  run.saga = {};
  run.run_key = {};
  order_anew(run, old.orders);
  return script_seed(std::move(run));
}

Outcome<Seed> rerun_script(const Source& source, const std::string& from_node) {
  if (!from_node.empty())
    return fail(ErrorCode::invalid_field,
                "from_node: a script has no nodes; without it the execution begins anew");
  FERMATA_TRY(run, state_at(source, 1));
  FERMATA_TRY(last, state_at(source, source.summary.last_sequence));
  run.definition = last.definition;
  run.workflow_version = last.workflow_version;
  detach_script(run);
  run.run_key = {};
  run.timers.clear();
  run.script_begins.reset();
  run.script_progress = {};
  run.script = std::make_shared<flow::Execution>(
      flow::begin_flow(run.id.text(), run.input, Value::object()));
  return script_seed(std::move(run));
}

Outcome<Value> script_migration_plan(const Source& source, const MigrationTarget& target) {
  FERMATA_TRY(run, state_at(source, source.summary.last_sequence));
  FERMATA_TRY(moved, move_script(run, target));
  return moved.report;
}

}  // namespace fermata::restart
