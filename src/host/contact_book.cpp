#include "host/contact_book.h"

namespace fermata {

std::vector<ContactItem> ContactBook::gather(size_t most) {
  std::vector<ContactItem> out(std::make_move_iterator(items_.begin()),
                               std::make_move_iterator(items_.end()));
  items_.clear();
  queue_.take(out.size() < most ? most - out.size() : 0, out);
  return out;
}

void ContactBook::hold(ContactItem item) { held_[item.command.key].push_back(std::move(item)); }

void ContactBook::release(const ContactKey& key) {
  auto held = held_.find(key);
  if (held == held_.end()) return;
  for (auto item = held->second.rbegin(); item != held->second.rend(); ++item)
    items_.push_front(std::move(*item));
  held_.erase(held);
}

Outcome<void> ContactBook::fetch(const std::vector<ContactKey>& keys) {
  std::vector<ContactKey> missing;
  for (const ContactKey& key : keys)
    if (!known_.contains(key)) missing.push_back(key);
  if (missing.empty() || store_ == nullptr) return {};
  FERMATA_TRY(loaded, store_->load_contacts(missing));
  for (size_t i = 0; i < missing.size(); ++i)
    known_[missing[i]] = {std::make_shared<const Contact>(std::move(loaded[i])), false};
  return {};
}

std::shared_ptr<const Contact> ContactBook::find(const ContactKey& key) const {
  auto found = known_.find(key);
  return found == known_.end() ? nullptr : found->second.contact;
}

bool ContactBook::undurable(const ContactKey& key) const {
  auto found = known_.find(key);
  return found != known_.end() && found->second.undurable;
}

void ContactBook::decided(const Contact& contact) {
  known_[contact.key()] = {std::make_shared<const Contact>(contact), true};
}

void ContactBook::durable(const ContactKey& key) {
  auto found = known_.find(key);
  if (found != known_.end()) found->second.undurable = false;
}

void ContactBook::trim() {
  if (known_.size() <= cached_max_) return;
  // Half of them, so that this is not done in every turn; what is needed again is read again.
  size_t most = cached_max_ / 2;
  for (auto entry = known_.begin(); entry != known_.end() && known_.size() > most;)
    entry = entry->second.undurable ? std::next(entry) : known_.erase(entry);
}

}  // namespace fermata
