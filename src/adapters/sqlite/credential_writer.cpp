#include "adapters/sqlite/catalog_writer.h"

namespace fermata::sqlite {

Outcome<void> CatalogWriter::store_credential(uint64_t number, const CredentialRecord& record) {
  std::string bytes = encode_credential(record, number);
  if (!put_credential_.execute(number, record.account.text(), record.id, record.name,
                               Blob{bytes})) {
    return database_.failure("writing a credential");
  }
  return {};
}

Outcome<CredentialRecord> CatalogWriter::put_credential_in_transaction(const CredentialPut& put) {
  FERMATA_TRY(known, writer_.catalog().credential(put.account, put.id));
  FERMATA_TRY(next, credential_after(put, known ? std::optional(known->record) : std::nullopt));
  FERMATA_TRY(named, writer_.catalog().credential_named(put.account, put.name));
  if (named && named->record.id != put.id) return credential_name_taken(put.name);
  add_last_use(next);
  uint64_t number = known ? known->number : 0;
  if (!known) {
    FERMATA_TRY(fresh, next_number("SELECT max(number) FROM credential"));
    number = fresh;
  }
  FERMATA_TRY_VOID(store_credential(number, next));
  return next;
}

Outcome<CredentialRecord> CatalogWriter::put_credential(const CredentialPut& put,
                                                        const AuditLine& audit) {
  CredentialRecord stored;
  FERMATA_TRY_VOID(writer_.transact(&audit, [&]() -> Outcome<void> {
    if (put.mark) {
      FERMATA_TRY(known, writer_.catalog().mark(put.mark->account, put.mark->key));
      int64_t seen_at_ms = marks_seen_at_ms_.load(std::memory_order_relaxed);
      if (known && known->record.expires_at.ms > seen_at_ms) return mark_taken(put.mark->key);
      FERMATA_TRY_VOID(add_mark(*put.mark));
    }
    FERMATA_TRY(record, put_credential_in_transaction(put));
    stored = std::move(record);
    return {};
  }));
  return stored;
}

Outcome<CredentialRecord> CatalogWriter::revoke_credential(const AccountId& account,
                                                           const std::string& id, Instant at,
                                                           const AuditLine& audit) {
  CredentialRecord stored;
  bool revokes = false;
  FERMATA_TRY_VOID(writer_.transact(nullptr, [&]() -> Outcome<void> {
    FERMATA_TRY(found, writer_.catalog().credential(account, id));
    if (!found) return no_credential(id);
    CredentialRecord& record = found->record;
    revokes = !record.revoked_at;
    add_last_use(record);
    if (revokes) {
      record.sealed.clear();
      record.revoked_at = at;
      record.updated_at = at;
      ++record.revision;
      FERMATA_TRY_VOID(store_credential(found->number, record));
      FERMATA_TRY_VOID(writer_.append(audit));
    }
    stored = std::move(record);
    return {};
  }));
  return stored;
}

Outcome<void> CatalogWriter::remove_credential(const AccountId& account, const std::string& id,
                                               const AuditLine& audit) {
  return writer_.transact(&audit, [&]() -> Outcome<void> {
    FERMATA_TRY(found, writer_.catalog().credential(account, id));
    if (!found) return no_credential(id);
    if (!remove_credential_.execute(found->number)) {
      return database_.failure("removing a credential");
    }
    std::lock_guard lock(uses_mutex_);
    credential_uses_.erase({account, id});
    return {};
  });
}

Outcome<bool> CatalogWriter::reseal_credential(const AccountId& account, const std::string& id,
                                               const std::string& from, const std::string& to,
                                               const AuditLine& audit) {
  bool resealed = false;
  FERMATA_TRY_VOID(writer_.transact(nullptr, [&]() -> Outcome<void> {
    FERMATA_TRY(found, writer_.catalog().credential(account, id));
    resealed = found && found->record.sealed == from;
    if (!resealed) return {};
    found->record.sealed = to;
    FERMATA_TRY_VOID(store_credential(found->number, found->record));
    return writer_.append(audit);
  }));
  return resealed;
}

void CatalogWriter::credential_used(const AccountId& account, const std::string& id, Instant at) {
  std::lock_guard lock(uses_mutex_);
  Instant& last = credential_uses_.try_emplace({account, id}, at).first->second;
  last = std::max(last, at);
}

void CatalogWriter::add_last_use(CredentialRecord& credential) {
  std::lock_guard lock(uses_mutex_);
  auto found = credential_uses_.find({credential.account, credential.id});
  if (found == credential_uses_.end()) return;
  std::optional<Instant>& last = credential.last_used_at;
  if (!last || *last < found->second) last = found->second;
}

/// Asks for the mutex of uses to be held.
Outcome<void> CatalogWriter::store_credential_uses() {
  for (const auto& [key, at] : credential_uses_) {
    FERMATA_TRY(found, writer_.catalog().credential(key.first, key.second));
    if (!found || (found->record.last_used_at && *found->record.last_used_at >= at)) continue;
    found->record.last_used_at = at;
    FERMATA_TRY_VOID(store_credential(found->number, found->record));
  }
  return {};
}

}  // namespace fermata::sqlite
