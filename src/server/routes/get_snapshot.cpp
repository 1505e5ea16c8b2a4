#include "core/flow/durable/snapshot_view.h"
#include "server/routes/common.h"
#include "server/routes/routes.h"

namespace fermata::server::routes {

/// What a parked script holds: fibers, frames, lines and variables by name (F-47).
void get_snapshot(Api& api, Call call) {
  auto own = own_state(api, call.who.account, RunId(call.variable(0)));
  if (!own) return api.fail(call, own.error());
  const Run& run = own->run;
  if (!run.definition->is_script())
    return api.fail(call,
                    {ErrorCode::value_not_found, "A graph has no machine; see its nodes.", {}});
  if (!run.script)
    return api.fail(call, {ErrorCode::snapshot_gone, "The execution has ended.", {}});
  auto shown = flow::shown_snapshot(*run.script, run.definition->program);
  if (!shown) return api.fail(call, {ErrorCode::data_damaged, shown.error().message, {}});
  Value answer = Value::object({{"id", own->summary.id.text()},
                                {"status", name_of(own->summary.status)},
                                {"version", own->summary.workflow_version},
                                {"sequence", own->summary.last_sequence}});
  for (const Value::Member& member : shown->members())
    answer.set(member.key.as_string(), member.value);
  call.send_json(200, answer);
}

}  // namespace fermata::server::routes
