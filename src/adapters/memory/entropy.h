#pragma once
#include "base/random.h"
#include "ports/clock.h"

namespace fermata {

/// 1, 2, 3 …: ids in tests that a person can read.
class CountingEntropy final : public Entropy {
 public:
  uint64_t next() override { return ++last_; }

 private:
  uint64_t last_ = 0;
};

/// The same seed gives the same bits.
class SeededEntropy final : public Entropy {
 public:
  explicit SeededEntropy(uint64_t seed) : random_(seed) {}
  uint64_t next() override { return random_.next(); }

 private:
  Random random_;
};

}  // namespace fermata
