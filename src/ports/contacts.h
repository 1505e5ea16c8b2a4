#pragma once
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "core/model/contact.h"
#include "core/model/summary.h"

namespace fermata {

/// One contact's part of a commit. Takes effect iff the stored version is `expected_version` (0:
/// it does not exist yet); the contact carries the next one. Groups hold contacts and roots alike.
struct ContactWrite {
  uint64_t expected_version = 0;
  Contact contact;
  std::vector<AuditLine> audit{};
  uint32_t group = 0;
  /// What signals to it have said is erased with it: their data, telephone numbers and mail
  /// addresses (W-27).
  bool erases_signals = false;
};

/// By what a contact can be found beside its id (W-52).
enum class ContactAddress : uint8_t { phone, email };

/// Which contacts a list shows; empty fields do not filter. Deleted ones are never shown.
struct ContactFilter {
  AccountId account{};
  std::string phone{};  ///< in any spelling that means the same
  std::string email{};
  std::string q{};  ///< text found in id, phone or email
  std::optional<bool> opted_out{};
};
bool matches(const ContactFilter& filter, const Contact& contact);

struct ContactPage {
  std::vector<Contact> items;  ///< by id
  std::string next_cursor;     ///< empty on the last page
};

/// Contacts as the store holds them; they are written by commits. The first three are for the
/// partition's thread and see everything that was committed; the rest is safe from several threads.
class Contacts {
 public:
  virtual ~Contacts() = default;
  /// One entry per key, in order; version 0 for what does not exist.
  virtual Outcome<std::vector<Contact>> load_contacts(std::span<const ContactKey> keys) = 0;
  /// Every run of the contact that has not ended, oldest first.
  virtual Outcome<std::vector<RunId>> live_runs_of(const ContactKey& key) = 0;
  /// Those with this phone or mail address, which must be in the form of `phone_key` or
  /// `email_key`; oldest first.
  virtual Outcome<std::vector<Contact>> contacts_at(const AccountId& account,
                                                    ContactAddress address,
                                                    const std::string& key) = 0;

  virtual Outcome<std::optional<Contact>> find_contact(const ContactKey& key) = 0;
  virtual Outcome<ContactPage> list_contacts(const ContactFilter& filter, size_t limit,
                                             const std::string& cursor) = 0;
};

}  // namespace fermata
