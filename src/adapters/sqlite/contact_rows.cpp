#include "adapters/sqlite/contact_rows.h"

#include "adapters/sqlite/records.h"
#include "base/check.h"
#include "base/json.h"
#include "ports/record/fields_record.h"

namespace fermata::sqlite {
namespace {

using Text = std::optional<std::string_view>;
Text some(const std::string& text) { return text.empty() ? Text{} : Text(text); }
std::string json_of(const Value& value) { return value.is_null() ? "" : to_json(value); }

std::optional<Contact> decode_contact(std::string_view record, uint64_t version) {
  std::optional<Contact> contact = decode_fields<Contact>(record, version);
  if (contact && contact->version != version) return std::nullopt;
  return contact;
}

}  // namespace

std::optional<CommitOutcome> ContactWriter::test(const ContactWrite& write) {
  Rows rows = version_.query(write.contact.account.text(), write.contact.id);
  uint64_t stored = rows.next() ? rows.natural(0) : 0;
  if (rows.failed()) return std::nullopt;
  return stored == write.expected_version ? CommitOutcome::done : CommitOutcome::conflict;
}

std::optional<CommitOutcome> ContactWriter::write(const ContactWrite& write) {
  std::optional<CommitOutcome> fits = test(write);
  if (fits != CommitOutcome::done) return fits;
  const Contact& contact = write.contact;
  check(contact.version == write.expected_version + 1);
  std::string record = encode_fields(contact, contact.version);
  std::string fields = json_of(contact.fields), labels = json_of(contact.labels);
  std::string deleted = contact.deleted_at ? to_rfc3339(*contact.deleted_at) : "";
  std::string phone = phone_key(contact.phone), email = email_key(contact.email);
  std::string created = to_rfc3339(contact.created_at), updated = to_rfc3339(contact.updated_at);
  bool put =
      put_.execute(contact.account.text(), contact.id, some(contact.timezone), some(contact.phone),
                   some(contact.email), static_cast<int64_t>(contact.opted_out_at.has_value()),
                   some(fields), some(labels), some(deleted), created, updated, some(phone),
                   some(email), contact.version, Blob{record});
  if (!put) return std::nullopt;
  if (write.erases_signals && !erase_signals_.execute(contact.account.text(), contact.id))
    return std::nullopt;
  return CommitOutcome::done;
}

Outcome<std::vector<Contact>> ContactQueries::collect(Rows rows) {
  std::vector<Contact> out;
  while (rows.next()) {
    auto contact = decode_contact(rows.blob(2), rows.natural(1));
    if (!contact)
      return fail(ErrorCode::data_damaged,
                  "the row of contact " + std::string(rows.text(0)) + " cannot be read");
    out.push_back(*std::move(contact));
  }
  if (rows.failed()) return database_.failure("reading contacts");
  return out;
}

Outcome<std::vector<Contact>> ContactQueries::load(std::span<const ContactKey> keys) {
  std::vector<Contact> out;
  out.reserve(keys.size());
  for (const ContactKey& key : keys) {
    FERMATA_TRY(found, collect(find_.query(key.account.text(), key.id)));
    out.push_back(found.empty() ? Contact{} : std::move(found.front()));
  }
  return out;
}

Outcome<std::vector<Contact>> ContactQueries::at(const AccountId& account, ContactAddress address,
                                                 const std::string& key) {
  if (key.empty()) return std::vector<Contact>{};
  Statement& by = address == ContactAddress::phone ? by_phone_ : by_email_;
  return collect(by.query(account.text(), key));
}

Outcome<ContactPage> ContactQueries::list(const ContactFilter& filter, size_t limit,
                                          const std::string& cursor) {
  ContactPage page;
  Rows rows = after_.query(filter.account.text(), cursor);
  while (rows.next()) {
    auto contact = decode_contact(rows.blob(2), rows.natural(1));
    if (!contact)
      return fail(ErrorCode::data_damaged,
                  "the row of contact " + std::string(rows.text(0)) + " cannot be read");
    if (!matches(filter, *contact)) continue;
    if (page.items.size() == limit) {
      page.next_cursor = page.items.back().id;
      return page;
    }
    page.items.push_back(*std::move(contact));
  }
  if (rows.failed()) return database_.failure("listing contacts");
  return page;
}

}  // namespace fermata::sqlite
