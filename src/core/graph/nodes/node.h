#pragma once
#include <optional>
#include <string>
#include <variant>

#include "base/result.h"
#include "base/time.h"
#include "base/value.h"
#include "core/flow/expression.h"
#include "core/graph/definition.h"

/// What a node type has to provide. Instant nodes are pure functions from evaluated parameters and
/// the token's view of the run to an output and a route; nodes that park do so in core/graph.
namespace fermata::graph {

/// Why a node failed: `{code, message, details}` of G-22; node, attempts are added by the engine.
struct NodeError {
  std::string code;
  std::string message;
  Value details;
  /// Another name that a retry policy may know it by: a 4yz reply to a mail is a `server_error`.
  std::string group = {};
};
inline Failure<NodeError> node_failure(std::string code, std::string message, Value details = {}) {
  return {NodeError{std::move(code), std::move(message), std::move(details)}};
}
/// An evaluation error as the failure of the node it happened in.
Failure<NodeError> node_failure(const flow::EvalError& error);

struct NodeInput {
  const Node& node;
  const Value& parameters;   ///< evaluated; raw ones are left out
  const flow::Roots& roots;  ///< `$json`, `$item`, `$Name` … as this token sees them
  Instant now;
  uint32_t visit = 0;
  flow::EvalGiven expression_given;  ///< limits for expressions
  flow::EvalGiven code_given;        ///< limits for `code`
};

/// Which edges a finished node's token follows.
struct Route {
  enum class Kind : uint8_t { all, one } kind = Kind::all;
  EdgeIndex edge = no_edge;  ///< with `one`; no_edge: the token ends
  static Route all() { return {}; }
  static Route one(EdgeIndex edge) { return {Kind::one, edge}; }
};

struct NodeOutput {
  Value output;               ///< without `$json` (and `result` of code), which the engine adds
  std::optional<Value> json;  ///< what `$json` becomes; nodes that do not set it leave it empty
  Route route;
};
using NodeResult = Result<NodeOutput, NodeError>;

/// Each in its own file. `run_instant` picks by type; it must be an instant type.
NodeResult run_conditional(const NodeInput& input);
NodeResult run_switch(const NodeInput& input);
NodeResult run_loop(const NodeInput& input);
NodeResult run_fail(const NodeInput& input);
NodeResult run_noop(const NodeInput& input);
NodeResult run_code(const NodeInput& input);
NodeResult run_edit(const NodeInput& input);
NodeResult run_filter(const NodeInput& input);
NodeResult run_sort(const NodeInput& input);
NodeResult run_limit(const NodeInput& input);
NodeResult run_log(const NodeInput& input);
NodeResult run_date_time(const NodeInput& input);  ///< all five, by input.node.type
bool is_instant(NodeType type);
NodeResult run_instant(const NodeInput& input);

/// Where an `ignore`d failure of a routing node goes on (G-21): conditional false edge, switch
/// fallback, loop done edge.
Route route_after_ignored_failure(const Node& node);

/// Reads a number given as number, numeric text or reference that yields either (G-27).
std::optional<double> number_of(const Value& value);
std::optional<int64_t> integer_of(const Value& value);

}  // namespace fermata::graph
