#pragma once
#include <vector>

#include "core/model/event.h"
#include "core/model/run.h"
#include "ports/signals.h"

namespace fermata {

/// What signals have done to the run by these events: goals, waits and the start of it. `waits` are
/// those that the events changed, as they are after them.
std::vector<SignalReached> reached_by(const Run& run, const std::vector<Event>& events,
                                      const std::vector<WaitRecord>& waits);

/// The audit line of every goal among the events (W-87).
void tell_goals(const Run& run, const std::vector<Event>& events, std::vector<AuditLine>& lines);

}  // namespace fermata
