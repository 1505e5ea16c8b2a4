#include <algorithm>

#include "core/job/retry.h"
#include "core/job/step.h"

/// How long a job stays in the queue.
namespace fermata::job {

namespace {

/// 0: for ever.
uint32_t attempts_max(const Step& step) {
  const Job& job = step.job;
  if (job.request.scheduling_attempts_max) return *job.request.scheduling_attempts_max;
  return job.of_run() || job.undoes() ? 0 : step.given.limits.scheduling_attempts;
}

/// However few attempts a job has.
constexpr Duration look_again_after{30'000};

Duration give_up_after(Step& step) {
  return Duration{
      give_up_ms(attempts_max(step), [&] { return step.random.below(backoff_jitter_ms); })};
}

}  // namespace

std::optional<Instant> queue_limit(const Step& step) {
  int64_t limit_ms = step.job.request.queue_timeout_ms.value_or(
      step.given.queue_timeout_ms.value_or(step.given.limits.queue_timeout_ms));
  if (limit_ms == 0) return std::nullopt;
  return step.at + Duration{limit_ms};
}

std::optional<Instant> give_up_limit(Step& step) {
  if (attempts_max(step) == 0) return std::nullopt;
  return step.at + give_up_after(step);
}

void give_up(Step& step) {
  const Job& job = step.job;
  Routing routing = step.given.routing.value_or(Routing{});
  // Waiting for a slot is no failure: only the time in which nobody could have taken it counts.
  Instant since = routing.fault ? routing.fault_since : step.at;
  Instant until = step.at;
  if (!routing.fault) {
    until = step.at + std::max(give_up_after(step), look_again_after);
  } else if (job.waiting_since && since > *job.waiting_since) {
    until = since + give_up_after(step);
  }
  if (until > step.at) return step.emit(GiveUpMoved{until, since, routing.reason_code});
  Value error = make_error("max_scheduling_retries", "no worker was found for it in " +
                                                         std::to_string(attempts_max(step)) +
                                                         " attempts (" + routing.reason_code + ")");
  fail_job(step, Cause::give_up, routing.reason_code, std::move(error));
}

}  // namespace fermata::job
