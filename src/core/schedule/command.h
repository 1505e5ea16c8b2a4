#pragma once
#include <optional>
#include <string>
#include <variant>

#include "core/schedule/schedule.h"

namespace fermata::schedule {

/// Repeating it finds the schedule there: the same request is answered again, another one under
/// the same id is refused.
struct CreateSchedule {
  Spec spec;
  bool paused = false;
  std::string request_hash;
};
/// Replaces the specification. A changed rule counts from now on.
struct UpdateSchedule {
  Spec spec;
  std::optional<uint64_t> expected_revision{};  ///< refused when it has changed since
  std::optional<bool> paused{};                 ///< and pauses or resumes it
};
struct PauseSchedule {};
struct ResumeSchedule {};
/// Starts a run now, whatever else runs. The same key starts it once, also when its run is over.
struct TriggerSchedule {
  std::string key;
  /// The run of this key is there already, which is known only beside the store.
  bool started_before = false;
};
/// Starts runs for past occurrences of the rule, both ends included, oldest first.
struct BackfillSchedule {
  Instant from;
  Instant to;
};
struct DeleteSchedule {};
/// Look at the clock. A timer that names an occurrence is refused when another one is expected.
struct WakeSchedule {
  std::optional<Instant> occurrence;
};
/// A run that this schedule started is over.
struct RunEnded {
  RunId run;
  std::string status;
};
/// A start that this schedule asked for was refused.
struct RefuseStart {
  RunId run;
  std::string code;
  std::string message;
};
/// There is other zone data than `next` was found by.
struct ZonesChanged {};

using CommandBody = std::variant<CreateSchedule, UpdateSchedule, PauseSchedule, ResumeSchedule,
                                 TriggerSchedule, BackfillSchedule, DeleteSchedule, WakeSchedule,
                                 RunEnded, RefuseStart, ZonesChanged>;

/// An imperative addressed to one schedule.
struct Command {
  Key schedule;
  CommandBody body;
  std::string actor = "engine";
};

}  // namespace fermata::schedule
