#pragma once
#include <array>
#include <mutex>
#include <set>
#include <span>
#include <string>

#include "core/job/event.h"
#include "core/model/event.h"

namespace fermata::server {

/// What /metrics shows of sagas (J-90, J-91). Counted on the partition's thread, asked from any.
class SagaMetrics {
 public:
  /// A commit of a run that has something to undo.
  void committed(const RunSummary& summary, const HistoryChunk& events);
  /// What became of jobs that undo others.
  void happened(const job::Job& state, std::span<const job::Event> events);
  /// Rollbacks that were under way when the server came up; told once.
  void recovered(std::span<const RunSummary> runs);
  bool knows_all() const;
  void append(std::string& out) const;

 private:
  static constexpr std::array<int64_t, 6> buckets_ms = {100,    1'000,   10'000,
                                                        60'000, 600'000, 3'600'000};
  void follow(const RunSummary& summary);

  mutable std::mutex mutex_;
  bool recovered_ = false;
  std::set<RunId> active_;
  std::set<RunId> parked_;
  uint64_t recorded_ = 0;
  uint64_t triggered_ = 0;
  uint64_t dispatched_ = 0;
  uint64_t failed_ = 0;
  uint64_t unreadable_ = 0;
  std::map<RunId, Instant> began_;  ///< rollbacks seen to begin
  std::array<uint64_t, buckets_ms.size() + 1> durations_{};
  int64_t duration_sum_ms_ = 0;
};

}  // namespace fermata::server
