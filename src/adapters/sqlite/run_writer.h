#pragma once
#include <map>

#include "adapters/sqlite/database.h"
#include "ports/store.h"

namespace fermata::sqlite {

/// Writes runs, their history and the tally of statuses within a transaction of the caller.
class RunWriter {
 public:
  explicit RunWriter(Database& database) : database_(database) {}
  Outcome<void> start();
  /// Whether the stored version is the expected one; nothing as below.
  std::optional<CommitOutcome> test(const RunWrite& write);
  /// Nothing when the database failed and the transaction must be rolled back; `unavailable` when
  /// this run alone cannot be written because its row is damaged.
  std::optional<CommitOutcome> write(const RunWrite& write);
  /// Writes what the runs of this transaction changed in the tally; false on failure.
  bool write_tally();
  void drop() { changes_.clear(); }

 private:
  std::optional<CommitOutcome> create(const RunWrite& write);
  std::optional<CommitOutcome> change(const RunWrite& write);
  bool append(uint64_t run, uint64_t prev, const HistoryChunk& chunk);
  bool keep_checkpoint(uint64_t run, const RunWrite& write);

  Database& database_;
  Statement insert_{database_,
                    "INSERT INTO run VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING"};
  Statement find_{database_, "SELECT number, record FROM run WHERE id = ?"};
  Statement update_{database_, "UPDATE run SET record = ? WHERE number = ?"};
  Statement update_status_{database_, "UPDATE run SET record = ?, status = ? WHERE number = ?"};
  Statement history_{database_, "INSERT INTO history VALUES (?, ?, ?, ?, ?, ?, ?)"};
  Statement checkpoint_{database_, "INSERT OR REPLACE INTO checkpoint VALUES (?, ?, ?, ?)"};
  Statement forget_checkpoints_{database_,
                                "DELETE FROM checkpoint WHERE run = ?1 AND sequence <= (SELECT "
                                "sequence FROM checkpoint WHERE run = ?1 ORDER BY sequence DESC "
                                "LIMIT 1 OFFSET ?2)"};
  Statement tally_{database_,
                   "INSERT INTO tally VALUES (?, ?, ?) ON CONFLICT (account, status) "
                   "DO UPDATE SET runs = runs + excluded.runs"};
  uint64_t next_run_ = 1;
  uint64_t next_history_ = 1;
  std::map<std::pair<AccountId, RunStatus>, int64_t> changes_;
};

}  // namespace fermata::sqlite
