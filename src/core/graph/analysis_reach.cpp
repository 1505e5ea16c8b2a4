#include <algorithm>

#include "core/graph/analysis.h"

namespace fermata::graph {
namespace {

/// Tarjan's algorithm with its own stack, so that a long chain of nodes costs no call depth.
class ComponentSearch {
 public:
  explicit ComponentSearch(const Successors& next)
      : next_(next), order_(next.size(), unseen), low_(next.size(), 0), open_(next.size(), false) {
    result_.of.assign(next.size(), 0);
  }

  Components run() {
    for (NodeIndex node = 0; node < next_.size(); ++node)
      if (order_[node] == unseen) search(node);
    return std::move(result_);
  }

 private:
  static constexpr uint32_t unseen = UINT32_MAX;
  struct Frame {
    NodeIndex node;
    size_t edge;
  };

  void enter(NodeIndex node) {
    order_[node] = low_[node] = counter_++;
    open_[node] = true;
    path_.push_back(node);
    frames_.push_back({node, 0});
  }

  void search(NodeIndex root) {
    enter(root);
    while (!frames_.empty()) {
      Frame& frame = frames_.back();
      NodeIndex node = frame.node;
      if (frame.edge < next_[node].size()) {
        NodeIndex to = next_[node][frame.edge++];
        if (order_[to] == unseen)
          enter(to);
        else if (open_[to])
          low_[node] = std::min(low_[node], order_[to]);
        continue;
      }
      frames_.pop_back();
      if (!frames_.empty()) {
        NodeIndex parent = frames_.back().node;
        low_[parent] = std::min(low_[parent], low_[node]);
      }
      if (low_[node] == order_[node]) close(node);
    }
  }

  void close(NodeIndex root) {
    std::vector<NodeIndex> members;
    while (members.empty() || members.back() != root) {
      members.push_back(path_.back());
      path_.pop_back();
      open_[members.back()] = false;
      result_.of[members.back()] = static_cast<uint32_t>(result_.members.size());
    }
    const auto& next = next_[root];
    bool to_itself = std::find(next.begin(), next.end(), root) != next.end();
    result_.cyclic.push_back(members.size() > 1 || to_itself);
    std::sort(members.begin(), members.end());
    result_.members.push_back(std::move(members));
  }

  const Successors& next_;
  std::vector<uint32_t> order_;
  std::vector<uint32_t> low_;
  std::vector<bool> open_;
  std::vector<NodeIndex> path_;
  std::vector<Frame> frames_;
  uint32_t counter_ = 0;
  Components result_;
};

}  // namespace

Components components_of(const Successors& next) { return ComponentSearch(next).run(); }

std::vector<NodeSet> reach_of(const Successors& next) {
  Components components = components_of(next);
  std::vector<NodeSet> reach(next.size(), NodeSet(next.size()));
  for (size_t c = 0; c < components.members.size(); ++c) {
    NodeSet all(next.size());
    for (NodeIndex node : components.members[c]) {
      if (components.cyclic[c]) all.add(node);
      for (NodeIndex to : next[node]) {
        all.add(to);
        if (components.of[to] != c) all.unite(reach[to]);
      }
    }
    for (NodeIndex node : components.members[c]) reach[node] = all;
  }
  return reach;
}

Successors reversed(const Successors& next) {
  Successors before(next.size());
  for (NodeIndex node = 0; node < next.size(); ++node)
    for (NodeIndex to : next[node]) before[to].push_back(node);
  return before;
}

NodeSet leading_to(const Successors& before, const std::vector<NodeIndex>& goal,
                   const std::vector<bool>& barred) {
  NodeSet found(before.size());
  std::vector<NodeIndex> open;
  auto meet = [&](NodeIndex node) {
    if (barred[node] || found.has(node)) return;
    found.add(node);
    open.push_back(node);
  };
  for (NodeIndex node : goal) meet(node);
  while (!open.empty()) {
    NodeIndex node = open.back();
    open.pop_back();
    for (NodeIndex from : before[node]) meet(from);
  }
  return found;
}

Successors all_next(const Definition& definition) {
  Successors next(definition.nodes.size());
  for (NodeIndex node = 0; node < next.size(); ++node)
    for (EdgeIndex edge : definition.nodes[node].out_edges)
      next[node].push_back(definition.edges[edge].dst);
  return next;
}

void link_edges(Definition& definition) {
  for (Node& node : definition.nodes) {
    node.in_edges.clear();
    node.out_edges.clear();
    node.normal_out.clear();
  }
  for (EdgeIndex index = 0; index < definition.edges.size(); ++index) {
    const Edge& edge = definition.edges[index];
    if (edge.src == no_node || edge.dst == no_node || edge.src == edge.dst) continue;
    Node& from = definition.nodes[edge.src];
    from.out_edges.push_back(index);
    definition.nodes[edge.dst].in_edges.push_back(index);
    // The edges a wait names are its branches; those a routing node names are its normal way on.
    bool branch = !is_routing(from.type) &&
                  std::find(from.routes.begin(), from.routes.end(), index) != from.routes.end();
    if (index != from.error_edge && !branch) from.normal_out.push_back(index);
  }
}

std::vector<std::vector<NodeIndex>> unbounded_cycles(const Definition& definition,
                                                     const NodeSet& excused) {
  auto bounded = [&](NodeIndex node) {
    const Node& at = definition.nodes[node];
    return at.type == NodeType::loop || at.max_visits || excused.has(node);
  };
  Successors next = all_next(definition);
  for (NodeIndex node = 0; node < next.size(); ++node) {
    if (bounded(node)) next[node].clear();
    std::erase_if(next[node], bounded);
  }
  Components components = components_of(next);
  std::vector<std::vector<NodeIndex>> cycles;
  for (size_t c = 0; c < components.members.size(); ++c) {
    if (!components.cyclic[c]) continue;
    // The shortest way back to the first node, found breadth first.
    NodeIndex first = components.members[c].front();
    std::vector<NodeIndex> parent(next.size(), no_node), open = {first};
    for (size_t i = 0; i < open.size() && parent[first] == no_node; ++i)
      for (NodeIndex to : next[open[i]])
        if (components.of[to] == c && parent[to] == no_node) {
          parent[to] = open[i];
          open.push_back(to);
        }
    std::vector<NodeIndex> cycle = {first};
    for (NodeIndex node = parent[first]; node != first; node = parent[node]) cycle.push_back(node);
    std::reverse(cycle.begin() + 1, cycle.end());
    cycles.push_back(std::move(cycle));
  }
  std::sort(cycles.begin(), cycles.end());
  return cycles;
}

std::vector<NodeSet> context_reach(const Definition& definition) {
  Successors next(definition.nodes.size());
  for (NodeIndex node = 0; node < next.size(); ++node) {
    const Node& from = definition.nodes[node];
    for (EdgeIndex edge : from.out_edges) {
      NodeIndex to = definition.edges[edge].dst;
      if (definition.nodes[to].type != NodeType::aggregator) next[node].push_back(to);
    }
    if (from.aggregator != no_node) next[node].push_back(from.aggregator);
  }
  return reach_of(next);
}

}  // namespace fermata::graph
