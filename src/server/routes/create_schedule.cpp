#include "front/schedule_request.h"
#include "front/start_request.h"
#include "server/routes/common.h"
#include "server/routes/schedule_routes.h"

namespace fermata::server::routes {
namespace {

struct NewSchedule {
  schedule::Command command;
  bool named_by_key = false;
};

Outcome<NewSchedule> schedule_creation(Api& api, const Call& call) {
  FERMATA_TRY(request, front::read_schedule(call.body, *api.zones()));
  FERMATA_TRY_VOID(know_workflow(api, call, request.spec));
  std::string key(call.request.header("idempotency-key"));
  bool by_key = request.id.empty() && !key.empty();
  if (request.id.empty()) {
    // The schedule itself is the mark that the request was served.
    request.id = key.empty() ? api.new_uuid_v7()
                             : derived_run_id(call.who.account, "schedule\n" + key).text();
  }
  schedule::CreateSchedule create{std::move(request.spec), request.paused.value_or(false),
                                  front::request_hash("POST /schedules", call.body)};
  schedule::Key name{call.who.account, ScheduleId(std::move(request.id))};
  return NewSchedule{{std::move(name), std::move(create), call.who.actor}, by_key};
}

}  // namespace

void create_schedule(Api& api, Call call) {
  auto made = schedule_creation(api, call);
  if (!made) return api.fail(call, made.error());
  bool by_key = made->named_by_key;
  Call spare = call;
  bool taken = api.schedules().submit_schedule(
      std::move(made->command), [&api, call = std::move(call), by_key](Outcome<ScheduleTold> told) {
        if (!told) {
          Error error = told.error();
          if (by_key && error.code == ErrorCode::schedule_exists)
            error.code = ErrorCode::idempotency_key_reused;
          return api.fail(call, error);
        }
        http::Response response = schedule_response(201, told->schedule);
        response.headers.emplace_back("Location", "/api/v1/schedules/" + told->schedule.id.text());
        call.send(std::move(response));
      });
  if (!taken) api.fail(spare, {ErrorCode::queue_full, "The engine's queue is full.", {}});
}

}  // namespace fermata::server::routes
