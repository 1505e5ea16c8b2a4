#include <algorithm>

#include "core/graph/analysis.h"

namespace fermata::graph {
namespace {

/// For each incoming edge the nodes that can still send a token over it: backwards from its source,
/// never through the merge itself (G-74).
MergeAnalysis analyse_merge(const Definition& definition, NodeIndex merge,
                            const Successors& level_before) {
  MergeAnalysis analysis;
  analysis.node = merge;
  std::vector<bool> barred(definition.nodes.size(), false);
  barred[merge] = true;
  for (EdgeIndex edge : definition.nodes[merge].in_edges) {
    // A branch of a split begins at the end of the edge, so nothing before it is in its lineage.
    std::vector<NodeIndex> goal;
    if (definition.is_level_edge(edge)) goal.push_back(definition.edges[edge].src);
    analysis.can_deliver.push_back(leading_to(level_before, goal, barred));
  }
  return analysis;
}

/// Counts, up to two, the tokens that can visit each node of one level: the sum over its incoming
/// edges, where a merge makes one of many and a cycle makes many of one. Routes that exclude each
/// other are counted as if they did not, which errs on the safe side.
void mark_repeatable(Definition& definition, const Level& level, const Components& components) {
  constexpr uint8_t many = 2;
  std::vector<uint8_t> tokens(definition.nodes.size(), 0);
  auto send = [&](NodeIndex to, uint8_t count) {
    tokens[to] = static_cast<uint8_t>(std::min<int>(many, tokens[to] + count));
  };
  if (level.split == no_node) {
    send(definition.entry, 1);
  } else {
    const Node& split = definition.nodes[level.split];
    for (EdgeIndex edge : split.out_edges)
      if (edge != split.error_edge) send(definition.edges[edge].dst, 1);
  }
  for (size_t c = components.members.size(); c-- > 0;) {
    for (NodeIndex node : components.members[c]) {
      if (!level.nodes.has(node)) continue;
      if (components.cyclic[c])
        tokens[node] = many;
      else if (definition.nodes[node].type == NodeType::merge)
        tokens[node] = std::min<uint8_t>(tokens[node], 1);
      if (tokens[node] == many) definition.nodes[node].repeatable = true;
      for_each_level_edge(definition, node, [&](NodeIndex to) { send(to, tokens[node]); });
    }
  }
}

}  // namespace

void analyse_paths(Definition& definition, const SplitAnalysis& splits) {
  size_t count = definition.nodes.size();
  definition.reach = reach_of(all_next(definition));
  definition.level_next.assign(count, {});
  for (NodeIndex node = 0; node < count; ++node) {
    auto& next = definition.level_next[node];
    for_each_level_edge(definition, node, [&](NodeIndex to) { next.push_back(to); });
    std::sort(next.begin(), next.end());
    next.erase(std::unique(next.begin(), next.end()), next.end());
  }
  definition.level_reach = reach_of(definition.level_next);

  Successors level_before = reversed(definition.level_next);
  definition.merges.clear();
  for (NodeIndex node = 0; node < count; ++node)
    if (definition.nodes[node].type == NodeType::merge)
      definition.merges.push_back(analyse_merge(definition, node, level_before));

  definition.outside_splits.assign(count, true);
  NodeSet entered(count);
  for (const Level& level : splits.levels) {
    entered.unite(level.nodes);
    for (NodeIndex node = 0; node < count; ++node)
      if (level.split != no_node && level.nodes.has(node)) definition.outside_splits[node] = false;
  }
  // What no run enters from its start may still be entered by a message, so it stays in doubt.
  for (NodeIndex node = 0; node < count; ++node)
    definition.nodes[node].repeatable = !entered.has(node);
  Components components = components_of(definition.level_next);
  for (const Level& level : splits.levels)
    if (level.split != no_node || definition.entry != no_node)
      mark_repeatable(definition, level, components);
}

}  // namespace fermata::graph
