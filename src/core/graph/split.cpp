#include <algorithm>
#include <cmath>

#include "core/graph/advance.h"
#include "core/graph/token_roots.h"

namespace fermata::graph {

namespace {

/// Timeouts beyond a thousand years are as good as that; arithmetic on them must not overflow.
constexpr double seconds_max = 31'536'000'000.0;

uint32_t depth_of(const Run& run, Lineage lineage) {
  uint32_t depth = 0;
  for (; !lineage.outside(); ++depth) lineage = run.scopes.at(lineage.scope).outer;
  return depth;
}

NodeError limit_error(std::string code, const char* what, uint64_t limit, const char* setting) {
  return {std::move(code),
          std::string("more than ") + std::to_string(limit) + " " + what + "; setting " + setting,
          Value::object({{"limit", static_cast<int64_t>(limit)}, {"setting", setting}})};
}

std::optional<NodeError> refused(const Step& step, const Token& token, const Value& items) {
  const RunLimits& limits = step.given.limits;
  if (!items.is_array()) return NodeError{"not_an_array", "input_array is not an array", {}};
  if (items.size() > limits.split_items_max)
    return limit_error("split_limit", "items", limits.split_items_max, "graph_split_items_max");
  if (depth_of(step.run, token.lineage) >= limits.split_depth_max)
    return limit_error("split_depth", "nested splits", limits.split_depth_max,
                       "graph_split_depth_max");
  return std::nullopt;
}

/// Parameters of an aggregator as a token outside its scope sees them.
Result<Value, NodeError> gathering_parameters(Step& step, const Token& token,
                                              const Node& aggregator) {
  if (!aggregator.parameters || aggregator.parameters.constant()) return aggregator.raw;
  TokenRoots roots(step, token.lineage, token.context);
  auto evaluated = evaluate(aggregator.parameters, roots, expression_given(step));
  if (!evaluated) return node_failure(evaluated.error());
  return *std::move(evaluated);
}

/// The timeout of the aggregator counts from the opening of the scope (G-70).
Result<std::optional<Instant>, NodeError> deadline_of(Step& step, const Token& token,
                                                      const Node& split) {
  if (split.aggregator == no_node) return std::optional<Instant>();
  const Node& aggregator = step.run.definition->nodes[split.aggregator];
  auto seconds = number_of(aggregator.raw.get("timeout"));
  if (!seconds) {
    FERMATA_TRY(parameters, gathering_parameters(step, token, aggregator));
    seconds = number_of(parameters.get("timeout"));
    if (!seconds) {
      return node_failure("parameter_invalid",
                          "the timeout of " + aggregator.id + " is no number of seconds");
    }
  }
  return after_seconds(step.at, *seconds);
}

}  // namespace

std::optional<Instant> after_seconds(Instant from, double seconds) {
  if (seconds <= 0) return std::nullopt;
  return from + Duration{std::llround(std::min(seconds, seconds_max) * 1000)};
}

void close_scope(Step& step, ScopeId id, bool timed_out) {
  const Scope& scope = step.run.scopes.at(id);
  Lineage outer = scope.outer;
  uint32_t open = timed_out ? scope.total - scope.resolved : 0;
  step.touch(outer);
  step.emit(SplitClosed{id, scope.resolved + open, scope.failed + open, timed_out});
  settle(step, outer);
}

void open_split(Step& step, TokenId id, const Value& parameters) {
  const Token& token = step.run.tokens.at(id);
  const Node& node = step.run.definition->nodes[token.node];
  const Value& items = parameters.get("input_array");
  if (auto error = refused(step, token, items)) return fail_node(step, id, *std::move(error));
  if (auto deep = too_deep(step, items)) return fail_node(step, id, *std::move(deep));
  auto batch = integer_of(parameters.get("batch_size")).value_or(1);
  auto parallel = integer_of(parameters.get("max_parallel")).value_or(0);
  if (batch < 1 || batch > UINT32_MAX || parallel < 0 || parallel > UINT32_MAX) {
    return fail_node(
        step, id,
        {"parameter_invalid", "batch_size is at least 1 and max_parallel at least 0", {}});
  }
  auto deadline = deadline_of(step, token, node);
  if (!deadline) return fail_node(step, id, std::move(deadline).error());
  SplitOpened event;
  event.activation = activation_of(step.run, id);
  event.scope = step.run.next_scope;
  event.items = items;
  event.batch_size = static_cast<uint32_t>(batch);
  event.total = static_cast<uint32_t>((items.size() + event.batch_size - 1) / event.batch_size);
  event.max_parallel = static_cast<uint32_t>(parallel);
  event.halt_on_item_error = parameters.get("on_item_error") == Value("halt");
  event.deadline = *deadline;
  ScopeId scope = event.scope;
  uint32_t total = event.total;
  step.touch(event.activation.lineage);
  step.emit(std::move(event));
  if (total == 0) return close_scope(step, scope, false);
  if (!node.normal_out.empty()) return;
  // A split without successors has nothing to run: every branch ends where it starts.
  for (uint32_t item = 0; item < total; ++item) settle(step, {scope, item});
}

void resolve_slot(Step& step, SlotResolved resolved) {
  ScopeId id = resolved.lineage.scope;
  step.emit(std::move(resolved));
  const Scope& scope = step.run.scopes.at(id);
  if (scope.resolved == scope.total) close_scope(step, id, false);
}

void settle(Step& step, Lineage lineage) {
  if (lineage.outside() || step.over()) return;
  auto scope = step.run.scopes.find(lineage.scope);
  if (scope == step.run.scopes.end()) return;
  const Branch* found = scope->second.branches.find(lineage.item);
  if (found == nullptr || found->alive() || scope->second.awaited.contains(lineage.item)) return;
  bool arrived = found->arrived_edge.has_value();
  resolve_slot(step, {lineage, arrived ? SlotOutcome::value : SlotOutcome::ended, 0, {}});
}

void arrive_at_aggregator(Step& step, TokenId id) {
  const Token& token = step.run.tokens.at(id);
  const Node& node = step.run.definition->nodes[token.node];
  if (token.lineage.outside()) {
    return fail_node(step, id, {"no_split_frame", "no split is open around this aggregator", {}});
  }
  std::optional<Value> value;
  if (const Template* result = node.templated("/result")) {
    TokenRoots roots(step, token.lineage, token.context);
    auto evaluated = evaluate(*result, roots, expression_given(step));
    if (!evaluated) {
      // The item failed on its way in; the aggregator itself has not started.
      NodeError error = node_failure(evaluated.error()).value;
      Lineage lineage = token.lineage;
      step.emit(TokenEnded{activation_of(step.run, id), Value()});
      return halt_at(step, lineage, error_object(error, node, 1));
    }
    value = *std::move(evaluated);
  }
  Lineage lineage = token.lineage;
  const Branch& branch = step.run.branch(lineage);
  bool last = branch.tokens.size() == 1 && branch.scopes.empty() && branch.merges == 0;
  if (last && !branch.arrived_edge)
    return resolve_slot(step, {lineage, SlotOutcome::value, id, std::move(value)});
  step.touch(lineage);
  step.emit(TokenEnded{activation_of(step.run, id), std::move(value)});
  settle(step, lineage);
}

void run_gathered(Step& step, TokenId id) {
  const Token& token = step.run.tokens.at(id);
  const Node& node = step.run.definition->nodes[token.node];
  const Scope& scope = step.run.scopes.at(token.gathers);
  auto items_failed = [&] {
    return NodeError{
        "items_failed",
        std::to_string(scope.failed) + " of " + std::to_string(scope.total) + " items failed",
        Value::object({{"failed", scope.failed}, {"total", scope.total}})};
  };
  if (node.type == NodeType::split) return fail_node(step, id, items_failed());
  if (auto limit = over_visits(step, node, activation_of(step.run, id).visit))
    return fail_node(step, id, *std::move(limit));
  auto parameters = gathering_parameters(step, token, node);
  if (!parameters) return fail_node(step, id, std::move(parameters).error());
  bool partial = parameters->get("on_timeout") == Value("partial");
  if (scope.timed_out && !partial) {
    return fail_node(step, id,
                     {"aggregate_timeout", "not all items were finished in time",
                      Value::object({{"failed", scope.failed}, {"total", scope.total}})});
  }
  if (scope.failed > 0 && parameters->get("fail_on_errors") == Value(true))
    return fail_node(step, id, items_failed());
  NodeOutput done;
  done.output = Value::object();
  if (parameters->get("drop_ended") == Value(true)) done.output.set("drop_ended", true);
  finish_node(step, id, std::move(done));
}

void fire_scope_timeout(Step& step, ScopeId id) {
  std::vector<uint32_t> open;
  for (auto [item, branch] : step.run.scopes.at(id).branches) open.push_back(item);
  for (uint32_t item : open) cancel_branch(step, {id, item});
  close_scope(step, id, true);
}

}  // namespace fermata::graph
