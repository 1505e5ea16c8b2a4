#include "server/routes/schedule_routes.h"

namespace fermata::server::routes {

/// Runs under way go on.
void delete_schedule(Api& api, Call call) {
  schedule::Command command{schedule_key(call), schedule::DeleteSchedule{}, call.who.actor};
  send_schedule(api, std::move(call), std::move(command),
                [](Api&, const Call& asked, const ScheduleTold&) {
                  http::Response response;
                  response.status = 204;
                  asked.send(std::move(response));
                });
}

}  // namespace fermata::server::routes
