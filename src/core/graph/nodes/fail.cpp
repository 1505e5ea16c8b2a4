#include "base/json.h"
#include "core/graph/nodes/parts.h"

namespace fermata::graph {

NodeResult run_fail(const NodeInput& input) {
  constexpr std::string_view standard = "failed_by_node";
  FERMATA_TRY(code, text_parameter(input.parameters, "code", standard));
  if (code.empty()) code = standard;
  const Value& message = input.parameters.get("message");
  std::string text = message.is_null() ? "The workflow ends here by design." : to_text(message);
  return node_failure(std::string(code), std::move(text), input.parameters.get("details"));
}

}  // namespace fermata::graph
