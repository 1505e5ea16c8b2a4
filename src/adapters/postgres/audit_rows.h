#pragma once
#include "adapters/postgres/connection.h"
#include "ports/reader.h"

namespace fermata::postgres {

/// Chains the lines that commits left, at most so many, in the order in which they came. Any
/// process may do it, one at a time. Answers how many there were.
Outcome<size_t> chain_audit(Connection& connection, size_t most);

}  // namespace fermata::postgres
