#pragma once
#include "ports/clock.h"

namespace fermata {

/// The machine's wall clock. Safe from several threads.
class SystemClock final : public Clock {
 public:
  Instant now() const override;
};

}  // namespace fermata
