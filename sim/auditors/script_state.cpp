#include "sim/auditors/auditor.h"

namespace fermata::sim {

namespace {

/// The records of a script, its fibers, its alarms and the timers of its run say the same thing in
/// different ways; whatever waits, something can wake it.
class ScriptAuditor final : public Auditor {
 public:
  void written(const Run& run, const RunSummary&) override {
    if (run.finished() && run.script) violate(run, "an ended run has kept its script");
    if (run.finished() || !run.script) return;
    const flow::Execution& script = *run.script;
    if (script.ended()) violate(run, "the script has ended, but the run goes on");
    counts(run, script);
    timers(run, script);
    if (!script.open) fibers(run, script);
  }

 private:
  void counts(const Run& run, const flow::Execution& script) {
    uint32_t pending = 0;
    for (const auto& [number, record] : script.awaitables) {
      pending += record.pending() ? 1 : 0;
      if (number > script.last_number) violate(run, "an awaitable has a number of the future");
      if (record.pending() != (record.sequence == 0))
        violate(run, "an awaitable has settled without a sequence, or has one and waits");
      if (flow::is_composite(record.kind)) items(run, script, record);
    }
    if (pending != script.pending) violate(run, "the pending awaitables are miscounted");
    uint64_t kept = 0;
    for (const auto& [name, mailbox] : script.mailboxes) kept += mailbox.kept.size();
    if (kept != script.signals_kept) violate(run, "the kept signals are miscounted");
  }
  void items(const Run& run, const flow::Execution& script, const flow::Awaitable& record) {
    if (!record.pending()) return;
    uint32_t open = 0;
    for (uint32_t item : record.composite.items) {
      auto found = script.awaitables.find(item);
      open += found != script.awaitables.end() && found->second.pending() ? 1 : 0;
    }
    if (open != record.composite.open) violate(run, "a composite miscounts its items");
    if (open == 0) violate(run, "all items of a composite have settled, but it waits");
  }
  void timers(const Run& run, const flow::Execution& script) {
    std::set<RunTimer> expected;
    std::optional<Instant> due = run.script_begins;
    if (!due && !script.alarms.empty()) due = script.alarms.begin()->first;
    if (run.script_retry_at && (!due || *run.script_retry_at < *due)) due = run.script_retry_at;
    if (due) expected.insert({*due, TimerKind::script, 0});
    bool ending = script.unwinding != flow::FlowEnd::none;
    if (run.timeout_at && !ending) expected.insert({*run.timeout_at, TimerKind::run, 0});
    if (expected != run.timers) violate(run, "the timers are not those of the script");
    for (const auto& [number, record] : script.awaitables)
      if (record.pending() && record.due && !script.alarms.contains({*record.due, number}))
        violate(run, "an awaitable has a time, but no alarm");
  }
  void fibers(const Run& run, const flow::Execution& script) {
    std::set<uint32_t> ready;
    for (const flow::ReadyFiber& fiber : script.ready) ready.insert(fiber.fiber);
    for (const auto& [number, fiber] : script.parked) {
      if (ready.contains(number)) continue;
      auto found = script.awaitables.find(fiber.awaiting);
      if (found == script.awaitables.end() || !found->second.pending())
        violate(run, "a fiber is parked on what has settled");
    }
    if (script.started && script.parked.empty() && ready.empty())
      violate(run, "no fiber is alive, but the run goes on");
  }
};

}  // namespace

std::unique_ptr<Auditor> script_state_auditor() { return std::make_unique<ScriptAuditor>(); }

}  // namespace fermata::sim
