#pragma once
#include "core/model/event.h"

/// The fold of what comes from other programs. Used by evolve alone.
namespace fermata {

void apply(Run& run, const EntryVacated& event, Instant at);
void apply(Run& run, const TokensArrived& event, Instant at);
void apply(Run& run, const TokenSent& event, Instant at);
void apply(Run& run, const TokenTaken& event, Instant at);
/// A split that another program has run: its branches come one by one.
void open_from_outside(Run& run, const SplitOpened& event, Instant at);

}  // namespace fermata
