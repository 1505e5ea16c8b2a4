#include "front/run_query.h"
#include "server/routes/common.h"
#include "server/routes/key_value.h"
#include "server/routes/routes.h"

namespace fermata::server::routes {

void revoke_key(Api& api, Call call) {
  auto key = own_key(api, call);
  if (!key) return api.fail(call, key.error());
  if (key->role == Role::root && call.who.role != Role::root)
    return api.fail(call, {ErrorCode::forbidden, "Only a root key may revoke a root key.", {}});
  if (!key->revoked_at) {
    const std::string* reason = front::find_value(call.query, "reason");
    AuditLine line = api.audit(call, "key.revoke", key->id, reason ? *reason : std::string());
    auto revoked = api.catalog().revoke_key(key->id, api.now(), line);
    if (!revoked) return api.fail(call, revoked.error());
  }
  api.keys().forget(key->id);
  api.sessions().forget_key(key->id);
  http::Response response;
  response.status = 204;
  call.send(std::move(response));
}

}  // namespace fermata::server::routes
