#include "core/graph/advance.h"
#include "core/graph/merge.h"
#include "core/graph/orders.h"

/// What a new run does first with the state it took over from another (G-96).
namespace fermata::graph {

void renew_deadlines(Run& state, Instant at) {
  for (const auto& [id, key] : state.pending_merges) {
    Merge& merge = state.merges.at(key);
    if (merge.deadline) continue;
    merge.since = at;
    merge.deadline = merge_deadline(merge.parameters, at);
    if (merge.deadline) state.timers.insert({*merge.deadline, TimerKind::merge, id});
  }
  for (auto& [id, scope] : state.scopes) {
    NodeIndex aggregator = state.definition->nodes[scope.split].aggregator;
    if (scope.closed || scope.deadline || aggregator == no_node) continue;
    auto seconds = number_of(state.definition->nodes[aggregator].raw.get("timeout"));
    scope.deadline = after_seconds(at, seconds.value_or(0));
    if (scope.deadline) state.timers.insert({*scope.deadline, TimerKind::scope, id});
  }
}

void take_over(Step& step) {
  place_calls(step);
  repeat_orders(step);
  touch_pending_merges(step);
  // A fork may stand between an event and what follows from it.
  std::vector<Lineage> quiet;
  std::vector<ScopeId> full;
  for (const auto& [id, scope] : step.run.scopes) {
    if (scope.closed) continue;
    if (scope.resolved == scope.total) full.push_back(id);
    for (auto [item, branch] : scope.branches)
      if (!branch.alive() && !scope.awaited.contains(item)) quiet.push_back({id, item});
  }
  for (Lineage lineage : quiet) settle(step, lineage);
  for (ScopeId id : full)
    if (step.run.scopes.contains(id)) close_scope(step, id, false);
}

}  // namespace fermata::graph
