#include "test/chaos/small_disk.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace fermata::test {
namespace {

/// Empty when this process has mounts of its own from now on.
std::string leave_shared_mounts() {
  static const std::string outcome = []() -> std::string {
    if (geteuid() != 0) return "mounting a small disk needs root";
    if (unshare(CLONE_NEWNS) != 0) return std::string("unshare: ") + std::strerror(errno);
    if (mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0)
      return std::string("mount --make-rprivate: ") + std::strerror(errno);
    return "";
  }();
  return outcome;
}

bool shell(const std::string& command) { return std::system(command.c_str()) == 0; }

}  // namespace

SmallDisk::SmallDisk(Kind kind, size_t mib) {
  why_not_ = leave_shared_mounts();
  if (!why_not_.empty()) return;
  std::filesystem::create_directory(path());
  if (kind == Kind::tmpfs) {
    std::string size = "size=" + std::to_string(mib) + "m";
    mounted_ = mount("none", path().c_str(), "tmpfs", 0, size.c_str()) == 0;
    if (!mounted_) why_not_ = std::string("mounting a tmpfs: ") + std::strerror(errno);
    return;
  }
  // Blocks as large as pages, as real disks have: SQLite allocates its shared memory by pages.
  mounted_ = shell("truncate -s " + std::to_string(mib) + "M " + image().string() +
                   " && mkfs.ext4 -q -m 0 -b 4096 " + image().string() + " >/dev/null 2>&1") &&
             mount_image();
  if (!mounted_) why_not_ = "no ext4 image can be made and mounted here";
}

bool SmallDisk::mount_image() {
  return shell("mount -o loop,errors=remount-ro " + image().string() + " " + path().string() +
               " 2>/dev/null");
}

bool SmallDisk::break_down() {
  std::string device = "$(basename $(findmnt -n -o SOURCE " + path().string() + "))";
  return shell("echo a test > /sys/fs/ext4/" + device + "/trigger_fs_error 2>/dev/null");
}

bool SmallDisk::repair() {
  mounted_ = umount(path().c_str()) == 0 &&
             std::system(("e2fsck -fy " + image().string() + " >/dev/null 2>&1").c_str()) >= 0 &&
             mount_image();
  return mounted_;
}

SmallDisk::~SmallDisk() {
  // The loop device is given back with the last user of the mount.
  if (mounted_) umount2(path().c_str(), MNT_DETACH);
}

void SmallDisk::take(size_t bytes) {
  int file = open(ballast().c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
  std::vector<char> block(1 << 16, 'x');
  // Smaller and smaller pieces, until not even one byte finds room.
  for (size_t piece = block.size(); piece > 0 && bytes > 0;) {
    ssize_t written = write(file, block.data(), std::min(piece, bytes));
    if (written <= 0) {
      piece /= 16;
    } else {
      bytes -= static_cast<size_t>(written);
    }
  }
  fsync(file);
  close(file);
}

void SmallDisk::fill() { take(SIZE_MAX); }

void SmallDisk::give_back() { std::filesystem::remove(ballast()); }

size_t SmallDisk::bytes_free() const {
  struct statvfs told{};
  if (statvfs(path().c_str(), &told) != 0) return 0;
  return told.f_bavail * told.f_frsize;
}

}  // namespace fermata::test
