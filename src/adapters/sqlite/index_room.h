#pragma once
#include <sqlite3.h>

#include <memory>
#include <string>

namespace fermata::sqlite {

/// Room on the disk for the index of a log, which SQLite maps into memory. SQLite makes the file
/// longer by one byte in every 4096, so on a file system with smaller blocks most of it has no
/// room; to write there when the disk is full would end the process with a signal. A connection
/// that asks for room first is told that the disk is full instead.
class IndexRoom {
 public:
  /// Shared by all connections to the same index, and held by each until it has closed its own: to
  /// close a file drops all locks that the process has on it, whoever took them.
  static std::shared_ptr<IndexRoom> of(const std::string& index_file);
  ~IndexRoom();
  IndexRoom(const IndexRoom&) = delete;
  IndexRoom& operator=(const IndexRoom&) = delete;

  /// After the region was mapped, before anything is written to it. SQLITE_IOERR_SHMSIZE when the
  /// disk is full: not SQLITE_FULL, which says that nothing of a transaction is in the log.
  int secure(int region, int region_bytes);

 private:
  struct Opened;
  explicit IndexRoom(std::unique_ptr<Opened> opened);
  std::unique_ptr<Opened> opened_;
};

}  // namespace fermata::sqlite
