#include "core/graph/advance.h"
#include "core/run/step.h"

namespace fermata {

Outcome<void> on_pause(Step& step, const Command& command) {
  if (step.run.finished()) return fail(ErrorCode::run_finished, "the execution has ended");
  if (step.run.paused()) return {};
  step.emit(RunPaused{command.actor});
  return {};
}

namespace {

/// What fell due in the pause was held, not forgotten.
void tell_held(Step& step) {
  std::vector<TokenId> held;
  for (const RunTimer& timer : step.run.timers) {
    if (timer.due > step.given.now) break;
    if (timer.kind == TimerKind::token && step.run.tokens.at(timer.id).parked == Parked::timer)
      held.push_back(timer.id);
  }
  for (TokenId id : held) {
    Activation activation = activation_of(step.run, id);
    std::string timer_id = graph::timer_id_of(step.run, activation);
    step.emit(TimerHeld{activation, std::move(timer_id), *step.run.tokens.at(id).due});
  }
}

}  // namespace

Outcome<void> on_resume(Step& step, const Command& command) {
  Run& run = step.run;
  if (run.finished()) return fail(ErrorCode::run_finished, "the execution has ended");
  if (!run.paused()) return fail(ErrorCode::run_not_paused, "the execution is not paused");
  tell_held(step);
  step.emit(RunUnpaused{command.actor, (step.at - *run.paused_at).ms});
  graph::touch_pending_merges(step);
  graph::offer_kept_signals(step);
  take_retained(step);
  graph::advance(step);
  // Held waits fire now, in due order (G-95); an early look is a quiet refusal.
  if (!step.over() && !step.spent()) (void)on_wake(step);
  return {};
}

}  // namespace fermata
