#include <array>

#include "adapters/postgres/asking.h"
#include "adapters/postgres/commit_statement.h"
#include "adapters/postgres/wait_columns.h"
#include "base/json.h"
#include "ports/record/fields_record.h"

namespace fermata::postgres {
namespace {

/// Between the lines of what a wait counts for, and between the words of a line. The key of a line
/// comes last and may hold anything but the first of these.
constexpr char line_end = '\x1e';
constexpr char word_end = '\x1f';

std::string lines_of(const TallyChanges& changes) {
  std::string out;
  for (const auto& [key, change] : changes) {
    if (change.waits == 0 && change.waited_ms == 0) continue;
    if (!out.empty()) out += line_end;
    (out += key.kind) += word_end;
    (out += std::to_string(key.slot)) += word_end;
    (out += std::to_string(change.waits)) += word_end;
    (out += std::to_string(change.waited_ms)) += word_end;
    out += readable(key.key);
  }
  return out;
}

std::string counts_of(const WaitRecord& record) {
  TallyChanges changes;
  tally_wait(changes, record, 1);
  return lines_of(changes);
}
/// What an opening counts for, and an end. Whether either happens now the statement finds out: it
/// knows what the row was before.
std::string openings_of(const WaitRecord& record) {
  WaitRecord open = record;
  open.wait.status = WaitStatus::scheduled;
  TallyChanges changes;
  tally_happened(changes, std::nullopt, open);
  return lines_of(changes);
}
std::string endings_of(const WaitRecord& record) {
  if (is_pending(record.wait.status)) return {};
  WaitRecord before = record;
  before.wait.status = WaitStatus::scheduled;
  TallyChanges changes;
  tally_happened(changes, before, record);
  return lines_of(changes);
}

std::string_view member_text(const Value& object, std::string_view name) {
  const Value& found = object.get(name);
  return found.is_string() ? found.as_string() : std::string_view();
}

/// The kind of signal it ended with, or else the first it listens to.
std::string_view event_type_of(const Wait& wait) {
  for (const Listener& listener : wait.listeners)
    if (listener.status == ListenerStatus::matched) return listener.event_type;
  return wait.listeners.empty() ? std::string_view() : wait.listeners.front().event_type;
}

std::string event_types_of(const Wait& wait) {
  if (wait.listeners.empty()) return {};
  std::string out = "\n";
  for (const Listener& listener : wait.listeners) (out += readable(listener.event_type)) += '\n';
  return out;
}

constexpr std::array changing = {
    "status",         "due_at",     "event_type", "event_types",      "hold_reason",
    "parked",         "updated_at", "ended_at",   "resumed_by",       "ended_reason",
    "retry_count",    "last_error", "timezone",   "matched_event_id", "local_target",
    "gap_policy",     "config",     "listeners",  "tzdata_version",   "counts",
    "correlation_id", "metadata",   "record"};

}  // namespace

void WaitColumns::add(int64_t n, const WaitRecord& record) {
  const Wait& wait = record.wait;
  n_.add(n);
  place_.add(static_cast<int64_t>(place_.size()));
  run_.add(record.run.text());
  step_.add(wait.step);
  occurrence_.add(int64_t{wait.occurrence});
  id_.add(wait.id);
  account_.add(record.account.text());
  workflow_.add(record.workflow.text());
  add_or_none(contact_, record.contact_id);
  source_.add(name_of(wait.source));
  type_.add(wait.type);
  status_.add(name_of(wait.status));
  due_.add(due_or_never(wait).ms);
  add_readable(event_type_, event_type_of(wait));
  event_types_.add(event_types_of(wait));
  add_readable(correlation_, wait.listeners.empty()
                                 ? std::string_view()
                                 : std::string_view(wait.listeners.front().correlation_id));
  add_readable(hold_, wait.hold);
  parked_.add(wait.parked);
  reached_.add(wait.reached_at.ms);
  updated_.add(wait.updated_at.ms);
  add_or_none(ended_, wait.ended_at);
  add_readable(resumed_by_, wait.resumed_by);
  add_readable(ended_reason_, wait.ended_reason);
  add_readable(signal_, wait.signal_id);
  retries_.add(int64_t{wait.retries});
  add_readable(last_error_, wait.last_error);
  add_readable(timezone_, member_text(wait.intent, "timezone"));
  add_readable(local_target_, member_text(wait.intent, "local_target"));
  add_readable(gap_policy_, member_text(wait.intent, "gap_policy"));
  add_readable(tzdata_, member_text(wait.intent, "tzdata_version"));
  add_or_none(config_, json_or_nothing(wait.config));
  add_or_none(metadata_, json_or_nothing(wait.metadata));
  add_or_none(listeners_, wait.listeners.empty() ? "" : to_json(listeners_value(wait)));
  counts_.add(counts_of(record));
  record_.add(record::encode_fields(wait, salt_of("waits", wait.id)));
  openings_.add(openings_of(record));
  endings_.add(endings_of(record));
}

void WaitColumns::write(CommitStatement& statement) const {
  if (n_.empty()) return;
  std::string arrays;
  std::vector<const Column*> all = of_row();
  all.insert(all.begin(), {&n_, &place_});
  all.insert(all.end(), {&openings_, &endings_});
  for (const Column* column : all)
    arrays += (arrays.empty() ? "" : ", ") + statement.array(*column);
  statement.let("wait_want", "select * from unnest(" + arrays + ") w(n, place, " + names +
                                 ", openings, endings)");
  statement.let("wait_before",
                "select w.place, b.counts, b.status in ('scheduled', 'waiting') as pending from "
                "wait_want w join waits b on b.run = w.run and b.step = w.step and b.occurrence "
                "= w.occurrence");
  std::string put = std::string("insert into waits (") + names + ") select " + names +
                    " from wait_want join won using (n) order by run, step, occurrence on "
                    "conflict (run, step, occurrence) do update set ";
  for (const char* name : changing)
    (((put += name == changing.front() ? "" : ", ") += name) += " = excluded.") += name;
  statement.then("wait_rows", put);
  statement.then("wait_numbers", tally_sql());
}

/// Takes away what the rows counted for before, adds what they count for now and what happened
/// between the two.
std::string WaitColumns::tally_sql() {
  auto lines = [](const char* text, const char* sign, const char* rest) {
    return std::string("select w.account, w.workflow, ") + sign +
           " as sign, unnest(string_to_array(" + text +
           ", chr(30))) as line from wait_want w join won using (n)" + rest;
  };
  return "insert into wait_tally as t (kind, account, slot, workflow, key, waits, waited_ms) "
         "select kind, account, slot, workflow, key, sum(sign * waits)::bigint, sum(sign * "
         "waited_ms)::bigint from (select account, workflow, sign, split_part(line, chr(31), 1) "
         "as kind, split_part(line, chr(31), 2)::bigint as slot, split_part(line, chr(31), "
         "3)::bigint as waits, split_part(line, chr(31), 4)::bigint as waited_ms, "
         "split_part(line, chr(31), 5) as key from (" +
         lines("b.counts", "-1", " join wait_before b using (place)") + " union all " +
         lines("w.counts", "1", "") + " union all " +
         lines("w.openings", "1",
               " where not exists (select from wait_before b where b.place = w.place)") +
         " union all " +
         lines("w.endings", "1",
               " where not exists (select from wait_before b where b.place = w.place and not "
               "b.pending)") +
         ") told) counted group by kind, account, slot, workflow, key having sum(sign * waits) "
         "<> 0 or sum(sign * waited_ms) <> 0 order by kind, account, slot, workflow, key on "
         "conflict (kind, account, slot, workflow, key) do update set waits = t.waits + "
         "excluded.waits, waited_ms = t.waited_ms + excluded.waited_ms";
}

std::vector<const Column*> WaitColumns::of_row() const {
  return {&run_,         &step_,         &occurrence_,   &id_,     &account_, &workflow_,
          &contact_,     &source_,       &type_,         &status_, &due_,     &event_type_,
          &event_types_, &correlation_,  &hold_,         &parked_, &reached_, &updated_,
          &ended_,       &resumed_by_,   &ended_reason_, &signal_, &retries_, &last_error_,
          &timezone_,    &local_target_, &gap_policy_,   &tzdata_, &config_,  &metadata_,
          &listeners_,   &counts_,       &record_};
}

void add_waits(CommitStatement& statement, Writes writes) {
  WaitColumns columns;
  for (size_t n = 0; n < writes.size(); ++n)
    if (writes[n].run)
      for (const WaitRecord& wait : writes[n].run->waits)
        columns.add(static_cast<int64_t>(n), wait);
  columns.write(statement);
}

void add_approvals(CommitStatement& statement, Writes writes) {
  Column places(Type::integer), ids(Type::text), accounts(Type::text), runs(Type::text);
  Column statuses(Type::integer), records(Type::bytes);
  for (size_t n = 0; n < writes.size(); ++n) {
    if (!writes[n].run) continue;
    for (const ApprovalRecord& one : writes[n].run->approvals) {
      places.add(static_cast<int64_t>(n));
      ids.add(one.approval.id);
      accounts.add(one.account.text());
      runs.add(one.run.text());
      statuses.add(static_cast<int>(one.approval.status));
      records.add(record::encode_fields(one, salt_of("approvals", one.approval.id)));
    }
  }
  if (places.empty()) return;
  std::string arrays = statement.array(places);
  for (const Column* column : {&ids, &accounts, &runs, &statuses, &records})
    arrays += ", " + statement.array(*column);
  // One that is there keeps its number: lists are in the order in which it was asked.
  statement.let("approval_want", "select * from unnest(" + arrays +
                                     ") with ordinality w(n, id, account, run, status, record, "
                                     "place)");
  statement.then("approvals_moved",
                 "update approvals a set status = w.status, record = w.record from approval_want "
                 "w join won using (n) where a.id = w.id");
  statement.then("approvals_born",
                 "insert into approvals (id, account, run, status, record) select w.id, "
                 "w.account, w.run, w.status, w.record from approval_want w join won using (n) "
                 "where not exists (select from approvals a where a.id = w.id) order by w.place");
}

}  // namespace fermata::postgres
