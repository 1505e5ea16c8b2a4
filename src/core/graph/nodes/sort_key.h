#pragma once
#include <compare>
#include <string_view>
#include <vector>

#include "core/graph/nodes/field_path.h"
#include "core/graph/nodes/node.h"

/// What `sort` compares (G-53).
namespace fermata::graph {

constexpr std::string_view sort_type_choices = "auto|text|number|date";

/// The values of one field over a whole array, each brought into one comparable form: all numbers
/// or all texts, null where the field is missing or null. `auto` takes numbers if every value is a
/// number or numeric text, else texts or booleans if all are; a mixture is `not_comparable`,
/// because comparing such pairs one by one gives no order at all.
Result<std::vector<Value>, NodeError> sort_keys(const Value& array, const FieldPath& field,
                                                std::string_view field_text, std::string_view type);

/// Both are present and come from the same field; numbers are compared exactly.
std::partial_ordering compare_sort_keys(const Value& a, const Value& b);

}  // namespace fermata::graph
