#include "adapters/sqlite/store_parts.h"

/// What the store keeps of pools and of what accounts have spent.
namespace fermata {

using sqlite::ReadConnection;

Outcome<StoredPools> SqliteStore::stored_pools() {
  return parts_->readers.read([&](ReadConnection& c) { return c.pools.stored(); });
}

Outcome<void> SqliteStore::change_pools(const StoredPools& pools, const AuditLine& audit) {
  return parts_->pools.change(pools, audit);
}

Outcome<std::vector<AccountSpent>> SqliteStore::spent_on(int64_t day) {
  return parts_->loading.read([&](ReadConnection& c) { return c.usage.on(day); });
}

}  // namespace fermata
