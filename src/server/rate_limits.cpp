#include "server/rate_limits.h"

#include <algorithm>
#include <cmath>

namespace fermata::server {
namespace {

constexpr size_t buckets_max = 10'000;

}  // namespace

std::optional<int> RateLimits::refuse(const AccountId& account,
                                      std::chrono::steady_clock::time_point now) {
  if (limit_.per_second <= 0) return std::nullopt;
  double burst = std::max(1.0, limit_.burst);
  std::lock_guard lock(mutex_);
  if (buckets_.size() >= buckets_max) forget_full(now);
  auto [place, fresh] = buckets_.try_emplace(account, Bucket{burst, now});
  Bucket& bucket = place->second;
  double passed_s = std::chrono::duration<double>(now - bucket.filled_at).count();
  bucket.tokens = std::min(burst, bucket.tokens + std::max(0.0, passed_s) * limit_.per_second);
  bucket.filled_at = now;
  if (bucket.tokens >= 1) {
    bucket.tokens -= 1;
    return std::nullopt;
  }
  double wait_s = (1 - bucket.tokens) / limit_.per_second;
  return static_cast<int>(std::clamp(std::ceil(wait_s), 1.0, 3600.0));
}

/// A bucket that has had time to fill says no more than one that does not exist.
void RateLimits::forget_full(std::chrono::steady_clock::time_point now) {
  double full_after_s = std::max(1.0, limit_.burst) / limit_.per_second;
  std::erase_if(buckets_, [&](const auto& entry) {
    return std::chrono::duration<double>(now - entry.second.filled_at).count() > full_after_s;
  });
}

}  // namespace fermata::server
