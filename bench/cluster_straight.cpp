#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "adapters/postgres/connection.h"
#include "bench/cluster.h"

/// The rows of an engine, written by nobody but PostgreSQL and a loop.
namespace fermata::bench {

namespace {

constexpr const char* copies = "straight";

[[noreturn]] void give_up_at(const std::string& what, const std::string& why) {
  std::fprintf(stderr, "bench: %s: %s\n", what.c_str(), why.c_str());
  std::exit(5);
}

postgres::Rows ask(postgres::Connection& connection, const std::string& sql) {
  auto rows = connection.ask("measuring", sql);
  if (!rows) give_up_at(sql.substr(0, 200), rows.error().message);
  return *std::move(rows);
}

void script(postgres::Connection& connection, const std::string& sql) {
  postgres::Reply reply = connection.script(sql);
  if (reply.trouble != postgres::Trouble::none) give_up_at(sql.substr(0, 200), reply.message);
}

postgres::Server server_of() {
  return {.url = postgres_url(),
          .password = "",
          .schema = "public",
          .statement_timeout = Duration{600'000}};
}

std::vector<std::string> texts(postgres::Connection& connection, const std::string& sql) {
  std::vector<std::string> out;
  postgres::Rows rows = ask(connection, sql);
  while (rows.next()) out.emplace_back(rows.text(0));
  return out;
}

}  // namespace

std::vector<std::pair<std::string, int64_t>> StraightRows::counts(const std::string& schema) {
  postgres::Server server = server_of();
  postgres::Connection connection(server);
  if (auto made = connection.ensure(); !made) give_up_at("connecting", made.error().message);
  std::vector<std::pair<std::string, int64_t>> out;
  for (const std::string& table :
       texts(connection,
             "select c.relname::text from pg_class c join pg_namespace n on n.oid = "
             "c.relnamespace where c.relkind = 'r' and c.relpersistence = 'p' and "
             "n.nspname = '" +
                 schema + "' order by 1")) {
    postgres::Rows rows = ask(connection, "select count(*) from " + schema + "." + table);
    rows.next();
    out.emplace_back(table, rows.integer(0));
  }
  return out;
}

StraightRows::StraightRows(const std::string& schema,
                           const std::vector<std::pair<std::string, int64_t>>& since, size_t roots)
    : roots_(roots) {
  postgres::Server server = server_of();
  postgres::Connection connection(server);
  if (auto made = connection.ensure(); !made) give_up_at("connecting", made.error().message);
  script(connection,
         "drop schema if exists " + std::string(copies) + " cascade; create schema " + copies);
  for (const auto& [table, count] : counts(schema)) {
    int64_t before = 0;
    for (const auto& [name, rows] : since)
      if (name == table) before = rows;
    // What does not grow with the roots (a definition, a lease) is not measured. The marks of
    // commits are the engine's own way to find out what became of them.
    if (count - before < static_cast<int64_t>(roots / 2) || table == "commits") continue;
    std::vector<std::string> columns =
        texts(connection,
              "select quote_ident(column_name)::text from information_schema.columns where "
              "table_schema = '" +
                  schema + "' and table_name = '" + table +
                  "' and is_generated = 'NEVER' order by ordinal_position");
    std::string list, values;
    for (const std::string& column : columns) {
      list += (list.empty() ? "" : ",") + column;
      values += (values.empty() ? "" : " || ',' || ") + ("quote_nullable(" + column + "::text)");
    }
    Table rows{copies + ("." + table) + " (" + list + ")", {}};
    rows.rows = texts(connection, "select '(' || " + values + " || ')' from " + schema + "." +
                                      table + " order by ctid offset " + std::to_string(before));
    script(connection, "create table " + std::string(copies) + "." + table + " (like " + schema +
                           "." + table + " including all excluding identity)");
    tables_.push_back(std::move(rows));
  }
}

std::string StraightRows::tables() const {
  std::string out;
  for (const Table& table : tables_) {
    std::string name = table.name.substr(0, table.name.find(' '));
    out += (out.empty() ? "" : ", ") + name.substr(name.find('.') + 1);
  }
  return out;
}

double StraightRows::rate(size_t batch) {
  postgres::Server server = server_of();
  postgres::Connection connection(server);
  if (auto made = connection.ensure(); !made) give_up_at("connecting", made.error().message);
  size_t batches = (roots_ + batch - 1) / batch;
  std::vector<std::string> statements;
  for (size_t i = 0; i < batches; ++i) {
    std::string sql = "begin;";
    for (const Table& table : tables_) {
      size_t from = table.rows.size() * i / batches, to = table.rows.size() * (i + 1) / batches;
      if (from == to) continue;
      sql += "insert into " + table.name + " overriding system value values ";
      for (size_t row = from; row < to; ++row) {
        if (row > from) sql += ',';
        sql += table.rows[row];
      }
      sql += ';';
    }
    statements.push_back(sql + "commit");
  }
  std::string empty = "truncate ";
  for (size_t i = 0; i < tables_.size(); ++i)
    empty += (i > 0 ? ", " : "") + tables_[i].name.substr(0, tables_[i].name.find(' '));
  script(connection, empty);
  auto begin = std::chrono::steady_clock::now();
  for (const std::string& sql : statements) script(connection, sql);
  return static_cast<double>(roots_) / seconds_since(begin);
}

}  // namespace fermata::bench
