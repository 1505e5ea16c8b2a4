#pragma once
#include <span>

#include "adapters/sqlite/database.h"
#include "ports/store.h"

namespace fermata::sqlite {

/// Writes contacts within a transaction of the caller; as JobWriter.
class ContactWriter {
 public:
  explicit ContactWriter(Database& database) : database_(database) {}
  std::optional<CommitOutcome> test(const ContactWrite& write);
  std::optional<CommitOutcome> write(const ContactWrite& write);

 private:
  Database& database_;
  Statement version_{database_, "SELECT version FROM contacts WHERE account_id = ? AND id = ?"};
  Statement put_{database_,
                 "INSERT OR REPLACE INTO contacts VALUES "
                 "(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"};
  Statement erase_signals_{database_,
                           "UPDATE workflow_signals SET data = NULL, phone = NULL, email = NULL "
                           "WHERE account_id = ? AND contact_id = ?"};
};

/// What is asked of contacts, over one connection. One that is damaged gives data_damaged.
class ContactQueries {
 public:
  explicit ContactQueries(Database& database) : database_(database) {}
  Outcome<std::vector<Contact>> load(std::span<const ContactKey> keys);
  Outcome<std::vector<Contact>> at(const AccountId& account, ContactAddress address,
                                   const std::string& key);
  Outcome<ContactPage> list(const ContactFilter& filter, size_t limit, const std::string& cursor);

 private:
  Outcome<std::vector<Contact>> collect(Rows rows);

  Database& database_;
  Statement find_{database_,
                  "SELECT id, version, record FROM contacts WHERE account_id = ? AND id = ?"};
  Statement by_phone_{database_,
                      "SELECT id, version, record FROM contacts WHERE account_id = ? AND "
                      "phone_key = ? ORDER BY created_at, id"};
  Statement by_email_{database_,
                      "SELECT id, version, record FROM contacts WHERE account_id = ? AND "
                      "email_key = ? ORDER BY created_at, id"};
  Statement after_{database_,
                   "SELECT id, version, record FROM contacts WHERE account_id = ? AND id > ? "
                   "ORDER BY id"};
};

}  // namespace fermata::sqlite
