#include "core/graph/nodes/list.h"
#include "core/graph/nodes/parts.h"

namespace fermata::graph {

NodeResult run_limit(const NodeInput& input) {
  FERMATA_TRY(array, list_input(input));
  const Value& given = input.parameters.get("count");
  auto count = integer_of(given);
  if (!count || *count < 0)
    return parameter_failure("count", "a whole number of at least 0", given);
  size_t total = array.size();
  // When nothing is cut the array stays the same shared value.
  if (static_cast<uint64_t>(*count) >= total) return list_output(std::move(array), total);
  auto kept = array.items().first(static_cast<size_t>(*count));
  return list_output(Value::array({kept.begin(), kept.end()}), total);
}

}  // namespace fermata::graph
