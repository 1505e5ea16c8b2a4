#include "server/routes/schedule_routes.h"

namespace fermata::server::routes {
namespace {

void tell_schedule(Api& api, Call call, schedule::CommandBody body) {
  schedule::Command command{schedule_key(call), std::move(body), call.who.actor};
  send_schedule(api, std::move(call), std::move(command),
                [](Api&, const Call& asked, const ScheduleTold& told) {
                  asked.send(schedule_response(200, told.schedule));
                });
}

}  // namespace

void pause_schedule(Api& api, Call call) {
  tell_schedule(api, std::move(call), schedule::PauseSchedule{});
}
void resume_schedule(Api& api, Call call) {
  tell_schedule(api, std::move(call), schedule::ResumeSchedule{});
}

}  // namespace fermata::server::routes
