#pragma once
#include <cstddef>
#include <filesystem>
#include <string>

#include "test/chaos/server_process.h"

namespace fermata::test {

/// A real file system of a few MiB, seen by this process and its children only. Mounting needs
/// root; where that is not given, `why_not` says so and the test is skipped.
class SmallDisk {
 public:
  enum class Kind { tmpfs, ext4 };
  SmallDisk(Kind kind, size_t mib);
  ~SmallDisk();
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;

  const std::string& why_not() const { return why_not_; }
  std::filesystem::path path() const { return scratch_.path() / "disk"; }
  /// Beside the disk, where there is room.
  std::filesystem::path outside() const { return scratch_.path(); }

  /// Takes every byte that is left.
  void fill();
  /// Takes this much.
  void take(size_t bytes);
  void give_back();
  size_t bytes_free() const;

  /// Of an ext4 disk: lets the kernel find an error, upon which it is read-only. False when this
  /// kernel cannot be asked to.
  bool break_down();
  /// Unmounts, repairs and mounts it again; nobody may use it.
  bool repair();

 private:
  bool mount_image();
  std::filesystem::path image() const { return scratch_.path() / "image"; }
  std::filesystem::path ballast() const { return path() / "ballast"; }

  TemporaryDirectory scratch_;
  std::string why_not_;
  bool mounted_ = false;
};

}  // namespace fermata::test
