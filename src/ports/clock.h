#pragma once
#include <cstdint>

#include "base/time.h"

namespace fermata {

/// Read by the host only: a decision is given one instant.
class Clock {
 public:
  virtual ~Clock() = default;
  virtual Instant now() const = 0;
};

/// Unpredictable bits, for ids and jitter.
class Entropy {
 public:
  virtual ~Entropy() = default;
  virtual uint64_t next() = 0;
};

}  // namespace fermata
