#include <algorithm>

#include "base/json.h"
#include "core/graph/check_state.h"

namespace fermata::graph {
namespace {

constexpr std::string_view root_names = "json|item|index|trigger|input|run|error";

/// Parses the texts of a definition and judges the references in them.
class ExpressionReader {
 public:
  explicit ExpressionReader(CheckState& state)
      : state_(state), context_(context_reach(state.definition)) {
    limits_.tree_nodes_max = state.limits.expression_tree_max;
    limits_.names = &state.definition.names;
  }

  void read_node(NodeIndex index) {
    Node& node = state_.definition.nodes[index];
    const NodeParameters& parameters = state_.drafts[index].parameters;
    ParameterParts parts = take_apart(parameters);
    node.raw = parameters.values;
    read_strings(index, parts.evaluated, "");
    node.parameters = whole_template(parts.evaluated);
    for (const auto& piece : parts.templates) {
      read_strings(index, piece.value, piece.pointer);
      node.templates.emplace_back(piece.pointer, whole_template(piece.value));
    }
    for (const auto& piece : parts.expressions) {
      auto parsed = parse_piece(piece, parameters.written_at(piece.pointer));
      if (!parsed) continue;
      judge(index, piece.pointer, parsed->roots());
      node.expressions.emplace_back(piece.pointer, *std::move(parsed));
    }
  }

  void read_result() {
    const Value& written = state_.document.get("result");
    if (written.is_null() || written == Value("")) return;
    Value result = sorted_keys(written);
    read_strings(no_node, result, "");
    state_.definition.result = whole_template(result);
  }

 private:
  std::string path_of(NodeIndex index, const std::string& pointer) const {
    if (index == no_node) return "/result" + pointer;
    return state_.drafts[index].parameters.written_at(pointer);
  }

  /// Each string by itself, so that a finding names the very string.
  void read_strings(NodeIndex index, const Value& value, const std::string& pointer) {
    if (value.is_array())
      for (size_t i = 0; i < value.size(); ++i)
        read_strings(index, value.items()[i], pointer + "/" + std::to_string(i));
    if (value.is_object())
      for (const auto& [key, inner] : value.members())
        read_strings(index, inner, pointer + "/" + escape_pointer(key.as_string()));
    if (!holds_expression(value)) return;
    Template parsed = parse_template(value, state_.definition.names, path_of(index, pointer),
                                     state_.findings.errors, limits_);
    judge(index, pointer, parsed.roots());
  }

  /// Its mistakes have been told by read_strings.
  Template whole_template(const Value& value) {
    std::vector<Finding> told;
    return parse_template(value, state_.definition.names, "", told, limits_);
  }

  std::optional<flow::Expression> parse_piece(const ParameterParts::Piece& piece,
                                              std::string path) {
    bool code = piece.kind == ParameterKind::fragment;
    auto parsed = flow::parse(piece.value.as_string(),
                              code ? flow::Grammar::fragment : flow::Grammar::condition, limits_);
    if (parsed) return *std::move(parsed);
    const flow::SyntaxError& mistake = parsed.error();
    std::string_view before = piece.value.as_string().substr(0, mistake.offset);
    std::string where = code ? "at line " + std::to_string(mistake.line) + ", column " +
                                   std::to_string(mistake.column)
                             : "at character " + std::to_string(code_points(before) + 1);
    state_.findings.error(mistake.code, std::move(path), where + ": " + mistake.message);
    return std::nullopt;
  }

  void judge(NodeIndex index, const std::string& pointer, const std::vector<std::string>& roots) {
    for (const std::string& root : roots) {
      if (is_one_of(root, root_names)) continue;
      auto source = state_.definition.node_by_name(root);
      if (!source) {
        state_.findings.warn("reference_unknown", path_of(index, pointer),
                             "No node has the name " + quoted(root) +
                                 "; write $$ for a dollar "
                                 "sign." +
                                 suggestion(root, state_.definition.names, state_.findings));
      } else if (index != no_node && state_.edges_whole && !is_visible(*source, index, pointer)) {
        bool ran = state_.definition.reach[*source].has(index);
        state_.findings.warn("reference_not_upstream", path_of(index, pointer),
                             ran ? "What " + quoted(root) +
                                       " gives inside a split does not leave "
                                       "its branches; gather it with the aggregator's \"result\"."
                                 : quoted(root) + " cannot have run before this node.",
                             {node_path(*source)});
      }
    }
  }

  /// An aggregator's `result` is taken in the branch, all else in the context of its own token.
  bool is_visible(NodeIndex source, NodeIndex reader, const std::string& pointer) const {
    const Node& node = state_.definition.nodes[reader];
    // What undoes a job is made when the job has ended.
    if (source == reader && pointer.starts_with("/compensation")) return true;
    bool in_branch = node.type == NodeType::aggregator && pointer.starts_with("/result");
    return in_branch ? state_.definition.reach[source].has(reader) : context_[source].has(reader);
  }

  CheckState& state_;
  std::vector<NodeSet> context_;
  flow::ParseLimits limits_;
};

}  // namespace

void compile_expressions(CheckState& state) {
  ExpressionReader reader(state);
  for (NodeIndex i = 0; i < state.drafts.size(); ++i)
    if (state.drafts[i].known) reader.read_node(i);
  reader.read_result();
}

}  // namespace fermata::graph
