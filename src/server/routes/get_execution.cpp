#include "server/routes/common.h"
#include "server/routes/routes.h"

namespace fermata::server::routes {

void get_execution(Api& api, Call call) {
  auto value = execution_value(api, call.who.account, RunId(call.variable(0)));
  if (!value) return api.fail(call, value.error());
  call.send_json(200, *value);
}

}  // namespace fermata::server::routes
