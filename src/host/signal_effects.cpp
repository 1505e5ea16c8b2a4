#include "host/signal_effects.h"

#include <algorithm>

namespace fermata {

namespace {

Value entry_of_wait(const Run& run, const Wait& wait) {
  return Value::object({{"wait_id", wait.id},
                        {"execution_id", run.id.text()},
                        {"step_id", wait.step},
                        {"occurrence", wait.occurrence}});
}

}  // namespace

std::vector<SignalReached> reached_by(const Run& run, const std::vector<Event>& events,
                                      const std::vector<WaitRecord>& waits) {
  std::vector<SignalReached> out;
  auto add = [&](const std::string& signal, ReachKind kind, std::string ref, Value entry) {
    if (signal.empty()) return;
    SignalReached one{{run.account, signal}, kind, std::move(ref), std::move(entry)};
    bool known = std::any_of(out.begin(), out.end(), [&](const SignalReached& other) {
      return other.signal == one.signal && other.kind == kind && other.ref == one.ref;
    });
    if (!known) out.push_back(std::move(one));
  };
  for (const Event& event : events) {
    if (const auto* matched = std::get_if<SignalMatched>(&event.body)) {
      auto wait = std::find_if(waits.begin(), waits.end(),
                               [&](const WaitRecord& one) { return one.wait.id == matched->wait; });
      if (wait != waits.end())
        add(matched->signal_id, ReachKind::wait, matched->wait, entry_of_wait(run, wait->wait));
    } else if (const auto* goal = std::get_if<GoalAchieved>(&event.body)) {
      add(goal->signal_id, ReachKind::goal, run.id.text() + "/" + goal->goal,
          Value::object({{"execution_id", run.id.text()},
                         {"workflow_id", run.workflow.text()},
                         {"goal_id", goal->goal}}));
    } else if (const RunStarted* started = start_in(event.body)) {
      const Value& id = started->trigger.get("event_id");
      // A retry or a fork has the trigger of its origin, but no signal has started it.
      bool by_signal = started->trigger_kind == "event" && started->origin_run.empty();
      if (by_signal && id.is_string())
        add(std::string(id.as_string()), ReachKind::trigger, run.id.text(),
            Value::object({{"workflow_id", run.workflow.text()}, {"execution_id", run.id.text()}}));
    }
  }
  return out;
}

void tell_goals(const Run& run, const std::vector<Event>& events, std::vector<AuditLine>& lines) {
  for (const Event& event : events) {
    const auto* goal = std::get_if<GoalAchieved>(&event.body);
    if (goal == nullptr) continue;
    lines.push_back(
        {run.account, event.at, "engine", "goal.achieved", run.id.text(), "",
         Value::object(
             {{"goal_id", goal->goal}, {"event_id", goal->signal_id}, {"ends", goal->ends}})});
  }
}

}  // namespace fermata
