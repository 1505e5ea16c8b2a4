#pragma once
#include "core/model/run.h"
#include "ports/store.h"
#include "sim/model/reference.h"

namespace fermata::sim {

/// Holds the end of a run of a random graph against what the interpreter expects.
void judge_outcome(const model::Spec& spec, const model::Expected& expected, const Run& run);
/// The same for how often each node ran.
void judge_counts(const model::Spec& spec, const model::Expected& expected, const Run& run,
                  const StoredRun& stored);
/// What every random graph is started with.
Value graph_input(int64_t first, int64_t items);

}  // namespace fermata::sim
