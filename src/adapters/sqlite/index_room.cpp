#include "adapters/sqlite/index_room.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <map>
#include <mutex>

namespace fermata::sqlite {
namespace {

std::mutex rooms_mutex;
std::map<std::string, std::weak_ptr<IndexRoom>>& rooms() {
  static std::map<std::string, std::weak_ptr<IndexRoom>> all;
  return all;
}

}  // namespace

struct IndexRoom::Opened {
  std::mutex mutex;
  int file = -1;    ///< stays -1 where the index may only be read
  int regions = 0;  ///< that have room
};

std::shared_ptr<IndexRoom> IndexRoom::of(const std::string& index_file) {
  std::lock_guard lock(rooms_mutex);
  std::weak_ptr<IndexRoom>& kept = rooms()[index_file];
  if (std::shared_ptr<IndexRoom> known = kept.lock()) return known;
  auto opened = std::make_unique<Opened>();
  opened->file = open(index_file.c_str(), O_RDWR | O_CLOEXEC);
  std::shared_ptr<IndexRoom> made(new IndexRoom(std::move(opened)));
  kept = made;
  return made;
}

IndexRoom::IndexRoom(std::unique_ptr<Opened> opened) : opened_(std::move(opened)) {}

IndexRoom::~IndexRoom() {
  if (opened_->file >= 0) close(opened_->file);
}

int IndexRoom::secure(int region, int region_bytes) {
  std::lock_guard lock(opened_->mutex);
  if (opened_->file < 0 || region < opened_->regions) return SQLITE_OK;
  off_t begin = static_cast<off_t>(opened_->regions) * region_bytes;
  off_t end = static_cast<off_t>(region + 1) * region_bytes;
  // Not posix_fallocate: where the file system cannot do it, that writes to bytes in use.
  int failed = 0;
  do failed = fallocate(opened_->file, 0, begin, end - begin);
  while (failed != 0 && errno == EINTR);
  if (failed != 0 && (errno == ENOSPC || errno == EDQUOT)) return SQLITE_IOERR_SHMSIZE;
  // A file system that cannot tell beforehand is left to its fate, as SQLite leaves it.
  opened_->regions = region + 1;
  return SQLITE_OK;
}

}  // namespace fermata::sqlite
