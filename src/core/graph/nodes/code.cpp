#include "core/graph/nodes/parts.h"

namespace fermata::graph {

NodeResult run_code(const NodeInput& input) {
  const flow::Expression* source = input.node.expression("/source");
  if (source == nullptr) return parameter_failure("source", "a fragment of code", {});
  auto value = flow::evaluate(*source, input.roots, input.code_given);
  if (!value) return node_failure(value.error());
  NodeOutput done;
  done.output = Value::object();
  done.json = *std::move(value);
  return done;
}

}  // namespace fermata::graph
