#include "server/routes/common.h"
#include "server/routes/key_value.h"
#include "server/routes/routes.h"

namespace fermata::server::routes {

void list_keys(Api& api, Call call) {
  auto keys = api.catalog().keys(call.who.account);
  if (!keys) return api.fail(call, keys.error());
  Value items = Value::array();
  for (const KeyRecord& key : *keys) items.push(key_value(key));
  call.send_json(200, page_value(std::move(items), {}));
}

}  // namespace fermata::server::routes
