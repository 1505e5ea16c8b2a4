#pragma once
#include <map>
#include <vector>

#include "adapters/sqlite/database.h"
#include "adapters/sqlite/run_tags.h"
#include "ports/store.h"

namespace fermata::sqlite {

/// Writes runs, their history and the tally of statuses within a transaction of the caller. New
/// rows are inserted several at a time: to begin and end a statement costs about as much as a row.
class RunWriter {
 public:
  explicit RunWriter(Database& database) : database_(database) {}
  Outcome<void> start();
  /// Whether the stored version is the expected one; nothing as below.
  std::optional<CommitOutcome> test(const RunWrite& write);
  /// Writes each and sets its outcome; `unavailable` when this run alone cannot be written because
  /// its row is damaged. False when the database failed and the transaction must be rolled back.
  struct Task {
    const RunWrite* write;
    CommitOutcome* outcome;
  };
  bool write(const std::vector<Task>& tasks);
  /// Writes what the runs of this transaction changed in the tally; false on failure.
  bool write_tally();
  void drop();

 private:
  struct RunRow {
    Task task;
    uint64_t number = 0;
    uint64_t head = 0;
    std::string record;
  };
  struct HistoryRow {
    uint64_t number = 0;
    uint64_t run = 0;
    uint64_t prev = 0;
    const HistoryChunk* chunk = nullptr;
  };
  RunRow new_row(const Task& task);
  bool create(const std::vector<RunRow>& rows);
  bool created(const RunRow& row);
  std::optional<CommitOutcome> change(const RunWrite& write);
  std::optional<bool> has_number(const RunId& id, uint64_t number);
  bool append_history();
  bool keep_checkpoint(uint64_t run, const RunWrite& write);

  Database& database_;
  static constexpr size_t rows_at_once = 8;
  Statement insert_{database_,
                    "INSERT INTO run VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING"};
  Statement insert_many_{database_,
                         "INSERT INTO run VALUES (?, ?, ?, ?, ?, ?), (?, ?, ?, ?, ?, ?), "
                         "(?, ?, ?, ?, ?, ?), (?, ?, ?, ?, ?, ?), (?, ?, ?, ?, ?, ?), "
                         "(?, ?, ?, ?, ?, ?), (?, ?, ?, ?, ?, ?), (?, ?, ?, ?, ?, ?) "
                         "ON CONFLICT (id) DO NOTHING"};
  Statement find_{database_, "SELECT number, record FROM run WHERE id = ?"};
  Statement update_{database_, "UPDATE run SET record = ? WHERE number = ?"};
  Statement update_status_{database_, "UPDATE run SET record = ?, status = ? WHERE number = ?"};
  Statement history_{database_, "INSERT INTO history VALUES (?, ?, ?, ?, ?, ?, ?)"};
  Statement history_many_{database_,
                          "INSERT INTO history VALUES (?, ?, ?, ?, ?, ?, ?), "
                          "(?, ?, ?, ?, ?, ?, ?), (?, ?, ?, ?, ?, ?, ?), (?, ?, ?, ?, ?, ?, ?), "
                          "(?, ?, ?, ?, ?, ?, ?), (?, ?, ?, ?, ?, ?, ?), (?, ?, ?, ?, ?, ?, ?), "
                          "(?, ?, ?, ?, ?, ?, ?)"};
  Statement checkpoint_{database_, "INSERT OR REPLACE INTO checkpoint VALUES (?, ?, ?, ?)"};
  Statement forget_checkpoints_{database_,
                                "DELETE FROM checkpoint WHERE run = ?1 AND sequence <= (SELECT "
                                "sequence FROM checkpoint WHERE run = ?1 ORDER BY sequence DESC "
                                "LIMIT 1 OFFSET ?2)"};
  Statement tally_{database_,
                   "INSERT INTO tally VALUES (?, ?, ?) ON CONFLICT (account, status) "
                   "DO UPDATE SET runs = runs + excluded.runs"};
  TagWriter tags_{database_};
  uint64_t next_run_ = 1;
  uint64_t next_history_ = 1;
  std::vector<HistoryRow> history_rows_;  ///< of this transaction, still to be inserted
  std::map<std::pair<AccountId, RunStatus>, int64_t> changes_;
};

}  // namespace fermata::sqlite
