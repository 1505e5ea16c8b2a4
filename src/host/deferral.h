#pragma once
#include "base/time.h"

namespace fermata {

/// Nothing is put off for longer than that, or than the caller says: what seems to be was so before
/// the clock was set back.
constexpr Duration put_off_max{1'000};

inline bool is_due(Instant until, Instant now, Duration longest = put_off_max) {
  return until <= now || until > now + longest;
}

}  // namespace fermata
