#include "core/flow/durable/detached.h"

#include <map>

#include "base/hash.h"
#include "core/flow/machine.h"

namespace fermata::flow {

namespace {

std::string definition_of(const Expression::Program& program) { return sha256_hex(program.text); }

/// Walks what a function uses, one after the other: depth is a matter of lists.
class Detacher {
 public:
  Detacher(Machine& machine, ClosureObject& root)
      : machine_(machine), program_(root.function->program) {
    number_of(root);
  }

  std::optional<Value> run() {
    Value functions = Value::array();
    Value cells = Value::array();
    for (size_t f = 0; f < closures_.size(); ++f) {
      const ClosureObject& closure = *closures_[f];
      Value own = Value::array();
      for (CellObject* cell : closure.cells) own.push(static_cast<int64_t>(number_of(*cell)));
      functions.push(Value::object({{"function", static_cast<int64_t>(closure.function->index)},
                                    {"cells", std::move(own)}}));
      for (; cells.size() < cells_.size();) {
        auto content = content_of(*cells_[cells.size()]);
        if (!content) return std::nullopt;
        cells.push(*std::move(content));
      }
    }
    return Value::object({{"definition", definition_of(*program_)},
                          {"functions", std::move(functions)},
                          {"cells", std::move(cells)}});
  }

 private:
  size_t number_of(ClosureObject& closure) {
    auto [found, added] = closure_numbers_.try_emplace(&closure, closures_.size());
    if (added) closures_.push_back(&closure);
    return found->second;
  }
  size_t number_of(CellObject& cell) {
    auto [found, added] = cell_numbers_.try_emplace(&cell, cells_.size());
    if (added) cells_.push_back(&cell);
    return found->second;
  }

  std::optional<Value> content_of(const CellObject& cell) {
    Value out = Value::object();
    switch (cell.value.tag) {
      case Tag::unset: return out;
      case Tag::closure:
        out.set("function",
                static_cast<int64_t>(number_of(*static_cast<ClosureObject*>(cell.value.heap))));
        return out;
      case Tag::builtin: out.set("builtin", static_cast<int64_t>(cell.value.builtin)); return out;
      default: break;
    }
    auto value = machine_.to_json_value(cell.value);
    if (!value) return std::nullopt;
    out.set("value", *std::move(value));
    return out;
  }

  Machine& machine_;
  const Expression::Program* program_;
  std::map<const ClosureObject*, size_t> closure_numbers_;
  std::map<const CellObject*, size_t> cell_numbers_;
  std::vector<ClosureObject*> closures_;
  std::vector<CellObject*> cells_;
};

/// Makes a detached function again in a machine of its own. What is stored is believed as little as
/// a snapshot is.
class Attacher {
 public:
  Attacher(Machine& machine, const Expression::Program& program, const Value& detached)
      : machine_(machine), program_(program), detached_(detached) {}

  ClosureObject* run() {
    const Value& functions = detached_.get("functions");
    const Value& cells = detached_.get("cells");
    if (!functions.is_array() || functions.size() == 0 || !cells.is_array()) return nullptr;
    for (size_t i = 0; i < functions.size(); ++i)
      closures_.push_back(machine_.heap().make<ClosureObject>());
    for (size_t i = 0; i < cells.size(); ++i) cells_.push_back(machine_.heap().make<CellObject>());
    for (size_t i = 0; i < functions.size(); ++i)
      if (!fill(*closures_[i], functions.items()[i])) return nullptr;
    for (size_t i = 0; i < cells.size(); ++i)
      if (!fill(*cells_[i], cells.items()[i])) return nullptr;
    return closures_[0];
  }

 private:
  static std::optional<size_t> number(const Value& value, size_t below) {
    if (!value.is_integer() || value.as_integer() < 0) return std::nullopt;
    auto wide = static_cast<uint64_t>(value.as_integer());
    return wide < below ? std::optional<size_t>(wide) : std::nullopt;
  }

  bool fill(ClosureObject& closure, const Value& from) {
    auto function = number(from.get("function"), program_.functions.size());
    const Value& cells = from.get("cells");
    if (!function || !cells.is_array()) return false;
    closure.function = program_.functions[*function].get();
    if (cells.size() != closure.function->captures.size()) return false;
    for (const Value& one : cells.items()) {
      auto cell = number(one, cells_.size());
      if (!cell) return false;
      closure.cells.push_back(cells_[*cell]);
    }
    return true;
  }

  bool fill(CellObject& cell, const Value& from) {
    if (const Value* value = from.find("value")) {
      cell.value = machine_.keep(*value);
    } else if (const Value* named = from.find("function")) {
      auto function = number(*named, closures_.size());
      if (!function) return false;
      cell.value = Heap::datum(closures_[*function]);
    } else if (const Value* of_library = from.find("builtin")) {
      auto builtin_number = number(*of_library, program_.library_size);
      if (!builtin_number || is_method(builtin(static_cast<uint32_t>(*builtin_number)).owner))
        return false;
      cell.value = Datum::of_builtin(static_cast<uint32_t>(*builtin_number));
    } else {
      cell.value = Datum::unset();
    }
    return true;
  }

  Machine& machine_;
  const Expression::Program& program_;
  const Value& detached_;
  std::vector<ClosureObject*> closures_;
  std::vector<CellObject*> cells_;
};

Failure<EvalError> unusable(std::string message) {
  EvalError error;
  error.code = "code_failed";
  error.message = std::move(message);
  return {std::move(error)};
}

}  // namespace

std::optional<Value> detach(Machine& machine, const Datum& function) {
  return Detacher(machine, *static_cast<ClosureObject*>(function.heap)).run();
}

Result<Value, EvalError> call_detached(const Expression& script, const Value& detached,
                                       const std::vector<Value>& arguments, const Roots& roots,
                                       const EvalGiven& given) {
  if (!script || detached.get("definition") != Value(definition_of(script.program())))
    return unusable("it is a function of another version");
  Machine machine(script.program(), roots, given);
  ClosureObject* closure = Attacher(machine, script.program(), detached).run();
  if (closure == nullptr) return unusable("its function cannot be read");
  std::vector<Datum> given_arguments;
  for (const Value& argument : arguments) given_arguments.push_back(machine.keep(argument));
  if (!machine.run(*closure, given_arguments)) return Failure{machine.error()};
  return machine.result_value();
}

}  // namespace fermata::flow
