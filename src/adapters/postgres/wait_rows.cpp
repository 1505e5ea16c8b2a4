#include "adapters/postgres/wait_rows.h"

#include "adapters/postgres/asking.h"
#include "ports/record/fields_record.h"

namespace fermata::postgres {
namespace {

constexpr const char* wait_columns =
    "select id, account, workflow, run, contact_id, record from waits ";

Outcome<std::vector<WaitRecord>> waits_in(Rows rows) {
  std::vector<WaitRecord> out;
  while (rows.next()) {
    auto wait = record::decode_fields<Wait>(rows.blob(5), salt_of("waits", rows.text(0)));
    if (!wait) return damaged_row("waits", rows.text(0), "its checksum does not match");
    out.push_back({AccountId(std::string(rows.text(1))), WorkflowId(std::string(rows.text(2))),
                   RunId(std::string(rows.text(3))), std::string(rows.text(4)), *std::move(wait)});
  }
  return out;
}

Outcome<std::vector<WaitRecord>> ask_waits(Connection& connection, const std::string& rest,
                                           const Arguments& asked) {
  FERMATA_TRY(rows, connection.ask("reading waits", wait_columns + rest, asked));
  return waits_in(std::move(rows));
}

/// The conditions of a list and what is bound to them.
class Question {
 public:
  explicit Question(const WaitFilter& filter) {
    if (!filter.account.empty()) text("account = ", filter.account.text());
    statuses(filter);
    if (!filter.run.empty()) text("run = ", filter.run.text());
    if (!filter.step.empty()) text("step = ", filter.step);
    if (!filter.contact_id.empty()) text("contact_id = ", filter.contact_id);
    if (!filter.type.empty()) text("wait_type = ", filter.type);
    if (!filter.workflow.empty()) text("workflow = ", filter.workflow.text());
    if (filter.source) text("source = ", name_of(*filter.source));
    if (filter.unheld) word("(hold_reason is null or hold_reason = 'resumes_off')");
    if (filter.on_hold) word(*filter.on_hold ? "hold_reason is not null" : "hold_reason is null");
    if (filter.due_from) number("due_at >= ", filter.due_from->ms);
    if (filter.due_to) number("due_at < ", filter.due_to->ms);
    if (!filter.event_type.empty()) {
      asked.text("\n" + readable(filter.event_type) + "\n");
      word("position(" + last() + " in event_types) > 0");
    }
    if (!filter.q.empty()) found(filter.q);
  }
  void word(const std::string& condition) {
    where += (where.empty() ? "where " : " and ") + condition;
  }
  std::string last() const { return "$" + std::to_string(asked.size()); }

  std::string where;
  Arguments asked;

