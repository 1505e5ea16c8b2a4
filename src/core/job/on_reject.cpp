#include "core/job/votes.h"

namespace fermata::job {

Outcome<void> on_reject(Step& step, const RejectJob& reject) {
  if (has_expired(step)) return on_wake(step);
  FERMATA_TRY_VOID(
      may_vote(step, reject.hash, reject.voter, step.job.approval.value_or(Approval{}), false));
  FERMATA_TRY_VOID(permit(step.job.state, Cause::reject));
  step.audit("approval.reject", reject.reason,
             Value::object({{"request_hash", step.job.approval->request_hash}}));
  std::string reason = "rejected by " + reject.voter.id;
  if (!reject.reason.empty()) reason += ": " + reject.reason;
  deny(step, Cause::reject, *step.job.verdict, "approval_rejected", std::move(reason));
  return {};
}

}  // namespace fermata::job
