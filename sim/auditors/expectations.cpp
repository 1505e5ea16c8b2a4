#include <map>
#include <set>

#include "sim/auditors/auditor.h"

namespace fermata::sim {

namespace {

using graph::Definition;
using graph::Node;
using graph::NodeType;

/// G-73 and G-74 word for word, walked afresh for every merge after every commit: slow and obvious.
class Walk {
 public:
  Walk(const Run& run, const MergeKey& key) : run_(run), definition_(*run.definition), key_(key) {}

  /// Edges into the merge that can still deliver.
  std::set<EdgeIndex> deliverable() {
    const Branch& branch = run_.branch(key_.lineage);
    for (TokenId id : branch.tokens) {
      const Token& token = run_.tokens.at(id);
      from(token.node, token.context, token.edge);
    }
    for (ScopeId id : branch.scopes) {
      const Scope& scope = run_.scopes.at(id);
      NodeIndex aggregator = definition_.nodes[scope.split].aggregator;
      // Without an aggregator the split itself may still fail, by its items, and branch.
      from(aggregator != graph::no_node ? aggregator : scope.split, scope.base, graph::no_edge);
    }
    for (const auto& [key, merge] : run_.merges) {
      if (key.lineage != key_.lineage || key == key_) continue;
      for (const Arrival& arrival : merge.arrivals) from(key.node, arrival.context, graph::no_edge);
    }
    return std::move(found_);
  }

 private:
  void from(NodeIndex start, const Context& context, EdgeIndex edge) {
    if (context.rewrites(Context::of_node(key_.node)) != key_.visit) return;
    if (start == key_.node) {
      found_.insert(edge);
      return;
    }
    std::set<NodeIndex> seen = {start};
    std::vector<NodeIndex> open = {start};
    while (!open.empty()) {
      NodeIndex node = open.back();
      open.pop_back();
      for (NodeIndex next : step(node)) {
        if (next == key_.node || seen.contains(next) || barred(next, context)) continue;
        seen.insert(next);
        open.push_back(next);
      }
    }
  }
  bool barred(NodeIndex node, const Context& context) const {
    auto merge = run_.merges.find({key_.lineage, node, context.rewrites(Context::of_node(node))});
    return merge != run_.merges.end() && merge->second.closed;
  }
  /// Where the level graph leads from a node; notes the edges that lead into the merge.
  std::vector<NodeIndex> step(NodeIndex index) {
    const Node& node = definition_.nodes[index];
    std::vector<NodeIndex> next;
    if (node.type == NodeType::split && node.aggregator != graph::no_node)
      next.push_back(node.aggregator);
    for (EdgeIndex edge = 0; edge < definition_.edges.size(); ++edge) {
      const graph::Edge& at = definition_.edges[edge];
      if (at.src != index) continue;
      if (node.type == NodeType::split && edge != node.error_edge) continue;
      if (definition_.nodes[at.dst].type == NodeType::aggregator) continue;
      if (at.dst == key_.node) found_.insert(edge);
      next.push_back(at.dst);
    }
    return next;
  }

  const Run& run_;
  const Definition& definition_;
  const MergeKey key_;
  std::set<EdgeIndex> found_;
};

class ExpectationAuditor final : public Auditor {
 public:
  void written(const Run& after, const RunSummary&) override {
    if (after.finished() || after.paused() || has_ready_work(after)) return;
    for (const auto& [id, key] : after.pending_merges) judge(after, key);
  }

 private:
  void judge(const Run& run, const MergeKey& key) {
    const Merge& merge = run.merges.at(key);
    std::string name = "merge " + place(run, key.node, key.lineage, key.visit);
    if (merge.parameters.get("wait_mode") == Value("wait_for_any"))
      violate(run, name + " waits for any and has an arrival, but is not open");
    const Branch& branch = run.branch(key.lineage);
    if (branch.tokens.empty() && branch.scopes.empty() && !run.fed)
      violate(run, name + " is pending although only merges hold tokens");
    std::set<EdgeIndex> expected;
    for (const Arrival& arrival : merge.arrivals) expected.insert(arrival.edge);
    size_t arrived = expected.size();
    std::set<EdgeIndex> deliverable = Walk(run, key).deliverable();
    // Others may send over every edge that has brought nothing (C-58).
    if (run.fed)
      for (EdgeIndex edge : run.definition->nodes[key.node].in_edges)
        if (!expected.contains(edge) && run.definition->is_level_edge(edge))
          deliverable.insert(edge);
    if (deliverable.empty()) violate(run, name + " can get nothing more, but is not open");
    expected.insert(deliverable.begin(), deliverable.end());
    if (merge.arrived != arrived || merge.expected != expected.size())
      violate(run, name + " tells " + std::to_string(merge.arrived) + "/" +
                       std::to_string(merge.expected) + " instead of " + std::to_string(arrived) +
                       "/" + std::to_string(expected.size()));
  }
};

}  // namespace

std::unique_ptr<Auditor> expectation_auditor() { return std::make_unique<ExpectationAuditor>(); }

}  // namespace fermata::sim
