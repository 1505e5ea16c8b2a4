#include "core/graph/advance.h"
#include "core/run/api_waits.h"
#include "core/saga/saga.h"

namespace fermata {

namespace {

Outcome<void> refuse_if_idle(const Run& run, Instant now) {
  if (run.finished()) return fail(ErrorCode::run_finished, "the execution has ended");
  if (run.paused()) return fail(ErrorCode::run_paused, "the execution is paused");
  bool due = !run.timers.empty() && run.timers.begin()->due <= now;
  if (!due && !has_ready_work(run)) return fail(ErrorCode::nothing_due, "nothing is due yet");
  return {};
}

void fire(Step& step, const RunTimer& timer) {
  switch (timer.kind) {
    case TimerKind::token: return graph::fire_token_timer(step, timer.id);
    case TimerKind::merge: return graph::fire_merge_timeout(step, timer.id);
    case TimerKind::scope: return graph::fire_scope_timeout(step, static_cast<ScopeId>(timer.id));
    case TimerKind::run: return graph::time_out_run(step);
    case TimerKind::script: return;  // a graph has none
    case TimerKind::wait: return fire_api_wait(step, timer.id);
    case TimerKind::undo: return saga::end_idle(step);
  }
}

}  // namespace

Outcome<void> on_wake(Step& step) {
  FERMATA_TRY_VOID(refuse_if_idle(step.run, step.given.now));
  graph::advance(step);
  release_limited(step);
  take_retained(step);
  // One timer at a time, each followed to quiescence: a wait that was due before a merge's timeout
  // arrives before it, however late both are looked at.
  while (!step.spent() && !step.over() && !step.run.timers.empty() &&
         step.run.timers.begin()->due <= step.given.now) {
    ++step.activations;
    fire(step, RunTimer(*step.run.timers.begin()));
    graph::advance(step);
  }
  return {};
}

}  // namespace fermata
