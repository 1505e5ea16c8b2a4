#include "server/routes/common.h"
#include "server/routes/key_value.h"
#include "server/routes/routes.h"

namespace fermata::server::routes {

Outcome<KeyRecord> own_key(Api& api, const Call& call) {
  FERMATA_TRY(key, api.catalog().key(call.variable(0)));
  if (!key || key->account != call.who.account)
    return fail(ErrorCode::key_not_found, "There is no key `" + call.variable(0) + "`.");
  return *std::move(key);
}

void get_key(Api& api, Call call) {
  auto key = own_key(api, call);
  if (!key) return api.fail(call, key.error());
  call.send_json(200, key_value(*key));
}

}  // namespace fermata::server::routes
