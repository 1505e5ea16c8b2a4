#include "core/job/step.h"

namespace fermata::job {

Outcome<void> on_cancel(Step& step, const CancelJob& order) {
  if (step.job.finished()) {
    step.decision.answer = Answer::terminal;
    return {};
  }
  FERMATA_TRY_VOID(permit(step.job.state, Cause::cancel));
  revoke_attempt(step, AttemptOutcome::cancelled, order.reason);
  cancel(step, order.reason, step.command.actor);
  return {};
}

}  // namespace fermata::job
