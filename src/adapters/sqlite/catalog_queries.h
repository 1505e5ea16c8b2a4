#pragma once
#include "adapters/sqlite/database.h"
#include "adapters/sqlite/records.h"

namespace fermata::sqlite {

/// A record and the number of its row, which the next change of it needs.
template <class T>
struct Numbered {
  uint64_t number = 0;
  T record;
};

/// What is asked of definitions, workflows, keys, credentials and marks, over one connection.
class CatalogQueries {
 public:
  explicit CatalogQueries(Database& database) : database_(database) {}

  Outcome<std::optional<Numbered<WorkflowRecord>>> workflow(const AccountId& account,
                                                            const WorkflowId& id);
  Outcome<WorkflowPage> workflows(const AccountId& account, size_t limit,
                                  const std::string& cursor);
  Outcome<std::vector<WorkflowVersion>> versions(uint64_t workflow);
  Outcome<std::optional<Numbered<WorkflowRecord>>> workflow_by_webhook(const std::string& guid);
  Outcome<std::optional<std::string>> definition(const DefinitionHash& hash);
  Outcome<std::optional<Numbered<KeyRecord>>> key(const std::string& id);
  Outcome<std::vector<KeyRecord>> keys(const AccountId& account);
  Outcome<bool> any_key();
  Outcome<std::optional<Numbered<CredentialRecord>>> credential(const AccountId& account,
                                                                const std::string& id);
  Outcome<std::optional<Numbered<CredentialRecord>>> credential_named(const AccountId& account,
                                                                      const std::string& name);
  Outcome<CredentialPage> credentials(const AccountId& account, size_t limit,
                                      const std::string& cursor);
  Outcome<std::vector<AccountId>> credential_accounts();
  Outcome<std::optional<Numbered<IdempotencyMark>>> mark(const AccountId& account,
                                                         const std::string& key);

 private:
  Database& database_;
  Statement workflow_{database_,
                      "SELECT number, record FROM workflow WHERE account = ? AND id = ?"};
  Statement workflows_{database_,
                       "SELECT number, record FROM workflow WHERE account = ? AND id > ? "
                       "ORDER BY id LIMIT ?"};
  Statement versions_{database_,
                      "SELECT number, record FROM version WHERE workflow = ? ORDER BY version"};
  Statement webhook_{database_, "SELECT number, record FROM workflow WHERE webhook = ?"};
  Statement definition_{database_, "SELECT number, record FROM definition WHERE hash = ?"};
  Statement key_{database_, "SELECT number, record FROM key WHERE id = ?"};
  Statement keys_{database_,
                  "SELECT number, record FROM key WHERE ?1 = '' OR account = ?1 ORDER BY id"};
  Statement any_key_{database_, "SELECT 1 FROM key LIMIT 1"};
  Statement credential_{database_,
                        "SELECT number, record FROM credential WHERE account = ? AND id = ?"};
  Statement credential_named_{
      database_, "SELECT number, record FROM credential WHERE account = ? AND name = ?"};
  Statement credentials_{database_,
                         "SELECT number, record FROM credential WHERE account = ? AND id > ? "
                         "ORDER BY id LIMIT ?"};
  Statement credential_accounts_{database_,
                                 "SELECT DISTINCT account FROM credential ORDER BY account"};
  Statement mark_{database_, "SELECT number, record FROM mark WHERE account = ? AND key = ?"};
};

}  // namespace fermata::sqlite
