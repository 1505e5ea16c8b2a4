#pragma once
#include "adapters/sqlite/writer.h"
#include "ports/bulk.h"
#include "ports/retention.h"

namespace fermata::sqlite {

/// What is asked of bulk operations, over one connection.
class BulkQueries {
 public:
  explicit BulkQueries(Database& database) : database_(database) {}
  Outcome<std::optional<Numbered<BulkRecord>>> find(const std::string& id);
  Outcome<std::vector<std::string>> items(const std::string& id, uint64_t from, size_t limit);
  Outcome<BulkPage> list(const AccountId& account, size_t limit, uint64_t before);
  Outcome<std::vector<BulkRecord>> running();
  /// Those that have ended, oldest first.
  Outcome<std::vector<Numbered<BulkRecord>>> ended(size_t limit);

 private:
  Database& database_;
  Statement find_{database_, "SELECT number, record FROM bulk WHERE id = ?"};
  Statement items_{database_, "SELECT number, items FROM bulk_selection WHERE number = ?"};
  Statement list_{database_,
                  "SELECT number, record FROM bulk WHERE account = ? AND number < ? "
                  "ORDER BY number DESC LIMIT ?"};
  Statement running_{database_,
                     "SELECT number, record FROM bulk WHERE running = 1 ORDER BY number"};
  Statement ended_{database_,
                   "SELECT number, record FROM bulk WHERE running = 0 ORDER BY number LIMIT ?"};
};

/// The writing half: each call is one transaction of the writer.
class BulkWriter {
 public:
  explicit BulkWriter(Writer& writer) : writer_(writer) {}
  Outcome<bool> put(const BulkRecord& record, const std::vector<std::string>& items,
                    const AuditLine& audit);
  Outcome<void> set(const BulkRecord& record, const AuditLine* audit);
  Outcome<Retention::Sweep> remove_ended(Instant before, size_t limit);

 private:
  Outcome<void> insert(const BulkRecord& record, const std::vector<std::string>& items);

  Writer& writer_;
  Database& database_ = writer_.database();
  BulkQueries queries_{database_};
  Statement insert_{database_, "INSERT INTO bulk VALUES (?, ?, ?, ?, ?)"};
  Statement insert_items_{database_, "INSERT INTO bulk_selection VALUES (?, ?)"};
  Statement update_{database_, "UPDATE bulk SET running = ?, record = ? WHERE number = ?"};
  Statement drop_{database_, "DELETE FROM bulk WHERE number = ?"};
  Statement drop_items_{database_, "DELETE FROM bulk_selection WHERE number = ?"};
};

}  // namespace fermata::sqlite
