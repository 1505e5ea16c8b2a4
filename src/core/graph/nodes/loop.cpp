#include "core/graph/nodes/parts.h"

namespace fermata::graph {

NodeResult run_loop(const NodeInput& input) {
  // A limit written as a plain number is the node's and held by the engine before it comes here.
  const Value& limit = input.parameters.get("max_visits");
  if (!input.node.max_visits && !limit.is_null()) {
    auto most = integer_of(limit);
    if (!most || *most < 1 || *most > loop_visits_max)
      return parameter_failure("max_visits", "a whole number from 1 to 100000", limit);
    if (input.visit >= *most)
      return node_failure("visit_limit",
                          "The loop has run " + std::to_string(*most) +
                              " times, as often as its max_visits allows.",
                          Value::object({{"limit", *most}, {"setting", "max_visits"}}));
  }
  FERMATA_TRY(again, condition_parameter(input, "/while"));
  NodeOutput done;
  done.output = Value::object({{"index", input.visit}, {"done", !again}});
  done.route = Route::one(route_edge(input.node, again ? loop_body : loop_done));
  return done;
}

}  // namespace fermata::graph
