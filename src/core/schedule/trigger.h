#pragma once
#include <optional>
#include <string_view>

#include "core/schedule/spec.h"

/// What the schedule trigger of a graph (G-32) means as a schedule.
namespace fermata::schedule {

/// Milliseconds of seconds, minutes, hours, days or weeks (24 hours each, seven of those).
std::optional<int64_t> unit_ms(std::string_view unit);

/// Of a node's parameters in canonical form, which were checked with the definition. Where an
/// interval counts from is left open.
Spec spec_of_trigger(const WorkflowId& workflow, const std::string& node, const Value& parameters);

/// Of the one schedule that a workflow's trigger makes. Ids with a colon are given to no other.
ScheduleId trigger_schedule_of(const WorkflowId& workflow);

}  // namespace fermata::schedule
