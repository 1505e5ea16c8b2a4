#pragma once
#include <optional>
#include <vector>

#include "base/id.h"
#include "base/time.h"

namespace fermata {

/// Those that share a lane, such as the runs of one account, do not hold up others.
using TimerLane = uint32_t;

struct DueRun {
  RunId run;
  TimerLane lane = 0;
  bool operator==(const DueRun&) const = default;
};

/// An index of when runs want to be looked at, at most one entry per run. It is rebuilt from the
/// store and may lose or repeat entries: a run looked at too early or twice refuses quietly.
class Timers {
 public:
  virtual ~Timers() = default;
  /// Sets or moves the run's entry.
  virtual void arm(const RunId& run, Instant due, TimerLane lane) = 0;
  void arm(const RunId& run, Instant due) { arm(run, due, 0); }
  virtual void disarm(const RunId& run) = 0;
  /// Takes up to `most` entries with due <= now, earliest first.
  virtual std::vector<DueRun> due(Instant now, size_t most) = 0;
  /// A lower bound of the next due time; nothing when empty.
  virtual std::optional<Instant> next_due() const = 0;
  virtual size_t size() const = 0;
};

}  // namespace fermata
