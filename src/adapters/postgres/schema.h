#pragma once
#include "adapters/postgres/connection.h"

namespace fermata::postgres {

/// Brings the schema up to date, each migration in a transaction of its own, under a lock that
/// other processes wait for (C-21). Fails with schema_newer, or with data_damaged when what is
/// recorded of a migration is not what this program knows of it.
Outcome<void> migrate(Connection& connection, const std::string& schema);

}  // namespace fermata::postgres
