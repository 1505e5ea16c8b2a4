#pragma once
#include "server/api.h"

namespace fermata::server::routes {

/// The numbers that every page shows beside its own: executions by status, waits pending and
/// overdue, dead letters. All of them are kept counts, or one look at an index.
Outcome<Value> counts_value(Api& api, const AccountId& account);

}  // namespace fermata::server::routes
