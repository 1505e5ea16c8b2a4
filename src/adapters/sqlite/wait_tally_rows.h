#pragma once
#include "adapters/sqlite/database.h"
#include "ports/reader.h"
#include "ports/wait_tally.h"

namespace fermata::sqlite {

/// Keeps the numbers of waits within a transaction of the caller. False on failure.
class WaitTallyWriter {
 public:
  explicit WaitTallyWriter(Database& database) : database_(database) {}
  bool write(const TallyChanges& changes);

 private:
  bool forget_old(int64_t newest_minute);

  Database& database_;
  Statement add_{database_,
                 "INSERT INTO wait_tally VALUES (?, ?, ?, ?, ?, ?, ?) "
                 "ON CONFLICT (kind, account, slot, workflow, key) DO UPDATE SET "
                 "waits = waits + excluded.waits, waited_ms = waited_ms + excluded.waited_ms"};
  Statement drop_{database_,
                  "DELETE FROM wait_tally WHERE kind = ? AND account = ? AND slot = ? AND "
                  "workflow = ? AND key = ? AND waits <= 0"};
  Statement forget_{database_, "DELETE FROM wait_tally WHERE kind = 'opened' AND slot < ?"};
  int64_t forgotten_at_ = 0;  ///< minute
};

/// Counts every wait that is stored already.
Outcome<void> tally_all_waits(Database& database);

/// What is asked of the numbers, over one connection.
class WaitTallyQueries {
 public:
  explicit WaitTallyQueries(Database& database) : database_(database) {}
  Outcome<WaitTally> tally(const AccountId& account, const WorkflowId& workflow, Instant now);
  Outcome<std::vector<std::pair<AccountId, uint64_t>>> counted();
  /// Accounts that have pending waits.
  Outcome<std::vector<AccountId>> accounts(const char* kind);
  Outcome<std::vector<OverdueWaits>> overdue(const AccountId& account, Instant now);
  /// How many a list shows; nothing when its filter asks for more than numbers are kept of.
  Outcome<std::optional<uint64_t>> total(const WaitFilter& filter);
  /// Whole slots of a calendar; the filter is one that `keeps` names.
  Outcome<std::vector<WaitSlot>> slots(const WaitFilter& filter, int64_t first, int64_t last);
  /// True when waits are counted by what the filter asks for, times aside.
  static bool keeps(const WaitFilter& filter);

 private:
  Database& database_;
};

}  // namespace fermata::sqlite
