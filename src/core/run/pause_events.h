#pragma once
#include "core/model/event.h"

/// The fold of a pause. Used by evolve alone.
namespace fermata {

void apply(Run& run, const RunPaused& event, Instant at);
void apply(Run& run, const RunUnpaused& event, Instant at);
/// Tells, and changes nothing.
inline void apply(Run&, const TimerHeld&, Instant) {}

}  // namespace fermata
