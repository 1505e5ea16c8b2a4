#include "adapters/sqlite/directory.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>
#include <utility>

namespace fermata::sqlite {

std::filesystem::path database_file(const std::filesystem::path& directory) {
  return directory / "fermata.db";
}

Failure<Error> io_failure(const std::filesystem::path& path, std::string_view doing) {
  std::string reason = std::generic_category().message(errno);
  return fail(ErrorCode::io_failed, path.string() + ": " + reason + " while " + std::string(doing));
}

Outcome<void> sync_path(const std::filesystem::path& path) {
  int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return io_failure(path, "opening it to synchronise");
  bool synced = fsync(file) == 0;
  int error = errno;
  close(file);
  errno = error;
  if (!synced) return io_failure(path, "synchronising");
  return {};
}

Outcome<void> publish_file(const std::filesystem::path& from, const std::filesystem::path& to) {
  FERMATA_TRY_VOID(sync_path(from));
  if (rename(from.c_str(), to.c_str()) != 0) return io_failure(from, "renaming it");
  return sync_path(std::filesystem::absolute(to).parent_path());
}

Outcome<void> make_directory(const std::filesystem::path& directory) {
  std::error_code error;
  bool created = std::filesystem::create_directories(directory, error);
  if (error || !std::filesystem::is_directory(directory, error)) {
    if (!error) error = std::make_error_code(std::errc::not_a_directory);
    return fail(ErrorCode::io_failed,
                directory.string() + ": " + error.message() + " while making the data directory");
  }
  if (!created) return {};
  return sync_path(std::filesystem::absolute(directory).parent_path());
}

Outcome<DirectoryLock> DirectoryLock::take(const std::filesystem::path& directory) {
  std::filesystem::path path = directory / "lock";
  int file = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (file < 0) return io_failure(path, "opening the lock file");
  DirectoryLock lock(file);
  if (flock(file, LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK) return io_failure(path, "locking the data directory");
    std::array<char, 32> holder{};
    ssize_t size = pread(file, holder.data(), holder.size(), 0);
    std::string_view id(holder.data(), size > 0 ? static_cast<size_t>(size) : 0);
    return fail(ErrorCode::data_locked, directory.string() + " is used by another server" +
                                            (id.empty() ? "" : ", process " + std::string(id)));
  }
  // The process id is for people who find the directory locked; the lock does not depend on it.
  // It is written over the last one, for which a full disk has room.
  std::string id = std::to_string(getpid());
  if (pwrite(file, id.data(), id.size(), 0) < 0 ||
      ftruncate(file, static_cast<off_t>(id.size())) != 0) {
    return io_failure(path, "writing the lock file");
  }
  return lock;
}

DirectoryLock::DirectoryLock(DirectoryLock&& other) noexcept
    : file_(std::exchange(other.file_, -1)) {}

DirectoryLock::~DirectoryLock() {
  if (file_ >= 0) close(file_);
}

}  // namespace fermata::sqlite
