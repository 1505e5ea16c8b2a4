#pragma once
#include "core/flow/durable/execution.h"
#include "core/flow/expression.h"

namespace fermata::flow {

/// The values a script is given, which its machine may point into.
struct GivenRoots final : Roots {
  explicit GivenRoots(const Execution& execution)
      : inputs(execution.inputs), context(execution.context) {}
  std::optional<Value> root(std::string_view name) const override {
    return name == "Inputs" ? inputs : context;
  }
  Value inputs;
  Value context;
};

}  // namespace fermata::flow
