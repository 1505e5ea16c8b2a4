#include <algorithm>
#include <optional>

#include "core/flow/library_call.h"
#include "core/flow/numbers.h"

/// The operators as functions, which Rhythm scripts call by name (F-66).
namespace fermata::flow::natives {

namespace {

Datum fail_types(Machine& machine, std::string_view name, Arguments arguments) {
  std::string message(name);
  message += " cannot take " + std::string(Machine::type_name(arguments[0])) + " and " +
             std::string(Machine::type_name(arguments[1]));
  return machine.throw_error("TypeError", std::move(message));
}

template <class Compute>
Datum arithmetic(Machine& machine, Arguments arguments, std::string_view name, Compute compute) {
  if (!arguments[0].is_number() || !arguments[1].is_number()) {
    return fail_types(machine, name, arguments);
  }
  return Datum::of(compute(arguments[0].as_number(), arguments[1].as_number()));
}

/// How two numbers or two texts stand to each other; nothing when they are neither.
std::optional<std::partial_ordering> order_of(Machine& machine, Arguments arguments) {
  const Datum& left = arguments[0];
  const Datum& right = arguments[1];
  if (left.is_number() && right.is_number()) return compare_numbers(left, right);
  if (!left.is_text() || !right.is_text()) return std::nullopt;
  (void)machine.charge_bytes(std::min(text_of(left).size(), text_of(right).size()));
  return text_of(left) <=> text_of(right);
}

template <class Holds>
Datum comparison(Machine& machine, Arguments arguments, std::string_view name, Holds holds) {
  auto order = order_of(machine, arguments);
  if (!order) return fail_types(machine, name, arguments);
  return Datum::of(holds(*order));
}

}  // namespace

Datum rhythm_add(Machine& machine, Arguments arguments) {
  if (!arguments[0].is_text() && !arguments[1].is_text()) {
    return arithmetic(machine, arguments, "add", [](double a, double b) { return a + b; });
  }
  std::string joined = machine.to_text(arguments[0]);
  joined += machine.to_text(arguments[1]);
  return machine.text(std::move(joined));
}

Datum rhythm_sub(Machine& machine, Arguments arguments) {
  return arithmetic(machine, arguments, "sub", [](double a, double b) { return a - b; });
}
Datum rhythm_mul(Machine& machine, Arguments arguments) {
  return arithmetic(machine, arguments, "mul", [](double a, double b) { return a * b; });
}
Datum rhythm_div(Machine& machine, Arguments arguments) {
  return arithmetic(machine, arguments, "div", [](double a, double b) { return a / b; });
}

Datum rhythm_eq(Machine& machine, Arguments arguments) {
  return Datum::of(machine.compares_equal(arguments[0], arguments[1]));
}
Datum rhythm_ne(Machine& machine, Arguments arguments) {
  return Datum::of(!machine.compares_equal(arguments[0], arguments[1]));
}

Datum rhythm_lt(Machine& machine, Arguments arguments) {
  return comparison(machine, arguments, "lt", [](std::partial_ordering o) { return o < 0; });
}
Datum rhythm_lte(Machine& machine, Arguments arguments) {
  return comparison(machine, arguments, "lte", [](std::partial_ordering o) { return o <= 0; });
}
Datum rhythm_gt(Machine& machine, Arguments arguments) {
  return comparison(machine, arguments, "gt", [](std::partial_ordering o) { return o > 0; });
}
Datum rhythm_gte(Machine& machine, Arguments arguments) {
  return comparison(machine, arguments, "gte", [](std::partial_ordering o) { return o >= 0; });
}

Datum rhythm_and(Machine&, Arguments arguments) {
  return Datum::of(Machine::truthy(arguments[0]) && Machine::truthy(arguments[1]));
}
Datum rhythm_or(Machine&, Arguments arguments) {
  return Datum::of(Machine::truthy(arguments[0]) || Machine::truthy(arguments[1]));
}
Datum rhythm_not(Machine&, Arguments arguments) {
  return Datum::of(!Machine::truthy(arguments[0]));
}

}  // namespace fermata::flow::natives
