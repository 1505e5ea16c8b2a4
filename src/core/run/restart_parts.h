#pragma once
#include <set>

#include "core/model/event.h"
#include "core/run/restart.h"

/// What retry, rerun and fork share.
namespace fermata::restart {

/// The state of the old run right after the event with this sequence.
Outcome<Run> state_at(const Source& source, uint64_t last_sequence);
/// Takes away what belongs to the old run alone.
void detach(Run& run);
/// Puts a started token back to the beginning of its activation.
void start_anew(Run& run, TokenId id);
/// The state with its plan (restart_plan.cpp).
Outcome<Seed> seed_of(Run run, const Source& source);
/// The ids of nodes, in the order of the definition.
Value node_names(const Run& run, const std::set<NodeIndex>& nodes);
/// What has no program begins anew where its program is.
Outcome<void> refuse_external(const Source& source);

// The same for runs of scripts.
Outcome<Seed> retry_script(const Source& source, const std::optional<MigrationTarget>& target);
Outcome<Seed> fork_script(const Source& source, uint64_t at_sequence, const Value& changes,
                          uint32_t snapshots_kept);
Outcome<Seed> rerun_script(const Source& source, const std::string& from_node);
Outcome<Value> script_migration_plan(const Source& source, const MigrationTarget& target);

}  // namespace fermata::restart
