#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/id.h"
#include "base/time.h"
#include "core/model/wait.h"

namespace fermata {

/// Numbers of waits that are kept with every commit, so that nobody counts rows (W-20).
struct WaitTally {
  struct Pending {
    std::string type;
    WaitSource source = WaitSource::graph;
    std::string hold;  ///< why they are held, or empty
    uint64_t waits = 0;
    bool operator==(const Pending&) const = default;
  };
  struct Ended {
    std::string type;
    WaitStatus status = WaitStatus::resumed;
    std::string resumed_by;
    uint64_t waits = 0;
    int64_t waited_ms = 0;  ///< of all of them together
    bool operator==(const Ended&) const = default;
  };
  std::vector<Pending> pending;  ///< by type, source and hold
  std::vector<Ended> ended;      ///< by type, status and cause
  struct Opened {
    std::string type;
    WaitSource source = WaitSource::graph;
    uint64_t waits = 0;
    bool operator==(const Opened&) const = default;
  };
  std::vector<Opened> opened;     ///< ever, by type and source
  uint64_t opened_last_hour = 0;  ///< to the minute, as the next
  uint64_t opened_last_day = 0;
  std::map<std::string, uint64_t> listeners;  ///< active ones, by type of signal
  std::optional<Instant> oldest_listener;     ///< to the minute
  uint64_t due_next_hour = 0;                 ///< and not held, as the next
  uint64_t due_next_day = 0;
  bool operator==(const WaitTally&) const = default;
};

/// Waits of an account that should have ended by now (W-86).
struct OverdueWaits {
  AccountId account;
  uint64_t waits = 0;
  Instant oldest;
  bool operator==(const OverdueWaits&) const = default;
};

/// One number that changes with a wait. `slot` counts minutes or quarters of an hour.
struct TallyKey {
  std::string kind;
  AccountId account;
  int64_t slot = 0;
  WorkflowId workflow;
  std::string key;
  auto operator<=>(const TallyKey&) const = default;
};
struct TallyChange {
  int64_t waits = 0;
  int64_t waited_ms = 0;
};
using TallyChanges = std::map<TallyKey, TallyChange>;

namespace tally {
inline constexpr const char* pending = "pending";      ///< by type, source and hold
inline constexpr const char* ended = "ended";          ///< by type, status and cause
inline constexpr const char* opened = "opened";        ///< by minute
inline constexpr const char* total = "total";          ///< ever opened, by type and source
inline constexpr const char* due = "due";              ///< not held, by quarter of an hour and type
inline constexpr const char* listening = "listening";  ///< by type of signal
inline constexpr const char* oldest = "oldest";        ///< listeners by the minute they were opened
inline constexpr const char* counted = "counted";      ///< in the limit of the account
constexpr int64_t minute_ms = 60'000;
constexpr int64_t opened_minutes_kept = 25 * 60;
}  // namespace tally

/// Adds what a wait counts for, or with `sign` -1 takes it away again. What happened once, its
/// opening and its end, is not taken away.
void tally_wait(TallyChanges& changes, const WaitRecord& record, int sign);
/// What happened between the two, or since the beginning: openings and ends.
void tally_happened(TallyChanges& changes, const std::optional<WaitRecord>& before,
                    const WaitRecord& after);
/// Puts one kept number where it belongs; `total` sums up workflows and accounts.
void add_to(WaitTally& total, const TallyKey& key, const TallyChange& count, Instant now);

}  // namespace fermata
