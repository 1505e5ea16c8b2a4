#include "adapters/sqlite/directory.h"
#include "adapters/sqlite/file_layer.h"
#include "adapters/sqlite/log_check.h"
#include "adapters/sqlite/schema.h"
#include "adapters/sqlite/sqlite_store.h"

namespace fermata {

using sqlite::Database;

namespace {

/// A copy without gaps, under a name that no store has.
Outcome<void> copy_densely(Database& from, const std::filesystem::path& to) {
  int bytes = sqlite::page_sum_bytes;
  // What is copied takes over what was asked for here; the file itself stays as it is.
  sqlite3_file_control(from.handle(), "main", SQLITE_FCNTL_RESERVE_BYTES, &bytes);
  sqlite::Statement vacuum(from, "VACUUM INTO ?");
  if (!vacuum.execute(sqlite::summed_file_uri(to))) return from.failure("compacting");
  FERMATA_TRY(copy, Database::open(to, Database::Mode::write));
  FERMATA_TRY_VOID(copy->run("PRAGMA journal_mode = MEMORY"));
  FERMATA_TRY_VOID(sqlite::note_page_sums(*copy));
  FERMATA_TRY_VOID(sqlite::check_schema(*copy));
  return sqlite::use_log(*copy);
}

Outcome<void> make_copy(const std::filesystem::path& file, const std::filesystem::path& copy) {
  FERMATA_TRY_VOID(sqlite::check_log(file));
  FERMATA_TRY(database, Database::open(file, Database::Mode::write));
  FERMATA_TRY_VOID(sqlite::check_schema(*database));
  FERMATA_TRY_VOID(sqlite::use_log(*database));
  FERMATA_TRY_VOID(sqlite::migrate(*database));
  return copy_densely(*database, copy);
}

}  // namespace

Outcome<Compacted> compact_sqlite(const std::filesystem::path& directory) {
  std::filesystem::path file = sqlite::database_file(directory);
  std::error_code error;
  Compacted compacted;
  compacted.bytes_before = std::filesystem::file_size(file, error);
  if (error) return fail(ErrorCode::io_failed, file.string() + ": " + error.message());
  FERMATA_TRY(lock, sqlite::DirectoryLock::take(directory));
  std::filesystem::path copy = file;
  copy += ".new";
  std::filesystem::remove(copy, error);
  Outcome<void> made = make_copy(file, copy);
  // The last connection moves the log into the file and removes it; one that stays would be taken
  // for the new file's.
  if (made && std::filesystem::exists(sqlite::log_of(file), error))
    made = fail(ErrorCode::data_locked, file.string() + " is used by another process");
  if (made) made = sqlite::publish_file(copy, file);
  if (!made) {
    std::filesystem::remove(copy, error);
    return Failure{std::move(made).error()};
  }
  compacted.bytes_after = std::filesystem::file_size(file, error);
  return compacted;
}

}  // namespace fermata
