#pragma once
#include "server/api.h"

namespace fermata::server::routes {

/// What the server has counted of a workflow in the last day (U-32): {started, completed, failed,
/// p50_ms, p95_ms, last_started_at, hours}.
Value workflow_measures(Api& api, const AccountId& account, const WorkflowId& workflow);

/// How each node did (U-32): `{node: {failed_7d, codes, count, p50_ms, p95_ms}}`. Failures are
/// counted; lengths are those of the newest executions that completed, at most
/// `measured_runs_max` of them.
constexpr size_t measured_runs_max = 50;
Outcome<Value> node_measures(Api& api, const AccountId& account, const WorkflowId& workflow);

}  // namespace fermata::server::routes
