#include <algorithm>

#include "base/check.h"
#include "core/job/retry.h"
#include "core/job/step.h"

/// What a verdict means for a job. The rules themselves are given.
namespace fermata::job {

namespace {

Outcome<void> allow(Step& step, Verdict verdict) {
  FERMATA_TRY(move, permit(step.job.state, Cause::allow));
  bool queued = move.from == State::scheduled;
  std::optional<Instant> until = queued ? step.job.queue_until : queue_limit(step);
  auto give_up_at = queued ? step.job.give_up_at : give_up_limit(step);
  step.emit(JobAllowed{std::move(verdict), until, give_up_at});
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
  bool queued = move.from == State::scheduled;
  if (same_terms(verdict, approval, step.job)) {
    if (step.job.approval->granted) {
      auto until = queued ? step.job.queue_until : queue_limit(step);
      auto give_up_at = queued ? step.job.give_up_at : give_up_limit(step);
      step.emit(JobApproved{std::move(verdict), until, give_up_at});
      if (!queued) step.effect(OfferJob{});
      return {};
    }
    approval = *step.job.approval;
  }
  if (queued) step.effect(WithdrawJob{});
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

const Kernel* kernel_of(const Step& step) {
  const Policy* policy = step.given.policy;
  return policy && policy->kernel ? &*policy->kernel : nullptr;
}

/// The stricter of both holds; of equals the kernel's, which was asked for a reason. What either
/// constrains stays constrained.
Judged joined(std::optional<Judged> rules, Verdict word, uint64_t micros = 0) {
  if (!rules) rules.emplace(word);
  rules->micros += micros;
  Verdict& held = rules->verdict;
  Value constraints = tighter_constraints(held.constraints, word.constraints);
  word.snapshot = held.snapshot;
  if (word.kind >= held.kind) {
    held = std::move(word);
  } else {
    held.kernel_snapshot = std::move(word.kernel_snapshot);
    held.bypassed = word.bypassed;
  }
  held.constraints = std::move(constraints);
  if (held.kind == VerdictKind::allow && !held.constraints.is_null())
    held.kind = VerdictKind::allow_with_constraints;
  return *std::move(rules);
}

Outcome<void> settle(Step& step, const Judged& said) {
  FERMATA_TRY_VOID(take_verdict(step, said.verdict));
  log_decision(step, said);
  return {};
}

/// Nobody could be asked, and it goes on all the same (J-33, J-75).
Verdict bypassing(Step& step) {
  Verdict word;
  word.source = "fail_open";
  word.bypassed = true;
  word.reason = step.job.undoes() ? "policy is unavailable; a compensation goes on"
                                  : "input policy fail-open: safety kernel unreachable";
  if (const Kernel* kernel = kernel_of(step)) word.kernel_snapshot = kernel->snapshot.value_or("");
  return word;
}

/// The input is read first; should nobody do so, that is asked for again.
Outcome<void> want_content(Step& step) {
  Instant again = step.at + Duration{step.given.limits.scan_timeout_ms};
  FERMATA_TRY_VOID(postpone(step, Phase::content_check, again, ""));
  order_content(step);
  return {};
}

Outcome<void> take_outage(Step& step, const Verdict& word) {
  auto rules = judged(step);
  if (rules && rules->content_wanted) return want_content(step);
  // What rules forbid needs nobody else's word.
  if (rules && rules->verdict.kind == VerdictKind::deny) return settle(step, *rules);
  const Kernel* kernel = kernel_of(step);
  // Undoing what was allowed does not wait for whoever could forbid it.
  bool goes_on = step.job.undoes() || (kernel && kernel->fail_mode == FailMode::open);
  if (!goes_on) {
    int64_t delay_ms =
        std::max(step.given.limits.recheck_ms,
                 backoff_ms(step.job.policy_waits, step.random.below(backoff_jitter_ms)));
    return postpone(step, Phase::policy_unavailable, step.at + Duration{delay_ms}, word.reason);
  }
  Verdict bypass = bypassing(step);
  std::string reason = bypass.reason;
  FERMATA_TRY_VOID(settle(step, joined(std::move(rules), std::move(bypass))));
  step.audit("job.policy_bypassed", std::move(reason),
             Value::object({{"outage", word.reason}, {"topic", step.job.request.topic}}));
  return {};
}

}  // namespace

std::string_view name_of(FailMode mode) { return mode == FailMode::open ? "open" : "closed"; }

Outcome<void> take_verdict(Step& step, Verdict verdict) {
  Instant again = step.at + Duration{step.given.limits.recheck_ms};
  std::string reason = verdict.reason;
  switch (verdict.kind) {
    case VerdictKind::allow:
    case VerdictKind::allow_with_constraints: return allow(step, std::move(verdict));
    case VerdictKind::throttle: return postpone(step, Phase::throttled, again, std::move(reason));
    case VerdictKind::unavailable: return take_outage(step, verdict);
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

std::optional<Judged> judged(const Step& step, const std::optional<JudgeJob>& kernel) {
  auto rules = judged(step);
  if (!kernel_of(step) || (rules && rules->content_wanted)) return rules;
  if (rules && rules->verdict.kind == VerdictKind::deny) return rules;
  bool heard = kernel && kernel->revision == step.job.revision &&
               kernel->verdict.kind != VerdictKind::unavailable;
  if (!heard) return std::nullopt;
  return joined(std::move(rules), kernel->verdict, kernel->micros);
}

bool is_current(const Step& step) {
  if (!step.job.verdict) return false;
  const Verdict& verdict = *step.job.verdict;
  const std::string active = step.given.policy ? step.given.policy->snapshot : "none";
  if (verdict.snapshot != active) return false;
  const Kernel* kernel = kernel_of(step);
  if (!kernel) return true;
  // Before it has spoken nobody knows whether its policy is still the one that was asked.
  return kernel->snapshot ? verdict.kernel_snapshot == *kernel->snapshot : verdict.bypassed;
}

void log_decision(Step& step, const Judged& said) {
  const Verdict& verdict = said.verdict;
  if (verdict.snapshot == "none" && !kernel_of(step)) return;
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
  line.kernel_snapshot = verdict.kernel_snapshot;
  step.record(std::move(line));
}

Outcome<void> take_word(Step& step, const JudgeJob& word) {
  if (word.verdict.kind == VerdictKind::unavailable) return take_outage(step, word.verdict);
  auto rules = judged(step);
  if (rules && rules->content_wanted) return want_content(step);
  return settle(step, joined(std::move(rules), word.verdict, word.micros));
}

void order_content(Step& step) {
  step.effect(ScanInput{step.job.revision, step.given.policy->snapshot});
}

void ask_policy(Step& step) {
  auto said = judged(step);
  if (said && said->content_wanted) return check(static_cast<bool>(want_content(step)));
  const Kernel* kernel = kernel_of(step);
  // Every verdict has a row in the states from which policy is asked.
  if (said && (!kernel || said->verdict.kind == VerdictKind::deny))
    return check(static_cast<bool>(settle(step, *said)));
  if (kernel && !kernel->reachable) {
    Verdict away;
    away.kind = VerdictKind::unavailable;
    away.reason = "safety kernel circuit open";
    return check(static_cast<bool>(take_outage(step, away)));
  }
  if (step.job.state != State::pending || step.job.not_before)
    check(static_cast<bool>(postpone(step, Phase::policy, std::nullopt, "")));
  step.effect(AskPolicy{step.job.revision});
}

}  // namespace fermata::job
