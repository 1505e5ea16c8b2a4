#include "base/check.h"
#include "core/job/step.h"

/// What a verdict means for a job. The rules themselves are given.
namespace fermata::job {

namespace {

constexpr uint32_t approvals_max = 5;

std::optional<Verdict> judged(const Step& step) {
  const Policy* policy = step.given.policy;
  if (policy == nullptr || !policy->judge) {
    Verdict verdict;
    if (policy != nullptr) verdict.snapshot = policy->snapshot;
    return verdict;
  }
  auto verdict = policy->judge(step.job);
  if (verdict) verdict->snapshot = policy->snapshot;
  return verdict;
}

Outcome<void> allow(Step& step, Verdict verdict) {
  FERMATA_TRY(move, permit(step.job.state, Cause::allow));
  bool queued = move.from == State::scheduled;
  std::optional<Instant> until = queued ? step.job.queue_until : queue_limit(step);
  step.emit(JobAllowed{std::move(verdict), until});
  if (!queued) step.effect(OfferJob{});
  return {};
}

Outcome<void> postpone(Step& step, Phase phase, std::optional<Instant> check_at,
                       std::string reason) {
  FERMATA_TRY(move, permit(step.job.state, Cause::postpone));
  if (move.from == State::scheduled) step.effect(WithdrawJob{});
  step.emit(JobPostponed{phase, check_at, std::move(reason)});
  return {};
}

Outcome<void> require_approval(Step& step, Verdict verdict) {
  FERMATA_TRY(move, permit(step.job.state, Cause::require_approval));
  Approval approval;
  approval.request_hash = step.job.request_hash;
  const Value& roles = verdict.approval.get("roles");
  if (roles.is_array())
    for (const Value& role : roles.items())
      if (role.is_string()) approval.roles.emplace_back(role.as_string());
  const Value& count = verdict.approval.get("count");
  if (count.is_integer() && count.as_integer() >= 1 && count.as_integer() <= approvals_max)
    approval.count = static_cast<uint32_t>(count.as_integer());
  const Value& expires = verdict.approval.get("expires_ms");
  int64_t expires_ms =
      expires.is_integer() ? expires.as_integer() : step.given.limits.approval_expires_ms;
  approval.asked_at = step.at;
  approval.expires_at = step.at + Duration{expires_ms};
  if (move.from == State::scheduled) step.effect(WithdrawJob{});
  step.emit(JobApprovalRequired{std::move(verdict), std::move(approval)});
  return {};
}

Outcome<void> refuse(Step& step, Verdict verdict) {
  FERMATA_TRY(move, permit(step.job.state, Cause::deny));
  std::string code = verdict.reason_code.empty() ? "safety_denied" : verdict.reason_code;
  if (move.from != State::pending) code = "policy_changed";
  std::string reason = verdict.reason;
  deny(step, Cause::deny, std::move(verdict), std::move(code), std::move(reason));
  return {};
}

}  // namespace

Outcome<void> take_verdict(Step& step, Verdict verdict) {
  Instant again = step.at + Duration{step.given.limits.recheck_ms};
  std::string reason = verdict.reason;
  switch (verdict.kind) {
    case VerdictKind::allow:
    case VerdictKind::allow_with_constraints:
      return allow(step, std::move(verdict));
    case VerdictKind::throttle:
      return postpone(step, Phase::throttled, again, std::move(reason));
    case VerdictKind::unavailable:
      return postpone(step, Phase::policy_unavailable, again, std::move(reason));
    case VerdictKind::require_approval:
      return require_approval(step, std::move(verdict));
    case VerdictKind::deny:
      break;
  }
  return refuse(step, std::move(verdict));
}

void ask_policy(Step& step) {
  if (auto verdict = judged(step)) {
    // Every verdict has a row in the states from which policy is asked.
    check(static_cast<bool>(take_verdict(step, *std::move(verdict))));
    return;
  }
  if (step.job.state != State::pending || step.job.not_before)
    check(static_cast<bool>(postpone(step, Phase::policy, std::nullopt, "")));
  step.effect(AskPolicy{step.job.revision});
}

}  // namespace fermata::job
