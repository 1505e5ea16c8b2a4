#include "core/run/pause_events.h"

#include "core/run/wait_events.h"

namespace fermata {

void apply(Run& run, const RunPaused&, Instant at) {
  run.status = RunStatus::paused;
  run.paused_at = at;
  hold_for_pause(run, true);
}

void apply(Run& run, const RunUnpaused& event, Instant) {
  run.status = RunStatus::running;
  run.paused_at.reset();
  hold_for_pause(run, false);
  Duration pause{event.paused_ms};
  std::set<RunTimer> moved;
  for (RunTimer timer : run.timers) {
    bool waits = timer.kind == TimerKind::token || timer.kind == TimerKind::script ||
                 timer.kind == TimerKind::wait;
    if (!waits) timer.due = timer.due + pause;
    moved.insert(timer);
  }
  run.timers = std::move(moved);
  if (run.timeout_at) run.timeout_at = *run.timeout_at + pause;
  for (auto& [id, key] : run.pending_merges) {
    Merge& merge = run.merges.at(key);
    if (merge.deadline) merge.deadline = *merge.deadline + pause;
  }
  for (auto& [id, scope] : run.scopes)
    if (scope.deadline) scope.deadline = *scope.deadline + pause;
}

}  // namespace fermata
