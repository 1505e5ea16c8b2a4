#include <fcntl.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "adapters/postgres/asking.h"
#include "adapters/postgres/opening.h"
#include "adapters/postgres/schema.h"
#include "adapters/postgres/server_check.h"
#include "base/hash.h"
#include "base/json.h"

/// A store as one file: a line of JSON that says what follows, then every table as PostgreSQL
/// copies it in its binary form, in pieces with their lengths, and at the end a digest over all of
/// it. What belongs to running processes alone is left out (C-108).
namespace fermata {
namespace {

using postgres::Arguments;
using postgres::Connection;
using postgres::order;

constexpr std::string_view lead_line = "Fermata: a store of PostgreSQL\n";
constexpr size_t piece_bytes = 1 << 20;
constexpr const char* left_out =
    "'schema_migrations', 'commits', 'leases', 'counters', 'replicas', 'passages', "
    "'passage_pieces'";

struct SavedTable {
  std::string name;
  std::string columns;  ///< separated by commas
};

Failure<Error> file_trouble(const std::string& file, std::string_view doing) {
  return fail(ErrorCode::io_failed, file + ": " + std::generic_category().message(errno) +
                                        " while " + std::string(doing));
}
Failure<Error> no_backup(const std::string& file, std::string_view what) {
  return fail(ErrorCode::data_damaged, file + ": " + std::string(what));
}

/// Every table of the schema with its columns, whoever has made it.
Outcome<std::vector<SavedTable>> tables_of(Connection& connection) {
  FERMATA_TRY(rows,
              connection.ask("looking which tables there are",
                             std::string("select c.table_name::text, string_agg(quote_ident("
                                         "c.column_name), ',' order by c.ordinal_position) from "
                                         "information_schema.columns c join "
                                         "information_schema.tables t using (table_schema, "
                                         "table_name) where c.table_schema = current_schema() and "
                                         "t.table_type = 'BASE TABLE' and c.table_name not in (") +
                                 left_out + ") group by c.table_name order by c.table_name"));
  std::vector<SavedTable> out;
  while (rows.next()) out.push_back({std::string(rows.text(0)), std::string(rows.text(1))});
  return out;
}

Outcome<void> script(Connection& connection, const std::string& sql, std::string_view doing) {
  postgres::Reply reply = connection.script(sql);
  if (reply.trouble == postgres::Trouble::none) return {};
  return connection.failure(doing, reply);
}

/// Writes a file whose end is a digest of the rest.
class SummedWriter {
 public:
  explicit SummedWriter(const std::string& file)
      : name_(file), out_(file, std::ios::binary | std::ios::trunc) {}
  bool well() const { return static_cast<bool>(out_); }
  void line(const std::string& text) { put(text + "\n"); }
  /// Collected, so that small rows do not become small pieces.
  void piece(std::string_view bytes) {
    held_ += bytes;
    if (held_.size() >= piece_bytes) cut();
  }
  void end_pieces() {
    if (!held_.empty()) cut();
    put(std::string(4, '\0'));
  }
  Outcome<void> close() {
    out_ << hex({reinterpret_cast<const char*>(digest_.data()), digest_.size()});
    out_.close();
    if (!out_) return file_trouble(name_, "writing the backup");
    int file = open(name_.c_str(), O_RDONLY | O_CLOEXEC);
    bool synced = file >= 0 && fsync(file) == 0;
    if (file >= 0) ::close(file);
    if (!synced) return file_trouble(name_, "synchronising the backup");
    return {};
  }

 private:
  void cut() {
    std::string length;
    for (int shift = 24; shift >= 0; shift -= 8) length += static_cast<char>(held_.size() >> shift);
    put(length + held_);
    held_.clear();
  }
  void put(std::string_view bytes) {
    digest_ = sha256(std::string(digest_.begin(), digest_.end()) + std::string(bytes));
    out_ << bytes;
  }
  const std::string name_;
  std::ofstream out_;
  std::array<uint8_t, 32> digest_{};
  std::string held_;
};

/// Reads such a file. What it gives is only to be trusted when `close` finds the digest right.
class SummedReader {
 public:
  explicit SummedReader(const std::string& file) : name_(file), in_(file, std::ios::binary) {}
  bool well() const { return static_cast<bool>(in_); }
  Outcome<std::string> line() {
    std::string text;
    if (!std::getline(in_, text)) return no_backup(name_, "it was cut off");
    note(text + "\n");
    return text;
  }
  /// Empty after the last one.
  Outcome<std::string> piece() {
    std::string head(4, '\0');
    if (!in_.read(head.data(), 4)) return no_backup(name_, "it was cut off");
    size_t length = 0;
    for (char c : head) length = length << 8 | static_cast<uint8_t>(c);
    if (length > 16 * piece_bytes + (size_t{1} << 30)) return no_backup(name_, "it is damaged");
    std::string bytes(length, '\0');
    if (length > 0 && !in_.read(bytes.data(), static_cast<std::streamsize>(length)))
      return no_backup(name_, "it was cut off");
    note(head + bytes);
    return bytes;
  }
  Outcome<void> close() {
    std::string told(64, '\0');
    std::string mine = hex({reinterpret_cast<const char*>(digest_.data()), digest_.size()});
    if (!in_.read(told.data(), 64)) return no_backup(name_, "it was cut off");
    if (told != mine) return no_backup(name_, "it is damaged: its digest is another");
    return {};
  }

