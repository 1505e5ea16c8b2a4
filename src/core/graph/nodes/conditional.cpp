#include "core/graph/nodes/parts.h"

namespace fermata::graph {

NodeResult run_conditional(const NodeInput& input) {
  FERMATA_TRY(truth, condition_parameter(input, "/expression"));
  NodeOutput done;
  done.output =
      Value::object({{"result", truth}, {"expression", input.node.raw.get("expression")}});
  done.route = Route::one(route_edge(input.node, truth ? conditional_true : conditional_false));
  return done;
}

}  // namespace fermata::graph
