#include "core/graph/nodes/node.h"

namespace fermata::graph {

NodeResult run_noop(const NodeInput&) {
  NodeOutput done;
  done.output = Value::object();
  return done;
}

}  // namespace fermata::graph
