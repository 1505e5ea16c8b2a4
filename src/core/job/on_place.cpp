#include <algorithm>

#include "core/job/step.h"

namespace fermata::job {

namespace {

/// A time limit of 0 is none.
std::optional<Instant> limit(Instant from, int64_t limit_ms) {
  if (limit_ms <= 0) return std::nullopt;
  return from + Duration{limit_ms};
}

int64_t run_timeout_ms(const Step& step, const PlaceJob& place) {
  const Job& job = step.job;
  int64_t limit_ms = job.request.run_timeout_ms.value_or(
      place.run_timeout_ms.value_or(step.given.limits.run_timeout_ms));
  if (!job.verdict) return limit_ms;
  auto most = constraint(*job.verdict, "max_runtime_ms");
  if (!most || *most <= 0) return limit_ms;
  return limit_ms > 0 ? std::min(limit_ms, *most) : *most;
}

/// The version of this commit, so that a restored store cannot give it again; two dispatches in
/// one commit still differ.
uint64_t next_fence(const Step& step) {
  uint64_t fence = (static_cast<uint64_t>(step.given.epoch) << 32) + step.given.version;
  return std::max(fence, step.job.last_fence + 1);
}

/// What was approved is not what would be sent (J-41).
bool is_altered(const Job& job) {
  return job.approval && job.approval->granted && stored_hash(job) != job.approval->request_hash;
}

/// Not sent: people decide about what it is now.
Outcome<void> ask_again(Step& step) {
  const Job& job = step.job;
  FERMATA_TRY_VOID(permit(job.state, Cause::require_approval));
  std::string approved = job.approval->request_hash;
  std::string hash = stored_hash(job);
  Verdict verdict = job.verdict.value_or(Verdict{});
  Approval approval = asked_approval(step, verdict, hash);
  step.effect(WithdrawJob{});
  step.emit(JobApprovalRequired{std::move(verdict), std::move(approval)});
  step.audit("approval_hash_mismatch", "the request is not the one that was approved",
             Value::object({{"approved", approved}, {"found", hash}}));
  return {};
}

}  // namespace

Outcome<void> on_place(Step& step, const PlaceJob& place) {
  FERMATA_TRY_VOID(permit(step.job.state, Cause::place));
  if (step.job.deadline_at && *step.job.deadline_at <= step.at) return on_wake(step);
  if (is_altered(step.job)) return ask_again(step);
  if (!is_current(step)) {
    auto before = policy_limit(*step.job.verdict);
    ask_policy(step);
    if (step.job.state != State::scheduled) return {};
    // Its place was found under other limits; it is looked for again.
    if (policy_limit(*step.job.verdict) != before) return step.effect(OfferJob{}), Outcome<void>{};
  }
  const Job& job = step.job;
  JobDispatched event;
  event.attempt = job.attempt_count + 1;
  event.fence = next_fence(step);
  event.worker = place.worker;
  event.registration = place.registration;
  event.pool = place.pool;
  event.claim_seq = place.claim_seq;
  event.lease_ms = place.lease_ms;
  event.start_until =
      limit(step.at, job.request.start_timeout_ms.value_or(
                         place.start_timeout_ms.value_or(step.given.limits.start_timeout_ms)));
  event.run_until = limit(step.at, run_timeout_ms(step, place));
  step.emit(std::move(event));
  return {};
}

}  // namespace fermata::job
