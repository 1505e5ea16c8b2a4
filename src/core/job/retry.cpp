#include "core/job/retry.h"

#include <algorithm>
#include <cmath>

namespace fermata::job {

int64_t backoff_ms(uint32_t n, uint64_t jitter_ms) {
  constexpr int64_t first_ms = 1'000;
  constexpr int64_t most_ms = 30'000;
  int64_t delay = (first_ms << std::min(n, 10u)) + static_cast<int64_t>(jitter_ms);
  return std::min(delay, most_ms);
}

int64_t retry_delay_ms(const RetryPolicy& policy, uint32_t tries, double fraction) {
  double delay = static_cast<double>(policy.backoff_ms) *
                 std::pow(policy.multiplier, tries > 0 ? tries - 1 : 0);
  delay = std::min(delay, static_cast<double>(policy.max_backoff_ms));
  delay *= 1 + policy.jitter * (2 * fraction - 1);
  return std::llround(std::max(0.0, delay));
}

bool retries_on(const RetryPolicy& policy, AttemptOutcome outcome, const Value& error) {
  const Value& code = error.get("code");
  return std::any_of(policy.retry_on.begin(), policy.retry_on.end(),
                     [&](const std::string& wanted) {
                       if (wanted == "any") return true;
                       if (outcome == AttemptOutcome::timeout && wanted == "timeout") return true;
                       return code.is_string() && code.as_string() == wanted;
                     });
}

}  // namespace fermata::job
