#include "core/schedule/view.h"
#include "front/run_query.h"
#include "server/routes/common.h"
#include "server/routes/schedule_routes.h"

namespace fermata::server::routes {
namespace {

Outcome<std::optional<schedule::Status>> schedule_status_of(const Call& call) {
  const std::string* text = front::find_value(call.query, "status");
  if (!text) return std::optional<schedule::Status>();
  for (auto status : {schedule::Status::active, schedule::Status::paused, schedule::Status::ended})
    if (name_of(status) == *text) return std::optional(status);
  return front::bad_query("status", "active, paused or ended is expected.");
}

Outcome<Value> schedule_page(Api& api, const Call& call) {
  ScheduleFilter filter{.account = call.who.account};
  FERMATA_TRY(status, schedule_status_of(call));
  filter.status = status;
  if (const std::string* workflow = front::find_value(call.query, "workflow_id"))
    filter.workflow = WorkflowId(*workflow);
  FERMATA_TRY(paging, front::read_paging(call.query));
  FERMATA_TRY(page, api.reader().list_schedules(filter, paging.limit, paging.cursor));
  Value items = Value::array();
  for (const schedule::ScheduleSummary& summary : page.items) {
    FERMATA_TRY(schedule, stored_schedule(api, summary.key()));
    // It may have been deleted since.
    if (schedule.exists()) items.push(schedule::view(schedule));
  }
  return page_value(std::move(items), page.next_cursor);
}

}  // namespace

void list_schedules(Api& api, Call call) {
  auto page = schedule_page(api, call);
  if (!page) return api.fail(call, page.error());
  call.send_json(200, *page);
}

}  // namespace fermata::server::routes
