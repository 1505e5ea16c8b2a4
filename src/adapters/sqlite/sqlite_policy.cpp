#include "adapters/sqlite/store_parts.h"
#include "ports/cursor.h"

/// What the store keeps of policy.
namespace fermata {

using sqlite::ReadConnection;

Outcome<StoredPolicy> SqliteStore::stored_policy() {
  return parts_->readers.read([&](ReadConnection& c) { return c.policy.stored(); });
}

Outcome<uint64_t> SqliteStore::change_policy(const PolicyChange& change, const AuditLine& audit) {
  return parts_->policy.change(change, audit);
}

Outcome<std::optional<Value>> SqliteStore::snapshot(const std::string& hash) {
  return parts_->readers.read([&](ReadConnection& c) { return c.policy.snapshot(hash); });
}

Outcome<PolicyVersionPage> SqliteStore::policy_versions(const AccountId& account, size_t limit,
                                                        const std::string& cursor) {
  FERMATA_TRY(before, cursor_number(cursor, UINT64_MAX));
  return parts_->readers.read(
      [&](ReadConnection& c) { return c.policy.versions(account, limit, before); });
}

Outcome<DecisionPage> SqliteStore::decisions(const DecisionFilter& filter, size_t limit,
                                             const std::string& cursor) {
  FERMATA_TRY(before, cursor_number(cursor, UINT64_MAX));
  return parts_->readers.read(
      [&](ReadConnection& c) { return c.policy.decisions(filter, limit, before); });
}

Outcome<std::vector<RuleHits>> SqliteStore::rule_hits(const AccountId& account) {
  return parts_->readers.read([&](ReadConnection& c) { return c.policy.hits(account); });
}

Outcome<Store::PassedPage> SqliteStore::passed(Instant since, uint64_t after, size_t limit) {
  return parts_->loading.read(
      [&](ReadConnection& c) { return c.policy.passed(since, after, limit); });
}

Outcome<Retention::Sweep> SqliteStore::remove_decisions(Instant before, size_t limit) {
  return parts_->policy.remove_decisions(before, limit);
}

}  // namespace fermata
