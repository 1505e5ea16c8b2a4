#pragma once
#include <algorithm>
#include <map>
#include <mutex>
#include <utility>

#include "adapters/postgres/writer.h"
#include "ports/catalog.h"

namespace fermata::postgres {

/// Uses of keys and credentials are remembered here and written with the next change of the same
/// one, or at the end. Safe from several threads.
class Uses {
 public:
  void key_used(const std::string& id, Instant at) { note(keys_, id, at); }
  void credential_used(const AccountId& account, const std::string& id, Instant at) {
    note(credentials_, std::pair(account, id), at);
  }
  void forget_credential(const AccountId& account, const std::string& id) {
    std::lock_guard lock(mutex_);
    credentials_.erase({account, id});
  }
  void add_to(KeyRecord& key) { put(keys_, key.id, key.last_used_at); }
  void add_to(CredentialRecord& credential) {
    put(credentials_, std::pair(credential.account, credential.id), credential.last_used_at);
  }
  /// All of them; what cannot be written is forgotten.
  void write(Writer& writer);

  /// The latest time at which marks were asked for: marks that are older make room.
  void marks_seen_at(Instant now) {
    std::lock_guard lock(mutex_);
    marks_seen_at_ms_ = std::max(marks_seen_at_ms_, now.ms);
  }
  int64_t marks_seen_at_ms() {
    std::lock_guard lock(mutex_);
    return marks_seen_at_ms_;
  }

 private:
  template <class Key>
  void note(std::map<Key, Instant>& uses, const Key& key, Instant at) {
    std::lock_guard lock(mutex_);
    Instant& last = uses.try_emplace(key, at).first->second;
    last = std::max(last, at);
  }
  template <class Key>
  void put(const std::map<Key, Instant>& uses, const Key& key, std::optional<Instant>& last) {
    std::lock_guard lock(mutex_);
    auto found = uses.find(key);
    if (found != uses.end() && (!last || *last < found->second)) last = found->second;
  }

  std::mutex mutex_;
  std::map<std::string, Instant> keys_;
  std::map<std::pair<AccountId, std::string>, Instant> credentials_;
  int64_t marks_seen_at_ms_ = INT64_MIN;
};

}  // namespace fermata::postgres
