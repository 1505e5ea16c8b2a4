#include "server/routes/schedule_routes.h"

namespace fermata::server::routes {

void trigger_schedule(Api& api, Call call) {
  std::string key(call.request.header("idempotency-key"));
  if (key.empty()) key = api.new_uuid_v7();
  schedule::Command command{schedule_key(call), schedule::TriggerSchedule{key}, call.who.actor};
  send_schedule(api, std::move(call), std::move(command),
                [key](Api&, const Call& asked, const ScheduleTold& told) {
                  RunId run = schedule::triggered_run_of(told.schedule, key);
                  asked.send_json(201, Value::object({{"execution_id", run.text()},
                                                      {"schedule_id", told.schedule.id.text()}}));
                });
}

}  // namespace fermata::server::routes
