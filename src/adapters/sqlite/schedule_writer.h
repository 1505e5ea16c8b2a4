#pragma once
#include "adapters/sqlite/database.h"
#include "adapters/sqlite/records.h"

namespace fermata::sqlite {

/// Writes schedules and their history within a transaction of the caller; as JobWriter.
class ScheduleWriter {
 public:
  explicit ScheduleWriter(Database& database) : database_(database) {}
  Outcome<void> start();
  std::optional<CommitOutcome> test(const ScheduleWrite& write);
  std::optional<CommitOutcome> write(const ScheduleWrite& write);

 private:
  struct Row {
    uint64_t number = 0;                   ///< 0: there is none
    std::optional<ScheduleRecord> record;  ///< none when it is damaged
  };
  std::optional<Row> find(const ScheduleWrite& write);
  std::optional<CommitOutcome> create(const ScheduleWrite& write);
  bool append(uint64_t schedule, const HistoryChunk& chunk);

  Database& database_;
  Statement find_{database_, "SELECT number, record FROM schedule WHERE account = ? AND id = ?"};
  Statement insert_{database_,
                    "INSERT INTO schedule VALUES (?, ?, ?, ?, ?) "
                    "ON CONFLICT (account, id) DO NOTHING"};
  Statement update_{database_, "UPDATE schedule SET record = ?, status = ? WHERE number = ?"};
  Statement history_{database_, "INSERT INTO schedule_history VALUES (?, ?, ?, ?, ?)"};
  Statement let_go_{database_,
                    "DELETE FROM schedule_history WHERE schedule = ? AND first < ? "
                    "AND first + count <= ?"};
  uint64_t next_ = 1;
};

}  // namespace fermata::sqlite
