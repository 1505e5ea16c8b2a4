#pragma once
#include <optional>
#include <vector>

#include "base/id.h"
#include "base/time.h"

namespace fermata {

/// An index of when runs want to be looked at, at most one entry per run. It is rebuilt from the
/// store and may lose or repeat entries: a run looked at too early or twice refuses quietly.
class Timers {
 public:
  virtual ~Timers() = default;
  /// Sets or moves the run's entry.
  virtual void arm(const RunId& run, Instant due) = 0;
  virtual void disarm(const RunId& run) = 0;
  /// Takes up to `most` entries with due <= now, earliest first.
  virtual std::vector<RunId> due(Instant now, size_t most) = 0;
  /// A lower bound of the next due time; nothing when empty.
  virtual std::optional<Instant> next_due() const = 0;
  virtual size_t size() const = 0;
};

}  // namespace fermata
