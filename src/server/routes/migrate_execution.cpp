#include "front/fields.h"
#include "server/routes/common.h"
#include "server/routes/routes.h"

namespace fermata::server::routes {
namespace {

Outcome<MigrateRun> make_command(Api& api, const Call& call) {
  front::Fields fields(call.body);
  auto version = fields.integer("version", 1, UINT32_MAX);
  fields.require("version");
  MigrateRun migrate;
  migrate.map = fields.object("map");
  FERMATA_TRY_VOID(fields.finish());
  FERMATA_TRY(summary, own_run(api, call));
  FERMATA_TRY(workflow, front::resolve_workflow(api.catalog(), api.definitions(), call.who.account,
                                                summary.workflow, static_cast<uint32_t>(*version)));
  migrate.workflow_version = workflow.version;
  migrate.definition = std::move(workflow.definition);
  return migrate;
}

}  // namespace

void migrate_execution(Api& api, Call call) {
  auto migrate = make_command(api, call);
  if (!migrate) return api.fail(call, migrate.error());
  submit_and_answer(api, std::move(call), *std::move(migrate));
}

}  // namespace fermata::server::routes
