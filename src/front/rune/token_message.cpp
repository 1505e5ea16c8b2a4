#include "front/rune/token_message.h"

namespace fermata::rune {

namespace {

using graph::Definition;
using graph::NodeIndex;

/// Outputs by node id, payload, item and input of an accumulated context.
void read_context(const Definition& definition, const Value& accumulated, TokenMessage& out) {
  out.input = Value::object();
  out.token.context = Value::object();
  bool has_json = false;
  if (accumulated.is_object()) {
    for (const Value::Member& member : accumulated.members()) {
      std::string_view name = member.key.as_string();
      if (name.starts_with('$')) name.remove_prefix(1);
      if (name == "json") {
        out.token.payload = member.value;
        has_json = true;
      } else if (name == "item" && !out.token.frames.empty()) {
        out.token.item = member.value;
      } else if (auto node = definition.node_by_name(name)) {
        out.token.context.set(definition.nodes[*node].id, member.value);
      } else {
        out.input.set(name, member.value);
      }
    }
  }
  // A sender that gives nothing but the payload means it as the input.
  if (has_json && out.input.size() == 0) out.input = out.token.payload;
  if (!has_json) out.token.payload = out.input;
  if (!out.token.frames.empty() && out.token.item.is_null()) out.token.item = out.token.payload;
}

/// What is wrong with a stack of splits, or empty.
std::string read_frames(const Definition& definition, const Value& stack,
                        std::vector<ArrivalFrame>& frames) {
  if (stack.is_null()) return "";
  if (!stack.is_array()) return "lineage_stack is no list.";
  for (const Value& frame : stack.items()) {
    std::string split = text_in(frame, "split_node_id");
    auto node = definition.node_by_id(split);
    if (!node || definition.nodes[*node].type != graph::NodeType::split)
      return "lineage_stack: the definition has no split " + split + ".";
    const Value& index = frame.get("item_index");
    const Value& total = frame.get("total_items");
    bool counted = index.is_integer() && total.is_integer() && index.as_integer() >= 0 &&
                   index.as_integer() < total.as_integer() && total.as_integer() <= UINT32_MAX;
    if (!counted) return "lineage_stack: item_index and total_items of " + split + " do not fit.";
    frames.push_back({*node, static_cast<uint32_t>(index.as_integer()),
                      static_cast<uint32_t>(total.as_integer())});
  }
  return "";
}

std::optional<graph::EdgeIndex> edge_between(const Definition& definition, NodeIndex from,
                                             NodeIndex to) {
  for (graph::EdgeIndex edge : definition.nodes[to].in_edges)
    if (definition.edges[edge].src == from) return edge;
  return std::nullopt;
}

}  // namespace

std::string text_in(const Value& body, std::string_view field) {
  const Value* found = body.find(field);
  return found && found->is_string() ? std::string(found->as_string()) : "";
}

std::variant<TokenMessage, Unusable> read_token(const Definition& definition, const Value& body,
                                                bool resumes, bool foreign) {
  RunId run(text_in(body, "execution_id"));
  std::string at = text_in(body, "current_node");
  auto node = definition.node_by_id(at);
  if (!node) return Unusable{"node_unknown", "The definition has no node " + at + ".", run};
  TokenMessage out;
  ForeignToken& token = out.token;
  token.node = *node;
  token.resumes = resumes;
  if (std::string wrong = read_frames(definition, body.get("lineage_stack"), token.frames);
      !wrong.empty())
    return Unusable{"lineage_invalid", wrong, run};
  std::string from = text_in(body, "from_node");
  bool initiated = body.get("is_worker_initiated") == Value(true);
  if (resumes) {
    token.edges = definition.nodes[*node].normal_out;
  } else if (!from.empty()) {
    auto source = definition.node_by_id(from);
    auto edge = source ? edge_between(definition, *source, *node) : std::nullopt;
    if (!edge)
      return Unusable{"edge_unknown", "No edge leads from " + from + " to " + at + ".", run};
    token.edges = {*edge};
  }
  read_context(definition, body.get("accumulated_context"), out);
  bool begins = !resumes && from.empty() && !initiated && token.frames.empty();
  // A start that is told of once more under another id is still that start.
  token.joins = !begins || *node != definition.entry;
  token.feeds = foreign && (!from.empty() || initiated || resumes || !token.frames.empty());
  out.plain = begins && *node == definition.entry && token.context.size() == 0;
  return out;
}

}  // namespace fermata::rune
