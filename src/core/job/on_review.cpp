#include "core/job/step.h"

namespace fermata::job {

Outcome<void> on_review(Step& step, const ReviewJob& review) {
  const Job& job = step.job;
  if (job.state != State::approval_required || !job.verdict)
    return fail(ErrorCode::wrong_state, "the job awaits no approval");
  if (is_current(step))
    return fail(ErrorCode::nothing_due, "the approval is of the policy in force");
  auto said = judged(step, review.kernel);
  if (said && said->content_wanted) return order_content(step), Outcome<void>{};
  // A pause, or no answer, takes nothing from an approval that people are deciding about.
  if (!said || said->verdict.kind == VerdictKind::throttle ||
      said->verdict.kind == VerdictKind::unavailable)
    return fail(ErrorCode::nothing_due, "policy says nothing about the approval");
  log_decision(step, *said);
  return take_verdict(step, std::move(said->verdict));
}

}  // namespace fermata::job
