#include <map>

#include "core/run/view.h"
#include "front/run_query.h"
#include "server/routes/common.h"
#include "server/routes/look_routes.h"

namespace fermata::server::routes {
namespace {

/// The latest output of each node up to an event; of a node inside a split, that of the item which
/// ended last.
Outcome<Value> values_until(const OwnRun& own, uint64_t at) {
  FERMATA_TRY(events, view::history(own.run.history, own.definitions, 1, at));
  std::map<std::string, Value> latest;
  for (const Value& event : events) {
    const Value* output = event.find("output");
    if (!output || !event.get("node_id").is_string()) continue;
    latest[std::string(event.get("node_id").as_string())] =
        Value::object({{"node_id", event.get("node_id")},
                       {"node_name", event.get("node_name")},
                       {"sequence", event.get("sequence")},
                       {"output", *output}});
  }
  Value out = Value::array();
  for (auto& [node, value] : latest) out.push(std::move(value));
  return out;
}

Outcome<Value> state_at(Api& api, const Call& call) {
  FERMATA_TRY(own, own_history(api, call));
  FERMATA_TRY(asked, front::read_number(call.query, "at"));
  uint64_t last = own.run.summary.last_sequence;
  uint64_t at = asked.value_or(last);
  if (at < 1 || at > last)
    return front::bad_query("at", "The execution has sequences 1 to " + std::to_string(last) + ".");
  FERMATA_TRY(run, fold_until(own.run.summary.id, own.run.history, own.definitions.lookup(), at));
  Value state = view::execution(summarize(run), run);
  FERMATA_TRY(values, values_until(own, at));
  state.set("sequence", at);
  state.set("last_sequence", last);
  state.set("at", to_rfc3339(run.last_at));
  state.set("values", std::move(values));
  return state;
}

}  // namespace

void execution_state(Api& api, Call call) {
  auto answer = state_at(api, call);
  if (!answer) return api.fail(call, answer.error());
  call.send_json(200, *answer);
}

}  // namespace fermata::server::routes
