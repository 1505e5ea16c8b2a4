#pragma once
#include "core/policy/output.h"

namespace fermata::policy {

/// How results of the topic are released and what becomes of those that cannot be scanned, whether
/// or not a rule is about them; `policy` may be null. Nothing: they are not looked at.
std::optional<job::OutputPlan> release_of(const OutputPolicy* policy,
                                          const OutputSettings& settings, const std::string& topic);

/// As `plan_output`, where somebody outside reads every result that no rule refuses at once.
job::OutputPlan plan_for_kernel(const OutputPolicy* policy, const OutputSettings& settings,
                                const OutputFacts& facts);

}  // namespace fermata::policy
