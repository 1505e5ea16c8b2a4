#include "adapters/memory/memory_store.h"

/// What is kept of pools and of what accounts have spent.
namespace fermata {

Outcome<StoredPools> MemoryStore::stored_pools() {
  std::lock_guard lock(mutex_);
  return pools_;
}

Outcome<void> MemoryStore::change_pools(const StoredPools& pools, const AuditLine& audit) {
  std::lock_guard lock(mutex_);
  if (pools.revision != pools_.revision + 1)
    return fail(ErrorCode::version_conflict,
                "pools are at revision " + std::to_string(pools_.revision));
  pools_ = pools;
  append(audit);
  return {};
}

Outcome<std::vector<AccountSpent>> MemoryStore::spent_on(int64_t day) {
  std::lock_guard lock(mutex_);
  std::vector<AccountSpent> out;
  for (const auto& [key, usage] : spent_)
    if (key.second == day) out.push_back({key.first, usage});
  return out;
}

}  // namespace fermata
