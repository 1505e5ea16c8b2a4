#pragma once
#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>

#include "ports/clock.h"
#include "ports/retention.h"

namespace fermata {

struct RetentionSettings {
  int64_t run_days = 30;                ///< that ended runs are kept; 0: for ever
  int64_t audit_days = 90;              ///< that audit lines are kept; 0: for ever
  int64_t job_days = 7;                 ///< that ended jobs are kept; 0: for ever
  int64_t dead_letter_days = 30;        ///< that entries of the dead letter queue are; 0: for ever
  uint64_t dead_letters_max = 100'000;  ///< of an account; beyond, resolved ones go early (J-84)
  int64_t upload_ms = 86'400'000;       ///< that bytes are kept to which no job refers
  int64_t interval_ms = 3'600'000;      ///< between two rounds
  int64_t pause_ms = 20;                ///< between two steps of a round, for others to write
};

/// Removes what was kept long enough: in rounds, each of many short steps, so that the engine never
/// waits for more than one of them. What it cannot do now it does in the next round.
class RetentionLoop {
 public:
  RetentionLoop(Retention& retention, const Clock& clock, RetentionSettings settings)
      : retention_(retention), clock_(clock), settings_(settings) {}

  /// Rounds until `stop`; for a thread of its own.
  void run();
  void stop();
  /// One whole round, without pauses. Fails as a step of it does.
  Outcome<void> round();

  struct Counts {
    std::atomic<uint64_t> runs{0};
    std::atomic<uint64_t> audit_lines{0};
    std::atomic<uint64_t> definitions{0};
    std::atomic<uint64_t> jobs{0};
    std::atomic<uint64_t> dead_letters{0};
    std::atomic<uint64_t> blobs{0};
    std::atomic<uint64_t> signals{0};
    std::atomic<uint64_t> schedules{0};
  };
  const Counts& counts() const { return counts_; }
  /// Told why a round was given up; the next one tries again.
  std::function<void(const Error&)> on_failure;

 private:
  Outcome<void> sweep(int64_t pause_ms);
  Outcome<void> sweep_runs(Instant now, int64_t pause_ms);
  Outcome<void> sweep_jobs(Instant now, int64_t pause_ms);
  /// Calls `step` until it says that there is no more.
  Outcome<uint64_t> repeat(int64_t pause_ms,
                           const std::function<Outcome<Retention::Sweep>()>& step);
  /// False when the loop shall end.
  bool rest(int64_t ms);

  Retention& retention_;
  const Clock& clock_;
  const RetentionSettings settings_;
  Counts counts_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool stopping_ = false;
};

}  // namespace fermata
