#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/id.h"
#include "base/value.h"
#include "core/flow/expression.h"
#include "core/flow/script.h"
#include "core/graph/node_set.h"
#include "core/graph/template.h"

/// A graph workflow as the engine uses it: checked, compiled, immutable, shared by all runs that
/// carry its hash. Nodes and edges are named by their position in the document.
namespace fermata::graph {

using NodeIndex = uint32_t;
using EdgeIndex = uint32_t;
constexpr NodeIndex no_node = UINT32_MAX;
constexpr EdgeIndex no_edge = UINT32_MAX;

enum class NodeType : uint8_t {
#define FERMATA_NODE(name, wire, flags) name,
#include "core/graph/node_types.def"
#undef FERMATA_NODE
};
std::string_view wire_name(NodeType type);
/// Knows the aliases too (ManualTrigger, ScheduledTrigger, set).
std::optional<NodeType> node_type_of(std::string_view wire_name);
std::vector<std::string_view> wire_names();  ///< of all types, in the order of node_types.def
bool is_trigger(NodeType type);
bool is_routing(NodeType type);     ///< one named edge is its successor
bool is_structural(NodeType type);  ///< cannot be disabled: triggers and routing nodes too (G-25)
bool has_effect(NodeType type);     ///< reaches outside, so retry makes sense

enum class ErrorPolicy : uint8_t { halt, ignore, branch };

/// G-23. Codes in retry_on, or `any`.
struct RetryPolicy {
  uint32_t max_attempts = 1;
  int64_t backoff_ms = 1'000;
  double multiplier = 2;
  int64_t max_backoff_ms = 60'000;
  double jitter = 0.1;
  std::vector<std::string> retry_on = {"network", "timeout", "rate_limited", "server_error"};
  bool given = false;  ///< written at the node, so it wins over http's own `retry`
};

struct Edge {
  std::string id;
  NodeIndex src = no_node;
  NodeIndex dst = no_node;
};

struct Node {
  std::string id;
  std::string name;
  NodeType type = NodeType::noop;
  bool trigger = false;
  bool disabled = false;
  ErrorPolicy on_error = ErrorPolicy::halt;
  EdgeIndex error_edge = no_edge;
  RetryPolicy retry;
  std::optional<int64_t> timeout_ms;
  /// As written at the node; for a loop without one, its own parameter if that is a plain number.
  std::optional<uint32_t> max_visits;
  Value credentials;  ///< {"id"} or {"name"}, or null
  std::string webhook_guid;

  /// `parameters` in canonical form: fixed defaults filled in, aliases renamed (`array_path` to
  /// `target_path`), `config` of a wait flattened. A run that is loaded from the store gets exactly
  /// this, so the run that was just started must see nothing else.
  Value raw;
  Template parameters;  ///< the same without the raw ones of its type, ready to evaluate

  /// Raw parameters that are conditions, expressions or fragments, parsed: `expression` of a
  /// conditional, `while` of a loop, `when` of each switch rule (empty where a rule has none),
  /// `where` of a filter, `source` of code, by the parameter's JSON pointer inside `parameters`.
  std::vector<std::pair<std::string, flow::Expression>> expressions;
  /// Other raw parameters, as templates: `result` of an aggregator, `rules/0/value` and
  /// `rules/0/compare` of a switch, `assignments/0/value` of an edit, `rules/0/value` of a filter.
  std::vector<std::pair<std::string, Template>> templates;
  const flow::Expression* expression(std::string_view pointer) const;
  const Template* templated(std::string_view pointer) const;

  std::vector<EdgeIndex> in_edges;    ///< in definition order
  std::vector<EdgeIndex> out_edges;   ///< all, in definition order
  std::vector<EdgeIndex> normal_out;  ///< without error, timeout and branch edges

  /// Edges named in parameters: conditional {true, false}, loop {body, done}, switch one per route
  /// (no_edge where null or absent; the fallback last, at index rules), wait_for_signal {timeout},
  /// wait {past}, approval {approve, reject} or {timeout, one per event, missing}.
  std::vector<EdgeIndex> routes;
  uint32_t rules = 0;  ///< of a switch

  NodeIndex aggregator = no_node;  ///< of a split: the one that closes it, if any
  /// False when no run can activate it twice in one lineage: then visits need no counting.
  bool repeatable = true;
  /// Waits further on may look back to its start (W-56): one that names it, or, for a step that
  /// calls outside, any that names none.
  bool start_named = false;
  bool start_outside = false;
};

/// Facts about merges that do not depend on a run (G-73, G-74).
struct MergeAnalysis {
  NodeIndex node = no_node;
  /// Per incoming edge (in order of Node::in_edges): nodes from which the edge can still be reached
  /// over level edges without passing this merge. A token standing *at* such a node, not yet
  /// finished with it, can deliver.
  std::vector<NodeSet> can_deliver;
};

/// Positions by name, for look-up by binary search. The first of two equal names wins.
class NameIndex {
 public:
  void clear() { entries_.clear(); }
  void add(std::string name, uint32_t position) {
    entries_.emplace_back(std::move(name), position);
  }
  void sort();
  std::optional<uint32_t> find(std::string_view name) const;

 private:
  std::vector<std::pair<std::string, uint32_t>> entries_;
};

class Definition {
 public:
  DefinitionHash hash;
  std::vector<Node> nodes;
  std::vector<Edge> edges;
  NodeIndex entry = no_node;
  Template result;  ///< empty when not given
  int64_t timeout_ms = 0;
  bool rolls_back = false;  ///< `on_failure`: a run that fails is undone (J-73)
  Value canonical;  ///< what the hash is taken over; compiling it again gives this definition
  std::vector<std::string> names;  ///< of nodes, by index

  /// A script and its code instead of nodes and edges (core/run/script_definition.h).
  flow::ScriptRef script;
  flow::Expression program;
  bool is_script() const { return script != nullptr; }

  /// No program at all: another engine runs it and waits here (W-71). `callback` of the document is
  /// told of ends that name no address of their own.
  bool external = false;
  Value callback;

  /// Level graph (G-73): successors of each node in its own lineage. A split leads to its
  /// aggregator and, because it fails in its own lineage, along its error edge.
  std::vector<std::vector<NodeIndex>> level_next;
  /// False for edges that begin a split's branch and for edges into aggregators.
  bool is_level_edge(EdgeIndex edge) const;
  /// Nodes reachable from each node over level edges, itself included only if on a cycle.
  std::vector<NodeSet> level_reach;
  /// Nodes reachable over all edges, for `skipped` and progress.
  std::vector<NodeSet> reach;
  std::vector<MergeAnalysis> merges;
  const MergeAnalysis* merge_analysis(NodeIndex node) const;
  /// True for nodes that stand inside no split.
  std::vector<bool> outside_splits;

  std::optional<NodeIndex> node_by_id(std::string_view id) const;
  std::optional<NodeIndex> node_by_name(std::string_view name) const;
  std::optional<EdgeIndex> edge_by_id(std::string_view id) const;

  /// Makes the three above work; called once when ids and names are known.
  void index_names();

 private:
  NameIndex nodes_by_id_;
  NameIndex nodes_by_name_;
  NameIndex edges_by_id_;
};

using DefinitionRef = std::shared_ptr<const Definition>;

}  // namespace fermata::graph
