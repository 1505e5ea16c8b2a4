#include <algorithm>

#include "base/json.h"
#include "core/graph/check_state.h"
#include "core/graph/nodes/parts.h"

namespace fermata::graph {
namespace {

/// Resolves everything by which one node names its out-edges.
class RouteReader {
 public:
  RouteReader(CheckState& state, NodeIndex index)
      : state_(state),
        definition_(state.definition),
        index_(index),
        node_(state.definition.nodes[index]),
        draft_(state.drafts[index]) {}

  void read() {
    read_error_edge();
    if (!draft_.known) return;
    switch (node_.type) {
      case NodeType::conditional: node_.routes = {way("true_edge_id"), way("false_edge_id")}; break;
      case NodeType::loop: node_.routes = {way("body_edge_id"), way("done_edge_id")}; break;
      case NodeType::switch_: read_switch(); break;
      case NodeType::wait_for_signal: node_.routes = {named("timeout_edge_id")}; break;
      case NodeType::approval:
        node_.routes = {named("approve_edge_id"), named("reject_edge_id")};
        break;
      case NodeType::wait: read_wait(); break;
      default: break;
    }
    for (const auto& [key, value] : draft_.parameters.values.members())
      if (key.as_string().ends_with("edge_id") && !was_read(key.as_string()))
        named(key.as_string());
    check_reuse();
  }

 private:
  std::string at(std::string_view name) const {
    return draft_.parameters.written_at("/" + escape_pointer(name));
  }

  /// The edge with this id if it leaves this node; else no_edge and a finding.
  EdgeIndex resolve(std::string_view id, const std::string& path) {
    auto edge = definition_.edge_by_id(id);
    if (!edge) {
      state_.findings.error("edge_reference_unknown", path,
                            "No edge has the id " + quoted(id) + ".");
      return no_edge;
    }
    NodeIndex source = definition_.edges[*edge].src;
    if (source == index_) return *edge;
    // An edge whose source is unknown has a finding of its own already.
    if (source != no_node)
      state_.findings.error("edge_reference_foreign", path,
                            "The edge " + quoted(id) + " leaves the node " +
                                quoted(definition_.nodes[source].id) +
                                "; name one that leaves this node.",
                            {edge_path(*edge)});
    return no_edge;
  }

  EdgeIndex named(std::string_view name) {
    read_.emplace_back(name);
    const Value& id = draft_.parameters.values.get(name);
    if (id.is_string() && !id.as_string().empty()) return resolve(id.as_string(), at(name));
    return no_edge;
  }

  /// The ways out of a wait that are taken alone: a past date, or a timeout and the events.
  void read_wait() {
    if (draft_.parameters.values.get("wait_type") != Value("for_event")) {
      node_.routes = {branch("past"), branch("missing")};
      return;
    }
    node_.routes = {branch("timeout")};
    const Value& events = draft_.parameters.values.get("events");
    if (!events.is_array()) return;
    for (size_t i = 0; i < events.size(); ++i) {
      const Value& name = events.items()[i].get("branch");
      if (!name.is_string() || name.as_string().empty()) continue;
      std::string path = draft_.parameters.written_at("/events/" + std::to_string(i) + "/branch");
      node_.routes.push_back(way_to(name.as_string(), path));
    }
  }

  /// The edge of this node that has the name, or leads to the node that has it.
  EdgeIndex way_to(std::string_view name, const std::string& path) {
    auto edge = definition_.edge_by_id(name);
    if (edge && definition_.edges[*edge].src == index_) return *edge;
    return edge_to(name, path);
  }

  EdgeIndex edge_to(std::string_view step, const std::string& path) {
    for (EdgeIndex i = 0; i < definition_.edges.size(); ++i) {
      const Edge& candidate = definition_.edges[i];
      bool leads = candidate.src == index_ && candidate.dst != no_node &&
                   definition_.nodes[candidate.dst].id == step;
      if (leads) return i;
    }
    state_.findings.error("edge_reference_unknown", path,
                          "No edge leads from this node to a node " + quoted(step) + ".");
    return no_edge;
  }

  /// A branch of a wait, named by its edge or by the node at the end of it (W-47).
  EdgeIndex branch(const std::string& prefix) {
    EdgeIndex edge = named(prefix + "_edge_id");
    const Value& step = draft_.parameters.values.get(prefix + "_step");
    bool branches = draft_.parameters.values.get(prefix + "_action") == Value("branch");
    if (!branches) return no_edge;
    if (edge != no_edge || !step.is_string()) return edge;
    return edge_to(step.as_string(), at(prefix + "_step"));
  }

