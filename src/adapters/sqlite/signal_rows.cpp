#include "adapters/sqlite/signal_rows.h"

#include "base/json.h"
#include "ports/cursor.h"

namespace fermata::sqlite {
namespace {

using Text = std::optional<std::string_view>;

Text text_or_null(const std::string& text) { return text.empty() ? Text{} : Text(text); }

constexpr const char* signal_columns =
    "SELECT number, account_id, event_id, event_type, contact_id, execution_id, correlation_id, "
    "data, occurred_at, received_at, expires_at, phone, email, open, reached FROM "
    "workflow_signals";

std::optional<Value> json_value(std::string_view text) {
  if (text.empty()) return Value();
  auto value = parse_json(text);
  return value ? std::optional<Value>(*std::move(value)) : std::nullopt;
}

std::optional<SignalRecord> signal_in(const Rows& rows) {
  SignalRecord record;
  Signal& signal = record.signal;
  signal.account = AccountId(std::string(rows.text(1)));
  signal.id = rows.text(2);
  signal.type = rows.text(3);
  signal.contact_id = rows.text(4);
  signal.run = RunId(std::string(rows.text(5)));
  signal.correlation_id = rows.text(6);
  auto data = json_value(rows.text(7));
  signal.occurred_at = parse_rfc3339(rows.text(8));
  auto received = parse_rfc3339(rows.text(9));
  auto expires = parse_rfc3339(rows.text(10));
  signal.phone = rows.text(11);
  signal.email = rows.text(12);
  record.open = rows.integer(13) != 0;
  auto reached = json_value(rows.text(14));
  if (!data || !received || !expires || !reached) return std::nullopt;
  signal.data = *std::move(data);
  signal.received_at = *received;
  record.expires_at = *expires;
  record.reach = signal_reach_of(*reached);
  return record;
}

std::string reached_in(const SignalRecord& record) {
  return record.reach == SignalReach{} ? std::string() : to_json(to_value(record.reach));
}

// A listener of a contact also hears what is sent to its run, or comes from its phone.
constexpr const char* in_window_of_contact =
    " WHERE number IN (SELECT number FROM workflow_signals WHERE account_id = ?1 AND "
    "contact_id = ?2 AND event_type = ?3 AND received_at BETWEEN ?4 AND ?5 "
    "UNION SELECT number FROM workflow_signals WHERE execution_id = ?6 AND event_type = ?3 AND "
    "received_at BETWEEN ?4 AND ?5 "
    "UNION SELECT number FROM workflow_signals WHERE account_id = ?1 AND phone = ?7 AND "
    "event_type = ?3 AND received_at BETWEEN ?4 AND ?5) AND number > ?8 ORDER BY number LIMIT ?9";
constexpr const char* in_window_of_account =
    " WHERE number IN (SELECT number FROM workflow_signals WHERE account_id = ?1 AND "
    "event_type = ?2 AND received_at BETWEEN ?3 AND ?4) AND number > ?5 ORDER BY number LIMIT ?6";

}  // namespace

bool SignalWriter::put(const SignalRecord& record) {
  const Signal& signal = record.signal;
  std::string data = signal.data.is_null() ? "" : to_json(signal.data);
  std::string occurred = signal.occurred_at ? to_rfc3339(*signal.occurred_at) : "";
  std::string received = to_rfc3339(signal.received_at), expires = to_rfc3339(record.expires_at);
  std::string reached = reached_in(record);
  return put_.execute(
      signal.account.text(), signal.id, signal.type, text_or_null(signal.contact_id),
      text_or_null(signal.run.text()), text_or_null(signal.correlation_id), text_or_null(data),
      text_or_null(occurred), received, expires, text_or_null(signal.phone),
      text_or_null(signal.email), static_cast<int64_t>(record.open), text_or_null(reached));
}

bool SignalWriter::write(const SignalWrite& write) {
  const SignalRecord& record = write.record;
  if (write.first) {
    // An id that is used again after its time names another signal, which has done nothing yet.
    std::string at = to_rfc3339(record.signal.received_at);
    if (!forget_effects_.execute(record.signal.account.text(), record.signal.id, at)) return false;
    return put(record);
  }
  // What it is does not change: only the indexes on what has changed are touched.
  std::string reached = reached_in(record), received = to_rfc3339(record.signal.received_at);
  if (!note_.execute(static_cast<int64_t>(record.open), text_or_null(reached),
                     record.signal.account.text(), record.signal.id, received))
    return false;
  return sqlite3_changes64(database_.handle()) > 0 || put(record);
}

bool SignalWriter::write(const SignalReached& reached) {
  return reach_.execute(reached.signal.account.text(), reached.signal.id, name_of(reached.kind),
                        reached.ref, to_json(reached.entry));
}

std::optional<uint64_t> SignalWriter::remove(Instant now, size_t limit) {
  std::string until = to_rfc3339(now);
  if (!remove_effects_.execute(until, static_cast<int64_t>(limit))) return std::nullopt;
  if (!remove_.execute(until, static_cast<int64_t>(limit))) return std::nullopt;
  return static_cast<uint64_t>(sqlite3_changes64(database_.handle()));
}

namespace {

const char* one_signal() {
  static const std::string sql =
      std::string(signal_columns) + " WHERE account_id = ? AND event_id = ?";
  return sql.c_str();
}

const char* signals_of_contact() {
  static const std::string sql = std::string(signal_columns) + in_window_of_contact;
  return sql.c_str();
}

const char* signals_of_account() {
  static const std::string sql = std::string(signal_columns) + in_window_of_account;
  return sql.c_str();
}

}  // namespace

SignalQueries::SignalQueries(Database& database)
    : database_(database),
      load_(database, one_signal()),
      effects_(database,
               "SELECT kind, entry FROM workflow_signal_effects WHERE account_id = ? AND "
               "event_id = ? ORDER BY number"),
      of_contact_(database, signals_of_contact()),
      of_account_(database, signals_of_account()) {}

Outcome<std::vector<SignalQueries::Numbered>> SignalQueries::collect(Rows rows) {
  std::vector<Numbered> out;
  while (rows.next()) {
    auto record = signal_in(rows);
    if (!record)
      return fail(ErrorCode::data_damaged,
                  "the row of signal " + std::string(rows.text(2)) + " cannot be read");
    out.push_back({rows.natural(0), *std::move(record)});
  }
  if (rows.failed()) return database_.failure("reading signals");
  return out;
}

/// What runs say that each has done to them, oldest first.
Outcome<void> SignalQueries::add_effects(std::vector<Numbered>& records) {
  if (records.empty()) return {};
  for (Numbered& one : records) {
    const Signal& signal = one.record.signal;
    Rows rows = effects_.query(signal.account.text(), signal.id);
    while (rows.next()) {
      auto entry = json_value(rows.text(1));
      if (!entry)
        return fail(ErrorCode::data_damaged,
                    "what signal " + signal.id + " has reached cannot be read");
      add_reached(one.record.effects, reach_kind_of(rows.text(0)), *std::move(entry));
    }
    if (rows.failed()) return database_.failure("reading what signals have reached");
  }
  return {};
}

Outcome<std::optional<SignalRecord>> SignalQueries::find(const SignalKey& key) {
  FERMATA_TRY(found, load(std::span(&key, 1)));
  return std::move(found.front());
}

Outcome<std::vector<std::optional<SignalRecord>>> SignalQueries::load(
    std::span<const SignalKey> keys) {
  std::vector<std::optional<SignalRecord>> out;
  for (const SignalKey& key : keys) {
    FERMATA_TRY(found, collect(load_.query(key.account.text(), key.id)));
    FERMATA_TRY_VOID(add_effects(found));
    out.push_back(found.empty() ? std::optional<SignalRecord>{}
                                : std::optional(std::move(found.front().record)));
  }
  return out;
}

Outcome<SignalStore::Windowed> SignalQueries::in(const SignalWindow& window, uint64_t after,
                                                 size_t limit) {
  bool wide = window.contact_id.empty() && window.run.empty();
  std::string from = to_rfc3339(window.from), to = to_rfc3339(window.to);
  auto most = static_cast<int64_t>(limit + 1);
  FERMATA_TRY(
      found,
      collect(wide ? of_account_.query(window.account.text(), window.type, from, to, after, most)
                   : of_contact_.query(window.account.text(), window.contact_id, window.type, from,
                                       to, window.run.text(), window.phone, after, most)));
  SignalStore::Windowed page{{}, after, found.size() > limit};
  if (page.more) found.pop_back();
  for (Numbered& one : found) {
    page.place = one.number;
    page.signals.push_back(std::make_shared<const Signal>(std::move(one.record.signal)));
  }
  return page;
}

Outcome<SignalStore::OpenSignals> SignalQueries::open(uint64_t after, size_t limit) {
  static const std::string sql =
      std::string(signal_columns) + " WHERE open = 1 AND number > ? ORDER BY number LIMIT ?";
  Statement statement(database_, sql.c_str());
  FERMATA_TRY(found, collect(statement.query(after, static_cast<int64_t>(limit + 1))));
  SignalStore::OpenSignals page{{}, after, found.size() > limit};
  if (page.more) found.pop_back();
  FERMATA_TRY_VOID(add_effects(found));
  for (Numbered& one : found) {
    page.cursor = one.number;
    page.signals.push_back(std::move(one.record));
  }
  return page;
}

Outcome<SignalPage> SignalQueries::list(const SignalFilter& filter, size_t limit, uint64_t before) {
  std::string where;
  std::vector<std::string> values;
  auto add = [&](std::string_view condition, const std::string& value) {
    if (value.empty()) return;
    where += (where.empty() ? " WHERE " : " AND ") + std::string(condition);
    values.push_back(value);
  };
  add("account_id = ?", filter.account.text());
  add("contact_id = ?", filter.contact_id);
  add("event_type = ?", filter.type);
  if (filter.from) add("received_at >= ?", to_rfc3339(*filter.from));
  if (filter.to) add("received_at < ?", to_rfc3339(*filter.to));
  auto add_word = [&](const std::string& condition) {
    where += (where.empty() ? " WHERE " : " AND ") + condition;
  };
  if (filter.matched)
    add_word(std::string(*filter.matched ? "" : "NOT ") +
             "(ifnull(reached ->> '$.total', 0) > 0 OR EXISTS (SELECT 1 FROM "
             "workflow_signal_effects AS e WHERE e.account_id = workflow_signals.account_id AND "
             "e.event_id = workflow_signals.event_id))");
  if (before != UINT64_MAX) add_word("number < " + std::to_string(before));
  std::string sql =
      signal_columns + where + " ORDER BY number DESC LIMIT " + std::to_string(limit + 1);
  Statement statement(database_, sql.c_str());
  FERMATA_TRY(found, collect(statement.query_texts(values)));
  SignalPage page;
  bool more = found.size() > limit;
  if (more) found.pop_back();
  if (more && !found.empty()) page.next_cursor = cursor_of(found.back().number);
  FERMATA_TRY_VOID(add_effects(found));
  for (Numbered& one : found) page.items.push_back(std::move(one.record));
  return page;
}

}  // namespace fermata::sqlite
