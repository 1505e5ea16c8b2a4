#include "front/fields.h"
#include "server/routes/restart_execution.h"
#include "server/routes/routes.h"
#include "server/routes/saga_routes.h"

namespace fermata::server::routes {

/// `{version?, map?, dry_run?}`: another version is checked as in a migration (G-96, G-97).
void retry_execution(Api& api, Call call) {
  front::Fields fields(call.body);
  auto version = fields.integer("version", 1, UINT32_MAX);
  Value map = fields.object("map");
  bool dry_run = fields.boolean("dry_run").value_or(false);
  if (!map.is_null() && !version) fields.wrong("map", "A map goes with the version it leads to.");
  if (auto read = fields.finish(); !read) return api.fail(call, read.error());
  auto undone = refuse_rolled_back(api, RunId(call.variable(0)));
  if (!undone) return api.fail(call, undone.error());
  restart_execution(
      api, std::move(call), "retry",
      [&](const restart::Source& source) -> Outcome<restart::Seed> {
        if (!version) return restart::retry(source);
        FERMATA_TRY(target, migration_target(api, source.summary, static_cast<uint32_t>(*version),
                                             std::move(map)));
        return restart::retry(source, std::move(target));
      },
      dry_run);
}

}  // namespace fermata::server::routes
