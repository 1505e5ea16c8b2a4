#include "core/graph/advance.h"
#include "core/graph/orders.h"
#include "core/graph/token_roots.h"
#include "core/run/api_waits.h"
#include "core/saga/saga.h"

namespace fermata::graph {

namespace {

/// The run's output: `result` over what all ended tokens knew, or the outputs where they ended.
Result<Value, NodeError> output_of(Step& step) {
  const Run& run = step.run;
  if (!run.definition->result) {
    Value output = Value::object();
    for (const auto& [node, ended] : run.ended)
      output.set(run.definition->nodes[node].name, ended.output);
    return output;
  }
  Context united;
  for (const auto& [node, ended] : run.ended) united = Context::unite(united, ended.context);
  TokenRoots roots(step, {}, united);
  begin_activation(step);
  auto output = evaluate(run.definition->result, roots, expression_given(step));
  if (!output) return node_failure(output.error());
  return *std::move(output);
}

void count_cancelled(TokensCancelled& event, NodeIndex node) {
  for (size_t i = 0; i < event.nodes.size(); ++i) {
    if (event.nodes[i] != node) continue;
    ++event.counts[i];
    return;
  }
  event.nodes.push_back(node);
  event.counts.push_back(1);
}

/// Where merges of a lineage hold tokens. Ten thousand branches may have one each, so only those of
/// this lineage are looked at.
std::vector<NodeIndex> pending_merges_in(const Run& run, Lineage lineage) {
  std::vector<NodeIndex> nodes;
  if (run.branch(lineage).merges == 0) return nodes;
  for (auto it = run.merges.lower_bound({lineage, 0, 0});
       it != run.merges.end() && it->first.lineage == lineage; ++it)
    if (!it->second.closed) nodes.push_back(it->first.node);
  return nodes;
}

void stop_work(Step& step, TokenId id, const Token& token) {
  if (token.parked == Parked::call) step.effect(AbandonCall{{step.run.id, id, token.attempt}});
  if (is_ordered(token.parked)) stop_order(step, id);
}

/// Notes what cancelling a lineage takes away, and tells its work to stop.
void note_lineage(Step& step, Lineage lineage, TokensCancelled& event) {
  const Run& run = step.run;
  const Branch& branch = run.branch(lineage);
  for (TokenId id : branch.tokens) {
    const Token& token = run.tokens.at(id);
    count_cancelled(event, token.node);
    stop_work(step, id, token);
  }
  for (ScopeId id : branch.scopes) {
    const Scope& scope = run.scopes.at(id);
    // While a scope is open its aggregator waits.
    NodeIndex aggregator = run.definition->nodes[scope.split].aggregator;
    if (aggregator != no_node) count_cancelled(event, aggregator);
    for (auto [item, inner] : scope.branches) note_lineage(step, {id, item}, event);
  }
  for (NodeIndex node : pending_merges_in(run, lineage)) count_cancelled(event, node);
}

/// Nodes that something alive outside splits can still reach.
NodeSet reachable_nodes(const Run& run) {
  const Definition& definition = *run.definition;
  NodeSet reachable(definition.nodes.size());
  auto from = [&](NodeIndex node) {
    reachable.add(node);
    reachable.unite(definition.reach[node]);
  };
  for (TokenId id : run.root.tokens) from(run.tokens.at(id).node);
  for (ScopeId id : run.root.scopes) from(run.scopes.at(id).split);
  for (NodeIndex node : pending_merges_in(run, {})) from(node);
  return reachable;
}

}  // namespace

void cancel_branch(Step& step, Lineage lineage) {
  if (!step.run.branch(lineage).alive()) return;
  TokensCancelled event;
  event.lineage = lineage;
  event.whole_lineage = true;
  note_lineage(step, lineage, event);
  step.emit(std::move(event));
}

void cancel_everything(Step& step) { cancel_branch(step, {}); }

void cancel_tokens(Step& step, Lineage lineage, const std::vector<TokenId>& tokens) {
  if (tokens.empty()) return;
  TokensCancelled event;
  event.lineage = lineage;
  event.tokens = tokens;
  for (TokenId id : tokens) {
    const Token& token = step.run.tokens.at(id);
    count_cancelled(event, token.node);
    stop_work(step, id, token);
  }
  step.emit(std::move(event));
}

void tell_skipped(Step& step) {
  const Run& run = step.run;
  const Definition& definition = *run.definition;
  // Every node outside splits ends up done or skipped; nothing to tell while none is left open.
  if (run.done.size() + run.skipped.size() >= definition.nodes.size()) return;
  // While others may send tokens anywhere nothing is sure never to run.
  if (run.fed && run.root.alive()) return;
  NodeSet reachable = reachable_nodes(run);
  NodesSkipped event;
  for (NodeIndex node = 0; node < definition.nodes.size(); ++node) {
    if (!definition.outside_splits[node] || reachable.has(node)) continue;
    if (!run.done.contains(node) && !run.skipped.contains(node)) event.nodes.push_back(node);
  }
  if (!event.nodes.empty()) step.emit(std::move(event));
}

void fail_run(Step& step, Value error) {
  if (!error.find("lineage")) error.set("lineage", Value::array());
  cancel_everything(step);
  tell_skipped(step);
  saga::end_run(step, RunFailed{std::move(error)});
}

void time_out_run(Step& step) {
  cancel_everything(step);
  tell_skipped(step);
  saga::end_run(step, RunTimedOut{});
}

void exit_run(Step& step, std::string reason) {
  cancel_everything(step);
  tell_skipped(step);
  saga::end_run(step, RunCancelled{std::move(reason), "engine"});
}

void complete_if_done(Step& step) {
  tell_skipped(step);
  if (step.run.root.alive() || held_open(step.run)) return;
  auto output = output_of(step);
  if (output && !too_deep(step, *output)) {
    step.emit(RunCompleted{*std::move(output)});
  } else {
    NodeError error = output ? *too_deep(step, *output) : output.error();
    saga::end_run(step, RunFailed{Value::object({{"code", error.code},
                                                 {"message", "result: " + error.message},
                                                 {"details", error.details}})});
  }
}

}  // namespace fermata::graph
