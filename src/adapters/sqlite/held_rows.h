#pragma once
#include "adapters/sqlite/database.h"
#include "ports/job_files.h"

namespace fermata::sqlite {

/// What is asked of held outputs, over one connection.
class HeldQueries {
 public:
  explicit HeldQueries(Database& database) : database_(database) {}
  /// Of a job that exists: by its number.
  Outcome<std::optional<std::string>> find(uint64_t job);
  Outcome<uint64_t> count();

 private:
  Database& database_;
  Statement find_{database_, "SELECT record FROM held_output WHERE job = ?"};
  Statement count_{database_, "SELECT count(*) FROM held_output"};
};

/// Writes held outputs within a transaction of the caller, so that nothing of them is left in the
/// file once they are gone (ADR 0043): SQLite overwrites what these transactions free, and a record
/// begins with more filler than a page of the table holds, so that no byte of an output ever lies
/// in a page that is rewritten for the sake of its neighbours. False when the database failed.
class HeldRows {
 public:
  explicit HeldRows(Database& database) : database_(database) {}
  bool put(uint64_t job, std::string_view text);
  bool drop(uint64_t job);

 private:
  Database& database_;
  Statement find_{database_, "SELECT job FROM held_output WHERE job = ?"};
  Statement put_{database_, "INSERT OR REPLACE INTO held_output VALUES (?, ?)"};
  Statement drop_{database_, "DELETE FROM held_output WHERE job = ?"};
};

/// While it lives SQLite overwrites what the connection frees.
class Wiping {
 public:
  explicit Wiping(Database& database);
  ~Wiping();
  Wiping(const Wiping&) = delete;
  Wiping& operator=(const Wiping&) = delete;
  bool on() const { return on_; }

 private:
  Database& database_;
  bool on_ = false;
};

}  // namespace fermata::sqlite
