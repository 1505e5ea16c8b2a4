#include <algorithm>

#include "base/check.h"
#include "core/job/retry.h"
#include "core/job/step.h"

/// What follows the end of an attempt (J-13).
namespace fermata::job {

namespace {

struct After {
  bool again = true;
  int64_t delay_ms = 0;
};

After after_try(Step& step, const AttemptEnd& end) {
  const Job& job = step.job;
  uint32_t tries = job.tries + 1;
  RetryPolicy policy = job.request.retry.value_or(RetryPolicy{});
  uint32_t most = policy.max_attempts;
  bool retryable = end.outcome == AttemptOutcome::failed_retryable;
  if (retryable && !job.request.retry) most = step.given.limits.retryable_attempts;
  if (job.verdict)
    if (auto retries = constraint(*job.verdict, "max_retries"))
      most = static_cast<uint32_t>(std::min<int64_t>(most, std::max<int64_t>(*retries, 0) + 1));
  // A worker that asks for another try knows better than a list of codes.
  bool wanted = retryable || retries_on(policy, end.outcome, end.error);
  if (tries >= most || !wanted) return {false, 0};
  return {true, retry_delay_ms(policy, tries, step.random.fraction())};
}

After after_loss(Step& step) {
  uint32_t losses = step.job.losses + 1;
  if (losses > step.given.limits.losses_max) return {false, 0};
  if (losses == 1) return {true, 0};
  return {true, backoff_ms(losses - 2, step.random.below(backoff_jitter_ms))};
}

After after(Step& step, const AttemptEnd& end) {
  switch (end.counts) {
    case CountsAs::a_try: return after_try(step, end);
    case CountsAs::a_loss: return after_loss(step);
    case CountsAs::nothing: break;
  }
  return {true, end.delay_ms};
}

void conclude(Step& step, const AttemptEnd& end) {
  if (end.outcome == AttemptOutcome::timeout) {
    time_out(step, Cause::attempts_timed_out, end.reason_code, end.error);
  } else {
    fail_job(step, Cause::attempts_failed, end.reason_code, end.error);
  }
}

}  // namespace

void close_attempt(Step& step, const AttemptEnd& end) {
  const Attempt* open = step.job.open_attempt();
  check(open != nullptr);
  JobAttemptEnded event;
  event.attempt = open->attempt;
  event.outcome = end.outcome;
  event.counts = end.counts;
  event.error = end.error;
  event.execution_ms = end.execution_ms;
  event.usage = end.usage;
  event.digest = end.digest;
  step.emit(std::move(event));
}

void end_attempt(Step& step, AttemptEnd end) {
  After next = after(step, end);
  close_attempt(step, end);
  if (!next.again) return conclude(step, end);
  check(find_move(step.job.state, Cause::attempt_again) != nullptr);
  step.emit(JobRetryScheduled{step.at + Duration{next.delay_ms}});
  if (next.delay_ms == 0) requeue(step);
}

void revoke_attempt(Step& step, AttemptOutcome outcome, std::string reason) {
  const Attempt* open = step.job.open_attempt();
  if (open == nullptr) return;
  step.effect(RevokeLease{open->fence, open->registration, reason});
  AttemptEnd end;
  end.outcome = outcome;
  end.error = make_error(outcome == AttemptOutcome::cancelled ? "cancelled" : "timeout", reason);
  close_attempt(step, end);
}

void requeue(Step& step) {
  check(find_move(step.job.state, Cause::backoff_over) != nullptr);
  // What never reached a worker goes on with the count it had.
  const Job& job = step.job;
  bool delivered =
      job.attempts.empty() || job.attempts.back().outcome != AttemptOutcome::undelivered;
  auto give_up_at = delivered || !job.give_up_at ? give_up_limit(step) : job.give_up_at;
  step.emit(JobRequeued{queue_limit(step), give_up_at});
  step.effect(OfferJob{});
}

}  // namespace fermata::job
