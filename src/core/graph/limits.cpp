#include "core/graph/advance.h"
#include "core/model/measure.h"

namespace fermata::graph {

namespace {

NodeError exceeded(std::string code, const char* what, uint64_t limit, const char* setting) {
  return {std::move(code),
          std::string("more than ") + std::to_string(limit) + " " + what + "; setting " + setting,
          Value::object({{"limit", static_cast<int64_t>(limit)}, {"setting", setting}})};
}

}  // namespace

std::optional<NodeError> over_limit(const Step& step) {
  const RunLimits& limits = step.given.limits;
  if (step.run.tokens.size() > limits.tokens_max)
    return exceeded("token_limit", "tokens alive", limits.tokens_max, "graph_tokens_max");
  if (step.run.activations >= limits.activations_max)
    return exceeded("activation_limit", "activations", limits.activations_max,
                    "graph_activations_max");
  if (step.run.value_bytes > limits.run_bytes_max)
    return exceeded("run_too_large", "bytes of outputs", limits.run_bytes_max,
                    "graph_run_bytes_max");
  return std::nullopt;
}

std::optional<NodeError> context_over_limit(Step& step, TokenId id) {
  auto found = step.run.tokens.find(id);
  if (found == step.run.tokens.end()) return std::nullopt;
  Context& context = found->second.context;
  uint64_t limit = step.given.limits.context_bytes_max;
  if (context.bytes_bound() <= limit) return std::nullopt;
  // The bound counts shared values as often as they occur; only now is an exact count worth it.
  context.set_bytes_bound(reachable_bytes(context));
  if (context.bytes_bound() <= limit) return std::nullopt;
  return exceeded("context_too_large", "bytes reachable from one context", limit,
                  "graph_context_bytes_max");
}

std::optional<NodeError> over_visits(const Step& step, const Node& node, uint32_t visit) {
  if (visit < node.max_visits.value_or(step.given.limits.visits_max)) return std::nullopt;
  return NodeError{"visit_limit",
                   "the node has run " + std::to_string(visit) +
                       " times in this lineage; max_visits or setting graph_visits_max",
                   Value::object({{"visits", visit}})};
}

std::optional<NodeError> too_deep(const Step& step, const Value& value) {
  int limit = step.given.limits.nesting_max;
  if (!value.nests_deeper_than(limit)) return std::nullopt;
  return exceeded("output_too_deep", "levels of nesting", static_cast<uint64_t>(limit),
                  "graph_nesting_max");
}

}  // namespace fermata::graph
