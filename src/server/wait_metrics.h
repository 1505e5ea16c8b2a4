#pragma once
#include <array>
#include <map>
#include <mutex>
#include <set>
#include <span>
#include <string>

#include "core/model/delivery.h"
#include "core/model/summary.h"
#include "core/model/wait.h"
#include "ports/wait_tally.h"

namespace fermata::server {

/// What /metrics shows of waits, signals and callbacks (W-85). What the store keeps count of is
/// asked of it; the rest is counted as it happens, on any thread.
class WaitMetrics {
 public:
  /// Shows this many accounts by name, as the label `account`, and the others as `other`; 0: none.
  void name_accounts(size_t most);
  bool names_accounts() const { return accounts_max_ > 0; }
  /// Of these, those that are shown by name.
  std::vector<AccountId> named(std::vector<AccountId> accounts);

  void changed(std::span<const WaitRecord> waits);
  void audited(std::span<const AuditLine> lines);
  void attempted(const Delivery& delivery);
  /// A signal was answered: `result` is accepted, duplicate or failed.
  void signal(const AccountId& account, const std::string& type, std::string_view result, bool late,
              double seconds);

  /// What is so at the moment.
  struct Gauges {
    WaitTally tally{};
    std::vector<std::pair<AccountId, WaitTally>> accounts{};  ///< those that are shown by name
    std::vector<OverdueWaits> overdue{};
    std::set<AccountId> alerts{};              ///< accounts that are overdue for too long
    std::set<std::string> registered_types{};  ///< of signals
    std::string tzdata{};
    uint64_t callbacks_pending = 0;
    uint64_t resumes_delayed = 0;
    Instant now{};
  };
  void append(std::string& out, const Gauges& gauges) const;

 private:
  static constexpr std::array<double, 10> duration_bounds = {
      1, 60, 600, 3'600, 6 * 3'600, 86'400, 3 * 86'400, 7 * 86'400, 30 * 86'400, 365 * 86'400};
  static constexpr std::array<double, 10> lateness_bounds = {0.001, 0.005, 0.01, 0.05, 0.25,
                                                             1,     5,     60,   300,  3'600};
  static constexpr std::array<double, 10> match_bounds = {0.0005, 0.001, 0.0025, 0.005, 0.01,
                                                          0.025,  0.05,  0.1,    1,     10};
  struct Histogram {
    std::array<uint64_t, 11> counts{};
    double sum = 0;
    void add(const std::array<double, 10>& bounds, double value);
  };
  using Histograms = std::map<std::string, Histogram>;
  using Counters = std::map<std::string, uint64_t>;
  static void append_histograms(std::string& out, std::string_view name, std::string_view help,
                                const std::array<double, 10>& bounds, const Histograms& values);
  void append_counted(std::string& out) const;
  /// `account="…"`, or nothing when accounts are not told apart.
  std::string label_of(const AccountId& account);
  bool is_named(const AccountId& account) const;
  void append_overdue(std::string& out, const Gauges& gauges) const;
  void append_tally(std::string& out, const Gauges& gauges) const;

  size_t accounts_max_ = 0;
  mutable std::mutex mutex_;
  std::set<AccountId> named_;  ///< in the order they were first seen, while there was room
  Histograms durations_, lateness_, match_;
  Counters rescheduled_, attempts_, signals_, late_;
};

}  // namespace fermata::server
