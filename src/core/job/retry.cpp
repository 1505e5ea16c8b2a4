#include "core/job/retry.h"

#include <algorithm>
#include <cmath>

namespace fermata::job {

namespace {

constexpr int64_t first_ms = 1'000;
constexpr int64_t most_ms = 30'000;
/// From this one on all backoffs are the longest.
constexpr uint32_t longest_from = 5;

}  // namespace

int64_t backoff_ms(uint32_t n, uint64_t jitter_ms) {
  int64_t delay = (first_ms << std::min(n, 10u)) + static_cast<int64_t>(jitter_ms);
  return std::min(delay, most_ms);
}

int64_t give_up_ms(uint32_t attempts, const std::function<uint64_t()>& jitter_ms) {
  uint32_t pauses = attempts > 0 ? attempts - 1 : 0;
  int64_t total = 0;
  for (uint32_t n = 0; n < std::min(pauses, longest_from); ++n) total += backoff_ms(n, jitter_ms());
  return pauses > longest_from ? total + int64_t{pauses - longest_from} * most_ms : total;
}

uint32_t scheduling_attempts(int64_t waited_ms) {
  uint32_t made = 1;
  for (uint32_t n = 0; n < longest_from; ++n, ++made) {
    if (waited_ms < backoff_ms(n, 0)) return made;
    waited_ms -= backoff_ms(n, 0);
  }
  return made + static_cast<uint32_t>(std::min<int64_t>(waited_ms / most_ms, 1 << 30));
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
