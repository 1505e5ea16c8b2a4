#include <algorithm>
#include <optional>

#include "core/graph/analysis.h"

namespace fermata::graph {
namespace {

/// The merges that every path from a node to one goal passes. Two tokens meet again for sure
/// exactly when such a merge lies before both of them.
class SureMerges {
 public:
  SureMerges(const Definition& definition, const Level& level, const Components& components,
             NodeIndex aggregator)
      : definition_(definition), level_(level), goal_(aggregator), sets_(definition.nodes.size()) {
    bool changed = true;
    while (changed) {
      changed = false;
      for (const auto& members : components.members)
        for (NodeIndex node : members)
          if (level.nodes.has(node)) changed |= update(node);
    }
  }

  /// Empty optional: the edge cannot lead to the goal.
  std::optional<NodeSet> behind(EdgeIndex edge) const {
    NodeIndex to = definition_.edges[edge].dst;
    if (to == goal_) return NodeSet(definition_.nodes.size());
    return level_.nodes.has(to) ? sets_[to] : std::nullopt;
  }

 private:
  bool update(NodeIndex node) {
    std::optional<NodeSet> common;
    auto meet = [&](const std::optional<NodeSet>& set) {
      if (!set) return;
      if (common)
        common->keep(*set);
      else
        common = set;
    };
    for_each_level_edge(definition_, node, [&](NodeIndex to) {
      if (level_.nodes.has(to)) meet(sets_[to]);
    });
    if (definition_.nodes[node].type != NodeType::split)
      for (EdgeIndex edge : definition_.nodes[node].out_edges)
        if (definition_.edges[edge].dst == goal_) meet(NodeSet(definition_.nodes.size()));
    if (common && definition_.nodes[node].type == NodeType::merge) common->add(node);
    if (common == sets_[node]) return false;
    sets_[node] = std::move(common);
    return true;
  }

  const Definition& definition_;
  const Level& level_;
  NodeIndex goal_;
  std::vector<std::optional<NodeSet>> sets_;
};

/// True when two of these edges carry a token each and the two need not meet before the goal. The
/// sets are chains of one tree, so any two share a merge only if all do.
bool stays_apart(const SureMerges& sure, const std::vector<EdgeIndex>& edges) {
  std::optional<NodeSet> common;
  size_t leading = 0;
  for (EdgeIndex edge : edges) {
    auto set = sure.behind(edge);
    if (!set) continue;
    ++leading;
    if (common)
      common->keep(*set);
    else
      common = std::move(set);
  }
  return leading > 1 && common->empty();
}

/// The timeout of a merge runs from the first arrival, so it matters only where one node sends a
/// token both past a long wait and around it. Gives the successor on the slow side, if any.
NodeIndex slow_side(const Definition& definition, NodeIndex node, const NodeSet& slow,
                    const NodeSet& quick) {
  if (is_routing(definition.nodes[node].type)) return no_node;
  std::vector<EdgeIndex> past, around;
  for (EdgeIndex edge : definition.nodes[node].normal_out) {
    if (slow.has(definition.edges[edge].dst)) past.push_back(edge);
    if (quick.has(definition.edges[edge].dst)) around.push_back(edge);
  }
  if (past.empty() || around.empty()) return no_node;
  bool only_one = around.size() == 1 && past.front() == around.front();
  if (only_one && past.size() == 1) return no_node;
  return definition.edges[past[only_one ? 1 : 0]].dst;
}

}  // namespace

std::vector<DoubleArrival> double_arrivals(const Definition& definition,
                                           const SplitAnalysis& splits) {
  std::vector<DoubleArrival> found;
  Components components = components_of(definition.level_next);
  for (const Level& level : splits.levels) {
    if (level.split == no_node) continue;
    const Node& split = definition.nodes[level.split];
    if (split.aggregator == no_node) continue;
    SureMerges sure(definition, level, components, split.aggregator);
    NodeIndex fork = no_node;
    if (stays_apart(sure, split.normal_out)) fork = level.split;
    for (NodeIndex node = 0; node < definition.nodes.size() && fork == no_node; ++node) {
      const Node& inner = definition.nodes[node];
      bool copies = level.nodes.has(node) && !is_routing(inner.type) &&
                    inner.type != NodeType::split && inner.normal_out.size() > 1;
      if (copies && stays_apart(sure, inner.normal_out)) fork = node;
    }
    if (fork != no_node) found.push_back({split.aggregator, fork});
  }
  return found;
}

std::vector<ShortTimeout> short_timeouts(const Definition& definition,
                                         const std::vector<int64_t>& wait_ms,
                                         const std::vector<int64_t>& merge_timeout_ms) {
  std::vector<ShortTimeout> found;
  size_t count = definition.nodes.size();
  Successors before = reversed(definition.level_next);
  for (const MergeAnalysis& analysis : definition.merges) {
    NodeIndex merge = analysis.node;
    std::vector<NodeIndex> long_waits;
    std::vector<bool> barred(count, false);
    for (NodeIndex node = 0; node < count; ++node)
      if (wait_ms[node] > merge_timeout_ms[merge] && definition.level_reach[node].has(merge))
        long_waits.push_back(node);
    if (long_waits.empty() || merge_timeout_ms[merge] <= 0) continue;
    barred[merge] = true;
    NodeSet slow = leading_to(before, long_waits, barred);
    barred[merge] = false;
    for (NodeIndex wait : long_waits) barred[wait] = true;
    NodeSet quick = leading_to(before, {merge}, barred);
    NodeIndex past = no_node;
    for (NodeIndex node = 0; node < count && past == no_node; ++node)
      past = slow_side(definition, node, slow, quick);
    auto late = std::find_if(long_waits.begin(), long_waits.end(), [&](NodeIndex wait) {
      return wait == past || (past != no_node && definition.level_reach[past].has(wait));
    });
    if (late != long_waits.end()) found.push_back({merge, *late});
  }
  return found;
}

}  // namespace fermata::graph
