#pragma once
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "base/queue.h"
#include "host/contact_intake.h"
#include "host/groups.h"
#include "ports/contacts.h"

namespace fermata {

/// A command to a contact on its way through the host.
struct ContactItem {
  contact::Command command;
  ContactReply reply{};  ///< empty for the engine's own
  uint32_t tries = 0;    ///< commits that conflicted
};
struct DecidedContactItem {
  ContactItem item;
  std::optional<Error> refusal;
  ContactTold told{};
};
/// What was decided about one contact and is not durable yet.
struct TouchedContact {
  Contact contact;
  uint64_t expected_version = 0;
  Groups::Member group = 0;
  std::vector<AuditLine> audit{};
  std::vector<DecidedContactItem> items{};
};

/// What a partition keeps of contacts: those that its runs are about, and commands on their way
/// (ADR 0027). Decisions see a contact as it was decided last; a command to it waits until that is
/// durable. Except for `submit`, used by the partition's thread alone.
class ContactBook {
 public:
  /// Without a store of contacts there are none.
  ContactBook(Contacts* store, size_t queue_max, size_t cached_max)
      : store_(store), cached_max_(cached_max), queue_(queue_max) {}

  bool keeps_any() const { return store_ != nullptr; }
  Contacts* store() { return store_; }
  /// From any thread. False when too many wait.
  bool submit(ContactItem item) { return store_ != nullptr && queue_.push(item); }
  /// The commands of this turn.
  std::vector<ContactItem> gather(size_t most);
  void put_first(ContactItem item) { items_.push_front(std::move(item)); }
  void hold(ContactItem item);
  /// Lets the commands go that waited for it to be durable.
  void release(const ContactKey& key);

  /// Has those at hand that are not; asks the store once.
  Outcome<void> fetch(const std::vector<ContactKey>& keys);
  /// As it was decided last; null when it was not fetched.
  std::shared_ptr<const Contact> find(const ContactKey& key) const;
  bool undurable(const ContactKey& key) const;
  void decided(const Contact& contact);
  void durable(const ContactKey& key);
  void forget(const ContactKey& key) { known_.erase(key); }
  void trim();

  bool idle() const { return items_.empty() && queue_.size() == 0; }

 private:
  struct Entry {
    std::shared_ptr<const Contact> contact;
    bool undurable = false;
  };
  Contacts* const store_;
  const size_t cached_max_;
  BoundedQueue<ContactItem> queue_;
  std::deque<ContactItem> items_;
  std::map<ContactKey, Entry> known_;
  std::map<ContactKey, std::vector<ContactItem>> held_;
};

}  // namespace fermata
