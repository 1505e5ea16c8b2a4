#pragma once
#include <string_view>

#include "core/model/event.h"

/// What the events of a script mean to its run. The fold takes commands as the script's records
/// take them; where the outcome of an activation is not at hand, it runs the machine again.
namespace fermata {

/// What `Context` is to the script of a run that was started then.
Value script_context(const Run& run, Instant at);
void begin_script(Run& run, const std::optional<Instant>& start_at, Instant at);
/// The run takes over what another run's script had come to.
void continue_script(Run& run, Instant at);
/// Nothing that it waits for ends by its time before then.
void delay_script(Run& run, Instant until);
void script_receives(Run& run, const SignalReceived& event, Instant at);

void apply(Run& run, const FlowResumed& event, Instant at);
void apply(Run& run, const FlowSettled& event, Instant at);
void apply(Run& run, const FlowTimerFired& event, Instant at);
void apply(Run& run, const FlowEnding& event, Instant at);
void apply(Run& run, const FlowNoted& event, Instant at);
void apply(Run& run, const FlowFaulted& event, Instant at);
void apply(Run& run, const FlowMigrated& event, Instant at);

/// As the history shows them (F-47).
std::string_view script_event_name(const FlowNoted& event);
std::string_view script_event_name(const FlowSettled& event);

/// Limits that are not the defaults, as an object; null when there are none.
Value changed_limits(const flow::FlowLimits& limits);
flow::FlowLimits limits_of(const Value& changed);

}  // namespace fermata
