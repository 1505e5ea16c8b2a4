#include "adapters/postgres/asking.h"
#include "adapters/postgres/commit_statement.h"
#include "adapters/postgres/job_file_rows.h"
#include "ports/record/fields_record.h"

/// What the commits of jobs leave beside their roots.
namespace fermata::postgres {
namespace {

void write_blobs(CommitStatement& statement, Writes writes) {
  Column places(Type::integer), accounts(Type::text), hashes(Type::text), at(Type::number);
  Column bytes(Type::bytes);
  Column gone_places(Type::integer), gone_accounts(Type::text), gone_hashes(Type::text);
  for (size_t n = 0; n < writes.size(); ++n) {
    if (!writes[n].job) continue;
    const JobWrite& job = *writes[n].job;
    for (const job::KeepBlob& blob : job.blobs) {
      places.add(static_cast<int64_t>(n));
      accounts.add(job.summary.account.text());
      hashes.add(blob.sha256);
      at.add(job.summary.updated_at.ms);
      blob.text.empty() ? bytes.add_none() : bytes.add(blob.text);
    }
    for (const std::string& sha256 : job.dropped_blobs) {
      gone_places.add(static_cast<int64_t>(n));
      gone_accounts.add(job.summary.account.text());
      gone_hashes.add(sha256);
    }
  }
  bool keeps = !places.empty();
  if (keeps) {
    std::string arrays = statement.array(places);
    for (const Column* column : {&accounts, &hashes, &at, &bytes})
      arrays += ", " + statement.array(*column);
    // Bytes that were never put cannot be kept; whoever asks for them is told so.
    statement.let("blob_want",
                  "select w.*, w.bytes is not null or exists (select from blobs b "
                  "where b.account = w.account and b.sha256 = w.sha256) as there "
                  "from unnest(" +
                      arrays + ") w(n, account, sha256, at, bytes)");
    statement.then("blobs_referred",
                   "insert into blob_refs (job, account, sha256) select distinct f.number, "
                   "w.account, w.sha256 from blob_want w join won using (n) join root_rows f "
                   "using (n) where w.there or exists (select from blob_want o join won k on k.n "
                   "= o.n where o.account = w.account and o.sha256 = w.sha256 and o.there) on "
                   "conflict do nothing");
    statement.then("blobs_put",
                   "insert into blobs as b (account, sha256, put_at, size, unused, bytes) select "
                   "distinct on (w.account, w.sha256) w.account, w.sha256, w.at, "
                   "length(w.bytes), false, w.bytes from blob_want w join won using (n) where "
                   "w.bytes is not null order by w.account, w.sha256 on conflict (account, "
                   "sha256) do update set put_at = greatest(b.put_at, excluded.put_at), unused = "
                   "false");
    statement.then("blobs_used",
                   "update blobs b set unused = false from blob_want w join won using (n) where "
                   "b.account = w.account and b.sha256 = w.sha256 and b.unused and not exists "
                   "(select from blob_want o join won k on k.n = o.n where o.account = w.account "
                   "and o.sha256 = w.sha256 and o.bytes is not null)");
  }
  if (gone_places.empty()) return;
  std::string arrays = statement.array(gone_places) + ", " + statement.array(gone_accounts);
  arrays += ", " + statement.array(gone_hashes);
  statement.let("blob_gone", "select w.n, f.number, w.account, w.sha256 from unnest(" + arrays +
                                 ") w(n, account, sha256) join root_rows f using (n)");
  statement.then("blobs_unreferred",
                 "delete from blob_refs r using blob_gone g join won using (n) where r.job = "
                 "g.number and r.account = g.account and r.sha256 = g.sha256");
  std::string wanted = keeps ? " and not exists (select from blob_want w join won k on k.n = w.n "
                               "where w.account = b.account and w.sha256 = b.sha256)"
                             : "";
  statement.then("blobs_gone",
                 "delete from blobs b using blob_gone g join won using (n) where b.account = "
                 "g.account and b.sha256 = g.sha256 and not exists (select from blob_refs r where "
                 "r.account = b.account and r.sha256 = b.sha256 and not exists (select from "
                 "blob_gone o join won k on k.n = o.n where o.number = r.job and o.account = "
                 "r.account and o.sha256 = r.sha256))" +
                     wanted);
}

void write_decisions(CommitStatement& statement, Writes writes) {
  Column places(Type::integer), accounts(Type::text), jobs(Type::text), counted(Type::flag);
  Column at(Type::number), bundles(Type::text), rules(Type::text), records(Type::bytes);
  for (size_t n = 0; n < writes.size(); ++n) {
    if (!writes[n].job) continue;
    for (const job::PolicyDecision& one : writes[n].job->decisions) {
      places.add(static_cast<int64_t>(n));
      accounts.add(one.account.text());
      jobs.add(one.job.text());
      counted.add(!one.counted.empty());
      at.add(one.at.ms);
      bundles.add(one.bundle);
      rules.add(one.rule_id);
      records.add(record::encode_fields(one, salt_of("policy_decisions", one.job.text())));
    }
  }
  if (places.empty()) return;
  std::string arrays = statement.array(places);
  for (const Column* column : {&accounts, &jobs, &counted, &at, &bundles, &rules, &records})
    arrays += ", " + statement.array(*column);
  statement.let("decision_want", "select * from unnest(" + arrays +
                                     ") with ordinality w(n, account, job, counted, at, bundle, "
                                     "rule, record, place)");
  statement.then("decisions_written",
                 "insert into policy_decisions (account, job, counted, at, record) select "
                 "w.account, w.job, w.counted, w.at, w.record from decision_want w join won "
                 "using (n) order by w.place");
  statement.then("hits_counted",
                 "insert into policy_hits as h (account, bundle, rule, hits, last_at) select "
                 "w.account, w.bundle, w.rule, count(*), max(w.at) from decision_want w join won "
                 "using (n) group by w.account, w.bundle, w.rule order by 1, 2, 3 on conflict "
                 "(account, bundle, rule) do update set hits = h.hits + excluded.hits, last_at = "
                 "excluded.last_at");
}

/// Sums of earlier days are of no use; the last one stays for a clock that goes back a little.
void write_spent(CommitStatement& statement, Writes writes) {
  Column places(Type::integer), accounts(Type::text), days(Type::number), input(Type::number);
  Column output(Type::number), cost(Type::number);
  for (size_t n = 0; n < writes.size(); ++n) {
    if (!writes[n].job || !writes[n].job->spent) continue;
    const DaySpent& spent = *writes[n].job->spent;
    places.add(static_cast<int64_t>(n));
    accounts.add(writes[n].job->summary.account.text());
    days.add(spent.day);
    input.add(spent.usage.input_tokens);
    output.add(spent.usage.output_tokens);
    cost.add(spent.usage.cost_micros);
  }
  if (places.empty()) return;
  std::string arrays = statement.array(places);
  for (const Column* column : {&accounts, &days, &input, &output, &cost})
    arrays += ", " + statement.array(*column);
  statement.let("spent_want",
                "select * from unnest(" + arrays + ") w(n, account, day, input, output, cost)");
  statement.then("spent_added",
                 "insert into account_usage as u (account, day, input_tokens, output_tokens, "
                 "cost_micros) select w.account, w.day, sum(w.input)::bigint, "
                 "sum(w.output)::bigint, sum(w.cost)::bigint from spent_want w join won using (n) "
                 "group by w.account, w.day order by 1, 2 on conflict (account, day) do update "
                 "set input_tokens = u.input_tokens + excluded.input_tokens, output_tokens = "
                 "u.output_tokens + excluded.output_tokens, cost_micros = u.cost_micros + "
                 "excluded.cost_micros");
  statement.then("spent_forgotten",
                 "delete from account_usage u using (select w.account, min(w.day) as day from "
                 "spent_want w join won using (n) group by w.account) w where u.account = "
                 "w.account and u.day < w.day - 1");
}

void write_held(CommitStatement& statement, Writes writes) {
  Column places(Type::integer), records(Type::bytes), gone(Type::integer);
  for (size_t n = 0; n < writes.size(); ++n) {
    if (!writes[n].job) continue;
    const JobWrite& job = *writes[n].job;
    if (job.held) {
      places.add(static_cast<int64_t>(n));
      records.add(record::seal(*job.held, held_salt(job.summary.id)));
    } else if (job.drop_held) {
      gone.add(static_cast<int64_t>(n));
    }
  }
  if (!places.empty()) {
    std::string arrays = statement.array(places) + ", " + statement.array(records);
    statement.then("held_written",
                   "insert into held_outputs (job, record) select f.number, w.record from "
                   "unnest(" +
                       arrays +
                       ") w(n, record) join won using (n) join root_rows f using (n) on conflict "
                       "(job) do update set record = excluded.record");
  }
  if (!gone.empty())
    statement.then("held_gone", "delete from held_outputs h using unnest(" + statement.array(gone) +
                                    ") w(n) join won using (n) join root_rows f using (n) where "
                                    "h.job = f.number");
}

}  // namespace

void add_job_sides(CommitStatement& statement, Writes writes) {
  write_blobs(statement, writes);
  write_decisions(statement, writes);
  write_spent(statement, writes);
  write_held(statement, writes);
}

}  // namespace fermata::postgres
