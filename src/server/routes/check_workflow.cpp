#include "front/fields.h"
#include "server/routes/common.h"
#include "server/routes/routes.h"
#include "server/routes/store_definition.h"

namespace fermata::server::routes {

/// The question is answered with 200 either way: a definition with errors is a good answer to it.
void check_workflow(Api& api, Call call) {
  if (asks_for_flow(call)) return check_flow(api, call);
  auto checked = graph::check_definition(call.body, call.request.body, definition_limits(api, call),
                                         api.zones().get());
  Value out = Value::object({{"valid", checked.errors.empty()},
                             {"errors", front::to_value(checked.errors)},
                             {"warnings", front::to_value(checked.warnings)}});
  if (checked.definition) out.set("hash", checked.definition->hash.text());
  call.send_json(200, out);
}

}  // namespace fermata::server::routes
