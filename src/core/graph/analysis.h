#pragma once
#include <cstdint>
#include <vector>

#include "core/graph/definition.h"

/// Facts about the shape of a graph that hold for every run. All functions expect linked nodes and
/// take edges with an unknown end as absent, so that a faulty document can be analysed too.
namespace fermata::graph {

using Successors = std::vector<std::vector<NodeIndex>>;

/// Strongly connected components, each after the components it leads to.
struct Components {
  std::vector<uint32_t> of;  ///< component of each node
  std::vector<std::vector<NodeIndex>> members;
  std::vector<bool> cyclic;  ///< per component
};
Components components_of(const Successors& next);
/// Nodes reachable over at least one edge.
std::vector<NodeSet> reach_of(const Successors& next);
Successors reversed(const Successors& next);
/// Nodes that lead to `goal`, itself included, over `before` (a reversed graph) without `barred`.
NodeSet leading_to(const Successors& before, const std::vector<NodeIndex>& goal,
                   const std::vector<bool>& barred);

/// Fills in_edges, out_edges and normal_out of every node.
void link_edges(Definition& definition);
/// Successors over all edges.
Successors all_next(const Definition& definition);

/// A token's surroundings while it stands in one split frame: the body of a split without the
/// bodies nested in it, or what lies outside all splits.
struct Level {
  NodeIndex split = no_node;  ///< no_node: outside all splits
  NodeSet nodes;
  uint64_t depths = 0;  ///< bit n: can be entered with n frames
};

struct SplitAnalysis {
  std::vector<std::vector<NodeIndex>> closers;  ///< per split: the aggregators that close it (G-65)
  std::vector<NodeIndex> recursive;             ///< splits that are reached from their own body
  std::vector<NodeIndex> stray;                 ///< aggregators reached outside every split
  std::vector<Level> levels;                    ///< those that a run can enter, the outermost first
};
SplitAnalysis analyse_splits(const Definition& definition);

/// Calls `visit(successor)` for each level edge of a node (G-73), once per edge.
template <class Visit>
void for_each_level_edge(const Definition& definition, NodeIndex node, Visit visit) {
  const Node& from = definition.nodes[node];
  if (from.aggregator != no_node) visit(from.aggregator);
  for (EdgeIndex edge : from.out_edges)
    if (definition.is_level_edge(edge)) visit(definition.edges[edge].dst);
}

/// Fills level_next, level_reach, reach, merges, outside_splits and repeatable.
void analyse_paths(Definition& definition, const SplitAnalysis& splits);

/// One cycle for each group of nodes that can go round without a loop node or a `max_visits`.
/// Cycles through `excused` nodes are not looked for.
std::vector<std::vector<NodeIndex>> unbounded_cycles(const Definition& definition,
                                                     const NodeSet& excused);

/// An aggregator at which one item can arrive twice, and the node that makes two tokens of one.
struct DoubleArrival {
  NodeIndex aggregator;
  NodeIndex fork;
};
std::vector<DoubleArrival> double_arrivals(const Definition& definition,
                                           const SplitAnalysis& splits);

/// A merge that gives up before a branch beside the first arrival has waited to its end.
/// `wait_ms` is the fixed length of each wait node, 0 where it is none or not known.
struct ShortTimeout {
  NodeIndex merge;
  NodeIndex wait;
};
std::vector<ShortTimeout> short_timeouts(const Definition& definition,
                                         const std::vector<int64_t>& wait_ms,
                                         const std::vector<int64_t>& merge_timeout_ms);

/// For each node, those whose output its token may carry: what runs in a split's branches does not
/// leave them (G-67).
std::vector<NodeSet> context_reach(const Definition& definition);

}  // namespace fermata::graph
