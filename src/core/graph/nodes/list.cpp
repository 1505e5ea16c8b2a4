#include "core/graph/nodes/list.h"

#include "core/graph/check_words.h"

namespace fermata::graph {

Result<Value, NodeError> list_input(const NodeInput& input) {
  const Value* given = input.parameters.find("input_array");
  Value array = given ? *given : input.roots.root("json").value_or(Value());
  if (!array.is_array())
    return node_failure("not_an_array", "\"input_array\" is " + shown(array) + ", not an array.");
  return array;
}

NodeOutput list_output(Value array, size_t original_count) {
  NodeOutput done;
  done.output = Value::object({{"count", array.size()}, {"original_count", original_count}});
  done.json = std::move(array);
  return done;
}

}  // namespace fermata::graph
