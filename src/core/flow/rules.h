#pragma once
#include <optional>
#include <string_view>

#include "core/flow/code.h"

namespace fermata::flow {

constexpr std::string_view ordering_needs_numbers =
    "an ordering needs two numbers or texts that are numbers";

/// The loose comparison of G-16; nothing when an ordering is asked of what are no numbers.
std::optional<bool> compare_loosely(const Value& left, Loose comparison, const Value& right);

}  // namespace fermata::flow
