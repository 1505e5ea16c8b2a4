#include <algorithm>

#include "adapters/memory/memory_store.h"
#include "base/check.h"

namespace fermata {

bool MemoryStore::fits(const ContactWrite& write) const {
  auto found = contacts_.find(write.contact.key());
  return write.expected_version == (found == contacts_.end() ? 0 : found->second.version);
}

CommitOutcome MemoryStore::write(const ContactWrite& write) {
  if (!fits(write)) return CommitOutcome::conflict;
  check(write.contact.version == write.expected_version + 1);
  contacts_[write.contact.key()] = write.contact;
  if (write.erases_signals) erase_signals_of(write.contact.key());
  return CommitOutcome::done;
}

Outcome<std::vector<Contact>> MemoryStore::load_contacts(std::span<const ContactKey> keys) {
  std::lock_guard lock(mutex_);
  std::vector<Contact> out;
  for (const ContactKey& key : keys) {
    auto found = contacts_.find(key);
    out.push_back(found == contacts_.end() ? Contact{} : found->second);
  }
  return out;
}

Outcome<std::vector<RunId>> MemoryStore::live_runs_of(const ContactKey& key) {
  std::lock_guard lock(mutex_);
  std::vector<RunId> out;
  for (const auto& [number, run] : runs_) {
    const RunSummary& summary = run.summary;
    bool ours = summary.account == key.account && summary.contact_id == key.id;
    if (ours && !is_terminal(summary.status)) out.push_back(summary.id);
  }
  return out;
}

Outcome<std::vector<Contact>> MemoryStore::contacts_at(const AccountId& account,
                                                       ContactAddress address,
                                                       const std::string& key) {
  std::lock_guard lock(mutex_);
  std::vector<Contact> out;
  for (const auto& [at, contact] : contacts_) {
    if (at.account != account || !contact.exists()) continue;
    std::string has =
        address == ContactAddress::phone ? phone_key(contact.phone) : email_key(contact.email);
    if (!has.empty() && has == key) out.push_back(contact);
  }
  std::stable_sort(out.begin(), out.end(),
                   [](const Contact& a, const Contact& b) { return a.created_at < b.created_at; });
  return out;
}

Outcome<std::optional<Contact>> MemoryStore::find_contact(const ContactKey& key) {
  std::lock_guard lock(mutex_);
  auto found = contacts_.find(key);
  bool there = found != contacts_.end() && found->second.exists();
  return there ? std::optional(found->second) : std::nullopt;
}

Outcome<ContactPage> MemoryStore::list_contacts(const ContactFilter& filter, size_t limit,
                                                const std::string& cursor) {
  std::lock_guard lock(mutex_);
  ContactPage page;
  for (auto at = contacts_.upper_bound({filter.account, cursor}); at != contacts_.end(); ++at) {
    if (at->first.account != filter.account) break;
    if (!matches(filter, at->second)) continue;
    if (page.items.size() == limit) {
      page.next_cursor = page.items.back().id;
      break;
    }
    page.items.push_back(at->second);
  }
  return page;
}

}  // namespace fermata
