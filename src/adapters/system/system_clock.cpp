#include "adapters/system/system_clock.h"

#include <time.h>

#include "base/check.h"

namespace fermata {

Instant SystemClock::now() const {
  timespec at{};
  check(clock_gettime(CLOCK_REALTIME, &at) == 0);
  return {int64_t{at.tv_sec} * 1000 + at.tv_nsec / 1'000'000};
}

}  // namespace fermata
