#include "core/graph/nodes/parts.h"

namespace fermata::graph {
namespace {

Result<Value, NodeError> rule_side(const NodeInput& input, const std::string& pointer,
                                   bool may_be_missing) {
  const Template* side = input.node.templated(pointer);
  if (side == nullptr) return Value();
  auto value = evaluate(*side, input.roots, input.expression_given);
  if (value) return *std::move(value);
  if (may_be_missing && value.error().code == "unresolved_reference") return Value();
  return node_failure(value.error());
}

Result<bool, NodeError> rule_matches(const NodeInput& input, const Value& rule, uint32_t index) {
  std::string at = "/rules/" + std::to_string(index);
  if (rule.find("when") != nullptr) return condition_parameter(input, at + "/when");
  FERMATA_TRY(name, text_parameter(rule, "operator", "=="));
  if (!flow::is_rule_operator(name))
    return parameter_failure("operator", "a comparison", rule.get("operator"));
  // Whoever asks whether a value exists must not fail because it does not.
  FERMATA_TRY(left, rule_side(input, at + "/value", name == "exists"));
  FERMATA_TRY(right, rule_side(input, at + "/compare", false));
  auto matches = flow::compare_by_rule(left, name, right);
  if (!matches) return node_failure(matches.error());
  return *matches;
}

}  // namespace

NodeResult run_switch(const NodeInput& input) {
  const Value& rules = input.node.raw.get("rules");
  NodeOutput done;
  done.output = Value::object();
  for (uint32_t i = 0; i < rules.size(); ++i) {
    const Value& rule = rules.items()[i];
    FERMATA_TRY(matches, rule_matches(input, rule, i));
    if (!matches) continue;
    done.output.set("output_index", i);
    done.output.set("matched_rule", rule);
    done.route = Route::one(route_edge(input.node, i));
    return done;
  }
  done.output.set("output_index", input.node.rules);
  done.output.set("fallback", true);
  done.route = Route::one(route_edge(input.node, input.node.rules));
  return done;
}

}  // namespace fermata::graph
