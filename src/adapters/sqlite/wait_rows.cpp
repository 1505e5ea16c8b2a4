#include "adapters/sqlite/wait_rows.h"

#include <algorithm>

#include "base/json.h"

namespace fermata::sqlite {
namespace {

using Text = std::optional<std::string_view>;

Text some(const std::string& text) { return text.empty() ? Text{} : Text(text); }
std::string json_of(const Value& value) { return value.is_null() ? std::string() : to_json(value); }

Text member(const Value& object, std::string_view name) {
  const Value& found = object.get(name);
  return found.is_string() ? Text(found.as_string()) : Text{};
}

/// The kind of signal it ended with, or else the first it listens to.
Text event_type_of(const Wait& wait) {
  for (const Listener& listener : wait.listeners)
    if (listener.status == ListenerStatus::matched) return some(listener.event_type);
  return wait.listeners.empty() ? Text{} : some(wait.listeners.front().event_type);
}

/// One row of the statement that writes waits, and the statement for so many of them.
constexpr std::string_view row_values =
    "(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, "
    "?, ?, ?, ?, ?, ?, ?)";

std::string put_statement(size_t rows) {
  std::string sql = "INSERT INTO workflow_wait_executions VALUES ";
  for (size_t i = 0; i < rows; ++i) (sql += i > 0 ? ", " : "") += row_values;
  return sql +=
         " ON CONFLICT (workflow_execution_id, step_id, occurrence) DO UPDATE SET "
         "wait_config = excluded.wait_config, status = excluded.status, "
         "scheduled_at = excluded.scheduled_at, event_timeout_at = excluded.event_timeout_at, "
         "due_at = excluded.due_at, timezone = excluded.timezone, "
         "local_target = excluded.local_target, gap_policy = excluded.gap_policy, "
         "tzdata_version = excluded.tzdata_version, event_type = excluded.event_type, "
         "on_hold = excluded.on_hold, hold_reason = excluded.hold_reason, "
         "parked = excluded.parked, resumed_at = excluded.resumed_at, "
         "ended_at = excluded.ended_at, resumed_by = excluded.resumed_by, "
         "ended_reason = excluded.ended_reason, matched_event_id = excluded.matched_event_id, "
         "updated_at = excluded.updated_at, intent = excluded.intent, "
         "listeners = excluded.listeners, last_error = excluded.last_error, "
         "retry_count = excluded.retry_count, "
         "extra = excluded.extra";
}

constexpr const char* columns =
    "SELECT workflow_execution_id, step_id, occurrence, id, account_id, workflow_id, contact_id, "
    "source, wait_type, wait_config, status, due_at, hold_reason, parked, reached_at, ended_at, "
    "resumed_by, ended_reason, matched_event_id, updated_at, intent, listeners, "
    "last_error, metadata, extra, retry_count FROM workflow_wait_executions";
constexpr const char* at_place =
    " WHERE workflow_execution_id = ? AND step_id = ? AND occurrence = ?";

std::optional<Value> json_in(std::string_view text) {
  if (text.empty()) return Value();
  auto value = parse_json(text);
  return value ? std::optional<Value>(*std::move(value)) : std::nullopt;
}

/// What has no column of its own; null when there is nothing of it.
Value extra_of(const Wait& wait) {
  Value out = Value::object();
  if (!wait.callback.is_null()) out.set("callback", wait.callback);
  if (!wait.outcome.is_null()) out.set("outcome", wait.outcome);
  if (!wait.request.empty()) out.set("request", wait.request);
  if (wait.ending != 0) out.set("ending", wait.ending);
  return out.size() > 0 ? out : Value();
}

void take_extra(Wait& wait, const Value& extra) {
  wait.callback = extra.get("callback");
  wait.outcome = extra.get("outcome");
  const Value& request = extra.get("request");
  if (request.is_string()) wait.request = request.as_string();
  const Value& ending = extra.get("ending");
  if (ending.is_integer()) wait.ending = static_cast<uint64_t>(ending.as_integer());
}

std::optional<WaitRecord> record_in(const Rows& rows) {
  WaitRecord record{AccountId(std::string(rows.text(4))),
                    WorkflowId(std::string(rows.text(5))),
                    RunId(std::string(rows.text(0))),
                    std::string(rows.text(6)),
                    {}};
  Wait& wait = record.wait;
  wait.step = rows.text(1);
  wait.occurrence = static_cast<uint32_t>(rows.integer(2));
  wait.id = rows.text(3);
  auto source = wait_source_of(rows.text(7));
  wait.type = rows.text(8);
  auto config = json_in(rows.text(9));
  auto status = wait_status_of(rows.text(10));
  auto due = parse_rfc3339(rows.text(11));
  wait.hold = rows.text(12);
  wait.parked = rows.integer(13) != 0;
  auto reached = parse_rfc3339(rows.text(14));
  wait.ended_at = parse_rfc3339(rows.text(15));
  wait.resumed_by = rows.text(16);
  wait.ended_reason = rows.text(17);
  wait.signal_id = rows.text(18);
  auto updated = parse_rfc3339(rows.text(19));
  auto intent = json_in(rows.text(20));
  auto listeners = json_in(rows.text(21));
  wait.last_error = rows.text(22);
  auto metadata = json_in(rows.text(23));
  auto extra = json_in(rows.text(24));
  if (!source || !config || !status || !due || !reached || !updated || !intent || !listeners ||
      !metadata || !extra)
    return std::nullopt;
  wait.source = *source;
  wait.config = *std::move(config);
  wait.status = *status;
  if (*due != latest_due()) wait.due = due;
  wait.reached_at = *reached;
  wait.updated_at = *updated;
  wait.intent = *std::move(intent);
  wait.listeners = listeners_of(*listeners);
  wait.metadata = *std::move(metadata);
  take_extra(wait, *extra);
  wait.retries = static_cast<uint32_t>(rows.integer(25));
  return record;
}

}  // namespace

/// The texts of a row that the record does not hold itself.
struct WaitWriter::Made {
  explicit Made(const Wait& wait)
      : due(to_rfc3339(due_or_never(wait))),
        reached(to_rfc3339(wait.reached_at)),
        updated(to_rfc3339(wait.updated_at)),
        ended(wait.ended_at ? to_rfc3339(*wait.ended_at) : ""),
        config(json_of(wait.config)),
        intent(json_of(wait.intent)),
        listeners(wait.listeners.empty() ? "" : to_json(listeners_value(wait))),
        metadata(json_of(wait.metadata)),
        extra(json_of(extra_of(wait))) {}
  std::string due, reached, updated, ended, config, intent, listeners, metadata, extra;
};

WaitWriter::WaitWriter(Database& database)
    : database_(database),
      put_sql_(put_statement(1)),
      put_many_sql_(put_statement(rows_at_once)),
      before_sql_(std::string(columns) + at_place),
      before_(database_, before_sql_.c_str()) {}

/// What these change in the numbers that are kept. One that was there before is read again: it is
/// among the rows that are about to be written.
bool WaitWriter::count(std::span<const WaitRecord* const> records) {
  TallyChanges changes;
  for (const WaitRecord* record : records) {
    std::optional<WaitRecord> before;
    {
      Rows rows = before_.query(record->run.text(), record->wait.step, record->wait.occurrence);
      if (rows.next()) before = record_in(rows);
      if (rows.failed()) return false;
    }
    if (before) tally_wait(changes, *before, -1);
    tally_wait(changes, *record, 1);
    tally_happened(changes, before, *record);
  }
  return tally_.write(changes);
}

bool WaitWriter::write(std::span<const WaitRecord* const> records) {
  if (records.empty()) return true;
  if (!count(records)) return false;
  std::vector<Made> made;
  made.reserve(std::min(records.size(), rows_at_once));
  for (size_t at = 0; at < records.size(); made.clear()) {
    bool many = records.size() - at >= rows_at_once;
    Statement& put = many ? put_many_ : put_;
    size_t count = many ? rows_at_once : 1;
    for (size_t row = 0; row < count; ++row, ++at)
      bind(put, row, *records[at], made.emplace_back(records[at]->wait));
    if (!put.execute_bound()) return false;
  }
  return true;
}

void WaitWriter::bind(Statement& put, size_t row, const WaitRecord& record, const Made& made) {
  const Wait& wait = record.wait;
  bool for_event = wait.is_for_event();
  bool resumed = wait.status == WaitStatus::resumed || wait.status == WaitStatus::timeout;
  put.bind_row(row, record.run.text(), wait.step, wait.occurrence, wait.id, record.account.text(),
               record.workflow.text(), some(record.contact_id), name_of(wait.source), wait.type,
               some(made.config), name_of(wait.status), for_event ? Text{} : Text(made.due),
               for_event ? Text(made.due) : Text{}, made.due, member(wait.intent, "timezone"),
               member(wait.intent, "local_target"), member(wait.intent, "gap_policy"),
               member(wait.intent, "tzdata_version"), event_type_of(wait),
               wait.listeners.empty() ? Text{} : some(wait.listeners.front().correlation_id),
               static_cast<int64_t>(!wait.hold.empty()), some(wait.hold),
               static_cast<int64_t>(wait.parked), made.reached, resumed ? some(made.ended) : Text{},
               some(made.ended), some(wait.resumed_by), some(wait.ended_reason),
               some(wait.signal_id), wait.retries, some(wait.last_error), some(made.metadata),
               made.reached, made.updated, some(made.intent), some(made.listeners),
               some(made.extra));
}

Outcome<std::vector<WaitRecord>> WaitQueries::collect(Rows rows) {
  std::vector<WaitRecord> out;
  while (rows.next()) {
    auto record = record_in(rows);
    if (!record)
      return fail(ErrorCode::data_damaged,
                  "the row of wait " + std::string(rows.text(3)) + " cannot be read");
    out.push_back(*std::move(record));
  }
  if (rows.failed()) return database_.failure("reading waits");
  return out;
}

Outcome<std::optional<WaitRecord>> WaitQueries::find(const std::string& id) {
  std::string sql = std::string(columns) + " WHERE id = ?";
  Statement statement(database_, sql.c_str());
  FERMATA_TRY(found, collect(statement.query(id)));
  if (found.empty()) return std::optional<WaitRecord>{};
  return std::optional(std::move(found.front()));
}

Outcome<std::vector<WaitRecord>> WaitQueries::of_run(const RunId& run, const std::string& step) {
  std::string sql = std::string(columns) + " WHERE workflow_execution_id = ?";
  if (!step.empty()) sql += " AND step_id = ?";
  sql += " ORDER BY step_id, occurrence";
  Statement statement(database_, sql.c_str());
  std::vector<std::string> values{run.text()};
  if (!step.empty()) values.push_back(step);
  return collect(statement.query_texts(values));
}

WaitQueries::Question WaitQueries::question(const WaitFilter& filter) {
  Question asked;
  auto add = [&](std::string_view condition, const std::string& value, size_t times = 1) {
    if (value.empty()) return;
    asked.where += (asked.where.empty() ? " WHERE " : " AND ") + std::string(condition);
    for (size_t i = 0; i < times; ++i) asked.values.push_back(value);
  };
  auto add_word = [&](const std::string& condition) {
    asked.where += (asked.where.empty() ? " WHERE " : " AND ") + condition;
  };
  add("account_id = ?", filter.account.text());
  bool all_pending = !filter.statuses.empty();
  std::string words;
  for (WaitStatus status : filter.statuses) {
    all_pending = all_pending && is_pending(status);
    words += (words.empty() ? "'" : ", '") + std::string(name_of(status)) + "'";
  }
  // In the words of the index, so that it is used.
  if (all_pending) add_word("status IN ('scheduled', 'waiting')");
  if (!words.empty()) add_word("status IN (" + words + ")");
  add("workflow_execution_id = ?", filter.run.text());
  add("step_id = ?", filter.step);
  add("contact_id = ?", filter.contact_id);
  add("wait_type = ?", filter.type);
  add("workflow_id = ?", filter.workflow.text());
  if (filter.source) add("source = ?", std::string(name_of(*filter.source)));
  if (filter.unheld) add_word("(on_hold = 0 OR hold_reason = 'resumes_off')");
  if (filter.on_hold) add_word(*filter.on_hold ? "on_hold = 1" : "on_hold = 0");
  if (filter.due_from) add("due_at >= ?", to_rfc3339(*filter.due_from));
  if (filter.due_to) add("due_at < ?", to_rfc3339(*filter.due_to));
  add("EXISTS (SELECT 1 FROM json_each(listeners) WHERE value ->> '$.event_type' = ?)",
      filter.event_type);
  add("(instr(lower(id), lower(?)) > 0 OR instr(lower(workflow_execution_id), lower(?)) > 0 OR "
      "instr(lower(workflow_id), lower(?)) > 0 OR instr(lower(step_id), lower(?)) > 0 OR "
      "instr(lower(ifnull(contact_id, '')), lower(?)) > 0)",
      filter.q, 5);
  return asked;
}

Outcome<WaitPage> WaitQueries::list(const WaitFilter& filter, size_t limit,
                                    const WaitStart& start) {
  FERMATA_TRY(after, wait_place(start.cursor));
  Question asked = question(filter);
  WaitPage page;
  FERMATA_TRY(kept, tally_.total(filter));
  if (kept) {
    page.total = *kept;
  } else {
    std::string count = "SELECT count(*) FROM workflow_wait_executions" + asked.where;
    Statement statement(database_, count.c_str());
    Rows rows = statement.query_texts(asked.values);
    if (!rows.next()) return database_.failure("counting waits");
    page.total = rows.natural(0);
  }
  std::string sql = columns + asked.where;
  if (after) {
    sql += std::string(asked.where.empty() ? " WHERE" : " AND") + " (due_at, id) > (?, ?)";
    asked.values.push_back(to_rfc3339(after->due));
    asked.values.push_back(after->id);
  }
  sql += " ORDER BY due_at, id LIMIT " + std::to_string(limit + 1) + " OFFSET " +
         std::to_string(start.offset);
  Statement statement(database_, sql.c_str());
  FERMATA_TRY(items, collect(statement.query_texts(asked.values)));
  bool more = items.size() > limit;
  if (more) items.pop_back();
  if (more && !items.empty()) page.next_cursor = cursor_of(items.back());
  page.items = std::move(items);
  return page;
}

Outcome<std::vector<WaitRecord>> WaitQueries::listening(size_t after, size_t limit) {
  std::string sql = std::string(columns) +
                    " WHERE wait_type = 'for_event' AND status = 'waiting' ORDER BY account_id, "
                    "event_type, contact_id, id LIMIT ? OFFSET ?";
  Statement statement(database_, sql.c_str());
  return collect(statement.query(static_cast<uint64_t>(limit), static_cast<uint64_t>(after)));
}

namespace {

const char* heard_of_contact() {
  static const std::string sql =
      std::string(columns) +
      " WHERE account_id = ? AND contact_id = ? AND wait_type = 'for_event' AND "
      "contact_id IS NOT NULL AND ended_at IS NOT NULL AND ended_at >= ? ORDER BY ended_at DESC "
      "LIMIT ?";
  return sql.c_str();
}

const char* heard_of_run() {
  static const std::string sql =
      std::string(columns) +
      " WHERE account_id = ? AND workflow_execution_id = ? AND wait_type = 'for_event' AND "
      "ended_at IS NOT NULL AND ended_at >= ? ORDER BY ended_at DESC LIMIT ?";
  return sql.c_str();
}

}  // namespace

WaitQueries::WaitQueries(Database& database)
    : database_(database),
      heard_of_contact_(database, heard_of_contact()),
      heard_of_run_(database, heard_of_run()) {}

Outcome<std::vector<WaitRecord>> WaitQueries::heard(const Signal& signal, Instant since,
                                                    size_t limit) {
  bool by_run = !signal.run.empty();
  std::string from = to_rfc3339(since);
  return collect((by_run ? heard_of_run_ : heard_of_contact_)
                     .query(signal.account.text(), by_run ? signal.run.text() : signal.contact_id,
                            from, static_cast<uint64_t>(limit)));
}

Outcome<std::vector<WaitRecord>> WaitQueries::limited(size_t after, size_t limit) {
  std::string sql = std::string(columns) +
                    " WHERE on_hold = 1 AND hold_reason = 'limit' ORDER BY reached_at, id "
                    "LIMIT ? OFFSET ?";
  Statement statement(database_, sql.c_str());
  return collect(statement.query(static_cast<uint64_t>(limit), static_cast<uint64_t>(after)));
}

Outcome<std::vector<RunId>> WaitQueries::of_other_zones(const std::string& version,
                                                        const RunId& after, size_t limit) {
  Statement statement(database_,
                      "SELECT DISTINCT workflow_execution_id FROM workflow_wait_executions "
                      "WHERE tzdata_version IS NOT NULL AND status IN ('scheduled', 'waiting') "
                      "AND workflow_execution_id > ? AND tzdata_version <> ? "
                      "ORDER BY workflow_execution_id LIMIT ?");
  Rows rows = statement.query(after.text(), version, static_cast<uint64_t>(limit));
  std::vector<RunId> out;
  while (rows.next()) out.emplace_back(std::string(rows.text(0)));
  if (rows.failed()) return database_.failure("reading waits");
  return out;
}

Outcome<void> WaitQueries::each(const std::function<void(const WaitRecord&)>& visit) {
  Statement statement(database_, columns);
  Rows rows = statement.query();
  while (rows.next())
    if (auto record = record_in(rows)) visit(*record);
  if (rows.failed()) return database_.failure("reading waits");
  return {};
}

Outcome<uint64_t> WaitQueries::due_within(const AccountId& account, const WorkflowId& workflow,
                                          Instant now, Duration length) {
  WaitFilter filter;
  filter.account = account;
  filter.workflow = workflow;
  filter.statuses = {WaitStatus::scheduled, WaitStatus::waiting};
  filter.on_hold = false;
  filter.due_from = now;
  filter.due_to = now + length;
  FERMATA_TRY(found, slots(filter));
  uint64_t waits = 0;
  for (const WaitSlot& slot : found) waits += slot.waits;
  return waits;
}

/// Whole slots from the numbers that are kept; of the two that are cut, rows are counted.
Outcome<std::vector<WaitSlot>> WaitQueries::slots(const WaitFilter& filter) {
  bool kept = WaitTallyQueries::keeps(filter) && filter.on_hold == false && filter.due_from &&
              filter.due_to && *filter.due_from < *filter.due_to;
  if (!kept) return counted_slots(filter);
  int64_t length = wait_slot_length.ms;
  int64_t first = (filter.due_from->ms + length - 1) / length;
  int64_t end = filter.due_to->ms / length;
  if (end <= first) return counted_slots(filter);
  std::vector<WaitSlot> out;
  auto cut = [&](Instant from, Instant to) -> Outcome<void> {
    if (from >= to) return {};
    WaitFilter part = filter;
    part.due_from = from;
    part.due_to = to;
    FERMATA_TRY(found, counted_slots(part));
    out.insert(out.end(), found.begin(), found.end());
    return {};
  };
  FERMATA_TRY_VOID(cut(*filter.due_from, Instant{first * length}));
  FERMATA_TRY(whole, tally_.slots(filter, first, end - 1));
  out.insert(out.end(), whole.begin(), whole.end());
  FERMATA_TRY_VOID(cut(Instant{end * length}, *filter.due_to));
  return out;
}

Outcome<std::vector<WaitSlot>> WaitQueries::counted_slots(const WaitFilter& filter) {
  Question asked = question(filter);
  std::string seconds = std::to_string(wait_slot_length.ms / 1000);
  std::string sql = "SELECT CAST(strftime('%s', due_at) AS INTEGER) / " + seconds +
                    " AS slot, wait_type, count(*) FROM workflow_wait_executions" + asked.where +
                    " GROUP BY slot, wait_type ORDER BY slot, wait_type";
  Statement statement(database_, sql.c_str());
  Rows rows = statement.query_texts(asked.values);
  std::vector<WaitSlot> out;
  while (rows.next())
    out.push_back({Instant{rows.integer(0) * wait_slot_length.ms}, std::string(rows.text(1)),
                   rows.natural(2)});
  if (rows.failed()) return database_.failure("counting waits");
  return out;
}

}  // namespace fermata::sqlite
