#include <map>

#include "front/run_query.h"
#include "server/routes/common.h"
#include "server/routes/look_routes.h"
#include "server/routes/workflow_measures.h"

namespace fermata::server::routes {
namespace {

constexpr uint64_t looked_at_max = 10'000;  ///< live runs, and waits

using ByStatus = std::map<std::string, uint64_t>;

struct Load {
  std::map<uint32_t, ByStatus> versions;
  std::map<std::string, uint64_t> waiting;  ///< by step
  uint64_t counted = 0;
  bool more = false;
};

Outcome<void> add_live(Api& api, const WorkflowRecord& workflow, Load& load) {
  RunFilter filter;
  filter.account = workflow.account;
  filter.workflow = workflow.id;
  filter.statuses = {RunStatus::running, RunStatus::waiting, RunStatus::paused};
  std::string cursor;
  do {
    FERMATA_TRY(page, api.reader().list(filter, front::page_limit_max, cursor));
    for (const RunSummary& run : page.items)
      ++load.versions[run.workflow_version][std::string(name_of(run.status))];
    load.counted += page.items.size();
    cursor = page.next_cursor;
  } while (!cursor.empty() && load.counted < looked_at_max);
  load.more = load.more || !cursor.empty();
  return {};
}

Outcome<void> add_waiting(Api& api, const WorkflowRecord& workflow, Load& load) {
  WaitFilter filter;
  filter.account = workflow.account;
  filter.workflow = workflow.id;
  filter.statuses = {WaitStatus::scheduled, WaitStatus::waiting};
  uint64_t counted = 0;
  WaitStart start;
  do {
    FERMATA_TRY(page, api.reader().list_waits(filter, front::page_limit_max, start));
    for (const WaitRecord& record : page.items) ++load.waiting[record.wait.step];
    counted += page.items.size();
    start.cursor = page.next_cursor;
  } while (!start.cursor.empty() && counted < looked_at_max);
  load.more = load.more || !start.cursor.empty();
  return {};
}

Outcome<Value> load_of(Api& api, const Call& call) {
  FERMATA_TRY(workflow, own_workflow(api, call));
  Load load;
  FERMATA_TRY_VOID(add_live(api, workflow, load));
  FERMATA_TRY_VOID(add_waiting(api, workflow, load));
  FERMATA_TRY(nodes, node_measures(api, workflow.account, workflow.id));
  Value versions = Value::array();
  for (const auto& [version, statuses] : load.versions) {
    Value one = Value::object({{"version", version}});
    for (const auto& [status, count] : statuses) one.set(status, count);
    versions.push(std::move(one));
  }
  Value at = Value::object();
  for (const auto& [node, kinds] : api.hub().whereabouts().by_node(workflow.account, workflow.id)) {
    Value one = Value::object();
    for (const auto& [kind, count] : kinds) one.set(kind, count);
    at.set(node, std::move(one));
  }
  Value waiting = Value::object();
  for (const auto& [step, count] : load.waiting) waiting.set(step, count);
  return Value::object({{"workflow_id", workflow.id.text()},
                        {"versions", std::move(versions)},
                        {"waiting", std::move(waiting)},
                        {"at", std::move(at)},
                        {"counted", load.counted},
                        {"more", load.more},
                        {"measured_since", to_rfc3339(api.hub().measures().since())},
                        {"measures", workflow_measures(api, workflow.account, workflow.id)},
                        {"nodes", std::move(nodes)}});
}

}  // namespace

void workflow_load(Api& api, Call call) {
  auto answer = load_of(api, call);
  if (!answer) return api.fail(call, answer.error());
  call.send_json(200, *answer);
}

}  // namespace fermata::server::routes
