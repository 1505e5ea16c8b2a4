#pragma once
#include "core/run/step.h"

/// A node that asks people (G-49).
namespace fermata::graph {

/// What they decided, or what the clock did for them.
struct ApprovalVerdict {
  bool approved = false;
  std::string by{};
  std::string comment{};
};

void start_approval(Step& step, TokenId id, Value parameters);
/// The token goes on with the answer; it stands at the approval still.
void take_decision(Step& step, const Approval& asked, const ApprovalVerdict& verdict);
void time_out_approval(Step& step, TokenId id);

}  // namespace fermata::graph
