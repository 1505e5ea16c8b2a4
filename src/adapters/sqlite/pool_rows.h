#pragma once
#include "adapters/sqlite/database.h"
#include "ports/pool_store.h"
#include "ports/store.h"

namespace fermata::sqlite {

/// The document of pools, over one connection.
class PoolQueries {
 public:
  explicit PoolQueries(Database& database) : database_(database) {}
  Outcome<StoredPools> stored();

 private:
  Database& database_;
  Statement document_{database_, "SELECT record FROM pool_document WHERE number = 1"};
};

/// What accounts have spent, by day (J-57).
class UsageRows {
 public:
  explicit UsageRows(Database& database) : database_(database) {}
  /// Within a transaction of the caller; false when the database failed.
  bool add(const AccountId& account, const DaySpent& spent);
  Outcome<std::vector<AccountSpent>> on(int64_t day);

 private:
  Database& database_;
  Statement find_{database_,
                  "SELECT input_tokens, output_tokens, cost_micros FROM account_usage "
                  "WHERE account = ? AND day = ?"};
  Statement put_{database_, "INSERT OR REPLACE INTO account_usage VALUES (?, ?, ?, ?, ?)"};
  Statement forget_{database_, "DELETE FROM account_usage WHERE account = ? AND day < ?"};
  Statement on_{database_,
                "SELECT account, input_tokens, output_tokens, cost_micros FROM account_usage "
                "WHERE day = ?"};
};

class Writer;

/// Changes of the document, each one transaction of the writer.
class PoolWriter {
 public:
  explicit PoolWriter(Writer& writer);
  Outcome<void> change(const StoredPools& pools, const AuditLine& audit);

 private:
  Outcome<void> apply(const StoredPools& pools);

  Writer& writer_;
  Database& database_;
  Statement put_{database_, "INSERT OR REPLACE INTO pool_document VALUES (1, ?, ?)"};
};

}  // namespace fermata::sqlite
