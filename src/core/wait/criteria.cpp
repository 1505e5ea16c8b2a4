#include "core/wait/criteria.h"

#include <algorithm>

#include "core/graph/nodes/field_path.h"

namespace fermata {

namespace {

constexpr std::string_view any_key = "any";
constexpr std::string_view operators[] = {"eq",     "ne", "in",  "not_in", "contains", "prefix",
                                          "suffix", "gt", "gte", "lt",     "lte",      "exists"};

bool is_operator(std::string_view name) {
  return std::ranges::find(operators, name) != std::end(operators);
}

/// An object whose keys are all operators; any other object is a value to be equal to.
bool is_condition(const Value& value) {
  if (!value.is_object() || value.size() == 0) return false;
  return std::ranges::all_of(value.members(), [](const Value::Member& member) {
    return is_operator(member.key.as_string());
  });
}

bool among(const Value& list, const Value& value) {
  return std::ranges::any_of(list.items(), [&](const Value& item) { return item == value; });
}

bool contains(const Value& whole, const Value& part) {
  if (whole.is_array()) return among(whole, part);
  return whole.is_string() && part.is_string() &&
         whole.as_string().find(part.as_string()) != std::string_view::npos;
}

/// Below, at or above zero as left is to right; nothing when they have no order.
std::optional<int> order_of(const Value& left, const Value& right) {
  if (left.is_number() && right.is_number()) {
    if (left.is_integer() && right.is_integer()) {
      return left.as_integer() < right.as_integer() ? -1 : left.as_integer() > right.as_integer();
    }
    double a = left.as_number();
    double b = right.as_number();
    if (a != a || b != b) return std::nullopt;
    return a < b ? -1 : a > b;
  }
  if (left.is_string() && right.is_string()) return left.as_string().compare(right.as_string());
  return std::nullopt;
}

bool in_order(std::string_view name, const Value& left, const Value& right) {
  auto order = order_of(left, right);
  if (!order) return false;
  if (name == "gt") return *order > 0;
  if (name == "gte") return *order >= 0;
  if (name == "lt") return *order < 0;
  return *order <= 0;
}

bool holds(std::string_view name, const Value* found, const Value& operand) {
  if (name == "exists") return (found != nullptr) == operand.as_bool();
  if (name == "ne") return found == nullptr || !(*found == operand);
  if (name == "not_in") return found == nullptr || !among(operand, *found);
  if (found == nullptr) return false;
  if (name == "eq") return *found == operand;
  if (name == "in") return among(operand, *found);
  if (name == "contains") return contains(*found, operand);
  bool texts = found->is_string() && operand.is_string();
  if (name == "prefix") return texts && found->as_string().starts_with(operand.as_string());
  if (name == "suffix") return texts && found->as_string().ends_with(operand.as_string());
  return in_order(name, *found, operand);
}

std::optional<std::string> condition_mistake(std::string_view name, const Value& operand) {
  bool list = name == "in" || name == "not_in";
  if (list && !operand.is_array()) return "`" + std::string(name) + "` takes a list";
  if (name == "exists" && !operand.is_bool()) return "`exists` takes true or false";
  if ((name == "prefix" || name == "suffix") && !operand.is_string()) {
    return "`" + std::string(name) + "` takes a text";
  }
  return std::nullopt;
}

/// A word that is no operator is told, rather than compared with an object that nobody sends.
std::optional<std::string> operator_mistake(const Value& condition) {
  if (condition.size() == 0) return "a condition names at least one of eq, ne, in and so on";
  for (const Value::Member& one : condition.members()) {
    std::string_view name = one.key.as_string();
    if (!is_operator(name))
      return "`" + std::string(name.substr(0, 40)) +
             "` is no condition; to be equal to an object, write {\"eq\": {…}}";
  }
  return std::nullopt;
}

std::optional<std::string> object_mistake(const Value& criteria, bool inside, size_t& conditions) {
  if (!criteria.is_object()) return "criteria are an object of path and condition";
  for (const Value::Member& member : criteria.members()) {
    std::string_view path = member.key.as_string();
    if (path == any_key) {
      if (inside) return "`any` may not stand inside `any`";
      if (!member.value.is_array() || member.value.size() == 0)
        return "`any` is a list of at least one object of path and condition";
      for (const Value& one : member.value.items()) {
        if (auto mistake = object_mistake(one, true, conditions)) return mistake;
      }
      continue;
    }
    if (path.empty() || !graph::FieldPath::parse(path)) {
      return "`" + std::string(path.substr(0, 40)) + "` is not a path";
    }
    if (!member.value.is_object()) {
      ++conditions;
      continue;
    }
    if (auto mistake = operator_mistake(member.value)) return mistake;
    conditions += member.value.size();
    for (const Value::Member& one : member.value.members()) {
      if (auto mistake = condition_mistake(one.key.as_string(), one.value)) return mistake;
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> criteria_mistake(const Value& criteria) {
  if (criteria.is_null()) return std::nullopt;
  size_t conditions = 0;
  if (auto mistake = object_mistake(criteria, false, conditions)) return mistake;
  if (conditions > criteria_conditions_max) {
    return "more than " + std::to_string(criteria_conditions_max) + " conditions";
  }
  return std::nullopt;
}

bool meets_criteria(const Value& criteria, const Value& data) {
  if (criteria.is_null()) return true;
  for (const Value::Member& member : criteria.members()) {
    std::string_view path = member.key.as_string();
    if (path == any_key && member.value.is_array()) {
      bool one = std::ranges::any_of(member.value.items(),
                                     [&](const Value& part) { return meets_criteria(part, data); });
      if (!one) return false;
      continue;
    }
    auto parsed = graph::FieldPath::parse(path);
    const Value* found = parsed ? parsed->find(data) : nullptr;
    if (!is_condition(member.value)) {
      if (found == nullptr || !(*found == member.value)) return false;
      continue;
    }
    bool all = std::ranges::all_of(member.value.members(), [&](const Value::Member& one) {
      return holds(one.key.as_string(), found, one.value);
    });
    if (!all) return false;
  }
  return true;
}

}  // namespace fermata
