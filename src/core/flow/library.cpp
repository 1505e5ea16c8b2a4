#include "core/flow/library.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "core/flow/ast.h"
#include "core/flow/library_call.h"

namespace fermata::flow {

namespace {

constexpr Builtin builtins[] = {
#define FLOW_NATIVE(owner, name, fewest, most, function) \
  {Owner::owner, name, fewest, most, natives::function, {}},
#define FLOW_SCRIPT(owner, name, fewest, most, function) \
  {Owner::owner, name, fewest, most, nullptr, #function},
#define FLOW_EFFECT(owner, name, fewest, most, function) \
  {Owner::owner, name, fewest, most, natives::function, {}, true},
#include "core/flow/library.def"
#undef FLOW_NATIVE
#undef FLOW_SCRIPT
#undef FLOW_EFFECT
};
constexpr size_t builtins_size = std::size(builtins);

bool before(const Builtin& a, const Builtin& b) {
  return a.owner != b.owner ? a.owner < b.owner : a.name < b.name;
}

/// Numbers of the functions in the order of owner and name, for looking one up.
const std::array<uint16_t, builtins_size>& sorted_numbers() {
  static const auto sorted = [] {
    std::array<uint16_t, builtins_size> out{};
    for (size_t i = 0; i < out.size(); ++i) out[i] = static_cast<uint16_t>(i);
    std::ranges::sort(out, [](uint16_t a, uint16_t b) { return before(builtins[a], builtins[b]); });
    return out;
  }();
  return sorted;
}

struct Namespace {
  std::string_view name;
  Owner owner;
};
constexpr Namespace namespaces[] = {
    {"Object", Owner::object_space},     {"Array", Owner::array_space},
    {"Number", Owner::number_space},     {"Math", Owner::math_space},
    {"JSON", Owner::json_space},         {"Time", Owner::time_space},
    {"Date", Owner::date_space},         {"Duration", Owner::duration_space},
    {"Random", Owner::random_space},     {"Base64", Owner::base64_space},
    {"Hash", Owner::hash_space},         {"Task", Owner::task_space},
    {"Promise", Owner::promise_space},   {"Timer", Owner::timer_space},
    {"Signal", Owner::signal_space},     {"Workflow", Owner::workflow_space},
    {"Approval", Owner::approval_space}, {"Log", Owner::log_space},
    {"console", Owner::console_space},   {"Run", Owner::run_space},
};

struct Constant {
  Owner owner;
  std::string_view name;
  double value;
};
constexpr Constant constants[] = {
    {Owner::math_space, "PI", 3.141592653589793},
    {Owner::math_space, "E", 2.718281828459045},
    {Owner::number_space, "MAX_SAFE_INTEGER", 9007199254740991.0},
    {Owner::number_space, "EPSILON", std::numeric_limits<double>::epsilon()},
    {Owner::global, "NaN", std::numeric_limits<double>::quiet_NaN()},
    {Owner::global, "Infinity", std::numeric_limits<double>::infinity()},
};

}  // namespace

const Builtin& builtin(uint32_t number) { return builtins[number]; }
uint32_t builtins_count() { return static_cast<uint32_t>(builtins_size); }

uint32_t find_builtin(Owner owner, std::string_view name) {
  const auto& sorted = sorted_numbers();
  Builtin wanted{owner, name, 0, 0, nullptr, {}};
  auto found = std::ranges::lower_bound(sorted, wanted, before,
                                        [](uint16_t number) { return builtins[number]; });
  if (found == sorted.end()) return no_builtin;
  const Builtin& candidate = builtins[*found];
  return candidate.owner == owner && candidate.name == name ? *found : no_builtin;
}

bool find_namespace(std::string_view name, Owner& owner) {
  auto found = std::ranges::find(namespaces, name, &Namespace::name);
  if (found == std::end(namespaces)) return false;
  owner = found->owner;
  return true;
}

bool find_constant(Owner owner, std::string_view name, double& value) {
  for (const Constant& constant : constants) {
    if (constant.owner != owner || constant.name != name) continue;
    value = constant.value;
    return true;
  }
  return false;
}

bool find_global_constant(std::string_view name, double& value) {
  return find_constant(Owner::global, name, value);
}

std::vector<std::string_view> member_names(Owner owner) {
  std::vector<std::string_view> out;
  for (const Builtin& one : builtins) {
    if (one.owner == owner) out.push_back(one.name);
  }
  for (const Constant& constant : constants) {
    if (constant.owner == owner) out.push_back(constant.name);
  }
  return out;
}

std::vector<std::string_view> global_names(bool effects) {
  std::vector<std::string_view> out;
  for (const Builtin& one : builtins) {
    if (one.owner == Owner::global && (effects || !one.effect)) out.push_back(one.name);
  }
  for (const Constant& constant : constants) {
    if (constant.owner == Owner::global) out.push_back(constant.name);
  }
  for (const Namespace& one : namespaces) {
    if (effects || !is_effect(one.owner)) out.push_back(one.name);
  }
  if (effects) {
    out.insert(out.end(), {"Inputs", "Context"});
  } else {
    out.push_back("default");
  }
  return out;
}

std::vector<std::string_view> method_names() {
  std::vector<std::string_view> out;
  for (const Builtin& one : builtins) {
    if (is_method(one.owner) && !one.effect) out.push_back(one.name);
  }
  return out;
}

bool is_known_method(std::string_view name) {
  return std::ranges::any_of(builtins, [&](const Builtin& one) {
    return is_method(one.owner) && !one.effect && one.name == name;
  });
}

void Call::wrong(size_t index, std::string_view expected) {
  machine_.throw_argument("argument " + std::to_string(index + 1) + " must be " +
                          std::string(expected) + ", not " +
                          std::string(Machine::type_name(any(index))));
}

std::string_view Call::text(size_t index) {
  if (index < size() && arguments_[index].is_text()) return text_of(arguments_[index]);
  wrong(index, "a string");
  return {};
}

double Call::number(size_t index) {
  if (index < size() && arguments_[index].is_number()) return arguments_[index].as_number();
  wrong(index, "a number");
  return 0;
}

int64_t Call::integer(size_t index) {
  constexpr double limit = 4611686018427387904.0;
  double value = std::trunc(number(index));
  if (std::isnan(value)) return 0;
  return static_cast<int64_t>(std::clamp(value, -limit, limit));
}

Datum Call::array(size_t index) {
  Datum out = any(index);
  if (!out.is_array()) wrong(index, "an array");
  return out;
}

Datum Call::object(size_t index) {
  Datum out = any(index);
  if (!out.is_object()) wrong(index, "an object");
  return out;
}

size_t relative_index(int64_t index, size_t size) {
  auto limit = static_cast<int64_t>(size);
  if (index < 0) index = std::max<int64_t>(0, limit + index);
  return static_cast<size_t>(std::min(index, limit));
}

}  // namespace fermata::flow
