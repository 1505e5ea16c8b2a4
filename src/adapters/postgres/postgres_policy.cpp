#include <algorithm>

#include "adapters/postgres/asking.h"
#include "adapters/postgres/store_parts.h"
#include "ports/cursor.h"
#include "ports/record/fields_record.h"

/// What the store keeps of policy and pools.
namespace fermata {

using namespace postgres;

namespace {

constexpr size_t decision_batch_max = 1'024;
constexpr const char* sum_differs = "its checksum does not match";

std::string document_key(const PolicyDocument& one) {
  return joined_key(std::to_string(static_cast<int>(one.kind)),
                    joined_key(one.account.text(), one.id));
}

Outcome<uint64_t> revision_of(Connection& c, const char* name) {
  Arguments asked;
  asked.text(name);
  FERMATA_TRY(rows, c.ask("reading a revision",
                          "select revision from documents where name = $1 for update", asked));
  if (!rows.next()) return damaged_row("documents", name, "it is missing");
  return rows.natural(0);
}

Outcome<void> drop_document(Connection& c, const PolicyDocument& one) {
  Arguments asked;
  asked.integer(static_cast<int>(one.kind)).text(one.account.text()).text(one.id);
  return order(c, "removing a document of policy",
               "delete from policies where kind = $1 and account = $2 and id = $3", asked);
}

Outcome<void> put_documents(Connection& c, const PolicyChange& change, uint64_t revision) {
  for (const PolicyDocument& gone : change.removed) FERMATA_TRY_VOID(drop_document(c, gone));
  for (PolicyDocument written : change.written) {
    written.revision = revision;
    FERMATA_TRY_VOID(drop_document(c, written));
    Arguments put;
    put.integer(static_cast<int>(written.kind)).text(written.account.text()).text(written.id);
    put.bytes(record::encode_fields(written, salt_of("policies", document_key(written))));
    FERMATA_TRY_VOID(order(c, "writing policy",
                           "insert into policies (kind, account, id, record) values "
                           "($1, $2, $3, $4)",
                           put));
  }
  return {};
}

Outcome<uint64_t> apply(Connection& c, const PolicyChange& change) {
  FERMATA_TRY(revision, revision_of(c, "policy"));
  if (revision != change.expected)
    return fail(ErrorCode::version_conflict, "policy is at revision " + std::to_string(revision));
  FERMATA_TRY_VOID(order(c, "writing policy",
                         "update documents set revision = revision + 1 where name = 'policy'"));
  FERMATA_TRY_VOID(put_documents(c, change, ++revision));
  for (const auto& [hash, effective] : change.snapshots) {
    Arguments put;
    put.text(hash).bytes(record::encode_fields(effective, salt_of("policy_snapshots", hash)));
    FERMATA_TRY_VOID(order(c, "writing a snapshot of policy",
                           "insert into policy_snapshots (hash, record) values ($1, $2) on "
                           "conflict do nothing",
                           put));
  }
  for (const PolicyVersion& version : change.versions) {
    Arguments put;
    put.text(version.account.text());
    put.bytes(record::encode_fields(version, salt_of("policy_versions", version.account.text())));
    FERMATA_TRY_VOID(order(c, "writing a version of policy",
                           "insert into policy_versions (account, record) values ($1, $2)", put));
  }
  return revision;
}

struct NumberedDecision {
  uint64_t number = 0;
  job::PolicyDecision decision;
};
Outcome<std::vector<NumberedDecision>> decisions_in(Rows rows) {
  std::vector<NumberedDecision> out;
  while (rows.next()) {
    auto decision = record::decode_fields<job::PolicyDecision>(
        rows.blob(2), salt_of("policy_decisions", rows.text(1)));
    if (!decision)
      return damaged_row("policy_decisions", std::to_string(rows.natural(0)), sum_differs);
    out.push_back({rows.natural(0), *std::move(decision)});
  }
  return out;
}

Outcome<std::vector<NumberedDecision>> decision_batch(Connection& c, const DecisionFilter& filter,
                                                      uint64_t before, size_t limit) {
  Arguments asked;
  asked.number(before).number(uint64_t{limit});
  std::string sql = "select number, job, record from policy_decisions where number < $1";
  if (!filter.job.empty()) {
    asked.text(filter.job.text());
    sql += " and job = $3";
  } else if (!filter.account.empty()) {
    asked.text(filter.account.text());
    sql += " and account = $3";
  }
  FERMATA_TRY(rows,
              c.ask("reading the decision log", sql + " order by number desc limit $2", asked));
  return decisions_in(std::move(rows));
}

Outcome<DecisionPage> list_decisions(Connection& c, const DecisionFilter& filter, size_t limit,
                                     uint64_t before) {
  DecisionPage page;
  uint64_t last = 0;
  before = std::min<uint64_t>(before, INT64_MAX);
  size_t size = std::clamp<size_t>(limit + 1, 16, decision_batch_max);
  for (;;) {
    FERMATA_TRY(found, decision_batch(c, filter, before, size));
    for (NumberedDecision& one : found) {
      // Newest first: what is too old ends it.
      if (filter.from && one.decision.at < *filter.from) return page;
      if (!matches(filter, one.decision)) continue;
      if (page.items.size() == limit) {
        page.next_cursor = cursor_of(last);
        return page;
      }
      last = one.number;
      page.items.push_back(std::move(one.decision));
    }
    if (found.size() < size) return page;
    before = found.back().number;
    size = std::min(size * 2, decision_batch_max);
  }
}

}  // namespace

Outcome<StoredPolicy> PostgresStore::stored_policy() {
  return parts_->readers.read([](Connection& c) -> Outcome<StoredPolicy> {
    // One statement: the revision belongs to the documents.
    FERMATA_TRY(rows, c.ask("reading policy",
                            "select d.revision, p.kind::text || E'\\n' || p.account || E'\\n' || "
                            "p.id, p.record from documents d left join policies p on true where "
                            "d.name = 'policy' order by p.number"));
    StoredPolicy policy;
    while (rows.next()) {
      policy.revision = rows.natural(0);
      if (rows.is_null(1)) continue;
      auto document =
          record::decode_fields<PolicyDocument>(rows.blob(2), salt_of("policies", rows.text(1)));
      if (!document) return damaged_row("policies", rows.text(1), sum_differs);
      policy.documents.push_back(*std::move(document));
    }
    return policy;
  });
}

Outcome<uint64_t> PostgresStore::change_policy(const PolicyChange& change, const AuditLine& audit) {
  return transacted<uint64_t>(parts_->writer, &audit,
                              [&](Connection& c) { return apply(c, change); });
}

Outcome<std::optional<Value>> PostgresStore::snapshot(const std::string& hash) {
  return parts_->readers.read([&](Connection& c) -> Outcome<std::optional<Value>> {
    Arguments asked;
    asked.text(hash);
    FERMATA_TRY(rows, c.ask("reading a snapshot of policy",
                            "select hash, record from policy_snapshots where hash = $1", asked));
    FERMATA_TRY(found,
                decode_all(std::move(rows), "policy_snapshots", record::decode_fields<Value>));
    return first_of(std::move(found));
  });
}

Outcome<PolicyVersionPage> PostgresStore::policy_versions(const AccountId& account, size_t limit,
                                                          const std::string& cursor) {
  FERMATA_TRY(before, cursor_number(cursor, INT64_MAX));
  return parts_->readers.read([&](Connection& c) -> Outcome<PolicyVersionPage> {
    Arguments asked;
    asked.text(account.text()).number(std::min<uint64_t>(before, INT64_MAX));
    asked.number(uint64_t{limit + 1});
    FERMATA_TRY(rows, c.ask("listing versions of policy",
                            "select number, account, record from policy_versions where account "
                            "in ('', $1) and number < $2 order by number desc limit $3",
                            asked));
    PolicyVersionPage page;
    uint64_t last = 0;
    while (rows.next()) {
      if (page.items.size() == limit) {
        page.next_cursor = cursor_of(last);
        break;
      }
      last = rows.natural(0);
      auto version = record::decode_fields<PolicyVersion>(rows.blob(2),
                                                          salt_of("policy_versions", rows.text(1)));
      if (!version) return damaged_row("policy_versions", std::to_string(last), sum_differs);
      page.items.push_back(*std::move(version));
    }
    return page;
  });
}

Outcome<DecisionPage> PostgresStore::decisions(const DecisionFilter& filter, size_t limit,
                                               const std::string& cursor) {
  FERMATA_TRY(before, cursor_number(cursor, UINT64_MAX));
  return parts_->readers.read(
      [&](Connection& c) { return list_decisions(c, filter, limit, before); });
}

Outcome<std::vector<RuleHits>> PostgresStore::rule_hits(const AccountId& account) {
  return parts_->readers.read([&](Connection& c) -> Outcome<std::vector<RuleHits>> {
    Arguments asked;
    asked.text(account.text());
    FERMATA_TRY(rows, c.ask("counting what rules have decided",
                            "select bundle, rule, hits, last_at from policy_hits where account = "
                            "$1 order by bundle, rule",
                            asked));
    std::vector<RuleHits> out;
    while (rows.next())
      out.push_back({std::string(rows.text(0)), std::string(rows.text(1)), rows.natural(2),
                     Instant{rows.integer(3)}});
    return out;
  });
}

Outcome<Store::PassedPage> PostgresStore::passed(Instant since, uint64_t after, size_t limit) {
  return parts_->load([&](Connection& c) -> Outcome<PassedPage> {
    Arguments asked;
    asked.number(after).number(uint64_t{limit});
    FERMATA_TRY(rows, c.ask("reading the decision log",
                            "select number, job, record from policy_decisions where counted and "
                            "number > $1 order by number limit $2",
                            asked));
    FERMATA_TRY(found, decisions_in(std::move(rows)));
    PassedPage page;
    page.cursor = found.empty() ? after : found.back().number;
    page.more = found.size() == limit;
    for (NumberedDecision& one : found)
      if (one.decision.at >= since) page.decisions.push_back(std::move(one.decision));
    return page;
  });
}

Outcome<Retention::Sweep> PostgresStore::remove_decisions(Instant before, size_t limit) {
  return transacted<Sweep>(parts_->writer, nullptr, [&](Connection& c) -> Outcome<Sweep> {
    Arguments asked;
    asked.number(before.ms).number(uint64_t{limit});
    // Oldest first, and no further than the first that is to stay: their times need not be in
    // order, and nobody wants a log with gaps.
    FERMATA_TRY(gone, c.ask("removing old decisions",
                            "with first as (select number, at from policy_decisions order by "
                            "number limit $2), stays as (select min(number) as number from first "
                            "where at >= $1) delete from policy_decisions d using first f, stays "
                            "s where d.number = f.number and (s.number is null or f.number < "
                            "s.number) returning 1",
                            asked));
    return Sweep{gone.count(), gone.count() == limit};
  });
}

Outcome<StoredPools> PostgresStore::stored_pools() {
  return parts_->readers.read([](Connection& c) -> Outcome<StoredPools> {
    FERMATA_TRY(rows, c.ask("reading the pools",
                            "select name, record from documents where name = 'pools' and record "
                            "is not null"));
    FERMATA_TRY(found,
                decode_all(std::move(rows), "documents", record::decode_fields<StoredPools>));
    return found.empty() ? StoredPools{} : std::move(found.front());
  });
}

Outcome<void> PostgresStore::change_pools(const StoredPools& pools, const AuditLine& audit) {
  return parts_->writer.transact(&audit, [&](Connection& c) -> Outcome<void> {
    FERMATA_TRY(stored, revision_of(c, "pools"));
    if (stored + 1 != pools.revision)
      return fail(ErrorCode::version_conflict, "pools are at revision " + std::to_string(stored));
    Arguments put;
    put.number(pools.revision).bytes(record::encode_fields(pools, salt_of("documents", "pools")));
    return order(c, "writing the pools",
                 "update documents set revision = $1, record = $2 where name = 'pools'", put);
  });
}

Outcome<std::vector<AccountSpent>> PostgresStore::spent_on(int64_t day) {
  return parts_->load([&](Connection& c) -> Outcome<std::vector<AccountSpent>> {
    Arguments asked;
    asked.number(day);
    FERMATA_TRY(rows, c.ask("reading what accounts have spent",
                            "select account, input_tokens, output_tokens, cost_micros from "
                            "account_usage where day = $1 order by account",
                            asked));
    std::vector<AccountSpent> out;
    while (rows.next())
      out.push_back({AccountId(std::string(rows.text(0))),
                     {rows.integer(1), rows.integer(2), rows.integer(3)}});
    return out;
  });
}

}  // namespace fermata
