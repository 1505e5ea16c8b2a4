#pragma once
#include <optional>
#include <string>

#include "base/value.h"

/// Conditions on the data of a signal (W-55): an object of path to value, or to `{eq, ne, in,
/// not_in, contains, prefix, suffix, gt, gte, lt, lte, exists}`. All must hold; `any: […]` holds
/// when one of its objects does. Nothing is converted; a missing field fails every condition but
/// `exists: false`, `ne` and `not_in`.
namespace fermata {

constexpr size_t criteria_conditions_max = 20;

/// What is wrong with them, or nothing.
std::optional<std::string> criteria_mistake(const Value& criteria);
/// Null criteria are met by everything. They must be free of mistakes.
bool meets_criteria(const Value& criteria, const Value& data);

}  // namespace fermata
