#pragma once
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/breaker/breaker.h"

namespace fermata {

/// Small numbers that replicas share. Advisory: losing them costs work, never truth. Used by one
/// thread.
class Counters {
 public:
  virtual ~Counters() = default;
  /// Adds and answers the new value. The counter ends in `ends_in` from now; 0 or less ends it at
  /// once. One that has ended begins at 0 again.
  virtual int64_t add(const std::string& key, int64_t by, Duration ends_in) = 0;
  /// One for each key; absent: there is none.
  virtual std::vector<std::optional<breaker::Counter>> read(std::span<const std::string> keys) = 0;
};

}  // namespace fermata
