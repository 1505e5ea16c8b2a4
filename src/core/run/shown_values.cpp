#include "core/run/shown_values.h"

#include "base/json.h"
#include "core/model/measure.h"

namespace fermata::view {

namespace {

/// The size as JSON, or 0 when it is surely within the limit.
size_t size_over_limit(const Value& value) {
  // One byte of a string may take six as an escape, and a number more than it is reckoned with.
  constexpr uint64_t least_share = 6;
  if (!value.is_string() && !value.is_array() && !value.is_object()) return 0;
  if (approximate_bytes(value) * least_share <= shown_value_bytes_max) return 0;
  size_t bytes = to_json(value).size();
  return bytes > shown_value_bytes_max ? bytes : 0;
}

}  // namespace

Value with_references(Value shown, uint64_t sequence) {
  std::vector<std::pair<std::string, size_t>> large;
  for (const Value::Member& member : shown.members())
    if (size_t bytes = size_over_limit(member.value))
      large.emplace_back(member.key.as_string(), bytes);
  for (const auto& [field, bytes] : large)
    shown.set(field,
              Value::object({{"ref", std::to_string(sequence) + "/" + field}, {"bytes", bytes}}));
  return shown;
}

}  // namespace fermata::view
