#pragma once
#include <optional>
#include <string>
#include <vector>

#include "adapters/postgres/connection.h"
#include "adapters/postgres/rows.h"
#include "core/model/summary.h"

/// What files of queries have in common.
namespace fermata::postgres {

/// A key of two parts as one text. No id holds a line break.
inline std::string joined_key(std::string_view first, std::string_view second) {
  std::string key(first);
  (key += '\n') += second;
  return key;
}

/// Writes a line of audit within a transaction of the caller, beside the one that `transact` is
/// given.
Outcome<void> append_line(Connection& connection, const AuditLine& line);

/// A statement whose answer is of no interest.
Outcome<void> order(Connection& connection, std::string_view doing, std::string_view sql,
                    const Arguments& arguments = {});

/// JSON, or nothing for null.
std::string json_or_nothing(const Value& value);

/// The time in a column, or nothing for null.
inline std::optional<Instant> instant_in(const Rows& rows, int column) {
  if (rows.is_null(column)) return std::nullopt;
  return Instant{rows.integer(column)};
}

/// Texts that others read and nobody searches by: PostgreSQL keeps no zero byte in them.
std::string readable(std::string_view text);
void add_readable(Column& column, std::string_view text);  ///< null for an empty one
inline void add_or_none(Column& column, std::string_view text) {
  text.empty() ? column.add_none() : column.add(text);
}
inline void add_or_none(Column& column, const std::optional<Instant>& at) {
  at ? column.add(at->ms) : column.add_none();
}

/// The rows `key, record` of a table, each decoded with the salt of its key.
template <class Decode>
auto decode_all(Rows rows, std::string_view table, Decode decode)
    -> Outcome<std::vector<typename decltype(decode({}, 0))::value_type>> {
  std::vector<typename decltype(decode({}, 0))::value_type> out;
  while (rows.next()) {
    auto record = decode(rows.blob(1), salt_of(table, rows.text(0)));
    if (!record) return damaged_row(table, rows.text(0), "its checksum does not match");
    out.push_back(*std::move(record));
  }
  return out;
}
template <class Record>
std::optional<Record> first_of(std::vector<Record> found) {
  if (found.empty()) return std::nullopt;
  return std::move(found.front());
}

}  // namespace fermata::postgres
