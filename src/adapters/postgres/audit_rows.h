#pragma once
#include "adapters/postgres/connection.h"
#include "ports/reader.h"

namespace fermata::postgres {

/// Chains the lines that commits left, at most so many, in the order in which they came (C-23). Any
/// connection may do it, one at a time. Answers how many there were.
Outcome<size_t> chain_audit(Connection& connection, size_t most);

/// As Reader::audit, of the lines that are chained.
Outcome<AuditPage> list_audit(Connection& connection, const AuditFilter& filter, size_t limit,
                              uint64_t before);

/// What an entry is sealed with.
uint64_t audit_salt(const AccountId& account, uint64_t sequence);

}  // namespace fermata::postgres