 private:
  void note(const std::string& bytes) {
    digest_ = sha256(std::string(digest_.begin(), digest_.end()) + bytes);
  }
  const std::string name_;
  std::ifstream in_;
  std::array<uint8_t, 32> digest_{};
};

struct BackupHead {
  int64_t schema = 0;
  int64_t epoch = 0;
  std::vector<SavedTable> tables;
};

Outcome<BackupHead> read_head(SummedReader& reader, const std::string& file) {
  FERMATA_TRY(first, reader.line());
  if (first + "\n" != lead_line) return no_backup(file, "it is no backup of a PostgreSQL store");
  FERMATA_TRY(text, reader.line());
  auto head = parse_json(text);
  if (!head || !head->get("schema").is_integer() || !head->get("tables").is_array())
    return no_backup(file, "it is damaged: its head cannot be read");
  BackupHead out;
  out.schema = head->get("schema").as_integer();
  out.epoch = head->get("epoch").as_integer();
  if (out.schema > static_cast<int64_t>(postgres::schema_newest()))
    return fail(ErrorCode::schema_newer, file + " has schema " + std::to_string(out.schema) +
                                             ", this program knows up to " +
                                             std::to_string(postgres::schema_newest()));
  for (const Value& table : head->get("tables").items())
    out.tables.push_back({std::string(table.get("name").as_string()),
                          std::string(table.get("columns").as_string())});
  return out;
}

Outcome<void> check_backup(const std::string& file) {
  SummedReader reader(file);
  if (!reader.well()) return file_trouble(file, "opening the backup");
  FERMATA_TRY(head, read_head(reader, file));
  for (const SavedTable& table : head.tables) {
    for (;;) {
      FERMATA_TRY(piece, reader.piece());
      if (piece.empty()) break;
    }
    (void)table;
  }
  return reader.close();
}

Outcome<void> expect_no_store(Connection& connection, const std::string& schema) {
  for (const char* table : {"roots", "workflow_records", "definitions", "api_keys", "audit",
                            "audit_tail", "accounts", "credentials"}) {
    FERMATA_TRY(found, connection.ask("looking what is there",
                                      std::string("select 1 from ") + table + " limit 1"));
    if (found.count() > 0)
      return fail(
          ErrorCode::data_locked,
          "schema `" + schema + "` holds a store already; restore into another, or drop it first");
  }
  return {};
}

/// A server that leads holds the store as it was in its memory: it must not be there. Whoever comes
/// meanwhile waits for the end of the restore.
Outcome<void> take_store(Connection& connection, const std::string& schema) {
  FERMATA_TRY(rows, connection.ask("looking who leads",
                                   "select holder, holder = '' or until < now() from leases where "
                                   "name = 'lead' for update"));
  if (!rows.next()) return {};
  std::string holder(rows.text(0));
  if (!rows.flag(1))
    return fail(ErrorCode::data_locked, "schema `" + schema + "` is served by " + holder +
                                            ": stop every server on it, then restore");
  return order(connection, "taking the store",
               "update leases set fence = fence + 1, holder = '', until = now() where name = "
               "'lead'");
}

/// Numbers that rows get from sequences go on behind those that came.
Outcome<void> set_sequences(Connection& connection) {
  FERMATA_TRY_VOID(order(connection, "setting the sequences",
                         "select setval('root_numbers', coalesce(max(number), 0) + 1, false) from "
                         "roots"));
  FERMATA_TRY(rows, connection.ask("looking for sequences",
                                   "select table_name::text from information_schema.columns where "
                                   "table_schema = current_schema() and is_identity = 'YES' and "
                                   "column_name = 'number'"));
  while (rows.next()) {
    std::string table(rows.text(0));
    FERMATA_TRY_VOID(order(connection, "setting the sequences",
                           "select setval(pg_get_serial_sequence('" + table +
                               "', 'number'), coalesce(max(number), 0) + 1, false) from " + table));
  }
  return {};
}

std::set<std::string> named_in(const std::string& columns) {
  std::set<std::string> out;
  std::istringstream names(columns);
  for (std::string name; std::getline(names, name, ',');) out.insert(name);
  return out;
}

/// What a file names becomes part of statements: only what the schema has is taken.
Outcome<void> expect_known(Connection& connection, const BackupHead& head,
                           const std::string& file) {
  FERMATA_TRY(tables, tables_of(connection));
  std::map<std::string, std::set<std::string>> known;
  for (const SavedTable& table : tables) known[table.name] = named_in(table.columns);
  for (const SavedTable& table : head.tables) {
    auto found = known.find(table.name);
    if (found == known.end())
      return no_backup(file,
                       "it names the table `" + table.name + "`, which a store does not have");
    for (const std::string& column : named_in(table.columns))
      if (!found->second.contains(column))
        return no_backup(file, "it names the column `" + column + "` of the table `" + table.name +
                                   "`, which a store does not have");
  }
  return {};
}

Outcome<void> fill(Connection& connection, const std::string& file) {
  SummedReader reader(file);
  FERMATA_TRY(head, read_head(reader, file));
  FERMATA_TRY_VOID(expect_known(connection, head, file));
  for (const SavedTable& table : head.tables) {
    FERMATA_TRY_VOID(order(connection, "emptying a table", "delete from " + table.name));
    FERMATA_TRY_VOID(connection.copy_in(
        "copy " + table.name + " (" + table.columns + ") from stdin (format binary)",
        [&] { return reader.piece(); }));
  }
  FERMATA_TRY_VOID(reader.close());
  FERMATA_TRY_VOID(set_sequences(connection));
  // Which database it is is found out by the first that leads; what was dispatched since the backup
  // is told from what will be by the epoch.
  FERMATA_TRY_VOID(order(connection, "raising the epoch",
                         "delete from settings where name in ('system_identifier', 'timeline')"));
  return postgres::put_setting(connection, "epoch", std::to_string(head.epoch + 1));
}

}  // namespace

Outcome<void> backup_postgres(PostgresOptions options, const std::string& file) {
  std::error_code error;
  if (std::filesystem::exists(file, error))
    return fail(ErrorCode::io_failed, file + " exists; a backup does not write over it");
  postgres::Server server = postgres::server_of(options);
  Connection connection(server);
  FERMATA_TRY_VOID(postgres::reach(connection, options.reach_for));
  FERMATA_TRY_VOID(postgres::expect_schema(connection, options.schema));
  FERMATA_TRY_VOID(postgres::refuse_unfinished(connection, options.schema));
  FERMATA_TRY_VOID(script(connection,
                          "set statement_timeout = 0; set "
                          "idle_in_transaction_session_timeout = 0; set enable_seqscan = on; begin "
                          "isolation level repeatable read read only",
                          "beginning a backup"));
  FERMATA_TRY(tables, tables_of(connection));
  FERMATA_TRY(epoch, postgres::setting_of(connection, "epoch"));
  std::string unfinished = file + ".new";
  SummedWriter writer(unfinished);
  if (!writer.well()) return file_trouble(unfinished, "making the backup");
  Value names = Value::array();
  for (const SavedTable& table : tables)
    names.push(Value::object({{"name", table.name}, {"columns", table.columns}}));
  writer.line(std::string(lead_line.substr(0, lead_line.size() - 1)));
  writer.line(to_json(Value::object({{"schema", static_cast<int64_t>(postgres::schema_newest())},
                                     {"epoch", epoch ? std::stoll(*epoch) : 0},
                                     {"tables", names}})));
  Outcome<void> made = [&]() -> Outcome<void> {
    for (const SavedTable& table : tables) {
      FERMATA_TRY_VOID(connection.copy_out(
          "copy " + table.name + " (" + table.columns + ") to stdout (format binary)",
          [&](std::string_view bytes) -> Outcome<void> {
            writer.piece(bytes);
            if (!writer.well()) return file_trouble(unfinished, "writing the backup");
            return {};
          }));
      writer.end_pieces();
    }
    return writer.close();
  }();
  if (made && rename(unfinished.c_str(), file.c_str()) != 0)
    made = file_trouble(file, "naming the backup");
  if (!made) std::filesystem::remove(unfinished, error);
  return made;
}

Outcome<void> restore_postgres(PostgresOptions options, const std::string& file) {
  FERMATA_TRY_VOID(check_backup(file));
  postgres::Server server = postgres::server_of(options);
  Connection connection(server);
  FERMATA_TRY_VOID(postgres::reach(connection, options.reach_for));
  FERMATA_TRY_VOID(postgres::check_server(connection, options.allow_unsafe));
  FERMATA_TRY_VOID(postgres::migrate(connection, options.schema));
  FERMATA_TRY_VOID(postgres::refuse_unfinished(connection, options.schema));
  FERMATA_TRY_VOID(script(connection,
                          "set statement_timeout = 0; set idle_in_transaction_session_timeout = 0; "
                          "set lock_timeout = 60000; begin",
                          "beginning to restore"));
  Outcome<void> filled = take_store(connection, options.schema);
  if (filled) filled = expect_no_store(connection, options.schema);
  if (filled) filled = fill(connection, file);
  if (connection.alive())
    FERMATA_TRY_VOID(script(connection, filled ? "commit" : "rollback", "ending the restore"));
  return filled;
}

}  // namespace fermata