  /// A route that should be there.
  EdgeIndex way(std::string_view name) {
    const Value& id = draft_.parameters.values.get(name);
    if (id.is_null() || (id.is_string() && id.as_string().empty())) missing(at(name), name);
    return named(name);
  }

  void missing(std::string path, std::string_view name) {
    state_.findings.warn(
        "route_missing", std::move(path),
        "There is no edge for " + quoted(name) + ", so a token that goes this way ends here.");
  }

  void read_switch() {
    const Value& rules = draft_.parameters.values.get("rules");
    const Value& routes = draft_.parameters.values.get("routes");
    node_.rules = static_cast<uint32_t>(rules.is_array() ? rules.size() : 0);
    node_.routes.assign(node_.rules + 1, no_edge);
    for (size_t i = 0; i <= node_.rules; ++i) {
      std::string path = draft_.parameters.written_at("/routes/" + std::to_string(i));
      bool given = routes.is_array() && i < routes.size();
      const Value& id = given ? routes.items()[i] : Value();
      if (id.is_string() && !id.as_string().empty()) {
        node_.routes[i] = resolve(id.as_string(), path);
      } else if (given && !id.is_null() && !id.is_string()) {
        state_.findings.error("parameter_invalid", path,
                              "A route is the id of an edge or null; this is " + shown(id) + ".");
      } else if (given || i < node_.rules) {
        missing(path, i < node_.rules ? "rule " + std::to_string(i) : std::string("no rule"));
      }
    }
  }

  void read_error_edge() {
    std::string path = node_path(index_) + "/error";
    if (!draft_.error_edge.empty())
      node_.error_edge = resolve(draft_.error_edge, path + "/error_edge");
    else if (node_.on_error == ErrorPolicy::branch)
      state_.findings.error("error_edge_missing", path,
                            "The policy \"branch\" needs \"error_edge\": the id of an edge that "
                            "leaves this node.");
    if (node_.error_edge != no_edge && node_.on_error != ErrorPolicy::branch)
      state_.findings.warn("edge_unused", edge_path(node_.error_edge),
                           "The error edge is followed only with the policy \"branch\".", {path});
  }

  void check_reuse() {
    if (node_.error_edge == no_edge) return;
    if (std::find(node_.routes.begin(), node_.routes.end(), node_.error_edge) == node_.routes.end())
      return;
    state_.findings.error("error_edge_reused", node_path(index_) + "/error",
                          "The edge " + quoted(draft_.error_edge) +
                              " is also a normal route; a failure needs an edge of its own.",
                          {edge_path(node_.error_edge)});
  }

  bool was_read(std::string_view name) const {
    return std::find(read_.begin(), read_.end(), name) != read_.end();
  }

  CheckState& state_;
  Definition& definition_;
  NodeIndex index_;
  Node& node_;
  NodeDraft& draft_;
  std::vector<std::string> read_;
};

void warn_unused_edges(CheckState& state) {
  for (const Node& node : state.definition.nodes) {
    // An approval that names the edge of its yes goes no other way.
    bool named = node.type == NodeType::approval && node.routes.at(approval_approve) != no_edge;
    if (!is_routing(node.type) && !named) continue;
    for (EdgeIndex edge : node.normal_out)
      if (std::find(node.routes.begin(), node.routes.end(), edge) == node.routes.end())
        state.findings.warn("edge_unused", edge_path(edge),
                            "No route of the node " + quoted(node.id) +
                                " names this edge, so no token follows it.");
  }
}

/// Which starts a run has to remember, because a wait may look back to them (W-56).
void mark_starts(CheckState& state) {
  Definition& definition = state.definition;
  bool any = false;
  for (const NodeDraft& draft : state.drafts) {
    const Value& values = draft.parameters.values;
    if (!draft.known || values.get("wait_type") != Value("for_event")) continue;
    any = true;
    const Value& related = values.get("related_step");
    if (!related.is_string()) continue;
    if (auto node = definition.node_by_id(related.as_string())) {
      definition.nodes[*node].start_named = true;
    } else {
      state.findings.error("parameter_invalid", draft.parameters.written_at("/related_step"),
                           "No node has the id " + quoted(related.as_string()) + ".");
    }
  }
  if (!any) return;
  for (Node& node : definition.nodes)
    node.start_outside = node.type == NodeType::http || node.type == NodeType::smtp ||
                         node.type == NodeType::job || node.type == NodeType::subworkflow;
}

}  // namespace

void resolve_edges(CheckState& state) {
  for (NodeIndex i = 0; i < state.drafts.size(); ++i)
    if (state.drafts[i].written != nullptr) RouteReader(state, i).read();
  mark_starts(state);
  link_edges(state.definition);
  warn_unused_edges(state);
}

}  // namespace fermata::graph
