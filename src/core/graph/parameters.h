#pragma once
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/time.h"
#include "base/value.h"
#include "core/graph/check_words.h"
#include "core/graph/definition.h"

/// What the parameters of each node type may be: tables (parameters_*.cpp) and the code that holds
/// a document against them.
namespace fermata::graph {

enum class ParameterKind : uint8_t {
  text,
  number,  ///< or numeric text, or a reference that yields either (G-27)
  whole,   ///< a number without fraction, in the same forms
  boolean,
  choice,  ///< one of `choices`
  list,    ///< an array; of objects with `fields` when these are given
  object,
  array,  ///< an array, or an expression that yields one
  any,
  edge,       ///< id of an out-edge; never evaluated
  edges,      ///< array of such ids or null
  condition,  ///< raw text, parsed as a condition
  fragment,   ///< raw text, parsed as a code fragment
  plain,      ///< raw text that is taken as it is
};

/// One parameter of a node type, or one field of the objects in a list.
struct Parameter {
  std::string_view name;
  ParameterKind kind = ParameterKind::any;
  std::string_view standard = {};  ///< the default as JSON text; empty when there is no fixed one
  std::string_view choices = {};   ///< separated by |
  double least = -std::numeric_limits<double>::infinity();
  double most = std::numeric_limits<double>::infinity();
  bool required = false;
  bool raw = false;  ///< left to the node (kinds edge, edges, condition, fragment, plain always)
  bool literal = false;  ///< no expression allowed: needed before any run exists
  std::string_view alias = {};
  std::span<const Parameter> fields = {};
};

const Parameter* parameter_named(std::span<const Parameter> table, std::string_view name);
/// True for kinds that are left to their node whatever `raw` says.
bool never_evaluated(ParameterKind kind);

/// Parameters of one node while they are checked: what was written becomes the canonical form.
struct NodeParameters {
  NodeType type = NodeType::noop;
  Value values;      ///< canonical: defaults filled in, aliases renamed, `config` flattened
  std::string path;  ///< "/nodes/3/parameters"
  /// Canonical name to where it was written, for the few that moved ("duration":
  /// "/config/duration").
  std::vector<std::pair<std::string, std::string>> moved;

  /// Where the value at `pointer` inside `values` stands in the document.
  std::string written_at(std::string_view pointer) const;
  /// The value if it is there and is no expression.
  const Value* literal(std::string_view name) const;
};

/// The table of one type. `rules` checks what a table cannot say: fields that depend on each other.
struct NodeSchema {
  std::span<const Parameter> parameters;
  void (*rules)(const NodeParameters& node, Findings& findings) = nullptr;
};

/// `written` decides between the forms of a wait.
NodeSchema schema_of(NodeType type, const Value& written);

/// Checks the `parameters` of a node against its type and brings them into canonical form.
NodeParameters check_parameters(NodeType type, const Value& written, std::string path,
                                Findings& findings);

/// The canonical parameters taken apart by who evaluates them (G-10).
struct ParameterParts {
  struct Piece {
    std::string pointer;  ///< inside `parameters`
    ParameterKind kind;
    Value value;
  };
  Value evaluated;                 ///< everything that is not raw
  std::vector<Piece> expressions;  ///< conditions and fragments
  std::vector<Piece> templates;    ///< other raw values that may hold references
};
ParameterParts take_apart(const NodeParameters& node);

/// Shared by the rules of switch and filter: `operator` is there and known (G-16).
void check_rule_operator(const NodeParameters& node, const Value& rule, const std::string& at,
                         Findings& findings);

/// Checks that a parameter which is no expression names a zone; `offsets` allows +02:00 too.
void check_zone(const NodeParameters& node, std::string_view name, std::string_view code,
                bool offsets, Findings& findings);
/// How long a wait takes when that is written in the definition.
std::optional<int64_t> plain_wait_ms(const NodeParameters& node);

// One table per group of node types.
NodeSchema trigger_schema(NodeType type);
NodeSchema http_schema();
NodeSchema smtp_schema();
NodeSchema work_schema(NodeType type);
NodeSchema flow_schema(NodeType type);
NodeSchema wait_schema(const Value& written);
NodeSchema wait_for_signal_schema();
NodeSchema approval_schema();
NodeSchema data_schema(NodeType type);
NodeSchema date_schema(NodeType type);

}  // namespace fermata::graph
