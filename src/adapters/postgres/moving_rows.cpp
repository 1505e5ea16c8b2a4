#include "adapters/postgres/moving_rows.h"

#include <algorithm>

#include "base/check.h"
#include "base/hash.h"

namespace fermata::postgres {
namespace {

using transfer::Kind;

constexpr char cell_end = '\x1f';
constexpr char no_cell = '\x01';
/// Digits of SHA-256 that are summed up: 60 bits, so that they are a number that is not negative.
constexpr size_t hash_digits = 15;

std::string_view moved_array_type(Type type) {
  switch (type) {
    case Type::flag: return "boolean[]";
    case Type::integer: return "int[]";
    case Type::number: return "bigint[]";
    case Type::text: return "text[]";
    case Type::bytes: return "bytea[]";
  }
  check(false);
  return {};
}

/// A cell as it is hashed. PostgreSQL makes the same of it in `cell_sql`.
std::string cell_text(Type type, std::string_view bytes) {
  if (type == Type::text) return std::string(bytes);
  if (type == Type::bytes) return sha256_hex(bytes);
  uint64_t value = bytes.empty() || static_cast<int8_t>(bytes[0]) >= 0 ? 0 : UINT64_MAX;
  for (char c : bytes) value = value << 8 | static_cast<uint8_t>(c);
  return std::to_string(static_cast<int64_t>(value));
}

std::string cell_sql(const MovedColumn& column) {
  std::string cell = column.read ? column.read : std::string("t.") + column.name;
  if (column.type == Type::bytes) cell = "encode(sha256(" + cell + "), 'hex')";
  if (column.type == Type::flag) cell += "::int";
  return "coalesce((" + cell + ")::text, chr(1))";
}

constexpr const char* moved_shard_of_root = "r.shard";
constexpr const char* moved_by_root = " join roots r on r.number = t.root";
constexpr const char* moved_by_job = " join roots r on r.number = t.job";
constexpr const char* moved_run_rows =
    "t.root in (select number from roots where kind = 0 and id = any($1))";
constexpr const char* moved_job_rows =
    "t.job in (select number from roots where kind = 1 and id = any($1))";
constexpr const char* moved_schedule_rows =
    "t.root in (select number from roots where kind = 2 and id in (select a || E'\\n' || i from "
    "unnest($1::text[], $2::text[]) k(a, i)))";
constexpr const char* moved_by_number = "t.number = any($1::text[]::bigint[])";

MovedColumn text_cell(const char* name) { return {name, Type::text}; }
MovedColumn number_cell(const char* name) { return {name, Type::number}; }
MovedColumn small_cell(const char* name) { return {name, Type::integer}; }
MovedColumn flag_cell(const char* name) { return {name, Type::flag}; }
MovedColumn bytes_cell(const char* name) { return {name, Type::bytes}; }

std::vector<MovedColumn> wait_table_columns() {
  return {text_cell("run"),           text_cell("step"),
          number_cell("occurrence"),  text_cell("id"),
          text_cell("account"),       text_cell("workflow"),
          text_cell("contact_id"),    text_cell("source"),
          text_cell("wait_type"),     text_cell("status"),
          number_cell("due_at"),      text_cell("event_type"),
          text_cell("event_types"),   text_cell("correlation_id"),
          text_cell("hold_reason"),   flag_cell("parked"),
          number_cell("reached_at"),  number_cell("updated_at"),
          number_cell("ended_at"),    text_cell("resumed_by"),
          text_cell("ended_reason"),  text_cell("matched_event_id"),
          number_cell("retry_count"), text_cell("last_error"),
          text_cell("timezone"),      text_cell("local_target"),
          text_cell("gap_policy"),    text_cell("tzdata_version"),
          text_cell("config"),        text_cell("metadata"),
          text_cell("listeners"),     text_cell("counts"),
          bytes_cell("record")};
}

/// Of roots and what is summed up by their shards.
std::vector<MovedTable> root_tables() {
  MovedColumn updated{"updated_at", Type::number, "to_timestamp(it / 1000.0)",
                      "round(extract(epoch from t.updated_at) * 1000)::bigint"};
  return {
      {"roots",
       {number_cell("number"), small_cell("kind"), text_cell("id"), text_cell("account"),
        text_cell("workflow"), text_cell("parent"), small_cell("shard"), number_cell("version"),
        small_cell("status"), flag_cell("open"), number_cell("started_at"), updated,
        bytes_cell("record")},
       "t.shard"},
      {"history",
       {number_cell("root"), number_cell("first"), small_cell("count"), number_cell("checksum"),
        bytes_cell("bytes")},
       moved_shard_of_root,
       moved_by_root},
      {"checkpoints",
       {number_cell("root"), number_cell("sequence"), number_cell("checksum"), bytes_cell("bytes")},
       moved_shard_of_root,
       moved_by_root},
      {"tags", {number_cell("tag"), number_cell("root")}, moved_shard_of_root, moved_by_root},
      {"held_outputs",
       {number_cell("job"), bytes_cell("record")},
       moved_shard_of_root,
       moved_by_job},
      {"blob_refs",
       {number_cell("job"), text_cell("account"), text_cell("sha256")},
       moved_shard_of_root,
       moved_by_job},
      {"job_logs",
       {number_cell("number"), number_cell("job"), number_cell("attempt"), number_cell("size"),
        bytes_cell("record")},
       moved_shard_of_root,
       moved_by_job},
      {"schedule_deleted",
       {number_cell("root"), number_cell("since")},
       moved_shard_of_root,
       moved_by_root},
      {"waits", wait_table_columns(), "get_byte(sha256(convert_to(t.run, 'UTF8')), 0)"},
      {"wait_tally",
       {text_cell("kind"), text_cell("account"), number_cell("slot"), text_cell("workflow"),
        text_cell("key"), number_cell("waits"), number_cell("waited_ms")}}};
}

std::vector<MovedTable> other_tables() {
  return {
      {"definitions", {text_cell("hash"), bytes_cell("record")}},
      {"orphans", {text_cell("hash"), number_cell("since")}},
      {"workflow_records",
       {text_cell("account"), text_cell("id"), text_cell("webhook"), flag_cell("active"),
        bytes_cell("record")}},
      {"workflow_versions",
       {text_cell("account"), text_cell("workflow"), number_cell("version"), text_cell("hash"),
        bytes_cell("record")}},
      {"workflow_rules", {text_cell("account"), text_cell("workflow"), bytes_cell("record")}},
      {"api_keys", {text_cell("id"), text_cell("account"), bytes_cell("record")}},
      {"credentials",
       {text_cell("account"), text_cell("id"), text_cell("name"), bytes_cell("record")}},
      {"marks",
       {text_cell("account"), text_cell("key"), number_cell("expires_at"), bytes_cell("record")}},
      {"accounts", {text_cell("id"), bytes_cell("record")}},
      {"saved_views",
       {number_cell("number"), text_cell("account"), text_cell("id"), bytes_cell("record")}},
      {"approvals",
       {number_cell("number"), text_cell("id"), text_cell("account"), text_cell("run"),
        small_cell("status"), bytes_cell("record")}},
      {"deliveries",
       {number_cell("number"), text_cell("id"), text_cell("account"), text_cell("run"),
        small_cell("state"), number_cell("version"), bytes_cell("record")}},
      {"signals",
       {number_cell("number"), text_cell("account"), text_cell("event_id"), text_cell("event_type"),
        text_cell("contact_id"), text_cell("run"), text_cell("correlation_id"), text_cell("data"),
        number_cell("occurred_at"), number_cell("received_at"), number_cell("expires_at"),
        text_cell("phone"), text_cell("email"), flag_cell("open"), text_cell("reached"),
        number_cell("reached_total")}},
      {"signal_effects",
       {number_cell("number"), text_cell("account"), text_cell("event_id"), text_cell("kind"),
        text_cell("ref"), text_cell("entry")}},
      {"contact_records",
       {text_cell("account"), text_cell("id"), text_cell("timezone"), text_cell("phone"),
        text_cell("email"), flag_cell("opted_out"), text_cell("fields"), text_cell("labels"),
        number_cell("deleted_at"), number_cell("created_at"), number_cell("updated_at"),
        text_cell("phone_key"), text_cell("email_key"), number_cell("version"),
        bytes_cell("record")}},
      {"dead_letters",
       {number_cell("number"), text_cell("id"), text_cell("account"), text_cell("job"),
        text_cell("reason_code"), number_cell("created_at"), flag_cell("open"),
        small_cell("resolution"), number_cell("resolved_at"), text_cell("resolved_by"),
        text_cell("retried_as"), bytes_cell("record")}},
      {"blobs",
       {text_cell("account"), text_cell("sha256"), number_cell("put_at"), number_cell("size"),
        flag_cell("unused"), bytes_cell("bytes")}},
      {"workers", {text_cell("id"), bytes_cell("record")}},
      {"bulks",
       {number_cell("number"), text_cell("id"), text_cell("account"), flag_cell("running"),
        bytes_cell("record")}},
      {"bulk_selections", {text_cell("bulk"), bytes_cell("items")}},
      {"documents", {text_cell("name"), number_cell("revision"), bytes_cell("record")}},
      {"policies",
       {number_cell("number"), small_cell("kind"), text_cell("account"), text_cell("id"),
        bytes_cell("record")}},
      {"policy_snapshots", {text_cell("hash"), bytes_cell("record")}},
      {"policy_versions", {number_cell("number"), text_cell("account"), bytes_cell("record")}},
      {"policy_decisions",
       {number_cell("number"), text_cell("account"), text_cell("job"), flag_cell("counted"),
        number_cell("at"), bytes_cell("record")}},
      {"policy_hits",
       {text_cell("account"), text_cell("bundle"), text_cell("rule"), number_cell("hits"),
        number_cell("last_at")}},
      {"account_usage",
       {text_cell("account"), number_cell("day"), number_cell("input_tokens"),
        number_cell("output_tokens"), number_cell("cost_micros")}},
      {"outbox", {number_cell("number"), text_cell("lane"), text_cell("id"), bytes_cell("record")}},
      {"message_marks", {text_cell("execution"), text_cell("mark"), number_cell("at")}},
      {"audit",
       {number_cell("number"), text_cell("account"), number_cell("sequence"), number_cell("at"),
        bytes_cell("record")}},
      {"audit_roots", {text_cell("account"), number_cell("sequence"), text_cell("hash")}}};
}

std::vector<MovedTable> make_tables() {
  std::vector<MovedTable> all = root_tables();
  for (MovedTable& table : other_tables()) all.push_back(std::move(table));
  return all;
}

std::string pair_in(const char* first, const char* second) {
  return std::string("(t.") + first + ", t." + second +
         ") in (select * from unnest($1::text[], $2::text[]))";
}

/// Texts of conditions live as long as the program.
const char* kept_text(std::string text) {
  static std::vector<std::unique_ptr<std::string>> texts;
  texts.push_back(std::make_unique<std::string>(std::move(text)));
  return texts.back()->c_str();
}

std::vector<std::vector<MovedPart>> make_parts() {
  const char* by_id = "t.id = any($1)";
  const char* by_hash = "t.hash = any($1)";
  const char* account_id = kept_text(pair_in("account", "id"));
  const char* account_workflow = kept_text(pair_in("account", "workflow"));
  std::vector<std::vector<MovedPart>> parts(transfer::kinds);
  auto of = [&](Kind kind) -> std::vector<MovedPart>& { return parts[static_cast<size_t>(kind)]; };
  of(Kind::definition) = {{"definitions", by_hash}};
  of(Kind::orphan) = {{"orphans", by_hash}};
  of(Kind::workflow) = {{"workflow_records", account_id}, {"workflow_versions", account_workflow}};
  of(Kind::rules) = {{"workflow_rules", account_workflow}};
  of(Kind::key) = {{"api_keys", by_id}};
  of(Kind::credential) = {{"credentials", account_id}};
  of(Kind::mark) = {{"marks", kept_text(pair_in("account", "key"))}};
  of(Kind::account) = {{"accounts", by_id}};
  of(Kind::view) = {{"saved_views", account_id}};
  of(Kind::run) = {{"history", moved_run_rows},
                   {"checkpoints", moved_run_rows},
                   {"tags", moved_run_rows},
                   {"roots", "t.kind = 0 and t.id = any($1)"}};
  of(Kind::job) = {
      {"history", "t.root in (select number from roots where kind = 1 and id = any($1))"},
      {"held_outputs", moved_job_rows},
      {"blob_refs", moved_job_rows},
      {"job_logs", moved_job_rows},
      {"roots", "t.kind = 1 and t.id = any($1)"}};
  of(Kind::schedule) = {{"history", moved_schedule_rows},
                        {"checkpoints", moved_schedule_rows},
                        {"schedule_deleted", moved_schedule_rows},
                        {"roots",
                         "t.kind = 2 and t.id in (select a || E'\\n' || i from "
                         "unnest($1::text[], $2::text[]) k(a, i))"}};
  of(Kind::wait) = {{"waits", by_id}};
  of(Kind::wait_number) = {
      {"wait_tally",
       "(t.kind, t.account, t.slot, t.workflow, t.key) in (select k, a, s::bigint, w, y from "
       "unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[]) u(k, a, s, w, y))"}};
  of(Kind::approval) = {{"approvals", by_id}};
  of(Kind::delivery) = {{"deliveries", by_id}};
  of(Kind::signal) = {{"signals", kept_text(pair_in("account", "event_id"))}};
  of(Kind::signal_effect) = {{"signal_effects",
                              "(t.account, t.event_id, t.kind, t.ref) in (select * from "
                              "unnest($1::text[], $2::text[], $3::text[], $4::text[]))"}};
  of(Kind::contact) = {{"contact_records", account_id}};
  of(Kind::dead_letter) = {{"dead_letters", by_id}};
  of(Kind::blob) = {{"blobs", kept_text(pair_in("account", "sha256"))}};
  of(Kind::registration) = {{"workers", by_id}};
  of(Kind::bulk) = {{"bulks", by_id}, {"bulk_selections", "t.bulk = any($1)"}};
  of(Kind::policy_revision) = {{"documents", "t.name = 'policy' and $1::text[] is not null"}};
  of(Kind::policy_document) = {{"policies",
                                "(t.kind, t.account, t.id) in (select k::int, a, i from "
                                "unnest($1::text[], $2::text[], $3::text[]) u(k, a, i))"}};
  of(Kind::policy_snapshot) = {{"policy_snapshots", by_hash}};
  of(Kind::policy_version) = {{"policy_versions", moved_by_number}};
  of(Kind::policy_decision) = {{"policy_decisions", moved_by_number}};
  of(Kind::policy_hit) = {{"policy_hits",
                           "(t.account, t.bundle, t.rule) in (select * from "
                           "unnest($1::text[], $2::text[], $3::text[]))"}};
  of(Kind::pools) = {{"documents", "t.name = 'pools' and $1::text[] is not null"}};
  of(Kind::usage) = {{"account_usage",
                      "(t.account, t.day) in (select a, d::bigint from "
                      "unnest($1::text[], $2::text[]) u(a, d))"}};
  of(Kind::outbox) = {{"outbox", moved_by_number}};
  of(Kind::message_mark) = {{"message_marks", kept_text(pair_in("execution", "mark"))}};
  of(Kind::audit) = {{"audit", moved_by_number}};
  of(Kind::audit_root) = {{"audit_roots", "t.account = any($1)"}};
  return parts;
}

}  // namespace

const std::vector<MovedTable>& moved_tables() {
  static const std::vector<MovedTable> tables = make_tables();
  return tables;
}

const MovedTable& moved_table(std::string_view name) {
  for (const MovedTable& table : moved_tables())
    if (table.name == name) return table;
  check(false);
  return moved_tables().front();
}

const std::vector<MovedPart>& moved_parts(transfer::Kind kind) {
  static const std::vector<std::vector<MovedPart>> parts = make_parts();
  return parts[static_cast<size_t>(kind)];
}

std::string decimal(unsigned __int128 number) {
  std::string out;
  do {
    out += static_cast<char>('0' + static_cast<int>(number % 10));
    number /= 10;
  } while (number > 0);
  std::reverse(out.begin(), out.end());
  return out;
}

std::string sum_sql(const MovedTable& table, std::string_view where) {
  std::string cells;
  for (const MovedColumn& column : table.columns) (cells += ", ") += cell_sql(column);
  std::string sql = std::string("select shard, count(*), sum(hash)::text from (select (") +
                    table.shard + ")::int as shard, ('x' || substr(encode(sha256(convert_to(" +
                    "concat_ws(chr(31)" + cells + "), 'UTF8')), 'hex'), 1, " +
                    std::to_string(hash_digits) + "))::bit(60)::bigint as hash from " + table.name +
                    " t" + table.join;
  if (!where.empty()) (sql += " where ") += where;
  return sql + ") s group by shard";
}

MovedRows::MovedRows(const MovedTable& table) : table_(&table) { clear(); }

void MovedRows::clear() {
  columns_.clear();
  shards_.clear();
  for (const MovedColumn& column : table_->columns) columns_.emplace_back(column.type);
}

void MovedRows::take(std::vector<const Column*> columns, int shard) {
  check(columns.size() == columns_.size());
  for (size_t i = 0; i < columns.size(); ++i) columns_[i].append(*columns[i]);
  shards_.push_back(shard);
}

size_t MovedRows::byte_count() const {
  size_t sum = 0;
  for (const Column& column : columns_) sum += column.byte_count();
  return sum;
}

void MovedRows::sum(RowSums& sums) const {
  std::vector<std::string> rows(size());
  for (const Column& column : columns_) {
    size_t at = 0;
    column.each([&](std::optional<std::string_view> cell) {
      std::string& row = rows[at++];
      if (&column != &columns_.front()) row += cell_end;
      row += cell ? cell_text(column.type(), *cell) : std::string(1, no_cell);
    });
    check(at == rows.size());
  }
  for (size_t i = 0; i < rows.size(); ++i) {
    RowSum& sum = sums[{table_->name, shards_[i]}];
    ++sum.rows;
    sum.hashes += std::stoull(sha256_hex(rows[i]).substr(0, hash_digits), nullptr, 16);
  }
}

std::string MovedRows::insert_sql() const {
  std::string names, values, arrays;
  for (size_t i = 0; i < table_->columns.size(); ++i) {
    const MovedColumn& column = table_->columns[i];
    std::string comma = i > 0 ? ", " : "";
    names += comma + column.name;
    std::string own = "c" + std::to_string(i);
    std::string value = own;
    if (column.put) {
      value = column.put;
      value.replace(value.find("it"), 2, own);
    }
    values += comma + value;
    arrays +=
        comma + "$" + std::to_string(i + 1) + "::" + std::string(moved_array_type(column.type));
  }
  std::string own;
  for (size_t i = 0; i < table_->columns.size(); ++i)
    own += (i > 0 ? ", c" : "c") + std::to_string(i);
  return "insert into " + std::string(table_->name) + " (" + names +
         ") overriding system value select " + values + " from unnest(" + arrays + ") u(" + own +
         ")";
}

Arguments MovedRows::arguments() const {
  Arguments out;
  for (const Column& column : columns_) out.array(column);
  return out;
}

}  // namespace fermata::postgres
