#pragma once
#include <span>
#include <string>

#include "base/error.h"
#include "base/value.h"

/// What a workflow says about events: goals that end its runs, triggers that start them (W-30).
namespace fermata::front {

constexpr size_t goals_max = 3;
constexpr size_t triggers_max = 20;

/// `{mode, goals: [{id, event_type, criteria?}]}` in the form in which it is stored: types in their
/// one spelling. Fails with too_many, unknown_event_type, invalid_criteria or invalid_field.
Outcome<Value> read_goals(const Value& body, std::span<const std::string> event_types);
/// `[{event_type, criteria?, enrolment}]`, the same.
Outcome<Value> read_triggers(const Value& body, std::span<const std::string> event_types);

}  // namespace fermata::front
