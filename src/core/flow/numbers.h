#pragma once
#include <compare>

#include "core/flow/datum.h"

namespace fermata::flow {

/// By value and exactly, also where an integer has more digits than a double can hold.
std::partial_ordering compare_numbers(const Datum& left, const Datum& right);
std::partial_ordering compare_numbers(const Value& left, const Value& right);

/// `**` as JavaScript has it: 1 ** NaN is NaN.
double power(double base, double exponent);

/// Reads a text that is wholly a number in decimal notation; false for any other.
bool read_number(std::string_view text, double& out);

}  // namespace fermata::flow
