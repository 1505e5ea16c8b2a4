#pragma once
#include "core/model/event.h"

/// The fold of what happens to a saga. Used by evolve alone.
namespace fermata {

void apply(Run& run, const SagaRecorded& event, Instant at);
void apply(Run& run, const RollbackRequested& event, Instant at);
void apply(Run& run, const RollbackStarted& event, Instant at);
void apply(Run& run, const StopAnswered& event, Instant at);
void apply(Run& run, const UndoSubmitted& event, Instant at);
void apply(Run& run, const UndoEnded& event, Instant at);
void apply(Run& run, const UndoResumed& event, Instant at);
void apply(Run& run, const RollbackEnded& event, Instant at);
void apply(Run& run, const SagaJoined& event, Instant at);
/// Tells, and changes nothing.
void apply(Run& run, const JobOutputWithdrawn& event, Instant at);

}  // namespace fermata
