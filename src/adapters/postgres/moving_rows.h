#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "adapters/postgres/arguments.h"
#include "base/time.h"
#include "ports/transfer.h"

/// Rows that a move writes, and sums over them that PostgreSQL can make as well.
namespace fermata::postgres {

struct MovedColumn {
  const char* name;
  Type type;
  /// Where it is not stored as it is sent: what is stored of `it`, and what was sent of `t.name`.
  const char* put = nullptr;
  const char* read = nullptr;
};
/// A table with all of its columns that a move writes.
struct MovedTable {
  const char* name;
  std::vector<MovedColumn> columns;
  const char* shard = "0";  ///< of the row `t`: rows are summed up by it
  const char* join = "";
};
const MovedTable& moved_table(std::string_view name);
/// All of them, in the order in which they are compared.
const std::vector<MovedTable>& moved_tables();

/// Which rows belong to things of a kind: `where` names their keys as $1, $2 …, arrays of texts.
struct MovedPart {
  const char* table;
  const char* where;
};
/// In an order in which they can be removed.
const std::vector<MovedPart>& moved_parts(transfer::Kind kind);

/// Counts rows, and sums up a hash of each, by shard.
struct RowSum {
  uint64_t rows = 0;
  unsigned __int128 hashes = 0;
  bool operator==(const RowSum&) const = default;
};
using RowSums = std::map<std::pair<std::string, int>, RowSum>;
std::string decimal(unsigned __int128 number);

/// The query that makes the sums of a table: shard, rows, sum of hashes as text.
std::string sum_sql(const MovedTable& table, std::string_view where);

/// Rows of one table, to be written together.
class MovedRows {
 public:
  explicit MovedRows(const MovedTable& table);
  /// One cell for each column.
  template <class... Cells>
  void add(int shard, const Cells&... cells) {
    size_t at = 0;
    (put(columns_[at++], cells), ...);
    shards_.push_back(shard);
  }
  /// Cells that others have collected, in the order of the columns.
  void take(std::vector<const Column*> columns, int shard);

  const MovedTable& table() const { return *table_; }
  size_t size() const { return shards_.size(); }
  size_t byte_count() const;
  void sum(RowSums& sums) const;
  std::string insert_sql() const;
  Arguments arguments() const;
  void clear();

 private:
  static void put(Column& column, int64_t value) { column.add(value); }
  static void put(Column& column, uint64_t value) { column.add(value); }
  static void put(Column& column, int value) { column.add(value); }
  static void put(Column& column, uint32_t value) { column.add(value); }
  static void put(Column& column, bool value) { column.add(value); }
  static void put(Column& column, Instant value) { column.add(value.ms); }
  static void put(Column& column, const std::string& value) { column.add(value); }
  static void put(Column& column, std::string_view value) { column.add(value); }
  static void put(Column& column, std::nullopt_t) { column.add_none(); }
  template <class Cell>
  static void put(Column& column, const std::optional<Cell>& value) {
    value ? put(column, *value) : column.add_none();
  }

  const MovedTable* table_;
  std::vector<Column> columns_;
  std::vector<int> shards_;
};

}  // namespace fermata::postgres
