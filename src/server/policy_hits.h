#pragma once
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "core/job/effect.h"

namespace fermata::server {

/// How often each rule has decided lately, counted as it decides (U-44): the server's memory of a
/// day by the hour and of thirty days. Safe from any thread. What was decided before the server
/// started is told by `remember`; `since` says how far back that goes.
class PolicyHits {
 public:
  static constexpr int64_t hours_kept = 24;
  static constexpr int64_t days_kept = 30;
  static constexpr size_t rules_max = 10'000;  ///< of all accounts; who was quiet longest goes

  /// Counts from here on; nothing is counted before.
  void begin(Instant now);
  void judged(const job::PolicyDecision& decision);
  /// A decision of before `begin`.
  void remember(const job::PolicyDecision& decision);
  void remember_until(Instant oldest);

  struct Hits {
    uint64_t day = 0;
    uint64_t month = 0;
    std::vector<uint64_t> days;  ///< `days_kept` of UTC, the oldest first; today is the last
  };
  using RuleName = std::pair<std::string, std::string>;  ///< bundle and rule
  std::map<RuleName, Hits> hits(const AccountId& account, Instant now) const;
  Instant since() const;

 private:
  struct Counted {
    std::map<int64_t, uint64_t> hours;
    std::map<int64_t, uint64_t> days;
  };
  void count(const job::PolicyDecision& decision);
  void make_room();

  mutable std::mutex mutex_;
  Instant begun_{};
  Instant since_{};
  std::map<std::pair<AccountId, RuleName>, Counted> rules_;
};

}  // namespace fermata::server
