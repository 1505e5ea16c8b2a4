#include <algorithm>
#include <numeric>

#include "core/graph/nodes/list.h"
#include "core/graph/nodes/parts.h"
#include "core/graph/nodes/sort_key.h"

namespace fermata::graph {
namespace {

struct SortColumn {
  std::vector<Value> keys;
  bool descending = false;
};

Result<SortColumn, NodeError> read_column(const NodeInput& input, const Value& array, size_t rule) {
  // The field is raw, the rest of the rule may come from expressions.
  const Value& written = input.node.raw.get("rules").items()[rule];
  const Value& evaluated = input.parameters.get("rules").items()[rule];
  FERMATA_TRY(field, text_parameter(written, "field", ""));
  FERMATA_TRY(direction, choice_parameter(evaluated, "direction", "asc|desc"));
  FERMATA_TRY(type, choice_parameter(evaluated, "type", sort_type_choices));
  auto path = FieldPath::parse(field);
  if (!path) return parameter_failure("field", "a path into the element", written.get("field"));
  FERMATA_TRY(keys, sort_keys(array, *path, field, type));
  return SortColumn{std::move(keys), direction == "desc"};
}

bool comes_before(const std::vector<SortColumn>& columns, uint32_t a, uint32_t b) {
  for (const SortColumn& column : columns) {
    const Value& left = column.keys[a];
    const Value& right = column.keys[b];
    // Missing values are last whatever the direction.
    if (left.is_null() && right.is_null()) continue;
    if (left.is_null() || right.is_null()) return right.is_null();
    std::partial_ordering order = compare_sort_keys(left, right);
    if (order != 0) return column.descending ? order > 0 : order < 0;
  }
  // Equal elements keep their order.
  return a < b;
}

}  // namespace

NodeResult run_sort(const NodeInput& input) {
  FERMATA_TRY(array, list_input(input));
  size_t rules = input.node.raw.get("rules").size();
  if (input.parameters.get("rules").size() != rules)
    return parameter_failure("rules", "an array of rules", input.parameters.get("rules"));
  std::vector<SortColumn> columns;
  for (size_t i = 0; i < rules; ++i) {
    FERMATA_TRY(column, read_column(input, array, i));
    columns.push_back(std::move(column));
  }
  std::vector<uint32_t> order(array.size());
  std::iota(order.begin(), order.end(), 0U);
  std::sort(order.begin(), order.end(),
            [&](uint32_t a, uint32_t b) { return comes_before(columns, a, b); });
  std::vector<Value> sorted;
  sorted.reserve(order.size());
  for (uint32_t position : order) sorted.push_back(array.items()[position]);
  return list_output(Value::array(std::move(sorted)), array.size());
}

}  // namespace fermata::graph
