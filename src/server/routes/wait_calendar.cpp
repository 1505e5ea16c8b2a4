#include "front/wait_calendar.h"
#include "front/run_query.h"
#include "server/routes/wait_routes.h"

namespace fermata::server::routes {

void wait_calendar(Api& api, Call call) {
  auto zones = api.zones();
  // Days are the account's, where it has a zone that can be used.
  auto settings = api.account_book().accounts()->settings_of(call.who.account);
  if (settings && zones->find(settings->timezone) && !front::find_value(call.query, "zone"))
    call.query.emplace_back("zone", settings->timezone);
  auto request = front::read_calendar(call.query, call.who.account, *zones, api.now());
  if (!request) return api.fail(call, request.error());
  auto slots = api.reader().wait_slots(request->filter);
  if (!slots) return api.fail(call, slots.error());
  call.send_json(200, front::calendar_value(*request, *slots));
}

}  // namespace fermata::server::routes
