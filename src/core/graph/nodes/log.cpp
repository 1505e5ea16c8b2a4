#include "base/json.h"
#include "core/graph/nodes/parts.h"

namespace fermata::graph {

NodeResult run_log(const NodeInput& input) {
  FERMATA_TRY(level, choice_parameter(input.parameters, "level", "info|debug|warn|error"));
  NodeOutput done;
  done.output = Value::object({{"message", to_text(input.parameters.get("message"))},
                               {"level", level},
                               {"logged_at", to_rfc3339(input.now)}});
  return done;
}

}  // namespace fermata::graph
