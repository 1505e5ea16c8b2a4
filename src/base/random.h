#pragma once
#include <cstdint>

namespace fermata {

/// A small reproducible generator (SplitMix64): the simulator's dice, and the stream a decision
/// draws from the entropy it was given.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}
  uint64_t next() {
    uint64_t z = (state_ += 0x9e3779b97f4a7c15ULL);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
  }
  /// Uniform in [0, bound); bound > 0.
  uint64_t below(uint64_t bound) { return next() % bound; }
  /// Uniform in [0, 1).
  double fraction() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }
  bool chance(double probability) { return fraction() < probability; }
  /// A generator made from this goes on where this one is.
  uint64_t state() const { return state_; }

 private:
  uint64_t state_;
};

}  // namespace fermata
