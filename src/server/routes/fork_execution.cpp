#include "front/fields.h"
#include "server/routes/restart_execution.h"
#include "server/routes/routes.h"

namespace fermata::server::routes {

void fork_execution(Api& api, Call call) {
  front::Fields fields(call.body);
  auto at_sequence = fields.integer("at_sequence", 1, INT64_MAX);
  fields.require("at_sequence");
  Value changes = fields.object("changes");
  if (auto read = fields.finish(); !read) return api.fail(call, read.error());
  restart_execution(api, std::move(call), "fork", [&](const restart::Source& source) {
    return restart::fork(source, static_cast<uint64_t>(*at_sequence), changes,
                         api.options().flow_snapshots_kept);
  });
}

}  // namespace fermata::server::routes
