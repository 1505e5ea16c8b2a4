#include "front/credential_request.h"
#include "server/routes/common.h"
#include "server/routes/routes.h"

namespace fermata::server::routes {

/// The last step of changing the key: after it the old one may be forgotten.
void reseal_credentials(Api& api, Call call) {
  auto done = api.vault().reseal(api.now(), call.who.actor);
  if (!done) return api.fail(call, done.error());
  call.send_json(200, front::to_value(*done));
}

}  // namespace fermata::server::routes
