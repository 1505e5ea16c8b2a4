#pragma once
#include "core/graph/nodes/node.h"

/// What filter, sort and limit have in common: an array comes in, an array goes out (G-53).
namespace fermata::graph {

/// `input_array`, or `$json` when it is not given; `not_an_array` for anything else.
Result<Value, NodeError> list_input(const NodeInput& input);
NodeOutput list_output(Value array, size_t original_count);

}  // namespace fermata::graph
