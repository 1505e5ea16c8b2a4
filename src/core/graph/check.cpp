#include "core/graph/check.h"

#include <limits>

#include "base/json.h"
#include "core/graph/check_state.h"

namespace fermata::graph {
namespace {

void over_limit(Findings& findings, std::string path, std::string_view what, size_t value,
                size_t most, std::string_view setting) {
  findings.error("limit_exceeded", std::move(path),
                 "The definition has " + std::to_string(value) + " " + std::string(what) +
                     "; at most " + std::to_string(most) + " are allowed (setting " +
                     std::string(setting) + ").");
}

/// False when the graph is too large to be analysed.
bool check_limits(CheckState& state, std::string_view text) {
  size_t nodes = state.document.get("nodes").size(), edges = state.document.get("edges").size();
  const DefinitionLimits& limits = state.limits;
  if (nodes > limits.nodes_max)
    over_limit(state.findings, "/nodes", "nodes", nodes, limits.nodes_max, "graph_nodes_max");
  if (edges > limits.edges_max)
    over_limit(state.findings, "/edges", "edges", edges, limits.edges_max, "graph_edges_max");
  size_t bytes = text.empty() ? to_json(state.document).size() : text.size();
  if (bytes > limits.definition_bytes_max)
    over_limit(state.findings, "", "bytes", bytes, limits.definition_bytes_max,
               "graph_definition_bytes_max");
  return nodes <= limits.nodes_max && edges <= limits.edges_max;
}

void run_steps(CheckState& state, std::string_view text) {
  if (!read_workflow(state)) return;
  bool small_enough = check_limits(state, text);
  read_nodes(state);
  check_names(state);
  read_edges(state);
  check_node_types(state);
  find_entry(state);
  resolve_edges(state);
  if (!small_enough) return;
  check_shape(state);
  compile_expressions(state);
  if (state.findings.errors.empty()) make_canonical(state);
}

}  // namespace

CheckedDefinition check_definition(const Value& document, std::string_view text,
                                   const DefinitionLimits& limits, const ZoneTable* zones) {
  CheckState state{document, limits};
  state.findings.zones = zones;
  state.findings.limits = &limits;
  run_steps(state, text);
  CheckedDefinition result;
  result.layout = layout_of(state);
  order_findings(document, text, state.findings.errors);
  order_findings(document, text, state.findings.warnings);
  result.errors = std::move(state.findings.errors);
  result.warnings = std::move(state.findings.warnings);
  if (result.errors.empty())
    result.definition = std::make_shared<const Definition>(std::move(state.definition));
  return result;
}

Outcome<DefinitionRef> compile_definition(const Value& canonical) {
  // Limits hold when a definition is saved; lowering a setting must not strand running work.
  constexpr size_t none = std::numeric_limits<size_t>::max() / 16;
  DefinitionLimits unlimited{none, none, none, none};
  unlimited.any_event_type = true;
  CheckedDefinition checked = check_definition(canonical, {}, unlimited);
  if (checked.definition == nullptr)
    return fail(ErrorCode::data_damaged, "A stored definition does not compile.",
                std::move(checked.errors));
  return checked.definition;
}

}  // namespace fermata::graph
