#pragma once
#include "adapters/sqlite/database.h"
#include "ports/dead_letters.h"

namespace fermata::sqlite {

struct FoundDeadLetter {
  uint64_t number = 0;
  DeadLetterEntry entry;
};

/// What is asked of the dead letter queue, over one connection.
class DeadLetterQueries {
 public:
  explicit DeadLetterQueries(Database& database) : database_(database) {}
  Outcome<std::optional<FoundDeadLetter>> find(const std::string& id);
  Outcome<std::optional<FoundDeadLetter>> by_number(uint64_t number);
  /// The one that is open.
  Outcome<std::optional<FoundDeadLetter>> open_of_job(const JobId& job);
  Outcome<DeadLetterPage> list(const DeadLetterFilter& filter, size_t limit, uint64_t before);
  Outcome<std::vector<std::pair<std::string, uint64_t>>> counts(const AccountId& account);

 private:
  Outcome<std::optional<FoundDeadLetter>> take(Rows rows);

  Database& database_;
  Statement find_{database_,
                  "SELECT number, id, account, job, open, record FROM dead_letter WHERE id = ?"};
  Statement by_number_{
      database_, "SELECT number, id, account, job, open, record FROM dead_letter WHERE number = ?"};
  Statement of_job_{database_,
                    "SELECT number, id, account, job, open, record FROM dead_letter "
                    "WHERE job = ? AND open = 1"};
  Statement newest_{database_,
                    "SELECT number FROM dead_letter WHERE number < ? ORDER BY number DESC LIMIT ?"};
  Statement of_account_{database_,
                        "SELECT number FROM dead_letter WHERE account = ? AND open = ? "
                        "AND number < ? ORDER BY number DESC LIMIT ?"};
  Statement open_{database_, "SELECT number FROM dead_letter WHERE open = 1"};
  Statement open_of_{database_, "SELECT number FROM dead_letter WHERE account = ? AND open = 1"};
};

/// Writes entries within a transaction of the caller. False when the database failed.
class DeadLetterRows {
 public:
  explicit DeadLetterRows(Database& database) : database_(database) {}
  Outcome<void> start();
  /// An entry that is there already stays as it is.
  bool open(const DeadLetterEntry& entry);
  bool change(uint64_t number, const DeadLetterEntry& entry);

 private:
  Database& database_;
  Statement insert_{database_,
                    "INSERT INTO dead_letter VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING"};
  Statement update_{database_, "UPDATE dead_letter SET open = ?, record = ? WHERE number = ?"};
  Statement last_{database_, "SELECT coalesce(max(number), 0) FROM dead_letter"};
  uint64_t next_ = 1;
};

}  // namespace fermata::sqlite
