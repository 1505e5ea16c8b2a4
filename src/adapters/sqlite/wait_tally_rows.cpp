#include "adapters/sqlite/wait_tally_rows.h"

#include <algorithm>

#include "adapters/sqlite/wait_rows.h"

namespace fermata::sqlite {

bool WaitTallyWriter::write(const TallyChanges& changes) {
  int64_t newest = 0;
  for (const auto& [key, change] : changes) {
    if (change.waits == 0 && change.waited_ms == 0) continue;
    if (!add_.execute(key.kind, key.account.text(), key.slot, key.workflow.text(), key.key,
                      change.waits, change.waited_ms))
      return false;
    bool may_be_none = change.waits < 0;
    if (may_be_none &&
        !drop_.execute(key.kind, key.account.text(), key.slot, key.workflow.text(), key.key))
      return false;
    if (key.kind == tally::opened) newest = std::max(newest, key.slot);
  }
  return forget_old(newest);
}

/// Once an hour: openings are told of for a day.
bool WaitTallyWriter::forget_old(int64_t newest_minute) {
  if (newest_minute < forgotten_at_ + 60) return true;
  forgotten_at_ = newest_minute;
  return forget_.execute(newest_minute - tally::opened_minutes_kept);
}

Outcome<void> tally_all_waits(Database& database) {
  WaitQueries queries(database);
  TallyChanges changes;
  FERMATA_TRY_VOID(queries.each([&](const WaitRecord& record) {
    tally_wait(changes, record, 1);
    tally_happened(changes, std::nullopt, record);
  }));
  WaitTallyWriter writer(database);
  if (!writer.write(changes)) return database.failure("counting waits");
  return {};
}

Outcome<WaitTally> WaitTallyQueries::tally(const AccountId& account, const WorkflowId& workflow,
                                           Instant now) {
  WaitTally total;
  for (const char* kind : {tally::pending, tally::ended, tally::opened, tally::total,
                           tally::listening, tally::oldest}) {
    std::string sql =
        "SELECT account, slot, workflow, key, waits, waited_ms FROM wait_tally "
        "WHERE kind = ?";
    std::vector<std::string> values{kind};
    if (!account.empty()) {
      sql += " AND account = ?";
      values.push_back(account.text());
    }
    if (!workflow.empty()) {
      sql += " AND workflow = ?";
      values.push_back(workflow.text());
    }
    // The slots of an account stand in order: the first is the oldest.
    bool first_only = kind == tally::oldest && !account.empty();
    if (first_only) sql += " ORDER BY slot LIMIT 1";
    Statement statement(database_, sql.c_str());
    Rows rows = statement.query_texts(values);
    while (rows.next())
      add_to(total,
             {kind, AccountId(std::string(rows.text(0))), rows.integer(1),
              WorkflowId(std::string(rows.text(2))), std::string(rows.text(3))},
             {rows.integer(4), rows.integer(5)}, now);
    if (rows.failed()) return database_.failure("reading the numbers of waits");
  }
  auto by = [](const auto& a, const auto& b) {
    return std::tie(a.type, a.waits) < std::tie(b.type, b.waits);
  };
  std::sort(total.pending.begin(), total.pending.end(), by);
  return total;
}

Outcome<std::vector<std::pair<AccountId, uint64_t>>> WaitTallyQueries::counted() {
  Statement statement(database_,
                      "SELECT account, sum(waits) FROM wait_tally WHERE kind = 'counted' "
                      "GROUP BY account");
  Rows rows = statement.query();
  std::vector<std::pair<AccountId, uint64_t>> out;
  while (rows.next()) out.emplace_back(AccountId(std::string(rows.text(0))), rows.natural(1));
  if (rows.failed()) return database_.failure("reading the numbers of waits");
  return out;
}

Outcome<std::vector<AccountId>> WaitTallyQueries::accounts(const char* kind) {
  Statement statement(database_,
                      "SELECT DISTINCT account FROM wait_tally WHERE kind = ? ORDER BY account");
  Rows rows = statement.query(std::string_view(kind));
  std::vector<AccountId> out;
  while (rows.next()) out.emplace_back(std::string(rows.text(0)));
  if (rows.failed()) return database_.failure("reading the numbers of waits");
  return out;
}

Outcome<std::vector<OverdueWaits>> WaitTallyQueries::overdue(const AccountId& account,
                                                             Instant now) {
  std::vector<AccountId> all{account};
  if (account.empty()) {
    FERMATA_TRY(found, accounts(tally::pending));
    all = std::move(found);
  }
  Statement statement(database_,
                      "SELECT count(*), min(due_at) FROM workflow_wait_executions "
                      "WHERE account_id = ? AND status IN ('scheduled', 'waiting') AND "
                      "due_at < ? AND (on_hold = 0 OR hold_reason = 'resumes_off')");
  std::vector<OverdueWaits> out;
  std::string before = to_rfc3339(now);
  for (const AccountId& one : all) {
    Rows rows = statement.query(one.text(), before);
    if (!rows.next()) return database_.failure("counting waits");
    auto oldest = parse_rfc3339(rows.text(1));
    if (rows.natural(0) > 0 && oldest) out.push_back({one, rows.natural(0), *oldest});
  }
  return out;
}

bool WaitTallyQueries::keeps(const WaitFilter& filter) {
  bool pending = filter.statuses.size() == 2 && is_pending(filter.statuses[0]) &&
                 is_pending(filter.statuses[1]) && filter.statuses[0] != filter.statuses[1];
  return pending && !filter.account.empty() && filter.run.empty() && filter.contact_id.empty() &&
         filter.step.empty() && filter.event_type.empty() && filter.q.empty() && !filter.source &&
         !filter.unheld;
}

Outcome<std::optional<uint64_t>> WaitTallyQueries::total(const WaitFilter& filter) {
  if (!keeps(filter) || filter.due_from || filter.due_to) return std::optional<uint64_t>{};
  Statement statement(database_,
                      "SELECT key, waits FROM wait_tally WHERE kind = 'pending' AND account = ?1 "
                      "AND slot = 0 AND (?2 = '' OR workflow = ?2)");
  Rows rows = statement.query(filter.account.text(), filter.workflow.text());
  WaitTally counts;
  while (rows.next())
    add_to(counts, {tally::pending, filter.account, 0, WorkflowId(), std::string(rows.text(0))},
           {rows.integer(1), 0}, Instant{0});
  if (rows.failed()) return database_.failure("reading the numbers of waits");
  uint64_t waits = 0;
  for (const WaitTally::Pending& one : counts.pending) {
    bool wanted = (filter.type.empty() || one.type == filter.type) &&
                  (!filter.on_hold || *filter.on_hold != one.hold.empty());
    if (wanted) waits += one.waits;
  }
  return std::optional(waits);
}

Outcome<std::vector<WaitSlot>> WaitTallyQueries::slots(const WaitFilter& filter, int64_t first,
                                                       int64_t last) {
  std::vector<WaitSlot> out;
  if (last < first) return out;
  static constexpr const char* sql =
      "SELECT slot, key, sum(waits) FROM wait_tally WHERE kind = 'due' AND account = ?1 AND "
      "slot >= ?2 AND slot <= ?3 AND (?4 = '' OR workflow = ?4) AND (?5 = '' OR key = ?5) "
      "GROUP BY slot, key ORDER BY slot, key";
  Statement statement(database_, sql);
  Rows rows =
      statement.query(filter.account.text(), first, last, filter.workflow.text(), filter.type);
  while (rows.next())
    out.push_back({Instant{rows.integer(0) * wait_slot_length.ms}, std::string(rows.text(1)),
                   rows.natural(2)});
  if (rows.failed()) return database_.failure("reading the numbers of waits");
  return out;
}

}  // namespace fermata::sqlite
