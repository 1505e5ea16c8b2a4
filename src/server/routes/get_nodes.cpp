#include "core/run/view.h"
#include "front/run_query.h"
#include "server/routes/common.h"
#include "server/routes/routes.h"

namespace fermata::server::routes {
namespace {

Outcome<Value> read_nodes(Api& api, const Call& call) {
  FERMATA_TRY(at, front::read_number(call.query, "at"));
  FERMATA_TRY(own, own_history(api, call));
  return view::nodes(own.run.summary, own.run.history, own.definitions, at);
}

Outcome<Value> read_node(Api& api, const Call& call) {
  FERMATA_TRY(all, read_nodes(api, call));
  for (const Value& node : all.get("nodes").items())
    if (node.get("node_id") == Value(call.variable(1))) return node;
  return fail(ErrorCode::node_not_found, "There is no node `" + call.variable(1) + "`.");
}

}  // namespace

void get_node(Api& api, Call call) {
  auto node = read_node(api, call);
  if (!node) return api.fail(call, node.error());
  call.send_json(200, *node);
}

void get_nodes(Api& api, Call call) {
  auto nodes = read_nodes(api, call);
  if (!nodes) return api.fail(call, nodes.error());
  call.send_json(200, *nodes);
}

}  // namespace fermata::server::routes
