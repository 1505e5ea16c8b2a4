#include "adapters/postgres/asking.h"
#include "adapters/postgres/catalog_rows.h"
#include "adapters/postgres/store_parts.h"

/// Keys, credentials and idempotency marks.
namespace fermata {

using namespace postgres;

namespace postgres {

void Uses::write(Writer& writer) {
  std::map<std::string, Instant> keys;
  std::map<std::pair<AccountId, std::string>, Instant> credentials;
  {
    std::lock_guard lock(mutex_);
    keys.swap(keys_);
    credentials.swap(credentials_);
  }
  if (keys.empty() && credentials.empty()) return;
  // A use that is not written is only forgotten.
  (void)writer.transact(nullptr, [&](Connection& c) -> Outcome<void> {
    for (const auto& [id, at] : keys) {
      FERMATA_TRY(found, find_key(c, id));
      if (!found || (found->last_used_at && *found->last_used_at >= at)) continue;
      found->last_used_at = at;
      FERMATA_TRY_VOID(store_key(c, *found));
    }
    for (const auto& [key, at] : credentials) {
      FERMATA_TRY(found, find_credential(c, key.first, key.second));
      if (!found || (found->last_used_at && *found->last_used_at >= at)) continue;
      found->last_used_at = at;
      FERMATA_TRY_VOID(store_credential(c, *found));
    }
    return {};
  });
}

}  // namespace postgres

Outcome<void> PostgresStore::put_key(const KeyRecord& key, const AuditLine& audit) {
  return parts_->writer.transact(&audit, [&](Connection& c) { return store_key(c, key); });
}

Outcome<std::optional<KeyRecord>> PostgresStore::key(const std::string& id) {
  FERMATA_TRY(found, parts_->readers.read([&](Connection& c) { return find_key(c, id); }));
  if (found) parts_->uses.add_to(*found);
  return found;
}

Outcome<std::vector<KeyRecord>> PostgresStore::keys(const AccountId& account) {
  FERMATA_TRY(found, parts_->readers.read([&](Connection& c) { return list_keys(c, account); }));
  for (KeyRecord& key : found) parts_->uses.add_to(key);
  return found;
}

Outcome<void> PostgresStore::revoke_key(const std::string& id, Instant at, const AuditLine& audit) {
  return parts_->writer.transact(&audit, [&](Connection& c) -> Outcome<void> {
    FERMATA_TRY(found, find_key(c, id));
    if (!found) return fail(ErrorCode::key_not_found, "no key `" + id + "`");
    if (found->revoked_at) return {};
    found->revoked_at = at;
    parts_->uses.add_to(*found);
    return store_key(c, *found);
  });
}

void PostgresStore::key_used(const std::string& id, Instant at) { parts_->uses.key_used(id, at); }

Outcome<bool> PostgresStore::any_key() {
  return parts_->readers.read([](Connection& c) { return postgres::any_key(c); });
}

Outcome<std::optional<CredentialRecord>> PostgresStore::credential(const AccountId& account,
                                                                   const std::string& id) {
  FERMATA_TRY(found,
              parts_->readers.read([&](Connection& c) { return find_credential(c, account, id); }));
  if (found) parts_->uses.add_to(*found);
  return found;
}

Outcome<std::optional<CredentialRecord>> PostgresStore::credential_named(const AccountId& account,
                                                                         const std::string& name) {
  FERMATA_TRY(found, parts_->readers.read(
                         [&](Connection& c) { return find_credential_named(c, account, name); }));
  if (found) parts_->uses.add_to(*found);
  return found;
}

Outcome<CredentialPage> PostgresStore::credentials(const AccountId& account, size_t limit,
                                                   const std::string& cursor) {
  FERMATA_TRY(page, parts_->readers.read([&](Connection& c) {
    return list_credentials(c, account, limit, cursor);
  }));
  for (CredentialRecord& credential : page.items) parts_->uses.add_to(credential);
  return page;
}

Outcome<std::vector<AccountId>> PostgresStore::credential_accounts() {
  return parts_->readers.read([](Connection& c) { return accounts_with_credentials(c); });
}

Outcome<CredentialRecord> PostgresStore::revoke_credential(const AccountId& account,
                                                           const std::string& id, Instant at,
                                                           const AuditLine& audit) {
  auto body = [&](Connection& c) -> Outcome<CredentialRecord> {
    FERMATA_TRY(found, find_credential(c, account, id));
    if (!found) return no_credential(id);
    parts_->uses.add_to(*found);
    if (found->revoked_at) return *std::move(found);
    found->sealed.clear();
    found->revoked_at = at;
    found->updated_at = at;
    ++found->revision;
    FERMATA_TRY_VOID(store_credential(c, *found));
    FERMATA_TRY_VOID(append_line(c, audit));
    return *std::move(found);
  };
  return transacted<CredentialRecord>(parts_->writer, nullptr, body);
}

Outcome<void> PostgresStore::remove_credential(const AccountId& account, const std::string& id,
                                               const AuditLine& audit) {
  FERMATA_TRY_VOID(parts_->writer.transact(&audit, [&](Connection& c) -> Outcome<void> {
    FERMATA_TRY(found, find_credential(c, account, id));
    if (!found) return no_credential(id);
    return drop_credential(c, account, id);
  }));
  parts_->uses.forget_credential(account, id);
  return {};
}

Outcome<bool> PostgresStore::reseal_credential(const AccountId& account, const std::string& id,
                                               const std::string& from, const std::string& to,
                                               const AuditLine& audit) {
  return transacted<bool>(parts_->writer, nullptr, [&](Connection& c) -> Outcome<bool> {
    FERMATA_TRY(found, find_credential(c, account, id));
    if (!found || found->sealed != from) return false;
    found->sealed = to;
    FERMATA_TRY_VOID(store_credential(c, *found));
    FERMATA_TRY_VOID(append_line(c, audit));
    return true;
  });
}

void PostgresStore::credential_used(const AccountId& account, const std::string& id, Instant at) {
  parts_->uses.credential_used(account, id, at);
}

Outcome<std::optional<IdempotencyMark>> PostgresStore::mark(const AccountId& account,
                                                            const std::string& key, Instant now) {
  parts_->uses.marks_seen_at(now);
  FERMATA_TRY(found,
              parts_->readers.read([&](Connection& c) { return find_mark(c, account, key); }));
  if (found && found->expires_at <= now) found.reset();
  return found;
}

Outcome<IdempotencyMark> PostgresStore::put_mark(const IdempotencyMark& mark) {
  auto body = [&](Connection& c) -> Outcome<IdempotencyMark> {
    FERMATA_TRY(known, find_mark(c, mark.account, mark.key));
    if (known && known->expires_at.ms > parts_->uses.marks_seen_at_ms()) return *std::move(known);
    FERMATA_TRY_VOID(store_mark(c, mark));
    return mark;
  };
  return transacted<IdempotencyMark>(parts_->writer, nullptr, body);
}

}  // namespace fermata
