#include "server/routes/common.h"
#include "server/routes/routes.h"
#include "server/routes/schedule_routes.h"

namespace fermata::server::routes {
namespace {

constexpr size_t page_size = 1'000;

Failure<Error> needed(std::string why) { return fail(ErrorCode::version_in_use, std::move(why)); }

/// Fails when an execution under way runs the version (F-55). One that is accepted meanwhile keeps
/// its definition all the same (G-3).
Outcome<void> check_runs(Api& api, const Call& call, const WorkflowId& workflow, uint32_t version) {
  RunFilter live;
  live.account = call.who.account;
  live.workflow = workflow;
  live.statuses = {RunStatus::running, RunStatus::waiting, RunStatus::paused};
  std::string cursor;
  do {
    FERMATA_TRY(page, api.reader().list(live, page_size, cursor));
    for (const RunSummary& run : page.items)
      if (run.workflow_version == version)
        return needed("The execution `" + run.id.text() + "` runs it.");
    cursor = page.next_cursor;
  } while (!cursor.empty());
  return {};
}

Outcome<void> check_schedules(Api& api, const Call& call, const WorkflowId& workflow,
                              uint32_t version) {
  ScheduleFilter filter;
  filter.account = call.who.account;
  filter.workflow = workflow;
  std::string cursor;
  do {
    FERMATA_TRY(page, api.reader().list_schedules(filter, page_size, cursor));
    for (const schedule::ScheduleSummary& summary : page.items) {
      FERMATA_TRY(schedule, stored_schedule(api, summary.key()));
      if (schedule.spec.version == version)
        return needed("The schedule `" + summary.id.text() + "` starts it.");
    }
    cursor = page.next_cursor;
  } while (!cursor.empty());
  return {};
}

Outcome<void> remove(Api& api, const Call& call) {
  FERMATA_TRY(record, own_workflow(api, call));
  auto number = version_number(call.variable(1));
  if (!number) return fail(ErrorCode::version_not_found, "A version is a number from 1 on.");
  FERMATA_TRY_VOID(check_runs(api, call, record.id, *number));
  FERMATA_TRY_VOID(check_schedules(api, call, record.id, *number));
  AuditLine line = api.audit(call, "workflow.version.delete", record.id.text());
  line.details = Value::object({{"version", *number}});
  return api.catalog().remove_version(call.who.account, record.id, *number, line);
}

}  // namespace

void delete_version(Api& api, Call call) {
  auto removed = remove(api, call);
  if (!removed) return api.fail(call, removed.error());
  http::Response response;
  response.status = 204;
  call.send(std::move(response));
}

}  // namespace fermata::server::routes
