#include "front/fields.h"
#include "server/routes/restart_execution.h"
#include "server/routes/routes.h"

namespace fermata::server::routes {

/// `{from_node}`; a script has no nodes and begins anew.
void rerun_execution(Api& api, Call call) {
  front::Fields fields(call.body);
  std::string from_node = fields.text("from_node", 100).value_or("");
  if (auto read = fields.finish(); !read) return api.fail(call, read.error());
  restart_execution(api, std::move(call), "rerun", [&](const restart::Source& source) {
    return restart::rerun(source, from_node);
  });
}

}  // namespace fermata::server::routes
