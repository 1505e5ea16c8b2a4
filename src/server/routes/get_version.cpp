#include "server/routes/common.h"
#include "server/routes/routes.h"

namespace fermata::server::routes {

void get_version(Api& api, Call call) {
  auto number = version_number(call.variable(1));
  if (!number)
    return api.fail(call, {ErrorCode::version_not_found, "A version is a number from 1 on.", {}});
  auto found =
      front::find_version(api.catalog(), call.who.account, WorkflowId(call.variable(0)), number);
  if (!found) return api.fail(call, found.error());
  auto definition = api.definitions().load_any(found->hash);
  if (!definition) return api.fail(call, definition.error());
  call.send_json(200, Value::object({{"id", call.variable(0)},
                                     {"version", found->version},
                                     {"current", found->version == found->record.current_version},
                                     {"hash", found->hash.text()},
                                     {"language", definition->language()},
                                     {"definition", definition->document()}}));
}

}  // namespace fermata::server::routes
