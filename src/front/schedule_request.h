#pragma once
#include <optional>
#include <string>

#include "base/error.h"
#include "core/schedule/spec.h"

namespace fermata::front {

/// What a body says of a schedule (F-58).
struct ScheduleRequest {
  std::string id;  ///< empty when it names none
  schedule::Spec spec;
  std::optional<bool> paused;
};

/// Reads a whole specification. Every mistake is told with its place; codes as refuse_wrong.
Outcome<ScheduleRequest> read_schedule(const Value& body, const ZoneTable& zones);
/// Reads a change: what is left out stays as in `from`, null means the default again.
Outcome<ScheduleRequest> read_schedule_change(const Value& body, const schedule::Spec& from,
                                              const ZoneTable& zones);

struct BackfillRequest {
  Instant from;
  Instant to;
  bool dry_run = false;
};
Outcome<BackfillRequest> read_backfill(const Value& body);

}  // namespace fermata::front
