#include "core/run/view.h"
#include "front/run_query.h"
#include "server/routes/common.h"
#include "server/routes/routes.h"

namespace fermata::server::routes {
namespace {

/// The path names the node behind its run, which is one variable, or two for a seed.
const std::string& node_of(const Call& call) {
  return call.variable(call.route.path.starts_with("/api/v1/simulations/") ? 2 : 1);
}

/// `?at=`: a sequence of the run.
Outcome<std::optional<uint64_t>> read_at(const Call& call, const RunSummary& run) {
  FERMATA_TRY(at, front::read_number(call.query, "at"));
  if (at && (*at < 1 || *at > run.last_sequence))
    return front::bad_query(
        "at", "The execution has sequences 1 to " + std::to_string(run.last_sequence) + ".");
  return at;
}

Outcome<Value> read_nodes(Api& api, const Call& call) {
  FERMATA_TRY(own, own_history(api, call));
  FERMATA_TRY(at, read_at(call, own.run.summary));
  return view::nodes(own.run.summary, own.run.history, own.definitions, at);
}

Outcome<Value> read_node(Api& api, const Call& call) {
  FERMATA_TRY(own, own_history(api, call));
  FERMATA_TRY(at, read_at(call, own.run.summary));
  const std::string* item = front::find_value(call.query, "item");
  return view::node(own.run.summary, own.run.history, own.definitions, node_of(call), at,
                    item ? *item : std::string());
}

Outcome<std::string> read_status(const Call& call) {
  const std::string* status = front::find_value(call.query, "status");
  if (!status) return std::string();
  for (const char* known : {"running", "waiting", "success", "failed", "cancelled", "skipped"})
    if (*status == known) return *status;
  return front::bad_query("status",
                          "One of running, waiting, success, failed, cancelled, skipped.");
}

Outcome<Value> read_items(Api& api, const Call& call) {
  view::ItemsWanted wanted;
  FERMATA_TRY(paging, front::read_paging(call.query));
  FERMATA_TRY(cursor, front::read_number(call.query, "cursor"));
  FERMATA_TRY(status, read_status(call));
  FERMATA_TRY(own, own_history(api, call));
  FERMATA_TRY(at, read_at(call, own.run.summary));
  wanted.limit = paging.limit;
  wanted.after = cursor.value_or(0);
  wanted.status = std::move(status);
  wanted.at_sequence = at;
  return view::node_items(own.run.summary, own.run.history, own.definitions, node_of(call), wanted);
}

void answer(Api& api, const Call& call, const Outcome<Value>& value) {
  if (!value) return api.fail(call, value.error());
  call.send_json(200, *value);
}

}  // namespace

void get_node(Api& api, Call call) { answer(api, call, read_node(api, call)); }
void get_nodes(Api& api, Call call) { answer(api, call, read_nodes(api, call)); }
void get_node_items(Api& api, Call call) { answer(api, call, read_items(api, call)); }

}  // namespace fermata::server::routes
