#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "core/flow/datum.h"
#include "core/flow/expression.h"

/// The standard library (F-40). Every function has a number that snapshots may hold, so library.def
/// is only ever added to. A function is native code, or a function of the prelude when it calls
/// back into the script, so that no host stack lies under a script.
namespace fermata::flow {

class Machine;
struct Function;

/// Receiver first (of methods), then the arguments as given.
using Arguments = std::span<const Datum>;
using Native = Datum (*)(Machine&, Arguments);

/// What a function hangs on: a type of receiver, a namespace, or nothing.
enum class Owner : uint8_t {
  array_type,
  string_type,
  number_type,
  awaitable_type,  // methods end here
  global,
  object_space,
  array_space,
  number_space,
  math_space,
  json_space,
  time_space,
  date_space,
  duration_space,
  random_space,
  base64_space,
  hash_space,
  task_space,  // what waits or acts
  promise_space,
  timer_space,
  signal_space,
  workflow_space,
  approval_space,
  log_space,
  console_space,
  run_space,
  prelude,  // helpers that only the prelude may name
  rhythm,   // functions that only Rhythm scripts may name
};

struct Builtin {
  Owner owner;
  std::string_view name;
  uint8_t arguments_min;
  uint8_t arguments_max;  ///< any_count takes any number
  Native native;          ///< nullptr: written in the language itself, or an effect
  std::string_view script;
  bool effect = false;  ///< waits or acts: for scripts alone
};
constexpr uint8_t any_count = 255;

const Builtin& builtin(uint32_t number);
uint32_t builtins_count();
constexpr bool is_method(Owner owner) { return owner <= Owner::awaitable_type; }
/// `Task` and the other namespaces that only scripts may name.
constexpr bool is_effect(Owner owner) {
  return owner >= Owner::task_space && owner <= Owner::run_space;
}
/// Number of the function, or no_builtin.
uint32_t find_builtin(Owner owner, std::string_view name);
/// The owner a name such as `Math` stands for; false when it stands for none.
bool find_namespace(std::string_view name, Owner& owner);
/// Constant member such as `Math.PI`; false when there is none.
bool find_constant(Owner owner, std::string_view name, double& value);
/// Constant global such as `NaN`.
bool find_global_constant(std::string_view name, double& value);

/// Every name that may stand alone, with or without those that wait or act, and every member of one
/// owner: what messages suggest.
std::vector<std::string_view> global_names(bool effects);
std::vector<std::string_view> member_names(Owner owner);
/// True when some type has a method or property of that name.
bool is_known_method(std::string_view name);
std::vector<std::string_view> method_names();

/// The functions of the library that are written in the language itself.
const std::shared_ptr<const Expression::Program>& prelude_program();
/// Finds the function behind each number; false when one is missing.
bool name_scripted(Expression::Program& prelude);

}  // namespace fermata::flow
