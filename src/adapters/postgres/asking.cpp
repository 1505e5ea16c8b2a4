#include "adapters/postgres/asking.h"

#include "base/json.h"
#include "ports/record/record.h"

namespace fermata::postgres {

Outcome<void> append_line(Connection& connection, const AuditLine& line) {
  Arguments said;
  said.bytes(record::encode_line(line, 0));
  return order(connection, "writing the audit", "insert into audit_tail (line) values ($1)", said);
}

Outcome<void> order(Connection& connection, std::string_view doing, std::string_view sql,
                    const Arguments& arguments) {
  FERMATA_TRY(rows, connection.ask(doing, sql, arguments));
  (void)rows;
  return {};
}

std::string json_or_nothing(const Value& value) {
  return value.is_null() ? std::string() : to_json(value);
}

std::string readable(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (char c : text) c == '\0' ? out += "\xef\xbf\xbd" : out += c;
  return out;
}

void add_readable(Column& column, std::string_view text) {
  if (text.find('\0') == std::string_view::npos)
    add_or_none(column, text);
  else
    column.add(readable(text));
}

}  // namespace fermata::postgres
