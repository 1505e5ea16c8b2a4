#include <algorithm>

#include "core/graph/merge.h"

namespace fermata::graph {

namespace {

/// Somewhere control stands in a lineage, and how often its path has left each merge.
struct Position {
  NodeIndex node;
  const Context* context;
  EdgeIndex edge = no_edge;  ///< over which a ready token came
};

std::vector<Position> live_positions(const Run& run, const MergeKey& key) {
  std::vector<Position> positions;
  const Branch& branch = run.branch(key.lineage);
  for (TokenId id : branch.tokens) {
    const Token& token = run.tokens.at(id);
    positions.push_back({token.node, &token.context, token.edge});
  }
  for (ScopeId id : branch.scopes) {
    const Scope& scope = run.scopes.at(id);
    NodeIndex aggregator = run.definition->nodes[scope.split].aggregator;
    // Without an aggregator the split itself may still fail, when its items have, and branch.
    positions.push_back({aggregator != no_node ? aggregator : scope.split, &scope.base});
  }
  if (branch.merges <= 1) return positions;
  for (auto it = run.merges.lower_bound({key.lineage, 0, 0});
       it != run.merges.end() && it->first.lineage == key.lineage; ++it) {
    if (it->second.closed || it->first == key) continue;
    for (const Arrival& arrival : it->second.arrivals)
      positions.push_back({it->first.node, &arrival.context});
  }
  return positions;
}

bool lineage_has_tombstone(const Run& run, Lineage lineage) {
  for (auto it = run.merges.lower_bound({lineage, 0, 0});
       it != run.merges.end() && it->first.lineage == lineage; ++it)
    if (it->second.closed) return true;
  return false;
}

/// True when a token with this context would be ignored at that merge.
bool closed_for(const Run& run, Lineage lineage, NodeIndex merge, const Context& context) {
  auto found = run.merges.find({lineage, merge, context.rewrites(Context::of_node(merge))});
  return found != run.merges.end() && found->second.closed;
}

/// Nodes a position can come to without passing this merge or one that is closed for it. A token
/// standing at a node has not left it yet, so the node itself counts as reached.
NodeSet walk(const Run& run, const MergeKey& key, const Position& from) {
  const Definition& definition = *run.definition;
  NodeSet reached(definition.nodes.size());
  std::vector<NodeIndex> open = {from.node};
  reached.add(from.node);
  while (!open.empty()) {
    NodeIndex node = open.back();
    open.pop_back();
    for (NodeIndex next : definition.level_next[node]) {
      if (next == key.node || reached.has(next)) continue;
      if (definition.nodes[next].type == NodeType::merge &&
          closed_for(run, key.lineage, next, *from.context))
        continue;
      reached.add(next);
      open.push_back(next);
    }
  }
  return reached;
}

/// True when a token at this node may end there, or leave by an aggregator, without passing on.
bool may_end_at(const Definition& definition, NodeIndex node) {
  const Node& at = definition.nodes[node];
  if (at.type == NodeType::split && at.aggregator == no_node) return true;
  if (at.type != NodeType::split)
    for (EdgeIndex edge : at.out_edges)
      if (!definition.is_level_edge(edge)) return true;
  if (is_routing(at.type))
    return std::find(at.routes.begin(), at.routes.end(), no_edge) != at.routes.end();
  return at.normal_out.empty();
}

}  // namespace

Expectation expect(const Run& run, const MergeKey& key) {
  const Definition& definition = *run.definition;
  const Node& node = definition.nodes[key.node];
  const MergeAnalysis* analysis = definition.merge_analysis(key.node);
  const Merge& merge = run.merges.at(key);
  std::vector<bool> arrived(node.in_edges.size()), deliverable(node.in_edges.size());
  auto mark = [&](std::vector<bool>& edges, EdgeIndex edge) {
    for (size_t i = 0; i < node.in_edges.size(); ++i)
      if (node.in_edges[i] == edge) edges[i] = true;
  };
  for (const Arrival& arrival : merge.arrivals) mark(arrived, arrival.edge);

  bool afresh = lineage_has_tombstone(run, key.lineage);
  NodeSet seen(definition.nodes.size());
  for (const Position& position : live_positions(run, key)) {
    if (position.context->rewrites(Context::of_node(key.node)) != key.visit) continue;
    if (position.node == key.node) {
      mark(deliverable, position.edge);
      continue;
    }
    if (!afresh) {
      if (seen.has(position.node)) continue;
      seen.add(position.node);
      for (size_t i = 0; i < node.in_edges.size(); ++i)
        if (analysis->can_deliver[i].has(position.node)) deliverable[i] = true;
      continue;
    }
    NodeSet reached = walk(run, key, position);
    for (size_t i = 0; i < node.in_edges.size(); ++i)
      if (reached.has(definition.edges[node.in_edges[i]].src) &&
          definition.is_level_edge(node.in_edges[i]))
        deliverable[i] = true;
  }

  if (run.fed) {
    // Whatever has not come may still be sent by others (C-58).
    for (size_t i = 0; i < node.in_edges.size(); ++i)
      if (!arrived[i] && definition.is_level_edge(node.in_edges[i])) deliverable[i] = true;
  }
  Expectation expectation;
  for (size_t i = 0; i < node.in_edges.size(); ++i) {
    if (arrived[i]) ++expectation.arrived;
    if (arrived[i] || deliverable[i]) ++expectation.expected;
    NodeIndex source = definition.edges[node.in_edges[i]].src;
    auto& missing = expectation.missing;
    if (deliverable[i] && std::find(missing.begin(), missing.end(), source) == missing.end())
      missing.push_back(source);
  }
  return expectation;
}

std::vector<TokenId> losers(const Run& run, const MergeKey& key) {
  const Definition& definition = *run.definition;
  // The winner's token has left the merge: it and all behind it count one leaving more.
  std::vector<TokenId> losing;
  for (TokenId id : run.branch(key.lineage).tokens) {
    const Token& token = run.tokens.at(id);
    if (token.context.rewrites(Context::of_node(key.node)) != key.visit) continue;
    if (token.node == key.node) {
      losing.push_back(id);
      continue;
    }
    if (!definition.level_reach[token.node].has(key.node)) continue;
    NodeSet reached = walk(run, key, {token.node, &token.context});
    bool may_end = false;
    for (NodeIndex node = 0; node < definition.nodes.size() && !may_end; ++node)
      may_end = reached.has(node) && may_end_at(definition, node);
    if (!may_end) losing.push_back(id);
  }
  return losing;
}

}  // namespace fermata::graph
