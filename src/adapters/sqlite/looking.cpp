#include "adapters/sqlite/looking.h"

#include "adapters/sqlite/directory.h"
#include "adapters/sqlite/log_check.h"
#include "adapters/sqlite/schema.h"

namespace fermata::sqlite {
namespace {

/// A log that a server is writing changes while it is read; that server has checked it at its
/// start.
Outcome<void> check_idle_log(const std::filesystem::path& directory) {
  auto lock = DirectoryLock::take(directory);
  if (!lock) return {};
  return check_log(database_file(directory));
}

bool has_log(const std::filesystem::path& file) {
  std::error_code error;
  auto bytes = std::filesystem::file_size(log_of(file), error);
  return !error && bytes > 0;
}

Outcome<std::unique_ptr<Database>> open_with_schema(const std::filesystem::path& file,
                                                    Database::Mode mode) {
  FERMATA_TRY(database, Database::open(file, mode));
  FERMATA_TRY_VOID(check_schema(*database));
  return std::move(database);
}

}  // namespace

Outcome<std::unique_ptr<Database>> open_to_look(const std::filesystem::path& directory) {
  std::filesystem::path file = database_file(directory);
  std::error_code unknown;
  if (!std::filesystem::exists(file, unknown) && !has_log(file))
    return fail(ErrorCode::io_failed, directory.string() + " holds no data: there is no " +
                                          file.filename().string() + " in it.");
  FERMATA_TRY_VOID(check_idle_log(directory));
  auto opened = open_with_schema(file, Database::Mode::read);
  // Beside a database SQLite makes files even to read it. Without a log it can do without them.
  if (!opened && opened.error().code == ErrorCode::io_failed && !has_log(file)) {
    auto frozen = open_with_schema(file, Database::Mode::frozen);
    if (frozen) return frozen;
  }
  return opened;
}

}  // namespace fermata::sqlite
