#include "core/graph/definition.h"

#include <algorithm>
#include <array>

namespace fermata::graph {
namespace node_rows {

constexpr unsigned none = 0;
constexpr unsigned trigger = 1;
constexpr unsigned routing = 2;
constexpr unsigned structural = 4;
constexpr unsigned effect = 8;
constexpr unsigned parked = 16;

struct Row {
  std::string_view wire;
  unsigned flags;
};

constexpr std::array rows = {
#define FERMATA_NODE(name, wire, flags) Row{wire, flags},
#include "core/graph/node_types.def"
#undef FERMATA_NODE
};

static bool has(NodeType type, unsigned flags) {
  return (rows[static_cast<size_t>(type)].flags & flags) != 0;
}

}  // namespace node_rows

std::string_view wire_name(NodeType type) {
  return node_rows::rows[static_cast<size_t>(type)].wire;
}

std::optional<NodeType> node_type_of(std::string_view wire_name) {
  if (wire_name == "ManualTrigger") return NodeType::manual;
  if (wire_name == "ScheduledTrigger") return NodeType::schedule;
  if (wire_name == "set") return NodeType::edit;
  for (size_t i = 0; i < node_rows::rows.size(); ++i)
    if (node_rows::rows[i].wire == wire_name) return static_cast<NodeType>(i);
  return std::nullopt;
}

std::vector<std::string_view> wire_names() {
  std::vector<std::string_view> names;
  for (const auto& row : node_rows::rows) names.push_back(row.wire);
  return names;
}

bool is_trigger(NodeType type) { return node_rows::has(type, node_rows::trigger); }
bool is_routing(NodeType type) { return node_rows::has(type, node_rows::routing); }
bool is_structural(NodeType type) {
  return node_rows::has(type, node_rows::trigger | node_rows::routing | node_rows::structural);
}
bool has_effect(NodeType type) { return node_rows::has(type, node_rows::effect); }

const flow::Expression* Node::expression(std::string_view pointer) const {
  for (const auto& [at, parsed] : expressions)
    if (at == pointer) return parsed ? &parsed : nullptr;
  return nullptr;
}

const Template* Node::templated(std::string_view pointer) const {
  for (const auto& [at, parsed] : templates)
    if (at == pointer) return &parsed;
  return nullptr;
}

const MergeAnalysis* Definition::merge_analysis(NodeIndex node) const {
  auto at = std::lower_bound(merges.begin(), merges.end(), node,
                             [](const MergeAnalysis& m, NodeIndex n) { return m.node < n; });
  return at != merges.end() && at->node == node ? &*at : nullptr;
}

bool Definition::is_level_edge(EdgeIndex edge) const {
  const Node& from = nodes[edges[edge].src];
  bool begins_branch = from.type == NodeType::split && edge != from.error_edge;
  return !begins_branch && nodes[edges[edge].dst].type != NodeType::aggregator;
}

std::optional<NodeIndex> Definition::node_by_id(std::string_view id) const {
  return nodes_by_id_.find(id);
}
std::optional<NodeIndex> Definition::node_by_name(std::string_view name) const {
  return nodes_by_name_.find(name);
}
std::optional<EdgeIndex> Definition::edge_by_id(std::string_view id) const {
  return edges_by_id_.find(id);
}

void Definition::index_names() {
  nodes_by_id_.clear();
  nodes_by_name_.clear();
  edges_by_id_.clear();
  for (NodeIndex i = 0; i < nodes.size(); ++i) {
    nodes_by_id_.add(nodes[i].id, i);
    nodes_by_name_.add(nodes[i].name, i);
  }
  for (EdgeIndex i = 0; i < edges.size(); ++i) edges_by_id_.add(edges[i].id, i);
  nodes_by_id_.sort();
  nodes_by_name_.sort();
  edges_by_id_.sort();
}

std::optional<uint32_t> NameIndex::find(std::string_view name) const {
  auto at = std::lower_bound(entries_.begin(), entries_.end(), name,
                             [](const auto& entry, std::string_view n) { return entry.first < n; });
  if (at == entries_.end() || at->first != name) return std::nullopt;
  return at->second;
}

void NameIndex::sort() { std::sort(entries_.begin(), entries_.end()); }

}  // namespace fermata::graph
