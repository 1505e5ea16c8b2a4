#pragma once
#include "adapters/sqlite/catalog_queries.h"
#include "ports/accounts.h"

namespace fermata::sqlite {

class Writer;

/// What is asked of settings of accounts and rules of workflows, over one connection.
class AccountQueries {
 public:
  explicit AccountQueries(Database& database) : database_(database) {}
  Outcome<std::optional<Numbered<AccountRecord>>> account(const AccountId& account);
  Outcome<std::vector<AccountRecord>> accounts();
  Outcome<std::optional<Numbered<WorkflowRules>>> rules(const AccountId& account,
                                                        const WorkflowId& workflow);
  Outcome<std::vector<WorkflowRules>> all_rules();

 private:
  Database& database_;
  Statement account_{database_, "SELECT number, record FROM account WHERE id = ?"};
  Statement accounts_{database_, "SELECT number, record FROM account ORDER BY id"};
  Statement rules_{database_,
                   "SELECT number, record FROM workflow_rules WHERE account = ? AND workflow = ?"};
  Statement all_rules_{database_,
                       "SELECT number, record FROM workflow_rules ORDER BY account, workflow"};
};

/// Writes them, each in a transaction of its own.
class AccountWriter {
 public:
  explicit AccountWriter(Writer& writer);
  Outcome<void> put_account(const AccountRecord& record, const AuditLine& audit);
  Outcome<void> put_rules(const WorkflowRules& rules, const AuditLine& audit);

 private:
  Writer& writer_;
  Database& database_;
  AccountQueries queries_{database_};
  Statement put_account_{database_, "INSERT OR REPLACE INTO account VALUES (?, ?, ?)"};
  Statement put_rules_{database_, "INSERT OR REPLACE INTO workflow_rules VALUES (?, ?, ?, ?)"};
};

}  // namespace fermata::sqlite
