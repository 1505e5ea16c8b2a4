#pragma once
#include "core/model/event.h"
#include "core/run/restart.h"

/// What retry, rerun and fork share.
namespace fermata::restart {

/// The state of the old run right after the event with this sequence.
Outcome<Run> state_at(const Source& source, uint64_t last_sequence);
/// Takes away what belongs to the old run alone.
void detach(Run& run);
/// Puts a started token back to the beginning of its activation.
void start_anew(Run& run, TokenId id);
Seed seed_of(Run run);

}  // namespace fermata::restart
