#pragma once
#include "adapters/sqlite/database.h"
#include "ports/policy_store.h"
#include "ports/retention.h"
#include "ports/store.h"

namespace fermata::sqlite {

/// What is asked of policy, over one connection.
class PolicyQueries {
 public:
  explicit PolicyQueries(Database& database) : database_(database) {}
  Outcome<StoredPolicy> stored();
  Outcome<std::optional<Value>> snapshot(const std::string& hash);
  Outcome<PolicyVersionPage> versions(const AccountId& account, size_t limit, uint64_t before);
  Outcome<DecisionPage> decisions(const DecisionFilter& filter, size_t limit, uint64_t before);
  Outcome<std::vector<RuleHits>> hits(const AccountId& account);
  Outcome<Store::PassedPage> passed(Instant since, uint64_t after, size_t limit);

 private:
  Outcome<std::vector<std::pair<uint64_t, job::PolicyDecision>>> batch(const DecisionFilter& filter,
                                                                       uint64_t before,
                                                                       size_t limit);

  Database& database_;
  Statement documents_{database_, "SELECT number, record FROM policy_document ORDER BY number"};
  Statement snapshot_{database_, "SELECT number, record FROM policy_snapshot WHERE hash = ?"};
  Statement versions_{database_,
                      "SELECT number, record FROM policy_version WHERE account IN ('', ?) "
                      "AND number < ? ORDER BY number DESC LIMIT ?"};
  Statement newest_{database_,
                    "SELECT number, record FROM policy_decision WHERE number < ? "
                    "ORDER BY number DESC LIMIT ?"};
  Statement of_account_{database_,
                        "SELECT number, record FROM policy_decision WHERE account = ? "
                        "AND number < ? ORDER BY number DESC LIMIT ?"};
  Statement of_job_{database_,
                    "SELECT number, record FROM policy_decision WHERE job = ? "
                    "AND number < ? ORDER BY number DESC LIMIT ?"};
  Statement counted_{database_,
                     "SELECT number, record FROM policy_decision WHERE counted = 1 "
                     "AND number > ? ORDER BY number LIMIT ?"};
  Statement hits_{database_,
                  "SELECT bundle, rule, hits, last_at FROM policy_hit WHERE account = ?"};
};

/// Writes lines of the decision log within a transaction of the caller. False when the database
/// failed.
class DecisionRows {
 public:
  explicit DecisionRows(Database& database) : database_(database) {}
  Outcome<void> start();
  bool add(const job::PolicyDecision& decision);

 private:
  Database& database_;
  Statement insert_{database_, "INSERT INTO policy_decision VALUES (?, ?, ?, ?, ?)"};
  Statement hit_{database_,
                 "INSERT INTO policy_hit VALUES (?, ?, ?, 1, ?) ON CONFLICT DO UPDATE SET "
                 "hits = hits + 1, last_at = excluded.last_at"};
  uint64_t next_ = 1;
};

class Writer;

/// Changes of policy, each one transaction of the writer.
class PolicyWriter {
 public:
  explicit PolicyWriter(Writer& writer);
  Outcome<uint64_t> change(const PolicyChange& change, const AuditLine& audit);
  Outcome<Retention::Sweep> remove_decisions(Instant before, size_t limit);

 private:
  Outcome<uint64_t> apply(const PolicyChange& change);
  Outcome<Retention::Sweep> sweep(Instant before, size_t limit);

  Writer& writer_;
  Database& database_;
  Statement set_revision_{database_, "UPDATE policy_revision SET revision = ? WHERE number = 1"};
  Statement drop_{database_,
                  "DELETE FROM policy_document WHERE kind = ? AND account = ? AND id = ?"};
  Statement put_{database_, "INSERT INTO policy_document VALUES (?, ?, ?, ?, ?)"};
  Statement put_snapshot_{database_,
                          "INSERT INTO policy_snapshot VALUES (?, ?, ?) ON CONFLICT DO NOTHING"};
  Statement put_version_{database_, "INSERT INTO policy_version VALUES (?, ?, ?)"};
  Statement oldest_{database_,
                    "SELECT number, record FROM policy_decision ORDER BY number LIMIT ?"};
  Statement drop_decision_{database_, "DELETE FROM policy_decision WHERE number = ?"};
};

}  // namespace fermata::sqlite
