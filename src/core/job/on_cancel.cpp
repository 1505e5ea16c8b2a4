#include "core/job/step.h"

namespace fermata::job {

Outcome<void> on_cancel(Step& step, const CancelJob& order) {
  if (step.job.finished()) {
    step.decision.answer = Answer::terminal;
    // Whoever waits for its worker need not, and hears of work that people have not looked at.
    if (order.awaited && step.job.review_until)
      return end_review(step, order.reason), Outcome<void>{};
    if (order.awaited) step.record(LeaseReturnedTold{step.job.id, step.job.saga_run()});
    return {};
  }
  FERMATA_TRY_VOID(permit(step.job.state, Cause::cancel));
  revoke_attempt(step, AttemptOutcome::cancelled, order.reason);
  cancel(step, order.reason, step.command.actor, order.awaited);
  return {};
}

/// The dead letter of a success that came too late. One that is open already is enough.
Outcome<void> on_leave_late(Step& step, const LeaveLateSuccess& leave) {
  const Job& job = step.job;
  if (!job.finished() || job.late_successes.empty())
    return fail(ErrorCode::wrong_state, "no success of it came too late");
  if (job.state == State::cancelled) leave_dead_letter(step, "late_success", leave.reason);
  step.audit("job.late_success", leave.reason);
  return {};
}

}  // namespace fermata::job
