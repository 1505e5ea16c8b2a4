#pragma once
#include "adapters/sqlite/database.h"
#include "ports/retention.h"

namespace fermata::sqlite {

/// The same statements over the tables of one kind of root.
struct GarbageSql {
  const char* note;
  const char* first;
  const char* shorten;
  const char* drop;
  const char* link;
  const char* drop_link;
};
constexpr GarbageSql run_garbage = {"INSERT INTO garbage (head) VALUES (?)",
                                    "SELECT number, head FROM garbage ORDER BY number LIMIT 1",
                                    "UPDATE garbage SET head = ? WHERE number = ?",
                                    "DELETE FROM garbage WHERE number = ?",
                                    "SELECT prev FROM history WHERE number = ?",
                                    "DELETE FROM history WHERE number = ?"};
constexpr GarbageSql job_garbage = {"INSERT INTO job_garbage (head) VALUES (?)",
                                    "SELECT number, head FROM job_garbage ORDER BY number LIMIT 1",
                                    "UPDATE job_garbage SET head = ? WHERE number = ?",
                                    "DELETE FROM job_garbage WHERE number = ?",
                                    "SELECT prev FROM job_history WHERE number = ?",
                                    "DELETE FROM job_history WHERE number = ?"};

/// Histories whose root was removed, noted by their newest row: they go bit by bit, since they may
/// be long. All calls stand within a transaction of the writer.
class Garbage {
 public:
  Garbage(Database& database, const GarbageSql& sql)
      : database_(database),
        note_(database, sql.note),
        first_(database, sql.first),
        shorten_(database, sql.shorten),
        drop_(database, sql.drop),
        link_(database, sql.link),
        drop_link_(database, sql.drop_link) {}

  /// False on failure. A `head` of 0 is no history.
  bool note(uint64_t head) { return head == 0 || note_.execute(head); }
  /// Removes up to `limit` rows.
  Outcome<Retention::Sweep> sweep(size_t limit);

 private:
  Database& database_;
  Statement note_;
  Statement first_;
  Statement shorten_;
  Statement drop_;
  Statement link_;
  Statement drop_link_;
};

}  // namespace fermata::sqlite
