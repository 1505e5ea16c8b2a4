#pragma once
#include <string_view>
#include <vector>

#include "base/error.h"
#include "core/graph/definition.h"

namespace fermata {
class ZoneTable;
}

namespace fermata::graph {

/// What holds when a definition is saved: the limits of section 7 and the types that are known;
/// settings `graph_…`.
struct DefinitionLimits {
  size_t nodes_max = 1'000;
  size_t edges_max = 5'000;
  size_t definition_bytes_max = 1 << 20;
  size_t expression_tree_max = 1'000;
  /// Types that workers serve, besides `agent` and `integration.*` (G-26).
  std::vector<std::string> job_types = {};
  /// Types of events that the account has registered, besides those that all know (W-51).
  std::vector<std::string> event_types = {};
  bool any_event_type = false;  ///< they were checked when the definition was stored
};

struct CheckedDefinition {
  DefinitionRef definition;  ///< empty when there are errors
  std::vector<Finding> errors;
  std::vector<Finding> warnings;
  /// What the canonical form leaves out: {"notes", "nodes": {id: {"position", …}}, "edges": {id:
  /// {"label", …}}, "fields": unknown fields of the workflow}, each only where there is something.
  Value layout;
};

/// Checks a workflow document and compiles it; reports every finding at once (G-1 to G-7).
/// `text`, when given, is the JSON text the document came from: findings get line and column.
/// `zones`, when given, are those that zone names in the document must be of.
CheckedDefinition check_definition(const Value& document, std::string_view text = {},
                                   const DefinitionLimits& limits = {},
                                   const ZoneTable* zones = nullptr);

/// Compiles a stored canonical form again. It was checked when stored, so failure means damage.
Outcome<DefinitionRef> compile_definition(const Value& canonical);

}  // namespace fermata::graph
