#pragma once
#include <vector>

#include "base/value.h"
#include "core/schedule/history.h"

/// What people see of a schedule: JSON by pure functions.
namespace fermata::schedule {

/// The fields of F-58, then status, next, last_occurrence, runs_started, skipped, live, queued.
Value view(const Schedule& schedule);
/// One event: {sequence, type, at, …}; what is empty is left out.
Value view(const Event& event);
/// {at, local, start_at}: an occurrence to come as a preview shows it.
Value view_occurrence(Instant occurrence, const Zone& zone);

}  // namespace fermata::schedule
