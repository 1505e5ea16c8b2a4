#pragma once
#include <filesystem>

#include "base/error.h"

namespace fermata::sqlite {

/// The database file of a data directory.
std::filesystem::path database_file(const std::filesystem::path& directory);

/// Makes a file, or the names in a directory, survive a power cut.
Outcome<void> sync_path(const std::filesystem::path& path);

/// Gives a finished file its name and makes both survive a power cut.
Outcome<void> publish_file(const std::filesystem::path& from, const std::filesystem::path& to);

/// Makes the directory and its parents where they are missing.
Outcome<void> make_directory(const std::filesystem::path& directory);

/// The exclusive use of a data directory, given up with the object or the process.
class DirectoryLock {
 public:
  /// Fails with data_locked when another process, or another store in this one, has it.
  static Outcome<DirectoryLock> take(const std::filesystem::path& directory);
  DirectoryLock(DirectoryLock&& other) noexcept;
  DirectoryLock& operator=(DirectoryLock&&) = delete;
  ~DirectoryLock();

 private:
  explicit DirectoryLock(int file) : file_(file) {}
  int file_;
};

Failure<Error> io_failure(const std::filesystem::path& path, std::string_view doing);

}  // namespace fermata::sqlite
