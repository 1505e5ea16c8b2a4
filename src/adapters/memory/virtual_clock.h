#pragma once
#include <atomic>

#include "ports/clock.h"

namespace fermata {

/// A clock that stands still until it is told. May be set and read from any thread.
class VirtualClock final : public Clock {
 public:
  explicit VirtualClock(Instant start = {}) : ms_(start.ms) {}
  Instant now() const override { return {ms_.load(std::memory_order_acquire)}; }
  void set(Instant now) { ms_.store(now.ms, std::memory_order_release); }
  void advance(Duration by) { ms_.fetch_add(by.ms, std::memory_order_acq_rel); }

 private:
  std::atomic<int64_t> ms_;
};

}  // namespace fermata
