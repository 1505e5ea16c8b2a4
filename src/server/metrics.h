#pragma once
#include <array>
#include <atomic>
#include <chrono>
#include <memory>
#include <span>
#include <string>

#include "server/route.h"

namespace fermata::server {

/// What /metrics shows, as Prometheus text. Counting is one relaxed addition, from any thread;
/// gauges are set when the text is asked for.
class Metrics {
 public:
  explicit Metrics(std::span<const Route> routes);

#define FERMATA_METRIC(member, kind, name, help) std::atomic<uint64_t> member{0};
#include "server/metrics.def"
#undef FERMATA_METRIC

  /// `route` is nullptr for requests that matched none.
  void answered(const Route* route, int status, std::chrono::nanoseconds took);
  std::string text() const;

 private:
  static constexpr std::array<int, 20> statuses = {200, 201, 202, 204, 304, 400, 401, 403, 404, 405,
                                                   409, 412, 413, 415, 422, 429, 500, 503, 502, 0};
  static constexpr std::array<int64_t, 10> buckets_us = {
      100, 250, 1'000, 2'500, 10'000, 25'000, 50'000, 250'000, 1'000'000, 10'000'000};
  using ByStatus = std::array<std::atomic<uint64_t>, statuses.size()>;

  void append_requests(std::string& out) const;
  void append_durations(std::string& out) const;

  const std::span<const Route> routes_;
  std::unique_ptr<ByStatus[]> by_route_;  ///< one more than there are routes
  std::array<std::atomic<uint64_t>, buckets_us.size() + 1> durations_{};
  std::atomic<uint64_t> duration_us_{0};
};

}  // namespace fermata::server
