#pragma once
#include "core/model/command.h"
#include "sim/auditors/auditor.h"
#include "sim/ports/sim_store.h"

namespace fermata::sim {

/// What a caller is told is in the store when it is told.
void audit_answer(const SimStore& store, const Command& command, const Outcome<RunSummary>& answer,
                  const ProbeHook& probe);

}  // namespace fermata::sim
