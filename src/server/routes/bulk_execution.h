#pragma once
#include "front/fields.h"
#include "server/bulk.h"
#include "server/routes/common.h"

/// What bulk operations do to executions.
namespace fermata::server::routes {

/// The action that a request names and what it takes: {action, …}. Mistakes go into `fields`.
struct ExecutionAction {
  std::string name;
  Value parameters;
};
ExecutionAction read_execution_action(front::Fields& fields);

/// Why the state of a run forbids the action, or nothing. Only a forecast: the run itself decides.
std::optional<ErrorCode> forbidden(std::string_view action, RunStatus status);

/// Adds to the dry run of a migration what it would mean for each execution (U-34):
/// `fits` {clean, needs_map, cannot} and `runs` [{id, fit, code?, detail?, errors?, warnings?}], of
/// the first `migration_looks_max`; `runs_more` when there are others.
constexpr size_t migration_looks_max = 500;
Outcome<void> tell_fits(Api& api, const AccountId& account, const ExecutionAction& action,
                        const std::vector<std::string>& ids, Value& told);

/// `BulkKind::act` of executions.
void act_on_execution(Api& api, const BulkRecord& bulk, const std::string& item, bool repeated,
                      BulkDone done);

}  // namespace fermata::server::routes
