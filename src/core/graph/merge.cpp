#include "core/graph/merge.h"

#include <algorithm>
#include <utility>

#include "core/graph/advance.h"
#include "core/graph/token_roots.h"

namespace fermata::graph {

namespace {

bool waits_for_any(const Value& parameters) {
  return parameters.get("wait_mode") == Value("wait_for_any");
}

void fail_merge(Step& step, const MergeKey& key, const NodeError& error) {
  const Node& node = step.run.definition->nodes[key.node];
  const Merge& merge = step.run.merges.at(key);
  MergeFailed event;
  event.lineage = key.lineage;
  event.node = key.node;
  event.visit = key.visit;
  event.error = error_object(error, node, 1);
  event.policy = node.on_error;
  event.arrived = merge.arrived;
  event.expected = merge.expected;
  if (node.on_error == ErrorPolicy::branch) event.edges = {node.error_edge};
  if (node.on_error == ErrorPolicy::ignore) {
    event.edges = node.normal_out;
    auto output = merge_output(*step.run.definition, node, merge, error.code == "merge_timeout");
    bool usable = output && !too_deep(step, *output);
    event.output = usable ? *std::move(output) : Value::object({{"items", Value::array()}});
  }
  Value object = event.error;
  step.touch(key.lineage);
  step.emit(std::move(event));
  if (node.on_error == ErrorPolicy::halt) {
    halt_at(step, key.lineage, object);
  } else {
    settle(step, key.lineage);
  }
}

void open_merge(Step& step, const MergeKey& key) {
  const Node& node = step.run.definition->nodes[key.node];
  const Merge& merge = step.run.merges.at(key);
  bool cancels = merge.parameters.get("cancel_losers") == Value(true);
  auto output = merge_output(*step.run.definition, node, merge, false);
  if (!output) return fail_merge(step, key, output.error());
  if (auto deep = too_deep(step, *output)) return fail_merge(step, key, *deep);
  step.touch(key.lineage);
  step.emit(MergeOpened{key.lineage, key.node, key.visit, *std::move(output), node.normal_out});
  if (cancels) cancel_tokens(step, key.lineage, losers(step.run, key));
  settle(step, key.lineage);
}

/// Pending instances of a lineage by visit, then definition order (G-75).
std::vector<MergeKey> pending_in(const Run& run, Lineage lineage) {
  std::vector<MergeKey> keys;
  for (auto it = run.merges.lower_bound({lineage, 0, 0});
       it != run.merges.end() && it->first.lineage == lineage; ++it)
    if (!it->second.closed) keys.push_back(it->first);
  std::stable_sort(keys.begin(), keys.end(), [](const MergeKey& a, const MergeKey& b) {
    return std::pair(a.visit, a.node) < std::pair(b.visit, b.node);
  });
  return keys;
}

void recount(Step& step, const MergeKey& key, Expectation expectation) {
  const Merge& merge = step.run.merges.at(key);
  bool same = merge.arrived == expectation.arrived && merge.expected == expectation.expected &&
              merge.missing == expectation.missing;
  if (same) return;
  step.emit(MergeRecounted{key.lineage, key.node, key.visit, expectation.arrived,
                           expectation.expected, std::move(expectation.missing)});
}

/// Opens the first merge of a lineage that can get nothing more, or tells what the pending ones
/// await now. True if one opened.
bool judge_lineage(Step& step, Lineage lineage) {
  std::vector<MergeKey> pending = pending_in(step.run, lineage);
  std::vector<Expectation> counted;
  for (const MergeKey& key : pending) {
    counted.push_back(expect(step.run, key));
    if (!counted.back().missing.empty()) continue;
    open_merge(step, key);
    return true;
  }
  const Branch& branch = step.run.branch(lineage);
  if (!pending.empty() && branch.tokens.empty() && branch.scopes.empty() && !step.run.fed) {
    // Only tokens held by merges are left: they wait for each other in a cycle (G-75).
    open_merge(step, pending.front());
    return true;
  }
  for (size_t i = 0; i < pending.size(); ++i) recount(step, pending[i], std::move(counted[i]));
  return false;
}

bool has_branch(const Run& run, Lineage lineage) {
  if (lineage.outside()) return true;
  auto scope = run.scopes.find(lineage.scope);
  return scope != run.scopes.end() && scope->second.branches.contains(lineage.item);
}

}  // namespace

std::optional<Instant> merge_deadline(const Value& parameters, Instant first_arrival) {
  if (waits_for_any(parameters)) return std::nullopt;
  const Value* given = parameters.find("timeout");
  double seconds = given ? number_of(*given).value_or(300) : 300;
  return after_seconds(first_arrival, seconds);
}

void arrive_at_merge(Step& step, TokenId id) {
  const Token& token = step.run.tokens.at(id);
  const Node& node = step.run.definition->nodes[token.node];
  MergeKey key{token.lineage, token.node, token.context.rewrites(Context::of_node(token.node))};
  Activation activation = activation_of(step.run, id);
  activation.visit = key.visit;
  step.touch(key.lineage);
  auto found = step.run.merges.find(key);
  if (found != step.run.merges.end() && found->second.closed) {
    step.emit(ArrivalIgnored{activation, token.edge});
    return settle(step, key.lineage);
  }
  MergeArrived event{activation, token.edge, {}, {}};
  if (found == step.run.merges.end()) {
    if (auto limit = over_visits(step, node, key.visit))
      return fail_node(step, id, *std::move(limit));
    TokenRoots roots(step, token.lineage, token.context);
    auto parameters = evaluate(node.parameters, roots, expression_given(step));
    if (!parameters) return fail_node(step, id, node_failure(parameters.error()).value);
    event.parameters = *std::move(parameters);
    event.deadline = merge_deadline(event.parameters, step.at);
  }
  step.emit(std::move(event));
  if (waits_for_any(step.run.merges.at(key).parameters)) open_merge(step, key);
}

void touch_pending_merges(Step& step) {
  for (const auto& [id, key] : step.run.pending_merges) step.touch(key.lineage);
}

bool judge_merges(Step& step) {
  std::vector<Lineage> touched = std::exchange(step.touched, {});
  if (step.run.pending_merges.empty()) return false;
  std::sort(touched.begin(), touched.end());
  touched.erase(std::unique(touched.begin(), touched.end()), touched.end());
  // Lineages do not look into each other, so each may open one before its tokens run: judging ten
  // thousand branches one after the other would otherwise look at all of them ten thousand times.
  bool opened = false;
  for (Lineage lineage : touched) {
    if (!has_branch(step.run, lineage)) continue;
    if (judge_lineage(step, lineage)) opened = true;
    if (step.over()) return true;
  }
  return opened;
}

void fire_merge_timeout(Step& step, uint64_t id) {
  MergeKey key = step.run.pending_merges.at(id);
  const Merge& merge = step.run.merges.at(key);
  fail_merge(step, key,
             {"merge_timeout",
              std::to_string(merge.arrived) + " of " + std::to_string(merge.expected) +
                  " inputs had arrived when the timeout passed",
              Value::object({{"arrived", merge.arrived}, {"expected", merge.expected}})});
}

}  // namespace fermata::graph
