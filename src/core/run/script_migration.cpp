#include "core/run/script_migration.h"

#include "base/bytes.h"
#include "core/flow/durable/execution_bytes.h"
#include "core/flow/durable/migrate.h"

namespace fermata {

Outcome<ScriptMove> move_script(const Run& run, const MigrationTarget& target) {
  if (!run.script || !target.definition->is_script())
    return fail(ErrorCode::not_migratable, "a script goes on as a script");
  flow::Execution moved = *run.script;
  flow::MigrationPath path{run.definition->program, target.definition->program, target.map};
  auto report = flow::migrate(moved, path);
  if (!report) return fail(ErrorCode::not_migratable, report.error().message);
  if (!report->ok()) {
    std::vector<Finding> findings;
    for (const flow::MigrationProblem& problem : report->problems)
      findings.push_back({problem.code, "", problem.message, {}, problem.line, problem.column});
    return fail(ErrorCode::not_migratable,
                "the execution does not fit version " + std::to_string(target.workflow_version),
                std::move(findings));
  }
  ByteWriter state;
  flow::encode_execution(moved, state);
  return ScriptMove{
      {run.workflow_version, target.workflow_version, target.definition->hash, state.take()},
      report->to_value()};
}

}  // namespace fermata
