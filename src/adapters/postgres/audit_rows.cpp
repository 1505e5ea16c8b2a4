#include "adapters/postgres/audit_rows.h"

#include <algorithm>
#include <map>

#include "adapters/postgres/commit_statement.h"
#include "adapters/postgres/rows.h"
#include "ports/cursor.h"
#include "ports/record/record.h"

namespace fermata::postgres {
namespace {

constexpr size_t audit_scan_batch_max = 1024;

struct Head {
  uint64_t sequence = 0;
  std::string hash = audit_hash_start();
};

struct Tail {
  Column numbers{Type::number};
  std::vector<AuditLine> lines;
};

Outcome<Tail> read_tail(Connection& connection, size_t most) {
  Arguments page;
  page.number(most);
  FERMATA_TRY(rows,
              connection.ask("reading new lines of audit",
                             "select number, line from audit_tail order by number limit $1", page));
  Tail tail;
  while (rows.next()) {
    std::optional<AuditLine> line = record::decode_line(rows.blob(1), 0);
    if (!line)
      return damaged_row("audit_tail", std::to_string(rows.natural(0)),
                         "its checksum does not match");
    tail.numbers.add(rows.integer(0));
    tail.lines.push_back(*std::move(line));
  }
  return tail;
}

Outcome<std::map<AccountId, Head>> read_heads(Connection& connection, const Tail& tail) {
  std::map<AccountId, Head> heads;
  for (const AuditLine& line : tail.lines) heads.try_emplace(line.account);
  Column accounts(Type::text);
  for (const auto& [account, head] : heads) accounts.add(account.text());
  Arguments asked;
  asked.array(accounts);
  FERMATA_TRY(rows, connection.ask("reading the heads of audit",
                                   "select account, sequence, hash from audit_heads where account "
                                   "= any($1)",
                                   asked));
  while (rows.next())
    heads[AccountId(std::string(rows.text(0)))] = {rows.natural(1), std::string(rows.text(2))};
  return heads;
}

Outcome<void> write_chained(Connection& connection, const Tail& tail,
                            std::map<AccountId, Head> heads) {
  Column accounts(Type::text), sequences(Type::number), times(Type::number), records(Type::bytes);
  for (const AuditLine& line : tail.lines) {
    Head& head = heads[line.account];
    AuditEntry entry{line, head.sequence + 1, head.hash, ""};
    entry.hash = audit_hash(entry.prev_hash, entry.sequence, line);
    head = {entry.sequence, entry.hash};
    accounts.add(line.account.text());
    sequences.add(entry.sequence);
    times.add(line.at.ms);
    records.add(record::encode_audit(entry, audit_salt(line.account, entry.sequence)));
  }
  Column head_accounts(Type::text), head_sequences(Type::number), hashes(Type::text);
  for (const auto& [account, head] : heads) {
    head_accounts.add(account.text());
    head_sequences.add(head.sequence);
    hashes.add(head.hash);
  }
  Arguments chained;
  chained.array(tail.numbers).array(accounts).array(sequences).array(times).array(records);
  chained.array(head_accounts).array(head_sequences).array(hashes);
  FERMATA_TRY(done,
              connection.ask("chaining the audit",
                             "with taken as (delete from audit_tail where number = any($1)), "
                             "heads as (insert into audit_heads select * from unnest($6::text[], "
                             "$7::bigint[], $8::text[]) on conflict (account) do update set "
                             "sequence = excluded.sequence, hash = excluded.hash) insert into "
                             "audit (account, sequence, at, record) select c.account, c.sequence, "
                             "c.at, c.record from unnest($2::text[], $3::bigint[], $4::bigint[], "
                             "$5::bytea[]) with ordinality c(account, sequence, at, record, place) "
                             "order by c.place",
                             chained));
  return {};
}

/// Within a transaction.
Outcome<size_t> chain_some(Connection& connection, size_t most) {
  FERMATA_TRY(locked, connection.ask("locking the audit",
                                     "select pg_advisory_xact_lock(hashtext('fermata audit ' || "
                                     "current_schema()))"));
  FERMATA_TRY(tail, read_tail(connection, most));
  if (tail.lines.empty()) return 0;
  FERMATA_TRY(heads, read_heads(connection, tail));
  FERMATA_TRY_VOID(write_chained(connection, tail, std::move(heads)));
  return tail.lines.size();
}

}  // namespace

uint64_t audit_salt(const AccountId& account, uint64_t sequence) {
  return salt_of("audit", account.text() + "\n" + std::to_string(sequence));
}

Outcome<size_t> chain_audit(Connection& connection, size_t most) {
  FERMATA_TRY(waiting, connection.ask("looking for new lines of audit",
                                      "select exists (select from audit_tail)"));
  if (!waiting.next() || !waiting.flag(0)) return 0;
  Reply begun = connection.script("begin");
  if (begun.trouble != Trouble::none) return connection.failure("chaining the audit", begun);
  Outcome<size_t> chained = chain_some(connection, most);
  Reply ended = connection.script(chained ? "commit" : "rollback");
  if (chained && ended.trouble != Trouble::none)
    return connection.failure("chaining the audit", ended);
  return chained;
}

Outcome<AuditPage> list_audit(Connection& connection, const AuditFilter& filter, size_t limit,
                              uint64_t before) {
  before = std::min<uint64_t>(before, INT64_MAX);
  AuditPage page;
  uint64_t last = 0;
  std::string sql = "select number, account, sequence, record from audit where number < $1 ";
  if (!filter.account.empty()) sql += "and account = $3 ";
  sql += "order by number desc limit $2";
  for (size_t batch = std::clamp<size_t>(limit + 1, 16, audit_scan_batch_max);;
       batch = std::min(batch * 2, audit_scan_batch_max)) {
    Arguments asked;
    asked.number(before).number(batch);
    if (!filter.account.empty()) asked.text(filter.account.text());
    FERMATA_TRY(rows, connection.ask("reading the audit", sql, asked));
    if (rows.count() == 0) return page;
    while (rows.next()) {
      before = rows.natural(0);
      uint64_t salt = audit_salt(AccountId(std::string(rows.text(1))), rows.natural(2));
      std::optional<AuditEntry> entry = record::decode_audit(rows.blob(3), salt);
      if (!entry)
        return damaged_row("audit", std::to_string(before), "its checksum does not match");
      if (!matches(filter, entry->line)) continue;
      if (page.items.size() == limit) {
        page.next_cursor = cursor_of(last);
        return page;
      }
      page.items.push_back(*std::move(entry));
      last = before;
    }
  }
}

/// Lines come unchained, in the order of the batch: the chain must not make commits wait for each
/// other (C-23).
void add_audit(CommitStatement& statement, Writes writes) {
  Column places(Type::integer), lines(Type::bytes);
  for (size_t n = 0; n < writes.size(); ++n) {
    for (const AuditLine& line : writes[n].lines()) {
      places.add(static_cast<int64_t>(n));
      lines.add(record::encode_line(line, 0));
    }
  }
  if (places.empty()) return;
  std::string rows = "unnest(" + statement.array(places) + ", " + statement.array(lines) + ")";
  statement.then("audit_lines",
                 "insert into audit_tail (line) select c.line from " + rows +
                     " with ordinality c(n, line, place) join won using (n) order by c.place");
}

}  // namespace fermata::postgres
