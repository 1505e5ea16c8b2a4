#include <algorithm>
#include <cmath>

#include "base/json.h"
#include "core/flow/machine.h"
#include "core/flow/numbers.h"
#include "core/flow/rules.h"

namespace fermata::flow {

bool Machine::truthy(const Datum& datum) {
  switch (datum.tag) {
    case Tag::unset:
    case Tag::null: return false;
    case Tag::boolean: return datum.boolean;
    case Tag::integer: return datum.integer != 0;
    case Tag::number: return datum.number != 0 && !std::isnan(datum.number);
    case Tag::json_text:
    case Tag::text: return !text_of(datum).empty();
    default: return true;
  }
}

std::string_view Machine::type_name(const Datum& datum) {
  switch (datum.tag) {
    case Tag::boolean: return "boolean";
    case Tag::integer:
    case Tag::number: return "number";
    case Tag::json_text:
    case Tag::text: return "string";
    case Tag::json_array:
    case Tag::array: return "array";
    case Tag::json_object:
    case Tag::object: return "object";
    case Tag::error: return "error";
    case Tag::builtin:
    case Tag::closure:
    case Tag::bound: return "function";
    case Tag::awaitable: return "awaitable";
    default: return "null";
  }
}

bool Machine::is_receiver(const Datum& datum, Owner owner) {
  switch (owner) {
    case Owner::array_type: return datum.is_array();
    case Owner::string_type: return datum.is_text();
    case Owner::number_type: return datum.is_number();
    case Owner::awaitable_type: return datum.tag == Tag::awaitable;
    default: return false;
  }
}

/// Identity: what `Object.is` tests.
bool Machine::same(const Datum& left, const Datum& right) {
  if (left.is_number() && right.is_number()) {
    bool both_nan = std::isnan(left.as_number()) && std::isnan(right.as_number());
    bool signs = std::signbit(left.as_number()) == std::signbit(right.as_number());
    return both_nan || (signs && compare_numbers(left, right) == std::partial_ordering::equivalent);
  }
  if (left.is_text() && right.is_text()) return text_of(left) == text_of(right);
  if (left.tag != right.tag) return false;
  switch (left.tag) {
    case Tag::null: return true;
    case Tag::boolean: return left.boolean == right.boolean;
    case Tag::builtin: return left.builtin == right.builtin;
    case Tag::json_array:
    case Tag::json_object: return left.json == right.json;
    default: return left.heap == right.heap;
  }
}

bool Machine::equal(const Datum& left_given, const Datum& right_given, int depth) {
  Datum left = current(left_given);
  Datum right = current(right_given);
  if (depth > nesting_max) {
    throw_type("== does not look deeper than 128 levels");
    return false;
  }
  if (left.is_number() && right.is_number()) {
    return compare_numbers(left, right) == std::partial_ordering::equivalent;
  }
  if (left.is_text() && right.is_text()) {
    if (!charge_bytes(std::min(text_of(left).size(), text_of(right).size()))) return false;
    return text_of(left) == text_of(right);
  }
  if (left.tag == Tag::awaitable && right.is_text()) return awaitable_id(left) == text_of(right);
  if (right.tag == Tag::awaitable && left.is_text()) return awaitable_id(right) == text_of(left);
  if (left.is_array() && right.is_array()) return equal_arrays(left, right, depth);
  if (left.is_object() && right.is_object()) return equal_objects(left, right, depth);
  if (left.tag == Tag::error && right.tag == Tag::error) {
    const auto& a = *static_cast<ErrorObject*>(left.heap);
    const auto& b = *static_cast<ErrorObject*>(right.heap);
    return equal(a.code, b.code, depth + 1) && equal(a.message, b.message, depth + 1) &&
           equal(a.details, b.details, depth + 1) && equal(a.cause, b.cause, depth + 1);
  }
  if (left.tag == Tag::bound && right.tag == Tag::bound) {
    const auto& a = *static_cast<BoundObject*>(left.heap);
    const auto& b = *static_cast<BoundObject*>(right.heap);
    return a.builtin == b.builtin && same(a.receiver, b.receiver);
  }
  return same(left, right);
}

bool Machine::equal_arrays(const Datum& left, const Datum& right, int depth) {
  size_t size = array_size(left);
  if (size != array_size(right)) return false;
  for (size_t i = 0; i < size; ++i) {
    if (!charge(1) || !equal(array_item(left, i), array_item(right, i), depth + 1)) return false;
  }
  return true;
}

bool Machine::equal_objects(const Datum& left, const Datum& right, int depth) {
  size_t size = object_size(left);
  if (size != object_size(right)) return false;
  for (size_t i = 0; i < size; ++i) {
    auto [key, value] = object_entry(left, i);
    auto other = object_find(right, text_of(key));
    if (!charge(1) || !other || !equal(value, *other, depth + 1)) return false;
  }
  return true;
}

/// As scripts compare; Rhythm never finds two containers or awaitables the same.
bool Machine::compares_equal(const Datum& left, const Datum& right) {
  bool apart = left.is_array() || left.is_object() || left.tag == Tag::awaitable;
  return !(program_.rhythm && apart) && equal(left, right);
}

void Machine::op_equal(const Instruction&) {
  Datum right = stack_.pop();
  stack_.back() = Datum::of(compares_equal(stack_.back(), right));
}

void Machine::op_not_equal(const Instruction&) {
  Datum right = stack_.pop();
  stack_.back() = Datum::of(!compares_equal(stack_.back(), right));
}

void Machine::arithmetic(const Instruction&, Opcode op) {
  Datum right = stack_.pop();
  Datum left = stack_.back();
  if (!left.is_number() || !right.is_number()) {
    if (op == Opcode::add && (left.is_text() || right.is_text())) {
      stack_.back() = join(left, right);
      return;
    }
    std::string_view mark = op == Opcode::add        ? "+"
                            : op == Opcode::subtract ? "-"
                            : op == Opcode::multiply ? "*"
                            : op == Opcode::divide   ? "/"
                            : op == Opcode::modulo   ? "%"
                                                     : "**";
    throw_type("`" + std::string(mark) + "` does not take " + std::string(type_name(left)) +
               " and " + std::string(type_name(right)));
    return;
  }
  double a = left.as_number();
  double b = right.as_number();
  double out = 0;
  switch (op) {
    case Opcode::add: out = a + b; break;
    case Opcode::subtract: out = a - b; break;
    case Opcode::multiply: out = a * b; break;
    case Opcode::divide: out = a / b; break;
    case Opcode::modulo: out = std::fmod(a, b); break;
    default: out = power(a, b); break;
  }
  stack_.back() = Datum::of(out);
}

Datum Machine::join(const Datum& left, const Datum& right) {
  if (left.is_text()) {
    std::string scratch;
    std::string_view tail;
    if (right.is_text()) {
      tail = text_of(right);
    } else {
      scratch = to_text(right);
      tail = scratch;
    }
    if (stopped() || !text_fits(text_of(left).size() + tail.size())) return {};
    if (!charge_bytes(tail.size())) return {};
    return heap_.joined(left, tail);
  }
  std::string start = to_text(left);
  if (stopped()) return {};
  return text(start.append(text_of(right)));
}

void Machine::comparison(Opcode op) {
  Datum right = stack_.pop();
  Datum left = stack_.back();
  std::partial_ordering order = std::partial_ordering::unordered;
  if (left.is_number() && right.is_number()) {
    order = compare_numbers(left, right);
  } else if (left.is_text() && right.is_text()) {
    // The order of UTF-8 bytes is the order of code points.
    if (!charge_bytes(std::min(text_of(left).size(), text_of(right).size()))) return;
    order = text_of(left) <=> text_of(right);
  } else {
    throw_type("only two numbers or two strings have an order, not " +
               std::string(type_name(left)) + " and " + std::string(type_name(right)));
    return;
  }
  bool holds = op == Opcode::less         ? order < 0
               : op == Opcode::less_equal ? order <= 0
               : op == Opcode::greater    ? order > 0
                                          : order >= 0;
  stack_.back() = Datum::of(holds);
}

void Machine::op_loose(const Instruction& in) {
  Datum right = stack_.pop();
  auto left_value = to_json_value(stack_.back());
  auto right_value = left_value ? to_json_value(right) : std::nullopt;
  if (!right_value) return;
  auto holds = compare_loosely(*left_value, static_cast<Loose>(in.b), *right_value);
  if (holds) {
    stack_.back() = Datum::of(*holds);
  } else {
    throw_type(std::string(ordering_needs_numbers));
  }
}

void Machine::op_in(const Instruction&) {
  Datum object = current(stack_.pop());
  Datum key = stack_.back();
  if (object.is_array() && key.is_number()) {
    double index = key.as_number();
    bool inside = index >= 0 && index < static_cast<double>(array_size(object));
    stack_.back() = Datum::of(inside && std::floor(index) == index);
    return;
  }
  if (!object.is_object()) {
    throw_type("`in` takes a key and an object, not " + std::string(type_name(object)));
    return;
  }
  if (auto name = key_text(key)) {
    stack_.back() = Datum::of(object_find(object, text_of(*name)).has_value());
  }
}

void Machine::op_instance_of(const Instruction& in) {
  const Datum& value = stack_.back();
  bool is = false;
  switch (static_cast<InstanceType>(in.b)) {
    case InstanceType::error: is = value.tag == Tag::error; break;
    case InstanceType::array: is = value.is_array(); break;
    case InstanceType::object: is = value.is_object(); break;
    case InstanceType::function: is = value.is_function(); break;
    case InstanceType::promise: is = value.tag == Tag::awaitable; break;
  }
  stack_.back() = Datum::of(is);
}

void Machine::op_negate(const Instruction&) {
  Datum& value = stack_.back();
  if (!value.is_number()) {
    throw_type("`-` takes a number, not " + std::string(type_name(value)));
  } else {
    value = Datum::of(-value.as_number());
  }
}

void Machine::op_plus(const Instruction&) {
  if (stack_.back().is_number()) return;
  throw_type("a number is needed here, not " + std::string(type_name(stack_.back())));
}

void Machine::op_type_of(const Instruction&) { stack_.back() = text(type_name(stack_.back())); }

}  // namespace fermata::flow
