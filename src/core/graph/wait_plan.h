#pragma once
#include "core/graph/nodes/node.h"
#include "core/run/step.h"
#include "core/wait/config.h"

namespace fermata::graph {

/// When a wait node resumes, by its form (G-81).
struct WaitPlan {
  Instant at;
  /// What follows when `at` is not in the future; set for waits until a date.
  std::optional<waits::DateReaction> past;
  /// {timezone, local_target, gap_policy, plus_ms, tzdata_version} of a wait that came from local
  /// time, else null (W-5).
  Value intent;
};
/// Fails with `wait_invalid`, whose details have the code of waits.md section 3. `wait_id` fixes
/// the wait's place in its spread.
Result<WaitPlan, NodeError> plan_wait(const Step& step, const Node& node, const Value& parameters,
                                      const std::string& wait_id);

}  // namespace fermata::graph
