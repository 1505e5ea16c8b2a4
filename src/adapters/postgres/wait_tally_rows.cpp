#include <algorithm>
#include <tuple>

#include "adapters/postgres/asking.h"
#include "adapters/postgres/wait_rows.h"

namespace fermata::postgres {

Outcome<WaitTally> tally_of_waits(Connection& connection, const AccountId& account,
                                  const WorkflowId& workflow, Instant now) {
  WaitTally total;
  for (const char* kind : {tally::pending, tally::ended, tally::opened, tally::total,
                           tally::listening, tally::oldest}) {
    std::string sql =
        "select account, slot, workflow, key, waits, waited_ms from wait_tally where kind = $1 "
        "and waits > 0";
    Arguments asked;
    asked.text(kind);
    if (!account.empty()) {
      asked.text(account.text());
      sql += " and account = $" + std::to_string(asked.size());
    }
    if (!workflow.empty()) {
      asked.text(workflow.text());
      sql += " and workflow = $" + std::to_string(asked.size());
    }
    // The slots of an account stand in order: the first is the oldest.
    bool first_only = kind == tally::oldest && !account.empty();
    if (first_only) sql += " order by slot limit 1";
    FERMATA_TRY(rows, connection.ask("reading the numbers of waits", sql, asked));
    while (rows.next())
      add_to(total,
             {kind, AccountId(std::string(rows.text(0))), rows.integer(1),
              WorkflowId(std::string(rows.text(2))), std::string(rows.text(3))},
             {rows.integer(4), rows.integer(5)}, now);
  }
  auto by = [](const auto& a, const auto& b) {
    return std::tie(a.type, a.waits) < std::tie(b.type, b.waits);
  };
  std::sort(total.pending.begin(), total.pending.end(), by);
  return total;
}

Outcome<std::vector<std::pair<AccountId, uint64_t>>> counted_waits(Connection& connection) {
  FERMATA_TRY(rows, connection.ask("reading the numbers of waits",
                                   "select account, sum(waits)::bigint from wait_tally where kind "
                                   "= 'counted' group by account having sum(waits) > 0 order by "
                                   "account"));
  std::vector<std::pair<AccountId, uint64_t>> out;
  while (rows.next()) out.emplace_back(AccountId(std::string(rows.text(0))), rows.natural(1));
  return out;
}

Outcome<std::vector<AccountId>> tallied_accounts(Connection& connection, const char* kind) {
  Arguments asked;
  asked.text(kind);
  FERMATA_TRY(rows, connection.ask("reading the numbers of waits",
                                   "select distinct account from wait_tally where kind = $1 and "
                                   "waits > 0 order by account",
                                   asked));
  std::vector<AccountId> out;
  while (rows.next()) out.emplace_back(std::string(rows.text(0)));
  return out;
}

Outcome<std::vector<OverdueWaits>> overdue_waits(Connection& connection, const AccountId& account,
                                                 Instant now) {
  std::vector<AccountId> all{account};
  if (account.empty()) {
    FERMATA_TRY(found, tallied_accounts(connection, tally::pending));
    all = std::move(found);
  }
  std::vector<OverdueWaits> out;
  for (const AccountId& one : all) {
    Arguments asked;
    asked.text(one.text()).number(now.ms);
    FERMATA_TRY(rows, connection.ask("counting waits",
                                     "select count(*), min(due_at) from waits where account = $1 "
                                     "and status in ('scheduled', 'waiting') and due_at < $2 and "
                                     "(hold_reason is null or hold_reason = 'resumes_off')",
                                     asked));
    if (rows.next() && rows.natural(0) > 0)
      out.push_back({one, rows.natural(0), Instant{rows.integer(1)}});
  }
  return out;
}

bool tally_keeps(const WaitFilter& filter) {
  bool pending = filter.statuses.size() == 2 && is_pending(filter.statuses[0]) &&
                 is_pending(filter.statuses[1]) && filter.statuses[0] != filter.statuses[1];
  return pending && !filter.account.empty() && filter.run.empty() && filter.contact_id.empty() &&
         filter.step.empty() && filter.event_type.empty() && filter.q.empty() && !filter.source &&
         !filter.unheld;
}

Outcome<std::optional<uint64_t>> tallied_total(Connection& connection, const WaitFilter& filter) {
  if (!tally_keeps(filter) || filter.due_from || filter.due_to) return std::optional<uint64_t>{};
  Arguments asked;
  asked.text(filter.account.text()).text(filter.workflow.text());
  FERMATA_TRY(rows, connection.ask("reading the numbers of waits",
                                   "select key, waits from wait_tally where kind = 'pending' and "
                                   "account = $1 and slot = 0 and ($2 = '' or workflow = $2)",
                                   asked));
  WaitTally counts;
  while (rows.next())
    add_to(counts, {tally::pending, filter.account, 0, WorkflowId(), std::string(rows.text(0))},
           {rows.integer(1), 0}, Instant{0});
  uint64_t waits = 0;
  for (const WaitTally::Pending& one : counts.pending) {
    bool wanted = (filter.type.empty() || one.type == filter.type) &&
                  (!filter.on_hold || *filter.on_hold != one.hold.empty());
    if (wanted) waits += one.waits;
  }
  return std::optional(waits);
}

Outcome<std::vector<WaitSlot>> tallied_slots(Connection& connection, const WaitFilter& filter,
                                             int64_t first, int64_t last) {
  std::vector<WaitSlot> out;
  if (last < first) return out;
  Arguments asked;
  asked.text(filter.account.text()).number(first).number(last);
  asked.text(filter.workflow.text()).text(filter.type);
  FERMATA_TRY(rows, connection.ask("reading the numbers of waits",
                                   "select slot, key, sum(waits)::bigint from wait_tally where "
                                   "kind = 'due' and account = $1 and slot >= $2 and slot <= $3 "
                                   "and ($4 = '' or workflow = $4) and ($5 = '' or key = $5) "
                                   "group by slot, key having sum(waits) > 0 order by slot, key",
                                   asked));
  while (rows.next())
    out.push_back({Instant{rows.integer(0) * wait_slot_length.ms}, std::string(rows.text(1)),
                   rows.natural(2)});
  return out;
}

Outcome<uint64_t> forget_tallies(Connection& connection, Instant now, size_t limit) {
  Arguments asked;
  asked.number(now.ms / tally::minute_ms - tally::opened_minutes_kept).number(uint64_t{limit});
  // Locked before it is looked at again: a commit may add to one of them at this moment.
  FERMATA_TRY(gone, connection.ask(
                        "forgetting numbers of waits",
                        "with none as materialized (select kind, account, slot, workflow, key "
                        "from wait_tally where (waits <= 0 and kind in ('pending', 'due', "
                        "'listening', 'oldest', 'counted')) or (kind = 'opened' and slot < $1) "
                        "limit $2 for update skip locked) delete from wait_tally t using none n "
                        "where t.kind = n.kind and t.account = n.account and t.slot = n.slot and "
                        "t.workflow = n.workflow and t.key = n.key returning 1",
                        asked));
  return gone.count();
}

}  // namespace fermata::postgres
