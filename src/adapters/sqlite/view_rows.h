#pragma once
#include <vector>

#include "adapters/sqlite/catalog_queries.h"
#include "ports/views.h"

namespace fermata::sqlite {

class Writer;

/// What is asked of saved views, over one connection.
class ViewQueries {
 public:
  explicit ViewQueries(Database& database) : database_(database) {}
  /// In the order they were made.
  Outcome<std::vector<Numbered<SavedView>>> views(const AccountId& account);
  Outcome<std::optional<Numbered<SavedView>>> view(const AccountId& account, const std::string& id);

 private:
  Outcome<std::vector<Numbered<SavedView>>> collect(Rows rows);

  Database& database_;
  Statement all_{database_, "SELECT number, record FROM view WHERE account = ? ORDER BY number"};
  Statement one_{database_, "SELECT number, record FROM view WHERE account = ? AND id = ?"};
};

/// Writes them, each in a transaction of its own.
class ViewWriter {
 public:
  explicit ViewWriter(Writer& writer);
  Outcome<void> put(const SavedView& view, const AuditLine& audit);
  Outcome<void> remove(const AccountId& account, const std::string& id, const AuditLine& audit);

 private:
  Writer& writer_;
  Database& database_;
  ViewQueries queries_{database_};
  Statement put_{database_, "INSERT OR REPLACE INTO view VALUES (?, ?, ?, ?)"};
  Statement remove_{database_, "DELETE FROM view WHERE account = ? AND id = ?"};
};

}  // namespace fermata::sqlite
