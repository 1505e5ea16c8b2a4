#include "front/wait_preview.h"
#include "server/routes/wait_routes.h"

namespace fermata::server::routes {

void preview_wait(Api& api, Call call) {
  auto zones = api.zones();
  auto find = [&](const std::string& id) {
    return api.contacts().find_contact({call.who.account, id});
  };
  auto account = api.account_book().accounts()->settings_of(call.who.account);
  auto answer = front::preview_wait(call.body, {*zones, api.now(), account, find});
  if (!answer) return api.fail(call, answer.error());
  call.send_json(200, *answer);
}

}  // namespace fermata::server::routes
