#pragma once
#include "base/error.h"
#include "core/run/migration.h"

namespace fermata {

/// A script's state in another version (F-56), and what becomes of its frames:
/// `{ok, frames[], problems[]}`.
struct ScriptMove {
  FlowMigrated event;
  Value report;
};

/// Fails with not_migratable, and a finding for each problem, when the state does not fit.
Outcome<ScriptMove> move_script(const Run& run, const MigrationTarget& target);

}  // namespace fermata
