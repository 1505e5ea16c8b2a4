#pragma once
#include "core/flow/durable/execution.h"
#include "core/flow/expression.h"

namespace fermata::flow {

/// The values a script is given, which its machine may point into.
struct GivenRoots final : Roots {
  GivenRoots(Value inputs_value, Value context_value)
      : inputs(std::move(inputs_value)), context(std::move(context_value)) {}
  explicit GivenRoots(const Execution& execution)
      : GivenRoots(execution.inputs, execution.context) {}
  std::optional<Value> root(std::string_view name) const override {
    return name == "Inputs" ? inputs : context;
  }
  Value inputs;
  Value context;
};

}  // namespace fermata::flow
