#include "core/graph/advance.h"
#include "core/run/step.h"

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

class Fit {
 public:
  Fit(const Run& run, const Definition& to, const Moves& moves)
      : run_(run), to_(to), moves_(moves) {}

  std::vector<Finding> mistakes() {
    for (const auto& [id, token] : run_.tokens) require_same_type(token.node, "a token");
    for (const auto& [id, key] : run_.pending_merges) require_same_type(key.node, "a merge");
    for (const auto& [id, scope] : run_.scopes) {
      require_same_type(scope.split, "an open split");
      NodeIndex split = moves_.nodes[scope.split];
      NodeIndex aggregator = run_.definition->nodes[scope.split].aggregator;
      if (split == graph::no_node) continue;
      NodeIndex expected =
          aggregator == graph::no_node ? graph::no_node : moves_.nodes[aggregator];
      if (to_.nodes[split].aggregator != expected)
        add(scope.split, "the open split is closed by another aggregator");
    }
    return std::move(findings_);
  }

 private:
  void require_same_type(NodeIndex node, const char* what) {
    NodeIndex target = moves_.nodes[node];
    if (target == graph::no_node) {
      add(node, std::string(what) + " stands on a node the other version does not have");
    } else if (to_.nodes[target].type != run_.definition->nodes[node].type) {
      add(node, std::string(what) + " stands on a node of another type in the other version");
    }
  }
  void add(NodeIndex node, std::string message) {
    findings_.push_back({"migration_refused", "/nodes/" + run_.definition->nodes[node].id,
                         std::move(message), {}});
  }

  const Run& run_;
  const Definition& to_;
  const Moves& moves_;
  std::vector<Finding> findings_;
};

}  // namespace

Outcome<void> on_migrate(Step& step, const MigrateRun& migrate) {
  Run& run = step.run;
  if (run.finished()) return fail(ErrorCode::run_finished, "the execution has ended");
  if (migrate.definition->hash == run.definition->hash) return {};
  Moves moves = moves_between(*run.definition, *migrate.definition, migrate.map);
  std::vector<Finding> mistakes = Fit(run, *migrate.definition, moves).mistakes();
  if (!mistakes.empty()) {
    return fail(ErrorCode::migration_refused,
                "the execution does not fit version " + std::to_string(migrate.workflow_version),
                std::move(mistakes));
  }
  RunMigrated event{run.workflow_version, migrate.workflow_version, migrate.definition->hash,
                    std::move(moves.nodes), std::move(moves.edges)};
  run.definition = migrate.definition;
  step.emit(std::move(event));
  graph::touch_pending_merges(step);
  graph::advance(step);
  return {};
}

}  // namespace fermata
