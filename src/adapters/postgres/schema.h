#pragma once
#include "adapters/postgres/connection.h"

namespace fermata::postgres {

/// Brings the schema up to date, each migration in a transaction of its own, under a lock that
/// other processes wait for (C-21). Fails with schema_newer, or with data_damaged when what is
/// recorded of a migration is not what this program knows of it.
Outcome<void> migrate(Connection& connection, const std::string& schema);

/// Migrations that are not applied yet, by name, in order. Fails as `migrate` does.
Outcome<std::vector<std::string>> pending_migrations(Connection& connection,
                                                     const std::string& schema);
/// Fails with invalid_setting where any is pending, and for the reasons of `migrate`.
Outcome<void> expect_schema(Connection& connection, const std::string& schema);
/// How many migrations this program knows.
size_t schema_newest();

}  // namespace fermata::postgres
