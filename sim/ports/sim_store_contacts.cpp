#include <algorithm>

#include "sim/ports/sim_store.h"

/// The contacts of the simulated store.
namespace fermata::sim {

Outcome<std::vector<Contact>> SimStore::load_contacts(std::span<const ContactKey> keys) {
  chaos_.port_call("store.load_contacts");
  if (chaos_.strikes(Fault::load_unavailable))
    return fail(ErrorCode::store_unavailable, "the simulated store cannot be read");
  std::vector<Contact> out;
  for (const ContactKey& key : keys) {
    bool under_way =
        flight_ && std::any_of(flight_->batch.contacts.begin(), flight_->batch.contacts.end(),
                               [&](const ContactWrite& one) { return one.contact.key() == key; });
    if (under_way)
      throw Violation{"contact " + key.id + " is loaded while its commit is under way"};
    auto found = contacts_.find(key);
    out.push_back(found == contacts_.end() ? Contact{} : found->second);
  }
  chaos_.port_call("store.load_contacts done");
  return out;
}

Outcome<std::vector<RunId>> SimStore::live_runs_of(const ContactKey& key) {
  chaos_.port_call("store.live_runs_of");
  if (chaos_.strikes(Fault::load_unavailable))
    return fail(ErrorCode::store_unavailable, "the simulated store cannot be read");
  std::vector<RunId> out;
  for (const RunId& id : order_) {
    const RunSummary& run = runs_.at(id).summary;
    bool ours = run.account == key.account && run.contact_id == key.id;
    if (ours && !is_terminal(run.status)) out.push_back(id);
  }
  return out;
}

Outcome<std::vector<RunId>> SimStore::live_runs_with(const AccountId& account,
                                                     const std::string& label_key,
                                                     const std::string& label_value, size_t limit) {
  chaos_.port_call("store.live_runs_with");
  if (chaos_.strikes(Fault::load_unavailable))
    return fail(ErrorCode::store_unavailable, "the simulated store cannot be read");
  std::vector<RunId> out;
  for (auto id = order_.rbegin(); id != order_.rend() && out.size() < limit; ++id) {
    const RunSummary& run = runs_.at(*id).summary;
    bool has_it = run.account == account && run.labels.get(label_key) == Value(label_value);
    if (has_it && !is_terminal(run.status)) out.push_back(*id);
  }
  return out;
}

Outcome<std::vector<Contact>> SimStore::contacts_at(const AccountId& account,
                                                    ContactAddress address,
                                                    const std::string& key) {
  std::vector<Contact> out;
  for (const auto& [at, contact] : contacts_) {
    if (at.account != account || !contact.exists()) continue;
    std::string has =
        address == ContactAddress::phone ? phone_key(contact.phone) : email_key(contact.email);
    if (has == key) out.push_back(contact);
  }
  return out;
}

Outcome<std::optional<Contact>> SimStore::find_contact(const ContactKey& key) {
  auto found = contacts_.find(key);
  bool there = found != contacts_.end() && found->second.exists();
  return there ? std::optional(found->second) : std::nullopt;
}

Outcome<ContactPage> SimStore::list_contacts(const ContactFilter& filter, size_t,
                                             const std::string&) {
  ContactPage page;
  for (const auto& [key, contact] : contacts_)
    if (matches(filter, contact)) page.items.push_back(contact);
  return page;
}

bool SimStore::fits(const ContactWrite& write) const {
  auto found = contacts_.find(write.contact.key());
  uint64_t version = found == contacts_.end() ? 0 : found->second.version;
  return version == write.expected_version || sabotage_ == Sabotage::version_check;
}

void SimStore::write(const ContactWrite& write) {
  contacts_[write.contact.key()] = write.contact;
  if (hooks_.contact_written) hooks_.contact_written(write.contact);
}

}  // namespace fermata::sim
