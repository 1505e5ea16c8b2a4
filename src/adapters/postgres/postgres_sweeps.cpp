#include <algorithm>
#include <set>

#include "adapters/postgres/asking.h"
#include "adapters/postgres/root_queries.h"
#include "adapters/postgres/store_parts.h"
#include "adapters/postgres/wait_rows.h"
#include "ports/record/job_record.h"

/// How jobs, dead letters, blobs and signals go when they were kept long enough.
namespace fermata {

using namespace postgres;

namespace {

/// What a statement with `returning 1` has removed, `limit` of it at most.
Outcome<Retention::Sweep> removed_by(Connection& c, std::string_view doing, std::string_view sql,
                                     const Arguments& asked, size_t limit) {
  FERMATA_TRY(gone, c.ask(doing, sql, asked));
  return Retention::Sweep{gone.count(), gone.count() == limit};
}

/// Jobs by number, oldest first, locked: the sweep reads what it removes.
Outcome<std::vector<FoundRoot>> oldest_jobs(Connection& c, uint64_t after, size_t limit) {
  Arguments asked;
  asked.number(after).number(uint64_t{limit});
  FERMATA_TRY(rows, c.ask("looking for old jobs",
                          "select number, id, record from roots where kind = 1 and number > $1 "
                          "order by number limit $2 for update",
                          asked));
  std::vector<FoundRoot> out;
  while (rows.next())
    out.push_back({rows.natural(0), std::string(rows.text(1)), std::string(rows.blob(2))});
  return out;
}

/// Of these jobs, those with an open dead letter: whoever retries what failed needs all that was
/// asked.
Outcome<std::set<std::string>> wanted_jobs(Connection& c, const std::vector<FoundRoot>& roots) {
  Column ids(Type::text);
  for (const FoundRoot& root : roots) ids.add(root.id);
  Arguments asked;
  asked.array(ids);
  FERMATA_TRY(rows,
              c.ask("looking for dead letters",
                    "select distinct job from dead_letters where open and job = any($1)", asked));
  std::set<std::string> out;
  while (rows.next()) out.emplace(rows.text(0));
  return out;
}

Outcome<void> forget_jobs(Connection& c, const Column& numbers) {
  FERMATA_TRY_VOID(drop_roots(c, numbers));
  Arguments gone;
  gone.array(numbers);
  return order(c, "removing what belongs to jobs",
               "with r as (delete from blob_refs where job = any($1) returning account, sha256), "
               "l as (delete from job_logs where job = any($1)), h as (delete from held_outputs "
               "where job = any($1)) update blobs b set unused = true from r where b.account = "
               "r.account and b.sha256 = r.sha256 and not exists (select from blob_refs o where "
               "o.account = r.account and o.sha256 = r.sha256 and o.job <> all($1))",
               gone);
}

Outcome<Retention::RunSweep> sweep_jobs(Connection& c, uint64_t after, Instant before,
                                        size_t limit) {
  FERMATA_TRY(roots, oldest_jobs(c, after, limit));
  FERMATA_TRY(wanted, wanted_jobs(c, roots));
  Retention::RunSweep sweep{0, after, roots.size() == limit};
  Column numbers(Type::number);
  for (const FoundRoot& root : roots) {
    auto record = record::decode_job(root.record, root_salt(RootKind::job, root.id));
    sweep.cursor = root.number;
    // What is damaged stays for those who repair it, and holds up nothing.
    if (!record) continue;
    const job::Summary& job = record->summary;
    if (job.submitted_at >= before) {
      sweep.more = false;
      break;
    }
    bool old = is_terminal(job.state) && job.ended_at && *job.ended_at < before;
    if (old && !wanted.contains(root.id)) numbers.add(root.number);
  }
  sweep.removed = numbers.size();
  if (!numbers.empty()) FERMATA_TRY_VOID(forget_jobs(c, numbers));
  return sweep;
}

Outcome<Retention::Sweep> trim_letters(Connection& c, uint64_t most, size_t limit) {
  Arguments asked;
  asked.number(most);
  FERMATA_TRY(full, c.ask("counting dead letters",
                          "select account, count(*) - $1 from dead_letters group by account having "
                          "count(*) > $1 order by account",
                          asked));
  Retention::Sweep sweep;
  while (full.next() && !sweep.more) {
    Arguments room;
    room.text(full.text(0)).number(std::min<uint64_t>(full.natural(1), limit - sweep.removed));
    FERMATA_TRY(gone, c.ask("removing resolved dead letters",
                            "delete from dead_letters where number in (select number from "
                            "dead_letters where account = $1 and open = false order by number "
                            "limit $2) returning 1",
                            room));
    sweep.removed += gone.count();
    // Another step finds what is left: at most one more than needed.
    sweep.more = sweep.removed == limit;
  }
  return sweep;
}

}  // namespace

Outcome<Retention::RunSweep> PostgresStore::remove_jobs(uint64_t after, Instant before,
                                                        size_t limit) {
  return transacted<RunSweep>(parts_->writer, nullptr,
                              [&](Connection& c) { return sweep_jobs(c, after, before, limit); });
}

Outcome<Retention::Sweep> PostgresStore::remove_dead_letters(Instant before, size_t limit) {
  Arguments asked;
  asked.number(before.ms).number(uint64_t{limit});
  return transacted<Sweep>(parts_->writer, nullptr, [&](Connection& c) {
    return removed_by(c, "removing old dead letters",
                      "with first as (select number, created_at from dead_letters order by number "
                      "limit $2) delete from dead_letters d using first f where d.number = "
                      "f.number and f.number < coalesce((select min(number) from first where "
                      "created_at >= $1), 9223372036854775807) returning 1",
                      asked, limit);
  });
}

Outcome<Retention::Sweep> PostgresStore::trim_dead_letters(uint64_t most, size_t limit) {
  return transacted<Sweep>(parts_->writer, nullptr,
                           [&](Connection& c) { return trim_letters(c, most, limit); });
}

Outcome<Retention::Sweep> PostgresStore::remove_blobs(Instant before, size_t limit) {
  Arguments asked;
  asked.number(before.ms).number(uint64_t{limit});
  return transacted<Sweep>(parts_->writer, nullptr, [&](Connection& c) {
    return removed_by(c, "removing blobs that nobody uses",
                      "delete from blobs b using (select account, sha256 from blobs k where unused "
                      "and put_at < $1 and not exists (select from blob_refs r where r.account = "
                      "k.account and r.sha256 = k.sha256) order by put_at limit $2 for update) u "
                      "where b.account = u.account and b.sha256 = u.sha256 and b.unused "
                      "returning 1",
                      asked, limit);
  });
}

Outcome<Retention::Sweep> PostgresStore::remove_signals(Instant now, size_t limit) {
  Arguments asked;
  asked.number(now.ms).number(uint64_t{limit});
  return transacted<Sweep>(parts_->writer, nullptr, [&](Connection& c) -> Outcome<Sweep> {
    // Numbers of waits that have come to nothing go by the same clock, and as quietly.
    FERMATA_TRY_VOID(forget_tallies(c, now, limit));
    return removed_by(c, "dropping old signals",
                      "with gone as (delete from signals where number in (select number from "
                      "signals where expires_at <= $1 and not open order by expires_at limit $2) "
                      "returning account, event_id), effects as (delete from signal_effects e "
                      "using gone g where e.account = g.account and e.event_id = g.event_id) "
                      "select 1 from gone",
                      asked, limit);
  });
}

}  // namespace fermata
