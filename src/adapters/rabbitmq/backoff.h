#pragma once
#include <algorithm>
#include <cstdint>
#include <utility>

#include "base/random.h"

namespace fermata {

/// Pauses before the next attempt to connect (C-7): 0.2 s doubling to 10 s, up to a quarter less by
/// chance, so that many who lost the same broker do not come back together.
class Backoff {
 public:
  static constexpr int64_t first_ms = 200, longest_ms = 10'000;
  explicit Backoff(uint64_t seed) : random_(seed) {}
  int64_t next_ms() {
    int64_t whole = std::exchange(pause_ms_, std::min(pause_ms_ * 2, longest_ms));
    return whole - static_cast<int64_t>(random_.fraction() * static_cast<double>(whole) / 4);
  }
  void reset() { pause_ms_ = first_ms; }

 private:
  int64_t pause_ms_ = first_ms;
  Random random_;
};

}  // namespace fermata
