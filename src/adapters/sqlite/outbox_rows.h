#pragma once
#include <span>

#include "adapters/sqlite/database.h"
#include "ports/store.h"

namespace fermata::sqlite {

/// Writes rows of the outbox and marks within a transaction of the caller. False when the database
/// failed.
class OutboxRows {
 public:
  explicit OutboxRows(Database& database) : database_(database) {}
  Outcome<void> start();
  bool write(const RunWrite& run);
  bool remove(std::span<const uint64_t> numbers);
  bool forget_marks(Instant before) { return forget_.execute(before.ms); }

 private:
  Database& database_;
  Statement insert_{database_, "INSERT INTO outbox VALUES (?, ?, ?)"};
  Statement remove_{database_, "DELETE FROM outbox WHERE number = ?"};
  Statement mark_{database_, "INSERT OR REPLACE INTO message_mark VALUES (?, ?, ?)"};
  Statement forget_{database_, "DELETE FROM message_mark WHERE at < ?"};
  uint64_t next_ = 1;
};

/// What is asked of them, over one connection.
class OutboxQueries {
 public:
  explicit OutboxQueries(Database& database) : database_(database) {}
  Outcome<std::vector<Outbox::Entry>> list(const std::string& lane, uint64_t after, size_t limit);
  Outcome<uint64_t> count(const std::string& lane);
  Outcome<bool> is_marked(const RunId& run, const std::string& mark);

 private:
  Database& database_;
  Statement list_{database_,
                  "SELECT number, record FROM outbox WHERE number > ? AND lane = ? "
                  "ORDER BY number LIMIT ?"};
  Statement count_{database_, "SELECT count(*) FROM outbox WHERE lane = ?"};
  Statement marked_{database_, "SELECT 1 FROM message_mark WHERE execution = ? AND mark = ?"};
};

}  // namespace fermata::sqlite
