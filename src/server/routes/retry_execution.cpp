#include "front/fields.h"
#include "server/routes/restart_execution.h"
#include "server/routes/routes.h"

namespace fermata::server::routes {

void retry_execution(Api& api, Call call) {
  front::Fields fields(call.body);
  auto version = fields.integer("version", 1, UINT32_MAX);
  Value map = fields.object("map");
  if (auto read = fields.finish(); !read) return api.fail(call, read.error());
  restart_execution(
      api, std::move(call), "retry", [&](const restart::Source& source) -> Outcome<restart::Seed> {
        if ((version && *version != source.summary.workflow_version) || !map.is_null())
          return fail(ErrorCode::migration_refused,
                      "A retry keeps the version of its execution; retry first "
                      "and then migrate the new execution.");
        return restart::retry(source);
      });
}

}  // namespace fermata::server::routes