 private:
  void text(const char* lead, std::string_view value) {
    asked.text(value);
    word(lead + last());
  }
  void number(const char* lead, int64_t value) {
    asked.number(value);
    word(lead + last());
  }
  /// In the words of the index, so that it is used.
  void statuses(const WaitFilter& filter) {
    if (filter.statuses.empty()) return;
    bool all_pending = true;
    std::string words;
    for (WaitStatus status : filter.statuses) {
      all_pending = all_pending && is_pending(status);
      words += (words.empty() ? "'" : ", '") + std::string(name_of(status)) + "'";
    }
    if (all_pending) word("status in ('scheduled', 'waiting')");
    word("status in (" + words + ")");
  }
  /// Without regard to the case of ASCII letters: both sides are of the C collation.
  void found(const std::string& q) {
    asked.text(readable(q));
    std::string part = "lower(" + last() + " collate \"C\")";
    std::string any;
    for (const char* column : {"id", "run", "workflow", "step", "contact_id"})
      any += (any.empty() ? "" : " or ") + std::string("position(") + part + " in lower(" + column +
             ")) > 0";
    word("(" + any + ")");
  }
};

Outcome<std::vector<WaitSlot>> slots_in(Rows rows) {
  std::vector<WaitSlot> out;
  while (rows.next())
    out.push_back({Instant{rows.integer(0) * wait_slot_length.ms}, std::string(rows.text(1)),
                   rows.natural(2)});
  return out;
}

Outcome<std::vector<WaitSlot>> counted_slots(Connection& connection, const WaitFilter& filter) {
  Question question(filter);
  std::string slot = "due_at / " + std::to_string(wait_slot_length.ms);
  FERMATA_TRY(rows, connection.ask("counting waits",
                                   "select " + slot + ", wait_type, count(*) from waits " +
                                       question.where + " group by 1, 2 order by 1, 2",
                                   question.asked));
  return slots_in(std::move(rows));
}

Outcome<uint64_t> count_of(Connection& connection, const WaitFilter& filter) {
  FERMATA_TRY(kept, tallied_total(connection, filter));
  if (kept) return *kept;
  Question question(filter);
  FERMATA_TRY(rows, connection.ask("counting waits", "select count(*) from waits " + question.where,
                                   question.asked));
  return rows.next() ? rows.natural(0) : 0;
}

}  // namespace

Outcome<std::optional<WaitRecord>> find_wait(Connection& connection, const std::string& id) {
  Arguments asked;
  asked.text(id);
  FERMATA_TRY(found, ask_waits(connection, "where id = $1", asked));
  return first_of(std::move(found));
}

Outcome<std::vector<WaitRecord>> waits_of_run(Connection& connection, const RunId& run,
                                              const std::string& step) {
  Arguments asked;
  asked.text(run.text());
  std::string where = "where run = $1";
  if (!step.empty()) {
    asked.text(step);
    where += " and step = $2";
  }
  return ask_waits(connection, where + " order by step, occurrence", asked);
}

Outcome<WaitPage> list_waits(Connection& connection, const WaitFilter& filter, size_t limit,
                             const WaitStart& start) {
  FERMATA_TRY(after, wait_place(start.cursor));
  WaitPage page;
  FERMATA_TRY(total, count_of(connection, filter));
  page.total = total;
  Question question(filter);
  if (after) {
    question.asked.number(after->due.ms);
    std::string due = question.last();
    question.asked.text(after->id);
    question.word("(due_at, id) > (" + due + ", " + question.last() + ")");
  }
  question.asked.number(uint64_t{limit + 1});
  std::string rest = question.where + " order by due_at, id limit " + question.last();
  question.asked.number(uint64_t{start.offset});
  rest += " offset " + question.last();
  FERMATA_TRY(items, ask_waits(connection, rest, question.asked));
  bool more = items.size() > limit;
  if (more) items.pop_back();
  if (more && !items.empty()) page.next_cursor = cursor_of(items.back());
  page.items = std::move(items);
  return page;
}

/// Whole slots from the numbers that are kept; of the two that are cut, rows are counted.
Outcome<std::vector<WaitSlot>> wait_slots(Connection& connection, const WaitFilter& filter) {
  bool kept = tally_keeps(filter) && filter.on_hold == false && filter.due_from && filter.due_to &&
              *filter.due_from < *filter.due_to;
  if (!kept) return counted_slots(connection, filter);
  int64_t length = wait_slot_length.ms;
  int64_t first = (filter.due_from->ms + length - 1) / length;
  int64_t end = filter.due_to->ms / length;
  if (end <= first) return counted_slots(connection, filter);
  std::vector<WaitSlot> out;
  auto cut = [&](Instant from, Instant to) -> Outcome<void> {
    if (from >= to) return {};
    WaitFilter part = filter;
    part.due_from = from;
    part.due_to = to;
    FERMATA_TRY(found, counted_slots(connection, part));
    out.insert(out.end(), found.begin(), found.end());
    return {};
  };
  FERMATA_TRY_VOID(cut(*filter.due_from, Instant{first * length}));
  FERMATA_TRY(whole, tallied_slots(connection, filter, first, end - 1));
  out.insert(out.end(), whole.begin(), whole.end());
  FERMATA_TRY_VOID(cut(Instant{end * length}, *filter.due_to));
  return out;
}

Outcome<uint64_t> due_within(Connection& connection, const AccountId& account,
                             const WorkflowId& workflow, Instant now, Duration length) {
  WaitFilter filter;
  filter.account = account;
  filter.workflow = workflow;
  filter.statuses = {WaitStatus::scheduled, WaitStatus::waiting};
  filter.on_hold = false;
  filter.due_from = now;
  filter.due_to = now + length;
  FERMATA_TRY(found, wait_slots(connection, filter));
  uint64_t waits = 0;
  for (const WaitSlot& slot : found) waits += slot.waits;
  return waits;
}

Outcome<std::vector<WaitRecord>> limited_waits(Connection& connection, size_t after, size_t limit) {
  Arguments asked;
  asked.number(uint64_t{limit}).number(uint64_t{after});
  return ask_waits(connection,
                   "where hold_reason = 'limit' order by reached_at, id limit $1 offset $2", asked);
}

Outcome<std::vector<RunId>> runs_of_other_zones(Connection& connection, const std::string& version,
                                                const RunId& after, size_t limit) {
  Arguments asked;
  asked.text(after.text()).text(version).number(uint64_t{limit});
  FERMATA_TRY(rows, connection.ask("reading waits",
                                   "select distinct run from waits where tzdata_version is not "
                                   "null and status in ('scheduled', 'waiting') and run > $1 and "
                                   "tzdata_version <> $2 order by run limit $3",
                                   asked));
  std::vector<RunId> out;
  while (rows.next()) out.emplace_back(std::string(rows.text(0)));
  return out;
}

Outcome<std::vector<WaitRecord>> listening_waits(Connection& connection, size_t after,
                                                 size_t limit) {
  Arguments asked;
  asked.number(uint64_t{limit}).number(uint64_t{after});
  return ask_waits(connection,
                   "where wait_type = 'for_event' and status = 'waiting' order by account, "
                   "event_type, contact_id, id limit $1 offset $2",
                   asked);
}

Outcome<std::vector<WaitRecord>> heard_waits(Connection& connection, const Signal& signal,
                                             Instant since, size_t limit) {
  bool by_run = !signal.run.empty();
  Arguments asked;
  asked.text(signal.account.text()).text(by_run ? signal.run.text() : signal.contact_id);
  asked.number(since.ms).number(uint64_t{limit});
  return ask_waits(connection,
                   std::string("where account = $1 and ") +
                       (by_run ? "run" : "contact_id is not null and contact_id") +
                       " = $2 and wait_type = 'for_event' and ended_at is not null and ended_at "
                       ">= $3 order by ended_at desc limit $4",
                   asked);
}

}  // namespace fermata::postgres
