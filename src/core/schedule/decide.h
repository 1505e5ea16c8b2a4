#pragma once
#include <memory>
#include <variant>
#include <vector>

#include "base/error.h"
#include "core/model/post.h"
#include "core/schedule/command.h"
#include "core/schedule/event.h"

namespace fermata::schedule {

/// Limits of schedules; settings `schedule_…`.
struct ScheduleLimits {
  /// An occurrence that is decided later than this was missed: the engine was down.
  int64_t late_ms_max = 60'000;
  uint64_t queue_max = 100;
  uint64_t catch_up_max = 1'000;
  uint64_t backfill_max = 1'000;
  uint64_t live_max = 10'000;
  uint64_t occurrences_per_commit = 10'000;
};

/// All that a decision may know of the world.
struct Given {
  Instant now;
  std::shared_ptr<const ZoneTable> zones = utc_table();
  ScheduleLimits limits;
};

/// Start a run for an occurrence. Its trigger is {schedule_id, scheduled_at, cause}; its end comes
/// back as RunEnded, a refusal as RefuseStart. For a run that is there already nothing is started;
/// if it is over, RunEnded comes back at once.
struct OrderScheduled {
  RunId run;
  ScheduleId schedule;
  AccountId account;
  WorkflowId workflow;
  uint32_t version = 0;  ///< 0: the current one
  Value input;
  Value labels;
  Value trigger;
  Instant start_at;
};
/// What a schedule asks of runs; decided and committed together with what it decided itself
/// (ADR 0011).
using SchedulePost = std::variant<OrderScheduled, StopRun>;

struct Decision {
  std::vector<Event> events;
  std::vector<SchedulePost> posts;
};

/// Decides what a command means for a schedule and advances the schedule by the events it returns.
/// Pure. A refusal (quiet for timers and reports) changes nothing.
Outcome<Decision> decide(Schedule& schedule, const Command& command, const Given& given);

/// Folds one event into the state. Total: no checks of meaning, no posts.
void evolve(Schedule& schedule, const Event& event);

}  // namespace fermata::schedule
