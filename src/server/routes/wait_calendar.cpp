#include "front/wait_calendar.h"
#include "server/routes/wait_routes.h"

namespace fermata::server::routes {

void wait_calendar(Api& api, Call call) {
  auto request = front::read_calendar(call.query, call.who.account, *api.zones(), api.now());
  if (!request) return api.fail(call, request.error());
  auto slots = api.reader().wait_slots(request->filter);
  if (!slots) return api.fail(call, slots.error());
  call.send_json(200, front::calendar_value(*request, *slots));
}

}  // namespace fermata::server::routes
