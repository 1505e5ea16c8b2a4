#pragma once
#include <optional>

#include "front/policy_request.h"
#include "ports/reader.h"

namespace fermata::front {

constexpr size_t rehearsal_decisions_max = 100'000;

struct RehearsalRequest {
  policy::PolicyPtr candidate;
  AccountId account;
  DecisionFilter filter;
  size_t limit = 10'000;
};

/// Judges past decisions again in the order they were made, with windows of its own, and looks at
/// the jobs that wait now (J-26). Writes nothing. `{total, same, stricter, milder, by_rule[],
/// changes[], pending_affected[], runs_stalled[], undo_blocked[]}`; lists end at a thousand.
Outcome<Value> rehearse(PolicyStore& store, Reader& reader, const RehearsalRequest& request,
                        Instant now);

}  // namespace fermata::front
