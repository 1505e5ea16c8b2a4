#pragma once
#include <memory>
#include <string>
#include <vector>

#include "base/error.h"
#include "core/graph/definition.h"
#include "core/model/command.h"
#include "core/model/summary.h"
#include "core/run/history.h"
#include "core/run/migration.h"

/// New runs made from old ones (G-96). Each gives the state the new run begins with, to be sent as
/// `StartRun::seed`, and a plan for `?dry_run=true`.
namespace fermata::restart {

struct Source {
  const RunSummary& summary;
  const std::vector<HistoryChunk>& history;  ///< from sequence 1
  KnownDefinitions definitions;
};

struct Seed {
  std::shared_ptr<const Run> state;
  /// {repeat[], reuse[], cancel[], warnings[]}: nodes that are run (again), nodes whose output the
  /// new run begins with, nothing (the old run is not touched), and what to think of before.
  Value plan;
};

/// With a target the new run goes on in that version, if the state fits it as in a migration.
Outcome<Seed> retry(const Source& source, const std::optional<MigrationTarget>& target = {});
/// A run of nothing but what an ended one has left to undo (J-73).
Outcome<Seed> rollback(const Source& source);
/// What moving the live run to another version would do; refused as the migration would be.
Outcome<Value> migration_plan(const Source& source, const MigrationTarget& target);
/// A script has no nodes: it begins anew with its input.
Outcome<Seed> rerun(const Source& source, const std::string& from_node);
/// A script is known at its last `snapshots_kept` parks and after (F-48).
Outcome<Seed> fork(const Source& source, uint64_t at_sequence, const Value& changes,
                   uint32_t snapshots_kept = 8);

}  // namespace fermata::restart
