#pragma once
#include "base/error.h"
#include "core/model/event.h"

namespace fermata {

/// Another version of a run's workflow, to go on in.
struct MigrationTarget {
  uint32_t workflow_version = 0;
  graph::DefinitionRef definition;
  Value map;  ///< {old node id: new node id}, or null
};

/// How a state is moved to another version (G-97): every token, pending merge and open split must
/// find its place there, by id or by the map. Else migration_refused with everything that does not
/// fit.
Outcome<RunMigrated> plan_migration(const Run& run, const MigrationTarget& target);

}  // namespace fermata
