#include "adapters/system/system_entropy.h"

#include <sys/random.h>
#include <cerrno>
#include <span>
#include <utility>

#include "base/check.h"

namespace fermata {
namespace {

void fill(std::span<uint64_t> words) {
  auto* at = reinterpret_cast<unsigned char*>(words.data());
  size_t missing = words.size_bytes();
  while (missing > 0) {
    ssize_t got = getrandom(at, missing, 0);
    if (got < 0) {
      // Without the blocking pool nothing else can fail once the flags and the buffer are right.
      check(errno == EINTR);
      continue;
    }
    at += got;
    missing -= static_cast<size_t>(got);
  }
}

}  // namespace

uint64_t SystemEntropy::next() {
  std::lock_guard lock(mutex_);
  if (left_ == 0) {
    fill(buffer_);
    left_ = buffer_.size();
  }
  // A word that was handed out does not stay in memory to be found again.
  return std::exchange(buffer_[--left_], 0);
}

}  // namespace fermata
