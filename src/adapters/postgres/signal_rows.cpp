#include "adapters/postgres/signal_rows.h"

#include <algorithm>
#include <map>

#include "adapters/postgres/asking.h"
#include "base/json.h"
#include "ports/cursor.h"

namespace fermata::postgres {
namespace {

struct NumberedSignal {
  uint64_t number = 0;
  SignalRecord record;
};

constexpr const char* signal_columns =
    "select number, account, event_id, event_type, contact_id, run, correlation_id, data, "
    "occurred_at, received_at, expires_at, phone, email, open, reached from signals s ";

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
  signal.occurred_at = instant_in(rows, 8);
  signal.received_at = Instant{rows.integer(9)};
  record.expires_at = Instant{rows.integer(10)};
  signal.phone = rows.text(11);
  signal.email = rows.text(12);
  record.open = rows.flag(13);
  auto reached = json_value(rows.text(14));
  if (!data || !reached) return std::nullopt;
  signal.data = *std::move(data);
  record.reach = signal_reach_of(*reached);
  return record;
}

Outcome<std::vector<NumberedSignal>> ask_signals(Connection& connection, const std::string& rest,
                                                 const Arguments& asked) {
  FERMATA_TRY(rows, connection.ask("reading signals", signal_columns + rest, asked));
  std::vector<NumberedSignal> out;
  while (rows.next()) {
    auto record = signal_in(rows);
    if (!record) return damaged_row("signals", rows.text(2), "it cannot be read");
    out.push_back({rows.natural(0), *std::move(record)});
  }
  return out;
}

/// What runs say that each has done to them, oldest first.
Outcome<void> add_effects(Connection& connection, std::vector<NumberedSignal>& records) {
  if (records.empty()) return {};
  Column accounts(Type::text), ids(Type::text);
  std::map<SignalKey, SignalRecord*> known;
  for (NumberedSignal& one : records) {
    const Signal& signal = one.record.signal;
    known[{signal.account, signal.id}] = &one.record;
    accounts.add(signal.account.text());
    ids.add(signal.id);
  }
  Arguments asked;
  asked.array(accounts).array(ids);
  FERMATA_TRY(rows, connection.ask("reading what signals have reached",
                                   "select e.account, e.event_id, e.kind, e.entry from "
                                   "unnest($1::text[], $2::text[]) w(account, event_id) join "
                                   "signal_effects e on e.account = w.account and e.event_id = "
                                   "w.event_id order by e.number",
                                   asked));
  while (rows.next()) {
    SignalKey key{AccountId(std::string(rows.text(0))), std::string(rows.text(1))};
    auto entry = json_value(rows.text(3));
    if (!entry) return damaged_row("signal_effects", key.id, "it cannot be read");
    add_reached(known.at(key)->effects, reach_kind_of(rows.text(2)), *std::move(entry));
  }
  return {};
}

// A listener of a contact also hears what is sent to its run, or comes from its phone.
constexpr const char* in_window_of_contact =
    "where number in (select number from signals where account = $1 and contact_id = $2 and "
    "event_type = $3 and received_at between $4 and $5 union select number from signals where run "
    "= $6 and event_type = $3 and received_at between $4 and $5 union select number from signals "
    "where account = $1 and phone = $7 and event_type = $3 and received_at between $4 and $5) and "
    "number > $8 order by number limit $9";
constexpr const char* in_window_of_account =
    "where account = $1 and event_type = $2 and received_at between $3 and $4 and number > $5 "
    "order by number limit $6";

}  // namespace

Outcome<std::vector<std::optional<SignalRecord>>> load_signals(Connection& connection,
                                                               std::span<const SignalKey> keys) {
  std::vector<std::optional<SignalRecord>> out(keys.size());
  if (keys.empty()) return out;
  Column accounts(Type::text), ids(Type::text);
  std::map<SignalKey, std::vector<size_t>> places;
  for (size_t i = 0; i < keys.size(); ++i) {
    std::vector<size_t>& same = places[keys[i]];
    if (same.empty()) {
      accounts.add(keys[i].account.text());
      ids.add(keys[i].id);
    }
    same.push_back(i);
  }
  Arguments asked;
  asked.array(accounts).array(ids);
  FERMATA_TRY(found, ask_signals(connection,
                                 "join unnest($1::text[], $2::text[]) w(account, event_id) using "
                                 "(account, event_id)",
                                 asked));
  FERMATA_TRY_VOID(add_effects(connection, found));
  for (NumberedSignal& one : found)
    for (size_t place : places.at({one.record.signal.account, one.record.signal.id}))
      out[place] = one.record;
  return out;
}

Outcome<SignalStore::Windowed> signals_in_window(Connection& connection, const SignalWindow& window,
                                                 uint64_t after, size_t limit) {
  bool wide = window.contact_id.empty() && window.run.empty();
  Arguments asked;
  asked.text(window.account.text());
  if (!wide) asked.text(window.contact_id);
  asked.text(window.type).number(window.from.ms).number(window.to.ms);
  if (!wide) asked.text(window.run.text()).text(window.phone);
  asked.number(after).number(uint64_t{limit + 1});
  FERMATA_TRY(found,
              ask_signals(connection, wide ? in_window_of_account : in_window_of_contact, asked));
  SignalStore::Windowed page{{}, after, found.size() > limit};
  if (page.more) found.pop_back();
  for (NumberedSignal& one : found) {
    page.place = one.number;
    page.signals.push_back(std::make_shared<const Signal>(std::move(one.record.signal)));
  }
  return page;
}

Outcome<SignalStore::OpenSignals> open_signals(Connection& connection, uint64_t after,
                                               size_t limit) {
  Arguments asked;
  asked.number(after).number(uint64_t{limit + 1});
  FERMATA_TRY(
      found, ask_signals(connection, "where open and number > $1 order by number limit $2", asked));
  SignalStore::OpenSignals page{{}, after, found.size() > limit};
  if (page.more) found.pop_back();
  FERMATA_TRY_VOID(add_effects(connection, found));
  for (NumberedSignal& one : found) {
    page.cursor = one.number;
    page.signals.push_back(std::move(one.record));
  }
  return page;
}

Outcome<SignalPage> list_signals(Connection& connection, const SignalFilter& filter, size_t limit,
                                 uint64_t before) {
  Arguments asked;
  asked.number(std::min<uint64_t>(before, INT64_MAX)).number(uint64_t{limit + 1});
  std::string where = "where number < $1";
  auto last = [&] { return "$" + std::to_string(asked.size()); };
  auto text = [&](const char* lead, const std::string& value) {
    if (value.empty()) return;
    asked.text(value);
    where += lead + last();
  };
  text(" and account = ", filter.account.text());
  text(" and contact_id = ", filter.contact_id);
  text(" and event_type = ", filter.type);
  if (filter.from) where += " and received_at >= " + (asked.number(filter.from->ms), last());
  if (filter.to) where += " and received_at < " + (asked.number(filter.to->ms), last());
  if (filter.matched)
    where += std::string(*filter.matched ? " and " : " and not ") +
             "(reached_total > 0 or exists (select from signal_effects e where e.account = "
             "s.account and e.event_id = s.event_id))";
  FERMATA_TRY(found, ask_signals(connection, where + " order by number desc limit $2", asked));
  SignalPage page;
  bool more = found.size() > limit;
  if (more) found.pop_back();
  if (more && !found.empty()) page.next_cursor = cursor_of(found.back().number);
  FERMATA_TRY_VOID(add_effects(connection, found));
  for (NumberedSignal& one : found) page.items.push_back(std::move(one.record));
  return page;
}

}  // namespace fermata::postgres
