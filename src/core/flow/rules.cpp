#include "core/flow/rules.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/json.h"
#include "core/flow/numbers.h"

namespace fermata::flow {

namespace {

/// The number that a value is, or that its text says.
std::optional<Value> numeric(const Value& value) {
  if (value.is_number()) return value;
  if (!value.is_string()) return std::nullopt;
  std::string_view text = value.as_string();
  int64_t integer = 0;
  auto read = std::from_chars(text.data(), text.data() + text.size(), integer);
  if (!text.empty() && read.ec == std::errc() && read.ptr == text.data() + text.size()) {
    return Value(integer);
  }
  double number = 0;
  if (!read_number(text, number)) return std::nullopt;
  return Value(number);
}

bool loosely_equal(const Value& left, const Value& right) {
  auto left_number = numeric(left);
  auto right_number = left_number ? numeric(right) : std::nullopt;
  if (right_number) {
    return compare_numbers(*left_number, *right_number) == std::partial_ordering::equivalent;
  }
  if (left.is_string() && right.is_string()) return left.as_string() == right.as_string();
  return to_text(left) == to_text(right);
}

bool contains(const Value& whole, const Value& part) {
  if (whole.is_array()) {
    return std::ranges::any_of(whole.items(),
                               [&](const Value& item) { return loosely_equal(item, part); });
  }
  return to_text(whole).find(to_text(part)) != std::string::npos;
}

enum class Rule : uint8_t { loose, starts_with, ends_with, exists };
struct RuleOperator {
  std::string_view name;
  Rule rule;
  Loose comparison = Loose::equal;
};

constexpr RuleOperator rule_operators[] = {
    {"==", Rule::loose, Loose::equal},
    {"!=", Rule::loose, Loose::not_equal},
    {">", Rule::loose, Loose::greater},
    {"<", Rule::loose, Loose::less},
    {">=", Rule::loose, Loose::greater_equal},
    {"<=", Rule::loose, Loose::less_equal},
    {"contains", Rule::loose, Loose::contains},
    {"is equal to", Rule::loose, Loose::equal},
    {"is not equal to", Rule::loose, Loose::not_equal},
    {"is greater than", Rule::loose, Loose::greater},
    {"is less than", Rule::loose, Loose::less},
    {"is greater than or equal to", Rule::loose, Loose::greater_equal},
    {"is less than or equal to", Rule::loose, Loose::less_equal},
    {"in", Rule::loose, Loose::in},
    {"starts_with", Rule::starts_with},
    {"ends_with", Rule::ends_with},
    {"exists", Rule::exists},
};

const RuleOperator* find_operator(std::string_view name) {
  auto found = std::ranges::find(rule_operators, name, &RuleOperator::name);
  return found == std::end(rule_operators) ? nullptr : found;
}

}  // namespace

std::optional<bool> compare_loosely(const Value& left, Loose comparison, const Value& right) {
  switch (comparison) {
    case Loose::equal: return loosely_equal(left, right);
    case Loose::not_equal: return !loosely_equal(left, right);
    case Loose::contains: return contains(left, right);
    case Loose::in: return contains(right, left);
    default: break;
  }
  auto left_number = numeric(left);
  auto right_number = numeric(right);
  if (!left_number || !right_number) return std::nullopt;
  std::partial_ordering order = compare_numbers(*left_number, *right_number);
  switch (comparison) {
    case Loose::less: return order < 0;
    case Loose::less_equal: return order <= 0;
    case Loose::greater: return order > 0;
    default: return order >= 0;
  }
}

bool is_rule_operator(std::string_view name) { return find_operator(name) != nullptr; }

Result<bool, EvalError> compare_by_rule(const Value& left, std::string_view operator_name,
                                        const Value& right) {
  const RuleOperator* found = find_operator(operator_name);
  check(found != nullptr);
  switch (found->rule) {
    case Rule::starts_with: return to_text(left).starts_with(to_text(right));
    case Rule::ends_with: return to_text(left).ends_with(to_text(right));
    case Rule::exists: return !left.is_null();
    case Rule::loose: break;
  }
  auto holds = compare_loosely(left, found->comparison, right);
  if (holds) return *holds;
  return Failure{EvalError{"expression_failed", std::string(ordering_needs_numbers),
                           Value::object({{"reason", "not_comparable"}}), 0, 0}};
}

bool truthy(const Value& value) {
  switch (value.kind()) {
    case Value::Kind::null: return false;
    case Value::Kind::boolean: return value.as_bool();
    case Value::Kind::integer: return value.as_integer() != 0;
    case Value::Kind::number: return value.as_number() != 0 && !std::isnan(value.as_number());
    case Value::Kind::string: return !value.as_string().empty();
    default: return true;
  }
}

}  // namespace fermata::flow
