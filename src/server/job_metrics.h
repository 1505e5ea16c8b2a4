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
  void planned(const job::Job& state, uint64_t micros);
  void rejected(job::Answer answer);
  void replayed(const job::Summary& summary);
  void swept(const std::map<job::State, uint64_t>& stale);
  /// Jobs that an earlier life of the server has left awaiting approval.
  void recovered(std::span<const job::Summary> awaiting);
  bool knows_all() const;

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
    JobLoad load{};
    uint64_t outputs_held = 0;
    std::string output_fail_mode = "closed";
  };
  static Gauges gauges_of(Workers& workers, Instant now);
  void append(std::string& out, const Gauges& gauges) const;

 private:
  static constexpr size_t topics_max = 500;  ///< more count as `other`
  static constexpr std::array<int64_t, 9> buckets_ms = CommandWaits::bounds_ms;
  static constexpr std::array<int64_t, 9> eval_buckets_us = {5,   10,    20,     50,     100,
                                                             500, 1'000, 10'000, 100'000};
  static constexpr std::array<int64_t, 9> wait_buckets_ms = {
      1'000, 10'000, 60'000, 300'000, 1'800'000, 3'600'000, 14'400'000, 43'200'000, 86'400'000};
  struct Histogram {
    std::array<uint64_t, buckets_ms.size() + 1> counts{};
    int64_t sum = 0;
    void add(const std::array<int64_t, 9>& bounds, int64_t value);
  };
  using Histograms = std::map<std::string, Histogram>;  ///< by labels
  using Counters = std::map<std::string, uint64_t>;

  const std::string& topic_of(const std::string& topic);
  void count(const job::Job& state, const job::Event& event);
  void ended(const std::string& topic, job::State state);
  static void append_histograms(std::string& out, std::string_view name, std::string_view help,
                                const std::array<int64_t, 9>& bounds, double per_second,
                                const Histograms& values);
  void count_output(const job::Event& event, const std::string& by_topic);
  void append_outputs(std::string& out, const Gauges& gauges) const;
  static void append_load(std::string& out, const JobLoad& load);

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
  std::set<JobId> awaiting_;  ///< approval
  bool recovered_ = false;
  Histograms dispatch_latency_;
  Histograms policy_eval_;
  Histograms approval_wait_;
  Counters outputs_checked_;
  Counters outputs_quarantined_;
  Counters outputs_skipped_;
  Counters outputs_redacted_;
  Histograms check_latency_;  ///< by topic and phase
};

}  // namespace fermata::server
