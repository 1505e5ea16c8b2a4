#pragma once
#include <span>

#include "adapters/sqlite/database.h"
#include "adapters/sqlite/records.h"
#include "ports/reader.h"

namespace fermata::sqlite {

/// A schedule's row as it was found.
struct FoundSchedule {
  uint64_t number = 0;
  ScheduleRecord record;
};

/// What is asked of schedules, over one connection. A record that does not match its checksum or
/// its row gives data_damaged.
class ScheduleQueries {
 public:
  explicit ScheduleQueries(Database& database) : database_(database) {}

  Outcome<std::optional<FoundSchedule>> by_key(const schedule::Key& key);
  Outcome<std::optional<FoundSchedule>> by_number(uint64_t number);
  Outcome<StoredSchedule> find(const schedule::Key& key);
  Outcome<std::vector<StoredSchedule>> load(std::span<const schedule::Key> keys);
  Outcome<SchedulePage> list(const ScheduleFilter& filter, size_t limit, uint64_t before);
  Outcome<Store::OpenSchedulesPage> open(uint64_t after, size_t limit);
  /// Newest first, those that begin before a sequence.
  Outcome<std::vector<HistoryChunk>> newest(const schedule::Key& key, uint64_t before,
                                            size_t events_max);
  /// All that is kept, oldest first.
  Outcome<std::vector<HistoryChunk>> history(const FoundSchedule& schedule);

 private:
  Outcome<std::optional<FoundSchedule>> take(Rows rows);
  Outcome<std::vector<HistoryChunk>> chunks(const FoundSchedule& schedule, uint64_t from);

  Database& database_;
  Statement by_key_{database_,
                    "SELECT number, account, id, status, record FROM schedule "
                    "WHERE account = ? AND id = ?"};
  Statement by_number_{database_,
                       "SELECT number, account, id, status, record FROM schedule "
                       "WHERE number = ?"};
  Statement of_account_{database_,
                        "SELECT number FROM schedule WHERE account = ? AND number < ? "
                        "ORDER BY number DESC LIMIT ?"};
  Statement all_{database_,
                 "SELECT number FROM schedule WHERE number < ? ORDER BY number DESC LIMIT ?"};
  Statement active_{database_,
                    "SELECT number FROM schedule WHERE status = 0 AND number > ? "
                    "ORDER BY number LIMIT ?"};
  Statement chunks_{database_,
                    "SELECT first, count, checksum, bytes FROM schedule_history "
                    "WHERE schedule = ? AND first >= ? ORDER BY first"};
  Statement newest_{database_,
                    "SELECT first, count, checksum, bytes FROM schedule_history "
                    "WHERE schedule = ? AND first < ? ORDER BY first DESC"};
};

}  // namespace fermata::sqlite
