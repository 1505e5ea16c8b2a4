#include <algorithm>

#include "core/graph/analysis.h"

namespace fermata::graph {
namespace {

/// Finds what closes each split by walking its body; nested splits are jumped over, which needs
/// their own answer first (G-65). A split met while its own answer is being looked for is nested in
/// itself.
class SplitSearch {
 public:
  explicit SplitSearch(const Definition& definition)
      : definition_(definition),
        states_(definition.nodes.size(), State::unseen),
        bodies_(definition.nodes.size()) {
    result_.closers.resize(definition.nodes.size());
  }

  SplitAnalysis run() {
    for (NodeIndex node = 0; node < definition_.nodes.size(); ++node)
      if (definition_.nodes[node].type == NodeType::split) search(node);
    NodeSet outside(definition_.nodes.size());
    if (definition_.entry != no_node) outside = walk(no_node, {definition_.entry}, result_.stray);
    collect_levels(std::move(outside));
    for (auto* list : {&result_.stray, &result_.recursive}) {
      std::sort(list->begin(), list->end());
      list->erase(std::unique(list->begin(), list->end()), list->end());
    }
    return std::move(result_);
  }

 private:
  enum class State : uint8_t { unseen, open, done };

  void search(NodeIndex split) {
    if (states_[split] == State::done) return;
    if (states_[split] == State::open) {
      auto from = std::find(open_.begin(), open_.end(), split);
      result_.recursive.insert(result_.recursive.end(), from, open_.end());
      return;
    }
    states_[split] = State::open;
    open_.push_back(split);
    const Node& node = definition_.nodes[split];
    std::vector<NodeIndex> start;
    for (EdgeIndex edge : node.out_edges)
      if (edge != node.error_edge) start.push_back(definition_.edges[edge].dst);
    std::vector<NodeIndex> closers;
    bodies_[split] = walk(split, start, closers);
    std::sort(closers.begin(), closers.end());
    result_.closers[split] = std::move(closers);
    open_.pop_back();
    states_[split] = State::done;
  }

  /// Everything that tokens of one lineage can visit from `start`. Aggregators that they arrive at
  /// end the walk and are added to `arrived`.
  NodeSet walk(NodeIndex split, const std::vector<NodeIndex>& start,
               std::vector<NodeIndex>& arrived) {
    NodeSet seen(definition_.nodes.size());
    std::vector<NodeIndex> open;
    auto enter = [&](NodeIndex node) {
      if (seen.has(node)) return;
      seen.add(node);
      open.push_back(node);
    };
    auto arrive = [&](NodeIndex node) {
      if (node == split) {
        result_.recursive.push_back(split);
      } else if (definition_.nodes[node].type != NodeType::aggregator) {
        enter(node);
      } else if (std::find(arrived.begin(), arrived.end(), node) == arrived.end()) {
        arrived.push_back(node);
      }
    };
    for (NodeIndex node : start) arrive(node);
    while (!open.empty()) {
      NodeIndex index = open.back();
      open.pop_back();
      const Node& node = definition_.nodes[index];
      bool nested = node.type == NodeType::split;
      if (nested) {
        search(index);
        for (NodeIndex aggregator : result_.closers[index]) enter(aggregator);
      }
      for (EdgeIndex edge : node.out_edges)
        if (!nested || edge == node.error_edge) arrive(definition_.edges[edge].dst);
    }
    return seen;
  }

  /// Levels that a run can enter, and with how many frames: one more than the level of its split.
  void collect_levels(NodeSet outside) {
    std::vector<uint64_t> depths(definition_.nodes.size(), 0);
    std::vector<NodeIndex> open;
    auto descend = [&](const NodeSet& nodes, uint64_t above) {
      for (NodeIndex node = 0; node < definition_.nodes.size(); ++node) {
        if (definition_.nodes[node].type != NodeType::split || !nodes.has(node)) continue;
        uint64_t deeper = depths[node] | above << 1;
        if (deeper == depths[node]) continue;
        depths[node] = deeper;
        open.push_back(node);
      }
    };
    descend(outside, 1);
    while (!open.empty()) {
      NodeIndex split = open.back();
      open.pop_back();
      descend(bodies_[split], depths[split]);
    }
    result_.levels.push_back({no_node, std::move(outside), 1});
    for (NodeIndex node = 0; node < definition_.nodes.size(); ++node)
      if (depths[node] != 0) result_.levels.push_back({node, bodies_[node], depths[node]});
  }

  const Definition& definition_;
  std::vector<State> states_;
  std::vector<NodeSet> bodies_;
  std::vector<NodeIndex> open_;
  SplitAnalysis result_;
};

}  // namespace

SplitAnalysis analyse_splits(const Definition& definition) { return SplitSearch(definition).run(); }

}  // namespace fermata::graph
