#pragma once
#include "adapters/postgres/connection.h"
#include "adapters/postgres/postgres_store.h"

namespace fermata::postgres {

Server server_of(const PostgresOptions& options);
/// Waits for a server that is just being started, or has failed over.
Outcome<void> reach(Connection& connection, Duration most);

/// A value that is kept of the store as a whole; nothing when there is none of that name.
Outcome<std::optional<std::string>> setting_of(Connection& connection, const std::string& name);
Outcome<void> put_setting(Connection& connection, const std::string& name,
                          const std::string& value);

/// Fails while a move fills the schema, or has left it unfinished.
Outcome<void> refuse_unfinished(Connection& connection, const std::string& schema);

}  // namespace fermata::postgres
