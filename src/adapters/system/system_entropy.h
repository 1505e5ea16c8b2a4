#pragma once
#include <array>
#include <mutex>

#include "ports/clock.h"

namespace fermata {

/// The kernel's random bits, fetched a page at a time. Safe from several threads.
class SystemEntropy final : public Entropy {
 public:
  uint64_t next() override;

 private:
  std::mutex mutex_;
  std::array<uint64_t, 512> buffer_{};
  size_t left_ = 0;
};

}  // namespace fermata
