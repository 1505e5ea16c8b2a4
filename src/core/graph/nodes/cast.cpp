#include "core/graph/nodes/cast.h"

#include "base/json.h"
#include "core/graph/check_words.h"

namespace fermata::graph {
namespace {

Failure<NodeError> cast_failure(std::string_view name, std::string_view type, const Value& value,
                                std::string_view why) {
  return node_failure("cast_failed",
                      quoted(name) + " cannot become the type " + std::string(type) + ": " +
                          shown(value) + " " + std::string(why) + ".",
                      Value::object({{"name", name}, {"type", type}}));
}

bool same_word(std::string_view text, std::string_view word) {
  if (text.size() != word.size()) return false;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    if (c != word[i]) return false;
  }
  return true;
}

std::optional<bool> boolean_in(const Value& value) {
  if (value.is_bool()) return value.as_bool();
  if (value.is_number() && value.as_number() == 1) return true;
  if (value.is_number() && value.as_number() == 0) return false;
  if (!value.is_string()) return std::nullopt;
  for (std::string_view word : {"true", "yes", "1"})
    if (same_word(value.as_string(), word)) return true;
  for (std::string_view word : {"false", "no", "0"})
    if (same_word(value.as_string(), word)) return false;
  return std::nullopt;
}

/// A number keeps its digits: an integer written as text becomes that very integer.
std::optional<Value> number_in_text(const Value& value) {
  if (value.is_number()) return value;
  if (auto whole = integer_of(value)) return Value(*whole);
  if (auto number = number_of(value)) return Value(*number);
  return std::nullopt;
}

}  // namespace

CastType cast_type_of(std::string_view choice) {
  if (choice == "string") return CastType::string;
  if (choice == "number") return CastType::number;
  if (choice == "boolean") return CastType::boolean;
  if (choice == "json") return CastType::json;
  return CastType::automatic;
}

Result<Value, NodeError> cast(Value value, CastType type, std::string_view name) {
  switch (type) {
    case CastType::automatic: return value;
    case CastType::string:
      if (value.is_string()) return value;
      return Value(to_text(value));
    case CastType::number: {
      auto number = number_in_text(value);
      if (!number) return cast_failure(name, "number", value, "is no number");
      return *std::move(number);
    }
    case CastType::boolean: {
      auto truth = boolean_in(value);
      if (!truth) return cast_failure(name, "boolean", value, "is none of true/false/yes/no/1/0");
      return Value(*truth);
    }
    case CastType::json: break;
  }
  if (!value.is_string()) return value;
  auto parsed = parse_json(value.as_string());
  if (parsed) return *std::move(parsed);
  return cast_failure(name, "json", value, "is not JSON (" + parsed.error().message + ")");
}

}  // namespace fermata::graph
