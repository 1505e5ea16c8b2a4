#include "core/run/restart.h"
#include "front/fields.h"
#include "front/run_query.h"
#include "server/routes/common.h"
#include "server/routes/routes.h"

namespace fermata::server::routes {
namespace {

struct Wanted {
  uint32_t version = 0;
  Value map;
  bool dry_run = false;
};

Outcome<Wanted> read_request(const Call& call) {
  Wanted wanted;
  front::Fields fields(call.body);
  auto version = fields.integer("version", 1, UINT32_MAX);
  fields.require("version");
  wanted.map = fields.object("map");
  bool dry = fields.boolean("dry_run").value_or(false);
  FERMATA_TRY_VOID(fields.finish());
  wanted.version = static_cast<uint32_t>(*version);
  FERMATA_TRY(dry_run, front::read_flag(call.query, "dry_run"));
  wanted.dry_run = dry || dry_run;
  return wanted;
}

/// What would happen, found out beside the run: it may move on before it is migrated.
Outcome<Value> plan(Api& api, const Call& call, const Wanted& wanted) {
  FERMATA_TRY(own, own_history(api, call));
  FERMATA_TRY(target, migration_target(api, own.run.summary, wanted.version, wanted.map));
  return restart::migration_plan({own.run.summary, own.run.history, own.definitions}, target);
}

Outcome<MigrateRun> make_command(Api& api, const Call& call, Wanted wanted) {
  FERMATA_TRY(summary, own_run(api, call));
  FERMATA_TRY(target, migration_target(api, summary, wanted.version, std::move(wanted.map)));
  return MigrateRun{target.workflow_version, std::move(target.definition), std::move(target.map)};
}

}  // namespace

void migrate_execution(Api& api, Call call) {
  auto wanted = read_request(call);
  if (!wanted) return api.fail(call, wanted.error());
  if (wanted->dry_run) {
    auto told = plan(api, call, *wanted);
    if (!told) return api.fail(call, told.error());
    return call.send_json(200, *told);
  }
  auto migrate = make_command(api, call, *wanted);
  if (!migrate) return api.fail(call, migrate.error());
  if (!migrate->definition->is_script())
    return submit_and_answer(api, std::move(call), *std::move(migrate));
  // A script tells what becomes of its frames (F-56).
  auto told = plan(api, call, *wanted);
  if (!told) return api.fail(call, told.error());
  Command command{RunId(call.variable(0)), *std::move(migrate), {}};
  submit(api, std::move(call), std::move(command),
         [report = *std::move(told)](Api&, const Call& asked, const RunSummary& summary) {
           Value answer = report;
           answer.set("id", summary.id.text());
           answer.set("status", name_of(summary.status));
           asked.send_json(200, answer);
         });
}

}  // namespace fermata::server::routes
