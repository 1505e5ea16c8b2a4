#pragma once
#include <chrono>
#include <mutex>
#include <optional>
#include <unordered_map>

#include "base/id.h"

namespace fermata::server {

struct RateLimit {
  double per_second = 0;  ///< 0: no limit
  double burst = 0;       ///< how many at once after a rest; at least 1 is allowed
};

/// A token bucket for each account. Safe from several threads.
class RateLimits {
 public:
  explicit RateLimits(RateLimit limit) : limit_(limit) {}

  /// Nothing when the request may pass; else the whole seconds to wait, at least 1.
  std::optional<int> refuse(const AccountId& account, std::chrono::steady_clock::time_point now);

 private:
  struct Bucket {
    double tokens;
    std::chrono::steady_clock::time_point filled_at;
  };
  void forget_full(std::chrono::steady_clock::time_point now);

  const RateLimit limit_;
  std::mutex mutex_;
  std::unordered_map<AccountId, Bucket> buckets_;
};

}  // namespace fermata::server
