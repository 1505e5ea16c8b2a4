#include "core/schedule/view.h"
#include "host/schedule_cache.h"
#include "server/problem.h"
#include "server/routes/common.h"
#include "server/routes/schedule_routes.h"

namespace fermata::server::routes {

void send_schedule(Api& api, Call call, schedule::Command command, ScheduleDone done) {
  Call spare = call;
  bool taken = api.schedules().submit_schedule(
      std::move(command),
      [&api, call = std::move(call), done = std::move(done)](Outcome<ScheduleTold> told) {
        if (!told) return api.fail(call, told.error());
        done(api, call, *told);
      });
  if (taken) return;
  bool stopping = api.stopping();
  api.fail(spare, {stopping ? ErrorCode::shutting_down : ErrorCode::queue_full,
                   stopping ? "The server is stopping." : "The engine's queue is full.",
                   {}});
}

schedule::Key schedule_key(const Call& call) {
  return {call.who.account, ScheduleId(call.variable(0))};
}

Outcome<schedule::Schedule> stored_schedule(Api& api, const schedule::Key& key) {
  FERMATA_TRY(stored, api.reader().find_schedule(key));
  if (stored.version == 0) return schedule::Schedule{};
  return open_schedule(key.id, stored);
}

Outcome<schedule::Schedule> own_schedule(Api& api, const Call& call) {
  FERMATA_TRY(schedule, stored_schedule(api, schedule_key(call)));
  if (!schedule.exists())
    return fail(ErrorCode::schedule_not_found, "There is no schedule `" + call.variable(0) + "`.");
  return schedule;
}

Outcome<void> know_workflow(Api& api, const Call& call, const schedule::Spec& spec) {
  std::optional<uint32_t> version;
  if (spec.version != 0) version = spec.version;
  FERMATA_TRY(found, front::find_version(api.catalog(), call.who.account, spec.workflow, version));
  static_cast<void>(found);
  return {};
}

http::Response schedule_response(int status, const schedule::Schedule& schedule) {
  http::Response response = json_response(status, schedule::view(schedule));
  response.headers.emplace_back("ETag", etag_of(schedule.revision));
  return response;
}

}  // namespace fermata::server::routes
