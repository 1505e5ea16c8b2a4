#include <map>

#include "adapters/postgres/asking.h"
#include "adapters/postgres/audit_rows.h"
#include "adapters/postgres/root_queries.h"
#include "adapters/postgres/store_parts.h"
#include "ports/record/record.h"

/// How runs, schedules, definitions, marks and lines of audit go when they were kept long enough.
namespace fermata {

using postgres::Arguments;
using postgres::Column;
using postgres::Connection;
using postgres::FoundRoot;
using postgres::RootKind;
using postgres::transacted;
using postgres::Type;

namespace {

constexpr size_t used_page_runs = 2'000;

std::optional<record::RunRecord> run_of(const FoundRoot& root) {
  return record::decode_run(root.record, root_salt(RootKind::run, root.id));
}

/// The oldest runs after a number.
Outcome<std::vector<FoundRoot>> oldest_runs(Connection& connection, uint64_t after, size_t limit,
                                            std::string_view lock) {
  std::string sql =
      "select number, id, record from roots where kind = 0 and number > $1 order by number limit "
      "$2 ";
  FERMATA_TRY(rows, connection.ask("looking for old runs", sql.append(lock),
                                   Arguments().number(after).number(limit)));
  std::vector<FoundRoot> out;
  while (rows.next())
    out.push_back({rows.natural(0), std::string(rows.text(1)), std::string(rows.blob(2))});
  return out;
}

/// Within a transaction, with what else is kept of them. What is still to be told of a run outlives
/// it.
Outcome<void> forget(Connection& connection, const Column& numbers, const Column& ids) {
  FERMATA_TRY_VOID(drop_roots(connection, numbers));
  return order(connection, "removing what belongs to runs",
               "with w as (delete from waits where run = any($1)), a as (delete from approvals "
               "where run = any($1)) delete from deliveries where run = any($1) and "
               "state <> 0",
               Arguments().array(ids));
}

Outcome<Retention::RunSweep> sweep_runs(Connection& connection, uint64_t after, Instant before,
                                        const std::set<RunId>& kept, size_t limit) {
  FERMATA_TRY(roots, oldest_runs(connection, after, limit, "for update"));
  Retention::RunSweep sweep{0, after, roots.size() == limit};
  Column numbers(Type::number), ids(Type::text);
  for (const FoundRoot& root : roots) {
    std::optional<record::RunRecord> record = run_of(root);
    sweep.cursor = root.number;
    // What is damaged stays for those who repair it, and holds up nothing.
    if (!record) continue;
    const RunSummary& run = record->summary;
    if (run.started_at >= before) {
      sweep.more = false;
      break;
    }
    bool old = is_terminal(run.status) && run.completed_at && *run.completed_at < before;
    if (!old || kept.contains(run.id)) continue;
    numbers.add(root.number);
    ids.add(root.id);
  }
  sweep.removed = numbers.size();
  if (!numbers.empty()) FERMATA_TRY_VOID(forget(connection, numbers, ids));
  return sweep;
}

Outcome<Retention::Sweep> sweep_audit(Connection& connection, Instant before, size_t limit) {
  FERMATA_TRY(rows, connection.ask("reading the audit",
                                   "select number, account, sequence, record from audit order by "
                                   "number limit $1",
                                   Arguments().number(limit)));
  std::map<AccountId, AuditRoot> roots;
  Column numbers(Type::number);
  while (rows.next()) {
    AccountId account{std::string(rows.text(1))};
    auto entry = record::decode_audit(rows.blob(3), postgres::audit_salt(account, rows.natural(2)));
    // A line that cannot be read is evidence; it and what follows it stay.
    if (!entry || entry->line.at >= before) break;
    roots[account] = {entry->sequence, entry->hash};
    numbers.add(rows.integer(0));
  }
  Column accounts(Type::text), sequences(Type::number), hashes(Type::text);
  for (const auto& [account, root] : roots) {
    accounts.add(account.text());
    sequences.add(root.sequence);
    hashes.add(root.hash);
  }
  FERMATA_TRY_VOID(
      order(connection, "removing lines of audit",
            "with gone as (delete from audit where number = any($1)) insert into "
            "audit_roots select * from unnest($2::text[], $3::bigint[], $4::text[]) "
            "on conflict (account) do update set sequence = excluded.sequence, hash = "
            "excluded.hash",
            Arguments().array(numbers).array(accounts).array(sequences).array(hashes)));
  return Retention::Sweep{numbers.size(), numbers.size() == limit};
}

/// The row does not say when it was deleted: it counts from when a sweep first saw it.
Outcome<Retention::Sweep> sweep_schedules(Connection& connection, Instant now, Duration deleted_for,
                                          size_t limit) {
  std::string deleted = std::to_string(static_cast<int>(schedule::Status::deleted));
  FERMATA_TRY_VOID(order(connection, "looking for deleted schedules",
                         "with back as (delete from schedule_deleted d where not exists (select "
                         "from roots r where r.number = d.root and r.status = " +
                             deleted +
                             ")) insert into schedule_deleted select number, $1 from roots where "
                             "kind = 2 and status = " +
                             deleted + " on conflict do nothing",
                         Arguments().number(now.ms)));
  FERMATA_TRY(rows, connection.ask("looking for deleted schedules",
                                   "select root from schedule_deleted where since <= $1 order by "
                                   "root limit $2",
                                   Arguments().number((now - deleted_for).ms).number(limit + 1)));
  Column gone(Type::number);
  while (gone.size() < limit && rows.next()) gone.add(rows.integer(0));
  FERMATA_TRY_VOID(drop_roots(connection, gone));
  FERMATA_TRY_VOID(order(connection, "removing deleted schedules",
                         "delete from schedule_deleted where root = any($1)",
                         Arguments().array(gone)));
  return Retention::Sweep{gone.size(), rows.count() > limit};
}

using Hashes = std::set<DefinitionHash>;

/// Definitions that no version of a workflow names.
Outcome<Hashes> unversioned(Connection& connection) {
  FERMATA_TRY(rows, connection.ask("listing definitions",
                                   "select hash from definitions d where not exists (select from "
                                   "workflow_versions v where v.hash = d.hash)"));
  Hashes hashes;
  while (rows.next()) hashes.emplace(std::string(rows.text(0)));
  return hashes;
}

/// Takes away what runs after a number name; answers the number of the last. A run that cannot be
/// read may name any of them.
Outcome<uint64_t> without_used(Connection& connection, Hashes& unused, uint64_t after) {
  for (bool more = true; more && !unused.empty();) {
    FERMATA_TRY(roots, oldest_runs(connection, after, used_page_runs, ""));
    more = roots.size() == used_page_runs;
    for (const FoundRoot& root : roots) {
      after = root.number;
      std::optional<record::RunRecord> record = run_of(root);
      if (!record) return postgres::damaged_row("roots", root.id, "its checksum does not match");
      unused.erase(record->summary.definition);
      for (const DefinitionHash& hash : record->summary.former_definitions) unused.erase(hash);
    }
  }
  return after;
}

Outcome<Retention::Sweep> sweep_definitions(Connection& connection, Hashes unused, uint64_t seen,
                                            Instant now, Duration unused_for, size_t limit) {
  // Both may have come into use again since they were looked for.
  FERMATA_TRY(still, unversioned(connection));
  std::erase_if(unused, [&](const DefinitionHash& hash) { return !still.contains(hash); });
  FERMATA_TRY_VOID(without_used(connection, unused, seen));
  Column hashes(Type::text);
  for (const DefinitionHash& hash : unused) hashes.add(hash.text());
  FERMATA_TRY_VOID(order(connection, "noting unused definitions",
                         "with back as (delete from orphans where not hash = any($1)) insert into "
                         "orphans select hash, $2 from unnest($1::text[]) u(hash) on conflict do "
                         "nothing",
                         Arguments().array(hashes).number(now.ms)));
  FERMATA_TRY(rows, connection.ask("looking for unused definitions",
                                   "select hash from orphans where since <= $1 order by hash "
                                   "limit $2",
                                   Arguments().number((now - unused_for).ms).number(limit + 1)));
  Column gone(Type::text);
  while (gone.size() < limit && rows.next()) gone.add(rows.text(0));
  FERMATA_TRY_VOID(order(connection, "removing definitions",
                         "with o as (delete from orphans where hash = any($1)) delete from "
                         "definitions where hash = any($1)",
                         Arguments().array(gone)));
  return Retention::Sweep{gone.size(), rows.count() > limit};
}

}  // namespace

Outcome<Retention::Referred> PostgresStore::referred(uint64_t after, size_t limit) {
  return parts_->readers.read([&](Connection& c) -> Outcome<Referred> {
    FERMATA_TRY(roots, open_roots(c, RootKind::run, after, limit));
    Referred page;
    page.cursor = roots.empty() ? after : roots.back().number;
    page.more = roots.size() >= limit;
    for (const FoundRoot& root : roots) {
      std::optional<record::RunRecord> record = run_of(root);
      // It may refer to something, but nobody can go on with it.
      if (!record) continue;
      if (!record->summary.parent.empty()) page.ids.insert(record->summary.parent);
      if (!record->summary.origin.empty()) page.ids.insert(record->summary.origin);
    }
    return page;
  });
}

Outcome<Retention::RunSweep> PostgresStore::remove_runs(uint64_t after, Instant before,
                                                        const std::set<RunId>& kept, size_t limit) {
  return transacted<RunSweep>(parts_->writer, nullptr, [&](Connection& c) {
    return sweep_runs(c, after, before, kept, limit);
  });
}

Outcome<void> PostgresStore::remove_run(const RunId& id, const AuditLine& audit) {
  return parts_->writer.transact(&audit, [&](Connection& c) -> Outcome<void> {
    FERMATA_TRY(rows, c.ask("reading a run",
                            "select number, id, record from roots where kind = 0 and id = $1 for "
                            "update",
                            Arguments().text(id.text())));
    if (!rows.next())
      return fail(ErrorCode::execution_not_found, "There is no execution `" + id.text() + "`.");
    FoundRoot root{rows.natural(0), std::string(rows.text(1)), std::string(rows.blob(2))};
    std::optional<record::RunRecord> record = run_of(root);
    if (!record) return postgres::damaged_row("roots", root.id, "its checksum does not match");
    if (!is_terminal(record->summary.status))
      return fail(ErrorCode::run_not_finished,
                  "The execution `" + id.text() + "` has not ended yet.");
    Column numbers(Type::number), ids(Type::text);
    numbers.add(root.number);
    ids.add(root.id);
    return forget(c, numbers, ids);
  });
}

/// Nothing remains: histories go with their roots.
Outcome<Retention::Sweep> PostgresStore::remove_remains(size_t) { return Sweep{}; }

Outcome<Retention::Sweep> PostgresStore::remove_audit(Instant before, size_t limit) {
  return transacted<Sweep>(parts_->writer, nullptr,
                           [&](Connection& c) { return sweep_audit(c, before, limit); });
}

Outcome<AuditRoot> PostgresStore::audit_root(const AccountId& account) {
  return parts_->readers.read([&](Connection& c) -> Outcome<AuditRoot> {
    FERMATA_TRY(rows, c.ask("reading the root of an audit chain",
                            "select sequence, hash from audit_roots where account = $1",
                            Arguments().text(account.text())));
    if (!rows.next()) return AuditRoot{};
    return AuditRoot{rows.natural(0), std::string(rows.text(1))};
  });
}

Outcome<Retention::Sweep> PostgresStore::remove_schedules(Instant now, Duration deleted_for,
                                                          size_t limit) {
  return transacted<Sweep>(parts_->writer, nullptr, [&](Connection& c) {
    return sweep_schedules(c, now, deleted_for, limit);
  });
}

Outcome<Retention::Sweep> PostgresStore::remove_marks(Instant now, size_t limit) {
  return transacted<Sweep>(parts_->writer, nullptr, [&](Connection& c) -> Outcome<Sweep> {
    FERMATA_TRY(rows, c.ask("removing old marks",
                            "delete from marks where (account, key) in (select account, key from "
                            "marks where expires_at <= $1 order by expires_at limit $2) returning "
                            "1",
                            Arguments().number(now.ms).number(limit)));
    return Sweep{rows.count(), rows.count() == limit};
  });
}

/// Every run is looked at, beside the engine and a page at a time; rarely, for only a workflow that
/// was deleted leaves such definitions.
Outcome<Retention::Sweep> PostgresStore::remove_definitions(Instant now, Duration unused_for,
                                                            size_t limit) {
  Hashes unused;
  FERMATA_TRY(seen, parts_->readers.read([&](Connection& c) -> Outcome<uint64_t> {
    FERMATA_TRY(found, unversioned(c));
    unused = std::move(found);
    return without_used(c, unused, 0);
  }));
  return transacted<Sweep>(parts_->writer, nullptr, [&](Connection& c) {
    return sweep_definitions(c, unused, seen, now, unused_for, limit);
  });
}

}  // namespace fermata
