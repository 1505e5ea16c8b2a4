#include "front/wait_preview.h"
#include "server/routes/wait_routes.h"

namespace fermata::server::routes {

void preview_wait(Api& api, Call call) {
  auto answer = front::preview_wait(call.body, *api.zones(), api.now());
  if (!answer) return api.fail(call, answer.error());
  call.send_json(200, *answer);
}

}  // namespace fermata::server::routes
