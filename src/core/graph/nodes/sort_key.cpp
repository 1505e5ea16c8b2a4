#include "core/graph/nodes/sort_key.h"

#include "base/json.h"
#include "core/flow/numbers.h"
#include "core/graph/check_words.h"
#include "core/graph/nodes/date_time.h"

namespace fermata::graph {
namespace {

using Keys = std::vector<Value>;
using ToKey = std::optional<Value> (*)(const Value&);

std::optional<Value> number_key(const Value& value) {
  if (value.is_integer()) return value;
  if (auto whole = integer_of(value)) return Value(*whole);
  if (auto number = number_of(value)) return Value(*number);
  return std::nullopt;
}

std::optional<Value> text_key(const Value& value) {
  if (value.is_string()) return value;
  return Value(to_text(value));
}

std::optional<Value> string_key(const Value& value) {
  if (value.is_string()) return value;
  return std::nullopt;
}

std::optional<Value> boolean_key(const Value& value) {
  if (value.is_bool()) return Value(value.as_bool() ? 1 : 0);
  return std::nullopt;
}

std::optional<Value> date_key(const Value& value) {
  if (!value.is_string()) return std::nullopt;
  auto at = read_standard_date(value.as_string(), utc_zone());
  if (!at) return std::nullopt;
  return Value(at->ms);
}

/// Keys of all values, or the position of the first that has none.
struct Attempt {
  Keys keys;
  std::optional<size_t> stuck_at;
};

Attempt try_keys(const std::vector<const Value*>& values, ToKey to_key) {
  Attempt attempt;
  attempt.keys.reserve(values.size());
  for (const Value* value : values) {
    if (value == nullptr || value->is_null()) {
      attempt.keys.emplace_back();
      continue;
    }
    auto key = to_key(*value);
    if (!key) {
      attempt.stuck_at = attempt.keys.size();
      return attempt;
    }
    attempt.keys.push_back(*std::move(key));
  }
  return attempt;
}

Attempt keys_of_type(const std::vector<const Value*>& values, std::string_view type) {
  if (type == "text") return try_keys(values, text_key);
  if (type == "number") return try_keys(values, number_key);
  if (type == "date") return try_keys(values, date_key);
  Attempt furthest;
  for (ToKey to_key : {number_key, string_key, boolean_key}) {
    Attempt attempt = try_keys(values, to_key);
    if (!attempt.stuck_at) return attempt;
    if (!furthest.stuck_at || *attempt.stuck_at > *furthest.stuck_at) furthest = std::move(attempt);
  }
  return furthest;
}

}  // namespace

Result<std::vector<Value>, NodeError> sort_keys(const Value& array, const FieldPath& field,
                                                std::string_view field_text,
                                                std::string_view type) {
  std::vector<const Value*> values;
  values.reserve(array.size());
  for (const Value& element : array.items()) values.push_back(field.find(element));
  Attempt attempt = keys_of_type(values, type);
  if (!attempt.stuck_at) return std::move(attempt.keys);
  size_t index = *attempt.stuck_at;
  std::string why = type == "auto" ? " does not compare with the values before it; say which "
                                     "\"type\" they are."
                                   : " is no " + std::string(type) + ".";
  return node_failure("not_comparable",
                      quoted(field_text) + " of element " + std::to_string(index) + " is " +
                          shown(*values[index]) + ", which" + why,
                      Value::object({{"field", field_text}, {"index", index}}));
}

std::partial_ordering compare_sort_keys(const Value& a, const Value& b) {
  if (a.is_string()) return a.as_string() <=> b.as_string();
  return flow::compare_numbers(a, b);
}

}  // namespace fermata::graph
