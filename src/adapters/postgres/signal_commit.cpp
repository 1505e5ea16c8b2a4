#include "adapters/postgres/asking.h"
#include "adapters/postgres/commit_statement.h"
#include "base/json.h"

/// What commits write of signals and of what signals have done.
namespace fermata::postgres {
namespace {

std::string reached_of(const SignalRecord& record) {
  return record.reach == SignalReach{} ? std::string() : to_json(to_value(record.reach));
}

/// Contacts that are erased, with what signals to them have said (W-27).
bool let_erased(CommitStatement& statement, Writes writes) {
  Column places(Type::integer), accounts(Type::text), contacts(Type::text);
  for (size_t n = 0; n < writes.size(); ++n) {
    if (!writes[n].contact || !writes[n].contact->erases_signals) continue;
    places.add(static_cast<int64_t>(n));
    accounts.add(writes[n].contact->contact.account.text());
    contacts.add(writes[n].contact->contact.id);
  }
  if (places.empty()) return false;
  std::string arrays = statement.array(places) + ", " + statement.array(accounts);
  arrays += ", " + statement.array(contacts);
  statement.let("erased_want", "select * from unnest(" + arrays + ") w(n, account, contact_id)");
  return true;
}

bool let_signals(CommitStatement& statement, Writes writes) {
  Column places(Type::integer), first(Type::flag), accounts(Type::text), ids(Type::text);
  Column types(Type::text), contacts(Type::text), runs(Type::text), correlations(Type::text);
  Column data(Type::text), occurred(Type::number), received(Type::number), expires(Type::number);
  Column phones(Type::text), emails(Type::text), open(Type::flag), reached(Type::text);
  Column totals(Type::number);
  for (size_t n = 0; n < writes.size(); ++n) {
    if (!writes[n].signal) continue;
    const SignalRecord& record = writes[n].signal->record;
    const Signal& signal = record.signal;
    places.add(static_cast<int64_t>(n));
    first.add(writes[n].signal->first);
    accounts.add(signal.account.text());
    ids.add(signal.id);
    types.add(signal.type);
    add_or_none(contacts, signal.contact_id);
    add_or_none(runs, signal.run.text());
    add_readable(correlations, signal.correlation_id);
    add_or_none(data, signal.data.is_null() ? std::string() : to_json(signal.data));
    add_or_none(occurred, signal.occurred_at);
    received.add(signal.received_at.ms);
    expires.add(record.expires_at.ms);
    add_readable(phones, signal.phone);
    add_readable(emails, signal.email);
    open.add(record.open);
    add_or_none(reached, reached_of(record));
    totals.add(record.reach.total);
  }
  if (places.empty()) return false;
  std::string arrays = statement.array(places);
  for (const Column* column :
       {&first, &accounts, &ids, &types, &contacts, &runs, &correlations, &data, &occurred,
        &received, &expires, &phones, &emails, &open, &reached, &totals})
    arrays += ", " + statement.array(*column);
  statement.let("signal_want",
                "select * from unnest(" + arrays +
                    ") with ordinality w(n, first, account, event_id, event_type, contact_id, run, "
                    "correlation_id, data, occurred_at, received_at, expires_at, phone, email, "
                    "open, reached, reached_total, place)");
  return true;
}

/// One that is noted on stays what it was: only what it came to is written, so that what was erased
/// from it meanwhile stays so. A row is changed once in a statement, so what erases leaves alone
/// what is noted on, and the note erases too.
void write_signals(CommitStatement& statement, bool erases) {
  std::string erased =
      "exists (select from erased_want e join won k on k.n = e.n where e.account = s.account and "
      "e.contact_id = s.contact_id)";
  std::string kept = "open = w.open, reached = w.reached, reached_total = w.reached_total";
  for (const char* name : {"data", "phone", "email"})
    if (erases)
      kept += std::string(", ") + name + " = case when " + erased + " then null else s." + name +
              " end";
  statement.then("signals_noted",
                 "update signals s set " + kept +
                     " from signal_want w join won using (n) where not w.first and s.account = "
                     "w.account and s.event_id = w.event_id and s.received_at = w.received_at "
                     "returning w.n");
  constexpr const char* names =
      "account, event_id, event_type, contact_id, run, correlation_id, data, occurred_at, "
      "received_at, expires_at, phone, email, open, reached, reached_total";
  statement.then("signals_written",
                 std::string("insert into signals (") + names + ") select " + names +
                     " from signal_want w join won using (n) where n not in (select n from "
                     "signals_noted) order by place on conflict (account, event_id) do update set "
                     "event_type = excluded.event_type, contact_id = excluded.contact_id, run = "
                     "excluded.run, correlation_id = excluded.correlation_id, data = "
                     "excluded.data, occurred_at = excluded.occurred_at, received_at = "
                     "excluded.received_at, expires_at = excluded.expires_at, phone = "
                     "excluded.phone, email = excluded.email, open = excluded.open, reached = "
                     "excluded.reached, reached_total = excluded.reached_total");
  // An id that is used again after its time names another signal, which has done nothing yet.
  statement.then("effects_of_others",
                 "delete from signal_effects e using signal_want w join won using (n) join signals "
                 "s on s.account = w.account and s.event_id = w.event_id where w.first and "
                 "s.received_at <> w.received_at and e.account = w.account and e.event_id = "
                 "w.event_id");
}

void write_reached(CommitStatement& statement, Writes writes) {
  Column places(Type::integer), accounts(Type::text), ids(Type::text), kinds(Type::text);
  Column refs(Type::text), entries(Type::text);
  for (size_t n = 0; n < writes.size(); ++n) {
    if (!writes[n].run) continue;
    for (const SignalReached& one : writes[n].run->reached) {
      places.add(static_cast<int64_t>(n));
      accounts.add(one.signal.account.text());
      ids.add(one.signal.id);
      kinds.add(name_of(one.kind));
      refs.add(one.ref);
      entries.add(to_json(one.entry));
    }
  }
  if (places.empty()) return;
  std::string arrays = statement.array(places);
  for (const Column* column : {&accounts, &ids, &kinds, &refs, &entries})
    arrays += ", " + statement.array(*column);
  statement.then("effects_written",
                 "insert into signal_effects (account, event_id, kind, ref, entry) select "
                 "w.account, w.event_id, w.kind, w.ref, w.entry from unnest(" +
                     arrays +
                     ") with ordinality w(n, account, event_id, kind, ref, entry, place) join won "
                     "using (n) order by w.place on conflict do nothing");
}

}  // namespace

void add_signals(CommitStatement& statement, Writes writes) {
  bool erases = let_erased(statement, writes);
  bool signals = let_signals(statement, writes);
  if (signals) write_signals(statement, erases);
  if (erases) {
    std::string others = signals ? " and not exists (select from signal_want o where o.account = "
                                   "s.account and o.event_id = s.event_id)"
                                 : "";
    statement.then("signals_erased",
                   "update signals s set data = null, phone = null, email = null from erased_want "
                   "w join won using (n) where s.account = w.account and s.contact_id = "
                   "w.contact_id" +
                       others);
  }
  write_reached(statement, writes);
}

}  // namespace fermata::postgres
