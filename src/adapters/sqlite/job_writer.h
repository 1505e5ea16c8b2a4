#pragma once
#include "adapters/sqlite/database.h"
#include "adapters/sqlite/dead_letter_rows.h"
#include "adapters/sqlite/held_rows.h"
#include "adapters/sqlite/job_file_rows.h"
#include "adapters/sqlite/policy_rows.h"
#include "adapters/sqlite/pool_rows.h"
#include "ports/store.h"

namespace fermata::sqlite {

/// Writes jobs, their history and what goes with it within a transaction of the caller.
class JobWriter {
 public:
  explicit JobWriter(Database& database) : database_(database) {}
  Outcome<void> start();
  /// Whether the stored version is the expected one; `unavailable` when the row is damaged, nothing
  /// when the database failed.
  std::optional<CommitOutcome> test(const JobWrite& write);
  /// Writes it; nothing when the database failed and the transaction must be rolled back.
  std::optional<CommitOutcome> write(const JobWrite& write);
  /// Entries of the dead letter queue that are no job's, each as it is from now on.
  bool write_letters(const std::vector<DeadLetterEntry>& entries);

 private:
  std::optional<CommitOutcome> create(const JobWrite& write);
  std::optional<CommitOutcome> change(const JobWrite& write);
  bool keep(uint64_t job, const JobWrite& write);
  bool settle_letter(const JobWrite& write);
  bool append(uint64_t number, uint64_t job, uint64_t prev, const HistoryChunk& chunk);

  Database& database_;
  Statement find_{database_, "SELECT number, record FROM job WHERE id = ?"};
  Statement insert_{database_,
                    "INSERT INTO job VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING"};
  Statement update_{database_, "UPDATE job SET record = ? WHERE number = ?"};
  Statement update_state_{database_, "UPDATE job SET record = ?, state = ? WHERE number = ?"};
  Statement history_{database_, "INSERT INTO job_history VALUES (?, ?, ?, ?, ?, ?, ?)"};
  JobFileRows files_{database_};
  DeadLetterRows letters_{database_};
  DeadLetterQueries letter_queries_{database_};
  HeldRows held_{database_};
  DecisionRows decisions_{database_};
  UsageRows usage_{database_};
  uint64_t next_job_ = 1;
  uint64_t next_history_ = 1;
};

}  // namespace fermata::sqlite
