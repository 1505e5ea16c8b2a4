#include "base/check.h"
#include "core/job/step.h"

/// What a verdict means for a job. The rules themselves are given.
namespace fermata::job {

namespace {

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

/// Votes that were given stay given where the terms are the same (J-43).
Outcome<void> require_approval(Step& step, Verdict verdict) {
  FERMATA_TRY(move, permit(step.job.state, Cause::require_approval));
  Approval approval = asked_approval(step, verdict, step.job.request_hash);
  if (same_terms(verdict, approval, step.job)) {
    if (move.from == State::scheduled && step.job.approval->granted) {
      step.emit(JobApproved{std::move(verdict), step.job.queue_until});
      return {};
    }
    approval = *step.job.approval;
  }
  if (move.from == State::scheduled) step.effect(WithdrawJob{});
  step.emit(JobApprovalRequired{std::move(verdict), std::move(approval)});
  return {};
}

Outcome<void> refuse(Step& step, Verdict verdict) {
  FERMATA_TRY(move, permit(step.job.state, Cause::deny));
  std::string code = verdict.reason_code.empty() ? "safety_denied" : verdict.reason_code;
  // A verdict that nobody here knows the meaning of allows nothing.
  if (verdict.kind > last_of(VerdictKind{})) {
    code = "safety_unknown";
    verdict.kind = VerdictKind::deny;
  }
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
    case VerdictKind::allow_with_constraints: return allow(step, std::move(verdict));
    case VerdictKind::throttle: return postpone(step, Phase::throttled, again, std::move(reason));
    case VerdictKind::unavailable:
      return postpone(step, Phase::policy_unavailable, again, std::move(reason));
    case VerdictKind::require_approval: return require_approval(step, std::move(verdict));
    case VerdictKind::deny: break;
  }
  return refuse(step, std::move(verdict));
}

std::optional<Judged> judged(const Step& step) {
  const Policy* policy = step.given.policy;
  std::optional<Judged> said;
  if (policy == nullptr || !policy->judge) {
    said.emplace(Verdict{});
  } else {
    said = policy->judge(step.job, step.at);
  }
  if (!said || said->content_wanted) return said;
  Verdict& verdict = said->verdict;
  if (policy != nullptr) verdict.snapshot = policy->snapshot;
  // A job that is nothing but its approval needs one whatever policy says, short of a refusal.
  if (step.job.request.topic == gate_topic && verdict.kind < VerdictKind::require_approval)
    verdict.kind = VerdictKind::require_approval;
  return said;
}

void log_decision(Step& step, const Judged& said) {
  const Verdict& verdict = said.verdict;
  if (verdict.snapshot == "none") return;
  PolicyDecision line;
  line.account = step.job.account;
  line.job = step.job.id;
  line.revision = step.job.revision;
  line.at = step.at;
  line.topic = step.job.request.topic;
  line.decision = verdict.kind > last_of(VerdictKind{}) ? VerdictKind::deny : verdict.kind;
  line.rule_id = verdict.rule_id;
  line.bundle = verdict.bundle;
  line.reason = verdict.reason;
  line.snapshot = verdict.snapshot;
  line.source = verdict.source;
  line.facts = said.facts;
  line.counted = said.counted;
  line.micros = said.micros;
  step.record(std::move(line));
}

void order_content(Step& step) {
  step.effect(ScanInput{step.job.revision, step.given.policy->snapshot});
}

void ask_policy(Step& step) {
  if (auto said = judged(step)) {
    if (said->content_wanted) {
      // Should nobody answer, it is asked again.
      Instant again = step.at + Duration{step.given.limits.scan_timeout_ms};
      check(static_cast<bool>(postpone(step, Phase::content_check, again, "")));
      return order_content(step);
    }
    log_decision(step, *said);
    // Every verdict has a row in the states from which policy is asked.
    check(static_cast<bool>(take_verdict(step, std::move(said->verdict))));
    return;
  }
  if (step.job.undoes()) {
    // Undoing what was allowed does not wait for whoever could forbid it (J-75).
    Verdict verdict;
    verdict.source = "fail_open";
    verdict.reason = "policy is unavailable; a compensation goes on";
    step.audit("job.policy_bypassed", verdict.reason);
    check(static_cast<bool>(take_verdict(step, std::move(verdict))));
    return;
  }
  if (step.job.state != State::pending || step.job.not_before)
    check(static_cast<bool>(postpone(step, Phase::policy, std::nullopt, "")));
  step.effect(AskPolicy{step.job.revision});
}

}  // namespace fermata::job
