#include "front/schedule_preview.h"
#include "server/routes/common.h"
#include "server/routes/routes.h"

namespace fermata::server::routes {

void preview_schedule(Api& api, Call call) {
  auto answer = front::preview_schedule(call.body, *api.zones(), api.now());
  if (!answer) return api.fail(call, answer.error());
  call.send_json(200, *answer);
}

}  // namespace fermata::server::routes
