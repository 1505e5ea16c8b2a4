#include "adapters/memory/memory_store.h"

namespace fermata {

CredentialRecord* MemoryStore::credential_at(const AccountId& account, const std::string& id) {
  auto found = credentials_.find({account, id});
  return found == credentials_.end() ? nullptr : &found->second;
}

CredentialRecord* MemoryStore::credential_by_name(const AccountId& account,
                                                  const std::string& name) {
  for (auto& [key, record] : credentials_)
    if (key.first == account && record.name == name) return &record;
  return nullptr;
}

Outcome<CredentialRecord> MemoryStore::next_credential(const CredentialPut& put) {
  CredentialRecord* known = credential_at(put.account, put.id);
  FERMATA_TRY(next, credential_after(put, known ? std::optional(*known) : std::nullopt));
  CredentialRecord* named = credential_by_name(put.account, put.name);
  if (named != nullptr && named->id != put.id) return credential_name_taken(put.name);
  return next;
}

Outcome<CredentialRecord> MemoryStore::put_credential(const CredentialPut& put,
                                                      const AuditLine& audit) {
  std::lock_guard lock(mutex_);
  if (put.mark) {
    auto known = marks_.find({put.mark->account, put.mark->key});
    if (known != marks_.end() && known->second.expires_at > marks_seen_at_)
      return mark_taken(put.mark->key);
  }
  FERMATA_TRY(next, next_credential(put));
  credentials_[{put.account, put.id}] = next;
  if (put.mark) marks_.insert_or_assign({put.mark->account, put.mark->key}, *put.mark);
  append(audit);
  return next;
}

Outcome<std::optional<CredentialRecord>> MemoryStore::credential(const AccountId& account,
                                                                 const std::string& id) {
  std::lock_guard lock(mutex_);
  CredentialRecord* known = credential_at(account, id);
  return known ? std::optional(*known) : std::nullopt;
}

Outcome<std::optional<CredentialRecord>> MemoryStore::credential_named(const AccountId& account,
                                                                       const std::string& name) {
  std::lock_guard lock(mutex_);
  CredentialRecord* known = credential_by_name(account, name);
  return known ? std::optional(*known) : std::nullopt;
}

Outcome<CredentialPage> MemoryStore::credentials(const AccountId& account, size_t limit,
                                                 const std::string& cursor) {
  std::lock_guard lock(mutex_);
  CredentialPage page;
  auto at = credentials_.upper_bound({account, cursor});
  for (; at != credentials_.end() && at->first.first == account; ++at) {
    if (page.items.size() == limit) {
      if (!page.items.empty()) page.next_cursor = page.items.back().id;
      break;
    }
    page.items.push_back(at->second);
  }
  return page;
}

Outcome<std::vector<AccountId>> MemoryStore::credential_accounts() {
  std::lock_guard lock(mutex_);
  std::vector<AccountId> accounts;
  for (const auto& [key, record] : credentials_)
    if (accounts.empty() || accounts.back() != key.first) accounts.push_back(key.first);
  return accounts;
}

Outcome<CredentialRecord> MemoryStore::revoke_credential(const AccountId& account,
                                                         const std::string& id, Instant at,
                                                         const AuditLine& audit) {
  std::lock_guard lock(mutex_);
  CredentialRecord* known = credential_at(account, id);
  if (known == nullptr) return no_credential(id);
  if (known->revoked_at) return *known;
  known->sealed.clear();
  known->revoked_at = at;
  known->updated_at = at;
  ++known->revision;
  append(audit);
  return *known;
}

Outcome<void> MemoryStore::remove_credential(const AccountId& account, const std::string& id,
                                             const AuditLine& audit) {
  std::lock_guard lock(mutex_);
  if (credentials_.erase({account, id}) == 0) return no_credential(id);
  append(audit);
  return {};
}

Outcome<bool> MemoryStore::reseal_credential(const AccountId& account, const std::string& id,
                                             const std::string& from, const std::string& to,
                                             const AuditLine& audit) {
  std::lock_guard lock(mutex_);
  CredentialRecord* known = credential_at(account, id);
  if (known == nullptr || known->sealed != from) return false;
  known->sealed = to;
  append(audit);
  return true;
}

void MemoryStore::credential_used(const AccountId& account, const std::string& id, Instant at) {
  std::lock_guard lock(mutex_);
  CredentialRecord* known = credential_at(account, id);
  if (known == nullptr) return;
  std::optional<Instant>& last = known->last_used_at;
  if (!last || *last < at) last = at;
}

}  // namespace fermata
