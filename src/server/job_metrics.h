#pragma once
#include <array>
#include <map>
#include <mutex>
#include <set>
#include <span>
#include <string>

#include "core/fleet/fleet.h"
#include "core/job/effect.h"
#include "core/job/event.h"
#include "core/job/summary.h"
#include "host/job_intake.h"

namespace fermata::server {

/// What /metrics shows of jobs and workers (J-90, J-91). Counted on the partition's thread, asked
/// from any.
class JobMetrics {
 public:
  void happened(const job::Job& state, std::span<const job::Event> events);
  void judged(const job::PolicyDecision& decision);
  void rejected(job::Answer answer);
  void replayed(const job::Summary& summary);
  void swept(const std::map<job::State, uint64_t>& stale);

  /// What is so at the moment. Read on the partition's thread.
  struct Gauges {
    using Labels = std::string;  ///< as they stand in the text
    std::map<Labels, uint64_t> queue_depth;
    std::map<Labels, double> queue_oldest_seconds;
    std::map<Labels, uint64_t> leases_held;
    std::map<Labels, uint64_t> workers;
    std::map<Labels, uint64_t> dead_letters_open;
    std::map<Labels, uint64_t> breaker_state;
    std::map<Labels, uint64_t> breaker_probes;
  };
  static Gauges gauges_of(Workers& workers, Instant now);
  void append(std::string& out, const Gauges& gauges) const;

 private:
  static constexpr size_t topics_max = 500;  ///< more count as `other`
  static constexpr std::array<int64_t, 9> buckets_ms = {1,   2,     5,      10,    50,
                                                        250, 1'000, 10'000, 60'000};
  struct Latency {
    std::array<uint64_t, buckets_ms.size() + 1> counts{};
    int64_t sum_ms = 0;
  };
  using Counters = std::map<std::string, uint64_t>;

  const std::string& topic_of(const std::string& topic);
  void count(const job::Job& state, const job::Event& event);
  void ended(const std::string& topic, job::State state);
  void append_latency(std::string& out) const;

  mutable std::mutex mutex_;
  std::set<std::string> topics_;
  Counters received_;
  Counters dispatched_;
  Counters completed_;
  Counters attempts_;
  Counters denied_;
  Counters unavailable_;
  Counters fail_open_;
  Counters decisions_;
  Counters rejected_;
  Counters replayed_;
  std::map<job::State, uint64_t> stale_;
  std::map<std::string, Latency> dispatch_latency_;
};

}  // namespace fermata::server
