#include "server/routes/common.h"
#include "server/routes/routes.h"

namespace fermata::server::routes {

void get_version(Api& api, Call call) {
  auto number = version_number(call.variable(1));
  if (!number)
    return api.fail(call, {ErrorCode::version_not_found, "A version is a number from 1 on.", {}});
  auto found = front::resolve_workflow(api.catalog(), api.definitions(), call.who.account,
                                       WorkflowId(call.variable(0)), number);
  if (!found) return api.fail(call, found.error());
  call.send_json(200, Value::object({{"id", call.variable(0)},
                                     {"version", found->version},
                                     {"current", found->version == found->record.current_version},
                                     {"hash", found->definition->hash.text()},
                                     {"definition", found->definition->canonical}}));
}

}  // namespace fermata::server::routes
