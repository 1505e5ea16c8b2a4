#pragma once
#include <functional>

#include "base/error.h"
#include "core/schedule/command.h"

namespace fermata {

/// What became of a command to a schedule, once its commit is durable.
struct ScheduleTold {
  schedule::Schedule schedule;
  bool changed = false;  ///< false when it was so already
};
/// Called once, on the partition's thread; must not block.
using ScheduleReply = std::function<void(Outcome<ScheduleTold>)>;

/// The way of schedules into the engine. Safe from any thread.
class ScheduleIntake {
 public:
  virtual ~ScheduleIntake() = default;
  /// False when the queue is full or the engine is stopping; then `reply` is not called.
  [[nodiscard]] virtual bool submit_schedule(schedule::Command command, ScheduleReply reply) = 0;
};

}  // namespace fermata
