#include "server/routes/credential_parts.h"
#include "server/routes/routes.h"

namespace fermata::server::routes {

void delete_credential(Api& api, Call call) {
  auto removed = api.catalog().remove_credential(
      call.who.account, call.variable(0), api.audit(call, "credential.delete", call.variable(0)));
  if (!removed) return api.fail(call, removed.error());
  http::Response response;
  response.status = 204;
  call.send(std::move(response));
}

}  // namespace fermata::server::routes
