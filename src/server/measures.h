#pragma once
#include <array>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "core/model/summary.h"
#include "core/model/wait.h"

namespace fermata {
struct Run;
}

namespace fermata::server {

/// A histogram of lengths of time with four steps to each doubling: percentiles are right to about
/// a fifth, however many were counted.
class LengthCounts {
 public:
  void add(Duration length);
  void add(const LengthCounts& other);
  uint64_t total() const { return total_; }
  /// The upper end of the step in which the share (0 to 1) is reached; nothing when nothing was
  /// counted.
  std::optional<Duration> percentile(double share) const;

 private:
  std::map<int, uint64_t> steps_;
  uint64_t total_ = 0;
};

/// What has happened lately, counted as it happens (U-21, U-32, U-36, U-56): the server's memory of
/// a day, and of failures a week. Safe from any thread. What happened before the server started is
/// told by `remember`; `since` says how far back that goes.
class Measures {
 public:
  static constexpr int64_t minutes_kept = 24 * 60;
  static constexpr int64_t failure_hours_kept = 7 * 24;
  static constexpr size_t accounts_max = 1'000;
  static constexpr size_t workflows_max = 1'000;  ///< of one account
  static constexpr size_t causes_max = 1'000;     ///< of one account

  /// Counts from here on; nothing is counted before.
  void begin(Instant now);
  void committed(const RunSummary& summary, bool first);
  void settled(const Run& run);
  void waits_changed(std::span<const WaitRecord> waits);
  /// A run of before `begin`, as the store has it.
  void remember(const RunSummary& summary);
  void remember_until(Instant oldest);

  struct Counted {
    uint64_t started = 0;
    std::array<uint64_t, 4> ended{};  ///< completed, failed, cancelled, timed out
    uint64_t resumed = 0;             ///< waits that went on
    void add(const Counted& other);
    uint64_t failed() const { return ended[1] + ended[3]; }
  };
  struct Step {
    Instant start;
    Counted counted;
  };
  /// The `length` before `now` in steps, the oldest first; steps without anything are there too.
  std::vector<Step> rates(const AccountId& account, Instant now, Duration length,
                          Duration step) const;
  /// How late timers of the last hour were.
  LengthCounts lateness(const AccountId& account, Instant now) const;

  struct Cause {
    WorkflowId workflow;
    std::string node;  ///< empty: the run itself
    std::string code;
    uint64_t count = 0;
    Instant first_at;
    Instant last_at;
  };
  /// What executions failed of since then, the most frequent first.
  std::vector<Cause> causes(const AccountId& account, Instant since) const;

  struct OfWorkflow {
    Counted day;
    LengthCounts lengths;  ///< of those that completed within a day
    std::optional<Instant> last_started;
    std::vector<Step> hours;  ///< 24, the oldest first
  };
  OfWorkflow workflow(const AccountId& account, const WorkflowId& workflow, Instant now) const;
  Instant since() const;

 private:
  struct Minute {
    Counted counted;
    LengthCounts lateness;
  };
  struct Hour {
    Counted counted;
    LengthCounts lengths;
  };
  struct Workflow {
    std::map<int64_t, Hour> hours;
    std::optional<Instant> last_started;
  };
  using CauseKey = std::tuple<WorkflowId, std::string, std::string>;
  struct KeptCause {
    std::map<int64_t, uint64_t> hours;
    Instant first_at;
    Instant last_at;
  };
  struct Account {
    std::map<int64_t, Minute> minutes;
    std::map<WorkflowId, Workflow> workflows;
    std::map<CauseKey, KeptCause> causes;
  };
  Account& account_at(const AccountId& id);
  static Minute& minute_at(Account& account, Instant at);
  static Hour& hour_at(Account& account, const WorkflowId& workflow, Instant at);
  void started(const RunSummary& summary);
  void ended(const RunSummary& summary);

  mutable std::mutex mutex_;
  Instant begun_{};
  Instant since_{};
  std::map<AccountId, Account> accounts_;
};

}  // namespace fermata::server
