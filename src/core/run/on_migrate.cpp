#include "core/graph/advance.h"
#include "core/run/migration.h"
#include "core/run/step.h"

namespace fermata {

Outcome<void> on_migrate(Step& step, const MigrateRun& migrate) {
  Run& run = step.run;
  if (run.finished()) return fail(ErrorCode::run_finished, "the execution has ended");
  if (migrate.definition->hash == run.definition->hash) return {};
  FERMATA_TRY(event,
              plan_migration(run, {migrate.workflow_version, migrate.definition, migrate.map}));
  run.definition = migrate.definition;
  step.emit(std::move(event));
  graph::touch_pending_merges(step);
  graph::advance(step);
  return {};
}

}  // namespace fermata
