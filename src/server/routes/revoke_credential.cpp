#include "front/fields.h"
#include "server/routes/credential_parts.h"
#include "server/routes/routes.h"

namespace fermata::server::routes {

/// Its values are destroyed; its name stays so that it is known what the nodes miss.
void revoke_credential(Api& api, Call call) {
  front::Fields fields(call.body);
  std::string reason = fields.text("reason").value_or("");
  if (auto read = fields.finish(); !read) return api.fail(call, read.error());
  auto record = own_credential(api, call);
  if (!record) return api.fail(call, record.error());
  auto revoked = api.catalog().revoke_credential(
      call.who.account, record->id, api.now(),
      api.audit(call, "credential.revoke", record->id, std::move(reason)));
  if (!revoked) return api.fail(call, revoked.error());
  call.send(credential_response(200, *revoked));
}

}  // namespace fermata::server::routes
