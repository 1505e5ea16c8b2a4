#include <algorithm>
#include <bit>

#include "core/graph/check_state.h"

namespace fermata::graph {
namespace {

std::vector<std::string> node_paths(const std::vector<NodeIndex>& nodes) {
  std::vector<std::string> paths;
  for (NodeIndex node : nodes) paths.push_back(node_path(node));
  return paths;
}

void report_splits(CheckState& state) {
  if (!state.types_known) return;
  for (NodeIndex node : state.splits.stray)
    state.findings.error("aggregator_without_split", node_path(node),
                         "The aggregator can be reached outside every split, where there is "
                         "nothing to gather; use a merge, or put a split before it.");
  for (NodeIndex node : state.splits.recursive)
    state.findings.error("split_recursion", node_path(node),
                         "The split is reached again from its own body; close it with an "
                         "aggregator before going back.");
  for (NodeIndex node = 0; node < state.definition.nodes.size(); ++node) {
    const auto& closers = state.splits.closers[node];
    if (closers.size() > 1)
      state.findings.error("split_two_aggregators", node_path(node),
                           "The split's branches end in " + std::to_string(closers.size()) +
                               " aggregators; let all of them lead to one.",
                           node_paths(closers));
  }
}

void report_cycles(CheckState& state) {
  NodeSet unknown(state.definition.nodes.size());
  for (NodeIndex node = 0; node < state.definition.nodes.size(); ++node)
    if (!state.drafts[node].known) unknown.add(node);
  for (const auto& cycle : unbounded_cycles(state.definition, unknown)) {
    std::string way;
    for (NodeIndex node : cycle) way += state.definition.nodes[node].id + " → ";
    state.findings.error("cycle_unbounded", node_path(cycle.front()),
                         "The cycle " + quoted(way + state.definition.nodes[cycle.front()].id) +
                             " has no end; put a loop node into it or give one of its nodes "
                             "\"max_visits\".",
                         node_paths(cycle));
  }
}

void warn_unreachable(CheckState& state) {
  const Definition& definition = state.definition;
  if (definition.entry == no_node || !state.edges_whole) return;
  const NodeSet& reached = definition.reach[definition.entry];
  for (NodeIndex node = 0; node < definition.nodes.size(); ++node)
    if (node != definition.entry && !reached.has(node))
      state.findings.warn("node_unreachable", node_path(node),
                          "No path leads here from the start, so the node never runs.");
  const Node& entry = definition.nodes[definition.entry];
  if (entry.trigger && entry.out_edges.empty())
    state.findings.warn("trigger_alone", node_path(definition.entry),
                        "No edge leaves the trigger, so a run completes at once.");
}

void warn_merges(CheckState& state) {
  const Definition& definition = state.definition;
  std::vector<int64_t> wait_ms(definition.nodes.size(), 0), timeout_ms(definition.nodes.size(), 0);
  for (NodeIndex node = 0; node < definition.nodes.size(); ++node) {
    const NodeParameters& parameters = state.drafts[node].parameters;
    if (!definition.nodes[node].disabled) wait_ms[node] = plain_wait_ms(parameters).value_or(0);
    const Value& mode = parameters.values.get("wait_mode");
    const Value* timeout = parameters.literal("timeout");
    bool counts = definition.nodes[node].type == NodeType::merge && timeout && mode.is_string() &&
                  mode.as_string() == "wait_for_all";
    constexpr double timeout_s_max = 1e12;
    if (counts)
      timeout_ms[node] =
          static_cast<int64_t>(std::min(number_in(*timeout).value_or(0), timeout_s_max) * 1'000);
  }
  for (const ShortTimeout& found : short_timeouts(definition, wait_ms, timeout_ms))
    state.findings.warn(
        "merge_timeout_short", state.drafts[found.merge].parameters.written_at("/timeout"),
        "The merge gives up after " + std::to_string(timeout_ms[found.merge] / 1'000) +
            " s, but the wait " + quoted(definition.nodes[found.wait].id) +
            " before it takes longer; raise \"timeout\", 0 for none.",
        {node_path(found.wait)});
  std::vector<uint64_t> depths(definition.nodes.size(), 0);
  for (const Level& level : state.splits.levels)
    for (const MergeAnalysis& merge : definition.merges)
      if (level.nodes.has(merge.node)) depths[merge.node] |= level.depths;
  for (const MergeAnalysis& merge : definition.merges)
    if (std::popcount(depths[merge.node]) > 1)
      state.findings.warn("merge_across_scopes", node_path(merge.node),
                          "The merge can be reached inside and outside a split; tokens of "
                          "different depth never meet in it.");
}

}  // namespace

void check_shape(CheckState& state) {
  Definition& definition = state.definition;
  state.splits = analyse_splits(definition);
  for (NodeIndex node = 0; node < definition.nodes.size(); ++node)
    if (!state.splits.closers[node].empty())
      definition.nodes[node].aggregator = state.splits.closers[node].front();
  analyse_paths(definition, state.splits);
  report_splits(state);
  report_cycles(state);
  warn_unreachable(state);
  warn_merges(state);
  for (const DoubleArrival& found : double_arrivals(definition, state.splits))
    state.findings.warn("aggregator_many_paths", node_path(found.aggregator),
                        "One item can arrive here twice, since " +
                            quoted(definition.nodes[found.fork].id) +
                            " starts several paths; put a merge before the aggregator.",
                        {node_path(found.fork)});
}

}  // namespace fermata::graph
