#include <map>
#include <set>
#include <tuple>

#include "sim/auditors/auditor.h"

namespace fermata::sim {

namespace {

using Key = std::tuple<NodeIndex, Lineage, uint32_t>;

/// Each activation, named by node, lineage and visit, ends at most once (G-63); attempts count up;
/// in a pause nothing starts (G-95); what was told as skipped never runs, and in the end every node
/// outside splits has run or was told (G-100).
class ActivationAuditor final : public Auditor {
 public:
  void event(const Run& before, const Event& event) override {
    if (const auto* body = std::get_if<NodeStarted>(&event.body)) {
      begins(before, body->activation);
    } else if (const auto* succeeded = std::get_if<NodeSucceeded>(&event.body)) {
      ends(before, succeeded->activation);
    } else if (const auto* failed = std::get_if<NodeFailed>(&event.body)) {
      ends(before, failed->activation);
    } else if (const auto* resumed = std::get_if<WaitResumed>(&event.body)) {
      ends(before, resumed->activation);
    } else if (const auto* opened = std::get_if<SplitOpened>(&event.body)) {
      if (opened->activation.token != 0) ends(before, opened->activation);
    } else if (const auto* arrived = std::get_if<TokensArrived>(&event.body)) {
      may_run(before, *arrived);
    } else if (const auto* retried = std::get_if<NodeRetryScheduled>(&event.body)) {
      still(before, retried->activation);
    } else if (const auto* requested = std::get_if<CallRequested>(&event.body)) {
      still(before, requested->activation);
    } else if (std::holds_alternative<MergeArrived>(event.body) ||
               std::holds_alternative<MergeOpened>(event.body) ||
               std::holds_alternative<MergeFailed>(event.body)) {
      if (before.paused()) violate(before, "a merge moves in a pause");
    } else if (const auto* skipped = std::get_if<NodesSkipped>(&event.body)) {
      skips(before, *skipped);
    } else if (std::holds_alternative<RunCompleted>(event.body)) {
      all_told(before);
    }
  }

 private:
  const Token& token_of(const Run& run, const Activation& activation) {
    auto found = run.tokens.find(activation.token);
    if (found == run.tokens.end()) violate(run, "an event of a token that is gone");
    const Token& token = found->second;
    if (token.node != activation.node || token.lineage != activation.lineage)
      violate(run, "an event of a token that stands elsewhere");
    return token;
  }
  /// What others send to a node makes it and all behind it possible again.
  void may_run(const Run& run, const TokensArrived& arrived) {
    std::set<NodeIndex>& skipped = skipped_[run.id];
    auto reaches = [&](NodeIndex from) {
      skipped.erase(from);
      std::erase_if(skipped, [&](NodeIndex node) { return run.definition->reach[from].has(node); });
    };
    if (arrived.edges.empty() && arrived.node != graph::no_node) reaches(arrived.node);
    for (EdgeIndex edge : arrived.edges) reaches(run.definition->edges[edge].dst);
  }
  void skips(const Run& run, const NodesSkipped& skipped) {
    for (NodeIndex node : skipped.nodes) {
      if (run.done.contains(node)) violate(run, "a node that ran is told as skipped");
      if (!skipped_[run.id].insert(node).second) violate(run, "a node is told as skipped twice");
    }
  }
  void all_told(const Run& run) {
    for (NodeIndex node = 0; node < run.definition->nodes.size(); ++node)
      if (run.definition->outside_splits[node] && !run.done.contains(node) &&
          !run.skipped.contains(node))
        violate(run, run.definition->nodes[node].id + " has neither run nor been skipped");
  }
  void still(const Run& run, const Activation& activation) {
    token_of(run, activation);
    if (ended_[run.id].contains({activation.node, activation.lineage, activation.visit}))
      violate(run, "an activation that has ended goes on");
  }
  void begins(const Run& run, const Activation& activation) {
    const Token& token = token_of(run, activation);
    still(run, activation);
    if (run.paused()) violate(run, "a node starts in a pause");
    not_skipped(run, activation);
    bool first = token.parked == Parked::ready || token.parked == Parked::start;
    uint32_t expected = first ? 1 : token.attempt + 1;
    if (activation.attempt != expected)
      violate(run, "attempt " + std::to_string(activation.attempt) + " instead of " +
                       std::to_string(expected));
  }
  void ends(const Run& run, const Activation& activation) {
    const Token& token = token_of(run, activation);
    const graph::Node& node = run.definition->nodes[token.node];
    not_skipped(run, activation);
    bool reported = token.parked == Parked::call || is_ordered(token.parked) ||
                    token.parked == Parked::approval;
    if (run.paused() && !reported) violate(run, "a node runs in a pause");
    // A split that opened fails later when its items have: the second half of one activation.
    if (token.gathers != 0 && node.type == graph::NodeType::split) return;
    if (!ended_[run.id].insert({activation.node, activation.lineage, activation.visit}).second)
      violate(run, place(run, activation.node, activation.lineage, activation.visit) +
                       " ends a second time");
  }

  void not_skipped(const Run& run, const Activation& activation) {
    if (activation.lineage.outside() && skipped_[run.id].contains(activation.node))
      violate(run, run.definition->nodes[activation.node].id + " runs although it was skipped");
  }

  std::map<RunId, std::set<Key>> ended_;
  std::map<RunId, std::set<NodeIndex>> skipped_;
};

}  // namespace

std::unique_ptr<Auditor> activation_auditor() { return std::make_unique<ActivationAuditor>(); }

}  // namespace fermata::sim
