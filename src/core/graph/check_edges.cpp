#include <map>

#include "base/json.h"
#include "core/graph/check_state.h"

namespace fermata::graph {
namespace {

/// The node an end of an edge names, or no_node with a finding.
NodeIndex read_end(CheckState& state, const Value& written, size_t index, std::string_view field) {
  FieldReader fields(written, edge_path(index), state.findings);
  const Value* value = fields.find(field);
  std::string id = fields.text(field);
  if (value == nullptr) {
    state.findings.error("field_missing", fields.at(field),
                         quoted(field) + " is required: the id of a node.");
    return no_node;
  }
  if (!value->is_string()) return no_node;
  if (auto node = state.definition.node_by_id(id); node && !id.empty()) return *node;
  state.findings.error(
      "edge_node_unknown", fields.at(field),
      "No node has the id " + quoted(id) + "." + suggestion(id, state.node_ids, state.findings));
  return no_node;
}

}  // namespace

void read_edges(CheckState& state) {
  const Value& edges = state.document.get("edges");
  state.definition.edges.resize(edges.size());
  state.definition.index_names();
  std::map<std::string_view, size_t> ids;
  for (size_t i = 0; i < edges.size(); ++i) {
    const Value& written = edges.items()[i];
    if (!written.is_object()) {
      state.findings.error("field_type", edge_path(i),
                           "An edge is an object; this is " + shown(written) + ".");
      state.edges_whole = false;
      continue;
    }
    Edge& edge = state.definition.edges[i];
    edge.id = FieldReader(written, edge_path(i), state.findings).required_id("id");
    edge.src = read_end(state, written, i, "src");
    edge.dst = read_end(state, written, i, "dst");
    if (edge.src == no_node || edge.dst == no_node) state.edges_whole = false;
    if (edge.src != no_node && edge.src == edge.dst)
      state.findings.error("edge_self", edge_path(i),
                           "The edge leads from a node to itself; put a node in between.");
    if (edge.id.empty()) continue;
    auto [first, fresh] = ids.try_emplace(edge.id, i);
    if (!fresh)
      state.findings.error("edge_id_duplicate", edge_path(i) + "/id",
                           "The id " + quoted(edge.id) + " is already in use; choose another.",
                           {edge_path(first->second) + "/id"});
  }
  state.definition.index_names();
}

void find_entry(CheckState& state) {
  Definition& definition = state.definition;
  Findings& findings = state.findings;
  FieldReader fields(state.document, "", findings);
  std::string entry = fields.text("entry");
  NodeIndex trigger = no_node, would_be_trigger = no_node;
  for (NodeIndex i = 0; i < definition.nodes.size(); ++i) {
    if (state.drafts[i].known && is_trigger(definition.nodes[i].type)) would_be_trigger = i;
    if (!definition.nodes[i].trigger) continue;
    if (trigger != no_node)
      findings.error("entry_ambiguous", node_path(i) + "/trigger",
                     "There is a trigger already; a workflow has one.",
                     {node_path(trigger) + "/trigger"});
    else if (!entry.empty())
      findings.error("entry_ambiguous", node_path(i) + "/trigger",
                     "Runs start at the trigger or at \"entry\"; remove one of them.", {"/entry"});
    if (trigger == no_node) trigger = i;
  }
  for (EdgeIndex i = 0; i < definition.edges.size(); ++i) {
    NodeIndex to = definition.edges[i].dst;
    if (to != no_node && definition.nodes[to].trigger)
      findings.error("entry_has_input", edge_path(i) + "/dst",
                     "A run starts at the trigger, so no edge may lead to it.");
  }
  definition.entry = trigger;
  if (trigger != no_node || definition.nodes.empty()) return;
  if (!entry.empty()) {
    if (auto node = definition.node_by_id(entry))
      definition.entry = *node;
    else
      findings.error("entry_missing", "/entry",
                     "No node has the id " + quoted(entry) + "." +
                         suggestion(entry, state.node_ids, findings));
    return;
  }
  std::string hint = would_be_trigger == no_node
                         ? "Add a trigger, or name the first node in \"entry\"."
                         : "Set \"trigger\": true at the node " +
                               quoted(definition.nodes[would_be_trigger].id) + ".";
  findings.error("entry_missing", "/nodes", "Nothing says where a run starts. " + hint);
}

}  // namespace fermata::graph
