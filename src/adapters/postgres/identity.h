#pragma once
#include <atomic>
#include <functional>

#include "adapters/postgres/connection.h"
#include "adapters/postgres/postgres_store.h"

namespace fermata::postgres {

/// Which PostgreSQL this is. A standby that is promoted keeps the identifier and begins a new
/// timeline; commits that had not reached it are gone (C-17).
struct Identity {
  std::string system;
  uint32_t timeline = 0;
  bool operator==(const Identity&) const = default;
};
Outcome<Identity> identity_of(Connection& connection);

/// Whether what is answered is also on another machine: `synchronous`, else `local`.
Outcome<std::string> durability_of(Connection& connection);

/// Fails with data_locked where the schema was written on another system than this one.
Outcome<void> expect_own_system(Connection& connection, const std::string& schema, bool accept);
/// While this process leads: records which database it is. Answers the epoch, raised when that is
/// another than before.
Outcome<uint32_t> settle_epoch(Connection& connection);

/// Warns where servers together may need more connections than there are (C-16); fails with
/// invalid_setting where one alone does.
Outcome<void> check_connections(Connection& connection, size_t needed,
                                const std::function<void(const std::string&)>& warn);

}  // namespace fermata::postgres
