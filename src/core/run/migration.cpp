#include "core/run/migration.h"

#include <algorithm>

namespace fermata {

namespace {

using graph::Definition;
using graph::Node;

/// Where the nodes and edges of one version stand in another.
struct Moves {
  std::vector<NodeIndex> nodes;
  std::vector<EdgeIndex> edges;
};

Moves moves_between(const Definition& from, const Definition& to, const Value& map) {
  Moves moves;
  for (const Node& node : from.nodes) {
    const Value* mapped = map.find(node.id);
    auto target = to.node_by_id(mapped && mapped->is_string() ? mapped->as_string() : node.id);
    moves.nodes.push_back(target.value_or(graph::no_node));
  }
  for (const graph::Edge& edge : from.edges)
    moves.edges.push_back(to.edge_by_id(edge.id).value_or(graph::no_edge));
  return moves;
}

/// A map that names what is not there is a mistake, not a wish.
std::vector<Finding> map_mistakes(const Definition& from, const Definition& to, const Value& map) {
  std::vector<Finding> findings;
  if (!map.is_object()) return findings;
  for (const Value::Member& member : map.members()) {
    std::string old(member.key.as_string());
    auto add = [&](std::string message) {
      findings.push_back({"migration_refused", "/map/" + old, std::move(message), {}});
    };
    if (!from.node_by_id(old)) add("the execution's version has no node " + old);
    if (!member.value.is_string() || !to.node_by_id(member.value.as_string()))
      add("the other version has no such node");
  }
  return findings;
}

class Fit {
 public:
  Fit(const Run& run, const Definition& to, const Moves& moves)
      : run_(run), to_(to), moves_(moves) {}

  std::vector<Finding> mistakes() {
    for (const auto& [id, token] : run_.tokens) {
      require_same_type(token.node, "a token");
      if (is_merge(token.node)) require_edge(token.node, token.edge);
    }
    for (const auto& [id, key] : run_.pending_merges) {
      require_same_type(key.node, "a merge");
      for (const Arrival& arrival : run_.merges.at(key).arrivals)
        require_edge(key.node, arrival.edge);
    }
    for (const auto& [id, scope] : run_.scopes) {
      require_same_type(scope.split, "an open split");
      NodeIndex split = moves_.nodes[scope.split];
      NodeIndex aggregator = run_.definition->nodes[scope.split].aggregator;
      if (split == graph::no_node) continue;
      NodeIndex expected = aggregator == graph::no_node ? graph::no_node : moves_.nodes[aggregator];
      if (to_.nodes[split].aggregator != expected)
        add(scope.split, "the open split is closed by another aggregator");
    }
    return std::move(findings_);
  }

 private:
  bool is_merge(NodeIndex node) const {
    return run_.definition->nodes[node].type == graph::NodeType::merge;
  }
  void require_same_type(NodeIndex node, const char* what) {
    NodeIndex target = moves_.nodes[node];
    if (target == graph::no_node) {
      add(node, std::string(what) + " stands on a node the other version does not have");
    } else if (to_.nodes[target].type != run_.definition->nodes[node].type) {
      add(node, std::string(what) + " stands on a node of another type in the other version");
    }
  }
  /// The order of a merge's inputs, and which of them are missing, is told by its edges.
  void require_edge(NodeIndex merge, EdgeIndex edge) {
    NodeIndex target = moves_.nodes[merge];
    if (target == graph::no_node || edge == graph::no_edge) return;
    EdgeIndex moved = moves_.edges[edge];
    if (moved != graph::no_edge && to_.edges[moved].dst == target) return;
    add(merge, "an input has come over edge " + run_.definition->edges[edge].id +
                   ", which does not lead to this merge in the other version");
  }
  void add(NodeIndex node, std::string message) {
    Finding finding{
        "migration_refused", "/nodes/" + run_.definition->nodes[node].id, std::move(message), {}};
    // Ten thousand tokens at one node are told once.
    if (std::find(findings_.begin(), findings_.end(), finding) == findings_.end())
      findings_.push_back(std::move(finding));
  }

  const Run& run_;
  const Definition& to_;
  const Moves& moves_;
  std::vector<Finding> findings_;
};

}  // namespace

Outcome<RunMigrated> plan_migration(const Run& run, const MigrationTarget& target) {
  const Definition& to = *target.definition;
  if (run.definition->is_script() || to.is_script() || run.definition->external != to.external)
    return fail(ErrorCode::migration_refused, "a graph goes on as a graph");
  Moves moves = moves_between(*run.definition, to, target.map);
  std::vector<Finding> mistakes = map_mistakes(*run.definition, to, target.map);
  for (Finding& finding : Fit(run, to, moves).mistakes()) mistakes.push_back(std::move(finding));
  if (!mistakes.empty()) {
    return fail(ErrorCode::migration_refused,
                "the execution does not fit version " + std::to_string(target.workflow_version),
                std::move(mistakes));
  }
  return RunMigrated{run.workflow_version, target.workflow_version, to.hash, std::move(moves.nodes),
                     std::move(moves.edges)};
}

}  // namespace fermata
