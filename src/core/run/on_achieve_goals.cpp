#include <algorithm>

#include "core/graph/advance.h"
#include "core/run/step.h"

namespace fermata {

bool note_goals(Step& step, const AchieveGoals& achieve) {
  const Run& run = step.run;
  if (run.exit_reason == goal_achieved) return false;
  std::vector<std::string> fresh;
  for (const std::string& goal : achieve.goals)
    if (!run.goals.contains(goal)) fresh.push_back(goal);
  auto reached = [&](const std::string& goal) {
    return run.goals.contains(goal) || std::find(fresh.begin(), fresh.end(), goal) != fresh.end();
  };
  bool ends = !fresh.empty() && std::all_of(achieve.needed.begin(), achieve.needed.end(), reached);
  for (size_t i = 0; i < fresh.size(); ++i)
    step.emit(GoalAchieved{fresh[i], achieve.signal_id, ends && i + 1 == fresh.size()});
  return ends;
}

Outcome<void> refuse_goals(const Run& run, const AchieveGoals& achieve) {
  bool ours = run.account == achieve.account && run.workflow == achieve.workflow;
  // A run does not see the signal that started it.
  bool own = run.trigger_kind == "event" && run.trigger.get("event_id") == Value(achieve.signal_id);
  if (ours && !own) return {};
  return fail(ErrorCode::not_listening, "the goal is not one of this execution");
}

Outcome<void> on_achieve_goals(Step& step, const AchieveGoals& achieve) {
  if (step.run.finished()) return fail(ErrorCode::run_finished, "the execution has ended");
  FERMATA_TRY_VOID(refuse_goals(step.run, achieve));
  if (!note_goals(step, achieve)) return {};
  graph::cancel_everything(step);
  graph::tell_skipped(step);
  step.emit(RunCompleted{});
  return {};
}

}  // namespace fermata
