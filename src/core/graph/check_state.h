#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/graph/analysis.h"
#include "core/graph/check.h"
#include "core/graph/check_words.h"
#include "core/graph/parameters.h"

/// The steps of checking a definition, in the order in which check_definition takes them. Each adds
/// its findings and goes on with whatever could be understood, so that one save tells everything.
namespace fermata::graph {

/// What a node's entry in the document says beyond what its Node holds.
struct NodeDraft {
  const Value* written = nullptr;  ///< the object, or nullptr when the entry is something else
  bool known = false;              ///< its type is one this build runs
  NodeParameters parameters;
  std::string error_edge;  ///< id, empty when not given
};

struct CheckState {
  const Value& document;
  const DefinitionLimits& limits;
  Findings findings = {};
  Definition definition = {};
  std::vector<NodeDraft> drafts = {};  ///< by position, as in definition.nodes
  std::vector<std::string> node_ids = {};
  /// Every type is known and every edge has both ends. Without that, what depends on the shape of
  /// the graph would only repeat the fault that made it so.
  bool types_known = true;
  bool edges_whole = true;
  SplitAnalysis splits = {};
};

/// Reads the fields of one object of the document. Null counts as absent.
class FieldReader {
 public:
  FieldReader(const Value& object, std::string path, Findings& findings)
      : object_(object), path_(std::move(path)), findings_(findings) {}

  const Value* find(std::string_view name) const;
  std::string at(std::string_view name) const;
  /// An id that must be there, of 1 to 100 characters.
  std::string required_id(std::string_view name);
  std::string text(std::string_view name);
  bool boolean(std::string_view name);
  std::optional<int64_t> whole(std::string_view name, int64_t least, int64_t most);
  std::optional<double> number(std::string_view name, double least, double most);
  /// One of the choices; the first when absent or wrong.
  std::string choice(std::string_view name, std::string_view choices);
  const Value* object(std::string_view name);
  const Value* array(std::string_view name);
  void warn_unknown(std::string_view known, std::string_view owner) const;

 private:
  void wrong(std::string_view name, const std::string& expected) const;

  const Value& object_;
  std::string path_;
  Findings& findings_;
};

/// False when the document has no nodes and edges to go on with.
bool read_workflow(CheckState& state);
void read_nodes(CheckState& state);
void read_edges(CheckState& state);
void find_entry(CheckState& state);
/// Names, types and parameters, which need all nodes.
void check_names(CheckState& state);
void check_node_types(CheckState& state);
/// Error edges, routes and branches; links the nodes.
void resolve_edges(CheckState& state);
void check_shape(CheckState& state);
/// Parses what may hold expressions and judges the references in it.
void compile_expressions(CheckState& state);
/// The canonical form and its hash (G-2).
void make_canonical(CheckState& state);
Value layout_of(const CheckState& state);

constexpr std::string_view workflow_fields =
    "nodes|edges|entry|result|timeout_ms|notes|on_failure|on_deactivate|workflow_id|execution_id";
constexpr std::string_view node_fields =
    "id|name|type|trigger|parameters|error|credentials|retry|timeout_ms|max_visits|disabled|output|"
    "position|webhook_guid";
constexpr std::string_view edge_fields = "id|src|dst";

/// Puts findings into document order and, when the text is known, says line and column.
void order_findings(const Value& document, std::string_view text, std::vector<Finding>& findings);

}  // namespace fermata::graph
