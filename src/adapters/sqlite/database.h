#pragma once
#include <sqlite3.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace fermata::sqlite {

/// One connection, used by one thread at a time.
class Database {
 public:
  enum class Mode {
    read,    ///< the file must exist
    frozen,  ///< as `read`, for a file that nobody writes: nothing is created beside it
    write,   ///< the file must exist
    create,  ///< the file may exist
  };
  /// Fails with io_failed when a file that is to be written may only be read.
  static Outcome<std::unique_ptr<Database>> open(const std::filesystem::path& file, Mode mode);
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  /// Runs statements that give no rows that matter.
  Outcome<void> run(const char* sql);
  /// The first column of the first row, 0 when there is no row.
  Outcome<int64_t> number(const char* sql);
  /// What the last call that failed has to say: file, cause, and what was being done.
  Failure<Error> failure(std::string_view doing) const;
  bool in_transaction() const { return sqlite3_get_autocommit(handle_) == 0; }
  sqlite3* handle() const { return handle_; }

 private:
  explicit Database(std::filesystem::path file) : file_(std::move(file)) {}
  std::filesystem::path file_;
  sqlite3* handle_ = nullptr;
};

/// Bytes bound as a BLOB; plain texts are bound as TEXT.
struct Blob {
  std::string_view bytes;
};

class Statement;

/// The rows of one use of a statement; rewinds it at the end, so that no snapshot stays open.
class [[nodiscard]] Rows {
 public:
  explicit Rows(Statement& statement) : statement_(&statement) {}
  Rows(const Rows&) = delete;
  Rows& operator=(const Rows&) = delete;
  ~Rows();
  /// True when it stands on a row; false at the end or after a failure.
  bool next();
  bool failed() const { return failed_; }

  int64_t integer(int column) const;
  uint64_t natural(int column) const { return static_cast<uint64_t>(integer(column)); }
  std::string_view text(int column) const;  ///< valid until the next row
  std::string_view blob(int column) const;  ///< valid until the next row

 private:
  Statement* statement_;
  bool failed_ = false;
};

/// A statement prepared on first use and kept. What is bound must live until the rows are gone.
class Statement {
 public:
  Statement(Database& database, const char* sql) : database_(database), sql_(sql) {}
  ~Statement();
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;
  const char* sql() const { return sql_; }

  template <class... Values>
  Rows query(const Values&... values) {
    bind_all(values...);
    return Rows(*this);
  }
  /// The same for texts whose number is not known beforehand.
  Rows query_texts(const std::vector<std::string>& values) {
    prepare();
    int index = 0;
    for (const std::string& value : values) bind(++index, value);
    return Rows(*this);
  }
  /// For statements without rows: false on failure.
  template <class... Values>
  [[nodiscard]] bool execute(const Values&... values) {
    bind_all(values...);
    return execute_bound();
  }
  /// The same in two steps, for a statement that inserts several rows: the rows are bound one after
  /// the other, from 0.
  template <class... Values>
  void bind_row(size_t row, const Values&... values) {
    if (row == 0) prepare();
    int index = static_cast<int>(row * sizeof...(values));
    (bind(++index, values), ...);
  }
  [[nodiscard]] bool execute_bound() {
    Rows rows(*this);
    while (rows.next()) {
    }
    return !rows.failed();
  }

 private:
  friend class Rows;
  template <class... Values>
  void bind_all(const Values&... values) {
    prepare();
    int index = 0;
    (bind(++index, values), ...);
  }
  void prepare();
  void bind(int index, int64_t value);
  void bind(int index, uint64_t value) { bind(index, static_cast<int64_t>(value)); }
  void bind(int index, uint32_t value) { bind(index, static_cast<int64_t>(value)); }
  void bind(int index, std::string_view text);
  void bind(int index, const std::string& text) { bind(index, std::string_view(text)); }
  void bind(int index, const std::optional<std::string_view>& text) {
    text ? bind(index, *text) : bind(index, std::nullopt);
  }
  void bind(int index, Blob blob);
  void bind(int index, std::nullopt_t);

  Database& database_;
  const char* sql_;
  sqlite3_stmt* handle_ = nullptr;
  bool ready_ = false;  ///< prepared and bound without a failure
};

/// Tells damage from trouble with the disk: what a result code of SQLite means to a caller.
ErrorCode error_code_of(int result);
/// The same in words that may leave this machine: no paths, no numbers.
std::string_view cause_of(int result);

}  // namespace fermata::sqlite
