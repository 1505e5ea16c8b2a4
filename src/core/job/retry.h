#pragma once
#include <functional>

#include "core/job/report.h"

/// Delays between attempts and between looks for a worker.
namespace fermata::job {

constexpr uint64_t backoff_jitter_ms = 500;

/// min(1 s · 2^min(n, 10) + jitter, 30 s), n from 0 (J-54).
int64_t backoff_ms(uint32_t n, uint64_t jitter_ms);
/// How long a place is looked for in vain before the last of so many attempts would be made: the
/// sum of the backoffs between them. `jitter_ms` draws that of each.
int64_t give_up_ms(uint32_t attempts, const std::function<uint64_t()>& jitter_ms);
/// The attempts that would have been made in that time, the first at once.
uint32_t scheduling_attempts(int64_t waited_ms);
/// min(max, backoff × multiplier^(n−1)) × (1 ± jitter) after the n-th try; `fraction` of [0, 1)
/// draws the jitter (G-23).
int64_t retry_delay_ms(const RetryPolicy& policy, uint32_t tries, double fraction);
/// True when the policy takes the error of an attempt that failed or ran out of time.
bool retries_on(const RetryPolicy& policy, AttemptOutcome outcome, const Value& error);

}  // namespace fermata::job
