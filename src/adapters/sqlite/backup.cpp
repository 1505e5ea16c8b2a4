#include "adapters/sqlite/database.h"
#include "adapters/sqlite/directory.h"
#include "adapters/sqlite/file_layer.h"
#include "adapters/sqlite/looking.h"
#include "adapters/sqlite/schema.h"
#include "adapters/sqlite/sqlite_store.h"

namespace fermata {

using sqlite::Database;

namespace {

Outcome<void> copy_pages(Database& from, Database& to) {
  sqlite3_backup* copy = sqlite3_backup_init(to.handle(), "main", from.handle(), "main");
  if (copy == nullptr) return to.failure("beginning a backup");
  // All pages in one step see one state: commits that come meanwhile stay in the log.
  int result = sqlite3_backup_step(copy, -1);
  sqlite3_backup_finish(copy);
  if (result == SQLITE_DONE) return {};
  return fail(sqlite::error_code_of(result),
              std::string("copying the store: ") + sqlite3_errstr(result));
}

Outcome<void> check_whole(Database& database) {
  FERMATA_TRY_VOID(sqlite::check_schema(database));
  sqlite::Statement check(database, "PRAGMA quick_check(1)");
  sqlite::Rows rows = check.query();
  if (!rows.next()) return database.failure("checking the backup");
  if (rows.text(0) == "ok") return {};
  return fail(ErrorCode::data_damaged, "the backup is damaged: " + std::string(rows.text(0)));
}

/// A copy of a backup, made ready to be a store, under a name that no store has.
Outcome<void> copy_backup(const std::filesystem::path& file, const std::filesystem::path& to) {
  std::error_code error;
  std::filesystem::copy_file(file, to, error);
  if (error) return fail(ErrorCode::io_failed, to.string() + ": " + error.message());
  FERMATA_TRY(database, Database::open(to, Database::Mode::write));
  FERMATA_TRY_VOID(database->run("PRAGMA journal_mode = MEMORY"));
  return sqlite::use_log(*database);
}

void remove_quietly(const std::filesystem::path& file) {
  std::error_code ignored;
  std::filesystem::remove(file, ignored);
}

}  // namespace

Outcome<void> backup_sqlite(const std::filesystem::path& directory,
                            const std::filesystem::path& file) {
  std::error_code error;
  if (std::filesystem::exists(file, error)) {
    return fail(ErrorCode::io_failed, file.string() + " exists; a backup does not write over it");
  }
  FERMATA_TRY(from, sqlite::open_to_look(directory));
  std::filesystem::path unfinished = file;
  unfinished += ".new";
  remove_quietly(unfinished);
  Outcome<void> made = [&]() -> Outcome<void> {
    FERMATA_TRY(to, Database::open(unfinished, Database::Mode::create));
    if (sqlite::has_page_sums(from->handle())) sqlite::begin_page_sums(to->handle());
    FERMATA_TRY_VOID(to->run("PRAGMA journal_mode = MEMORY"));
    return copy_pages(*from, *to);
  }();
  if (made) made = sqlite::publish_file(unfinished, file);
  if (!made) remove_quietly(unfinished);
  return made;
}

Outcome<void> restore_sqlite(const std::filesystem::path& file,
                             const std::filesystem::path& directory) {
  std::error_code error;
  if (std::filesystem::exists(directory, error) && !std::filesystem::is_empty(directory, error)) {
    return fail(ErrorCode::io_failed,
                directory.string() + " is not empty; restore into a new directory");
  }
  {
    FERMATA_TRY(backup, Database::open(file, Database::Mode::frozen));
    FERMATA_TRY_VOID(check_whole(*backup));
  }
  FERMATA_TRY_VOID(sqlite::make_directory(directory));
  std::filesystem::path target = sqlite::database_file(directory);
  std::filesystem::path unfinished = target;
  unfinished += ".new";
  Outcome<void> made = copy_backup(file, unfinished);
  if (made) made = sqlite::publish_file(unfinished, target);
  if (!made) remove_quietly(unfinished);
  return made;
}

}  // namespace fermata
