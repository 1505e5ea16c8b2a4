#include "core/graph/parameters.h"

namespace fermata::graph {

std::optional<int64_t> plain_wait_ms(const NodeParameters& node) {
  if (node.type != NodeType::wait) return std::nullopt;
  const Value* amount = node.literal(node.values.find("duration") ? "duration" : "amount");
  const Value* unit = node.literal("unit");
  if (amount == nullptr || unit == nullptr || !unit->is_string()) return std::nullopt;
  struct UnitLength {
    std::string_view name;
    double ms;
  };
  constexpr UnitLength lengths[] = {
      {"seconds", 1e3}, {"minutes", 6e4}, {"hours", 3.6e6}, {"days", 8.64e7}, {"weeks", 6.048e8}};
  auto number = number_in(*amount);
  constexpr double ms_max = 1e15;
  for (const UnitLength& length : lengths)
    if (number && unit->as_string() == length.name && *number >= 0)
      return static_cast<int64_t>(*number < ms_max / length.ms ? *number * length.ms : ms_max);
  return std::nullopt;
}

}  // namespace fermata::graph
