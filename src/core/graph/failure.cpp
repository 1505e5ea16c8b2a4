#include <algorithm>
#include <cmath>

#include "core/graph/advance.h"

namespace fermata::graph {

namespace {

constexpr size_t message_bytes_max = 4096;

bool retries(const RetryPolicy& policy, std::string_view code) {
  return std::any_of(policy.retry_on.begin(), policy.retry_on.end(),
                     [&](const std::string& wanted) { return wanted == "any" || wanted == code; });
}

/// min(max, backoff × multiplier^(n−1)) × (1 ± jitter); a longer Retry-After wins up to the
/// maximum.
int64_t retry_delay_ms(const RetryPolicy& policy, uint32_t attempt, double fraction,
                       std::optional<int64_t> retry_after_ms) {
  double delay = static_cast<double>(policy.backoff_ms) * std::pow(policy.multiplier, attempt - 1);
  delay = std::min(delay, static_cast<double>(policy.max_backoff_ms));
  delay *= 1 + policy.jitter * (2 * fraction - 1);
  auto drawn = static_cast<int64_t>(std::llround(std::max(0.0, delay)));
  if (!retry_after_ms) return drawn;
  return std::max(drawn, std::min(*retry_after_ms, policy.max_backoff_ms));
}

std::vector<EdgeIndex> edges_after_ignored(const Node& node) {
  // A split goes on as if it were empty: past its body, which its edges lead into.
  if (node.type == NodeType::split) return {};
  if (!is_routing(node.type) && node.type != NodeType::approval) return node.normal_out;
  Route route = route_after_ignored_failure(node);
  if (route.kind == Route::Kind::all) return node.normal_out;
  if (route.edge == no_edge) return {};
  return {route.edge};
}

/// [{split_node_id, branch_id, item_index, total_items}], outermost first (G-64).
Value frames_of(const Run& run, Lineage lineage) {
  if (lineage.outside()) return Value::array();
  const Scope& scope = run.scopes.at(lineage.scope);
  Value frames = frames_of(run, scope.outer);
  const std::string& split = run.definition->nodes[scope.split].id;
  std::string branch =
      split + "@" + std::to_string(scope.visit) + "." + std::to_string(lineage.item);
  if (frames.size() > 0)
    branch = std::string(frames.items().back().get("branch_id").as_string()) + "/" + branch;
  frames.push(Value::object({{"split_node_id", split},
                             {"branch_id", branch},
                             {"item_index", lineage.item},
                             {"total_items", scope.total}}));
  return frames;
}

/// A request that may have been sent and must not be sent twice is not sent again by a retry
/// either.
bool is_final(const NodeError& error, const Value& parameters) {
  return error.code == "outcome_unknown" && parameters.get("at_most_once") == Value(true);
}

void conclude(Step& step, TokenId id, const NodeError& error) {
  Activation activation = activation_of(step.run, id);
  const Token& token = step.run.tokens.at(id);
  const Node& node = step.run.definition->nodes[token.node];
  bool fresh = token.parked == Parked::ready || token.parked == Parked::start;
  NodeFailed event;
  event.activation = activation;
  event.error = error_object(error, node, activation.attempt);
  event.policy = node.on_error;
  event.started_at = fresh ? step.at : token.since;
  if (node.on_error == ErrorPolicy::ignore) event.edges = edges_after_ignored(node);
  if (node.on_error == ErrorPolicy::branch) event.edges = {node.error_edge};
  step.touch(activation.lineage);
  Value object = event.error;
  step.emit(std::move(event));
  if (node.on_error == ErrorPolicy::halt) {
    halt_at(step, activation.lineage, object);
  } else {
    settle(step, activation.lineage);
  }
}

}  // namespace

RetryPolicy retry_policy_of(const Node& node, const Value& parameters) {
  // The retries of a job are the job's own.
  if (node.type == NodeType::job) return {};
  if (node.retry.given || node.type != NodeType::http) return node.retry;
  RetryPolicy policy;
  auto count = integer_of(parameters.get("retry"));
  auto delay_s = number_of(parameters.get("retry_delay"));
  policy.max_attempts = static_cast<uint32_t>(std::clamp<int64_t>(count.value_or(0), 0, 100)) + 1;
  policy.backoff_ms = std::llround(std::clamp(delay_s.value_or(0), 0.0, 86'400.0) * 1000);
  policy.max_backoff_ms = policy.backoff_ms;
  policy.multiplier = 1;
  policy.jitter = 0;
  policy.retry_on = {"any"};
  return policy;
}

Value error_object(const NodeError& error, const Node& node, uint32_t attempts) {
  std::string message = error.message.substr(0, message_bytes_max);
  return Value::object({{"code", error.code},
                        {"message", message},
                        {"node", node.id},
                        {"attempts", attempts},
                        {"details", error.details}});
}

void fail_node(Step& step, TokenId id, NodeError error, std::optional<int64_t> retry_after_ms) {
  Activation activation = activation_of(step.run, id);
  const Token& token = step.run.tokens.at(id);
  const Node& node = step.run.definition->nodes[token.node];
  RetryPolicy policy = retry_policy_of(node, token.parameters);
  bool started = token.parked != Parked::ready && token.parked != Parked::start;
  bool wanted =
      retries(policy, error.code) || (!error.group.empty() && retries(policy, error.group));
  bool again =
      activation.attempt < policy.max_attempts && wanted && !is_final(error, token.parameters);
  if (!again) return conclude(step, id, error);
  if (!started) step.emit(NodeStarted{activation, Value()});
  int64_t delay =
      retry_delay_ms(policy, activation.attempt, step.random.fraction(), retry_after_ms);
  step.touch(activation.lineage);
  step.emit(NodeRetryScheduled{activation, error_object(error, node, activation.attempt),
                               step.at + Duration{delay}});
}

void halt_at(Step& step, Lineage lineage, const Value& error) {
  if (lineage.outside() || step.run.scopes.at(lineage.scope).halt_on_item_error) {
    Value failure = error;
    failure.set("lineage", frames_of(step.run, lineage));
    return fail_run(step, std::move(failure));
  }
  cancel_branch(step, lineage);
  resolve_slot(step, SlotResolved{lineage, SlotOutcome::error, 0, error});
}

}  // namespace fermata::graph
