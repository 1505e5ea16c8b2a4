#include "adapters/sqlite/policy_rows.h"

#include <algorithm>

#include "adapters/sqlite/records.h"
#include "adapters/sqlite/transacted.h"
#include "ports/cursor.h"
#include "ports/record/fields_record.h"

namespace fermata::sqlite {
namespace {

constexpr size_t decision_batch_max = 1'024;

Failure<Error> unreadable(std::string_view table, uint64_t number) {
  return damaged(table, number, "its checksum does not match");
}

}  // namespace

Outcome<StoredPolicy> PolicyQueries::stored() {
  StoredPolicy policy;
  FERMATA_TRY(revision, database_.number("SELECT revision FROM policy_revision"));
  policy.revision = static_cast<uint64_t>(revision);
  Rows rows = documents_.query();
  while (rows.next()) {
    auto document = decode_fields<PolicyDocument>(rows.blob(1), rows.natural(0));
    if (!document) return unreadable("policy_document", rows.natural(0));
    policy.documents.push_back(*std::move(document));
  }
  if (rows.failed()) return database_.failure("reading policy");
  return policy;
}

Outcome<std::optional<Value>> PolicyQueries::snapshot(const std::string& hash) {
  Rows rows = snapshot_.query(hash);
  if (!rows.next()) {
    if (rows.failed()) return database_.failure("reading a snapshot of policy");
    return std::optional<Value>{};
  }
  auto effective = decode_fields<Value>(rows.blob(1), rows.natural(0));
  if (!effective) return unreadable("policy_snapshot", rows.natural(0));
  return std::optional(*std::move(effective));
}

Outcome<PolicyVersionPage> PolicyQueries::versions(const AccountId& account, size_t limit,
                                                   uint64_t before) {
  PolicyVersionPage page;
  before = std::min<uint64_t>(before, INT64_MAX);
  uint64_t last = 0;
  Rows rows = versions_.query(account.text(), before, limit + 1);
  while (rows.next()) {
    if (page.items.size() == limit) {
      page.next_cursor = cursor_of(last);
      break;
    }
    last = rows.natural(0);
    auto version = decode_fields<PolicyVersion>(rows.blob(1), last);
    if (!version) return unreadable("policy_version", last);
    page.items.push_back(*std::move(version));
  }
  if (rows.failed()) return database_.failure("listing versions of policy");
  return page;
}

Outcome<std::vector<std::pair<uint64_t, job::PolicyDecision>>> PolicyQueries::batch(
    const DecisionFilter& filter, uint64_t before, size_t limit) {
  Rows rows = !filter.job.empty()       ? of_job_.query(filter.job.text(), before, limit)
              : !filter.account.empty() ? of_account_.query(filter.account.text(), before, limit)
                                        : newest_.query(before, limit);
  std::vector<std::pair<uint64_t, job::PolicyDecision>> out;
  while (rows.next()) {
    auto decision = decode_fields<job::PolicyDecision>(rows.blob(1), rows.natural(0));
    if (!decision) return unreadable("policy_decision", rows.natural(0));
    out.emplace_back(rows.natural(0), *std::move(decision));
  }
  if (rows.failed()) return database_.failure("reading the decision log");
  return out;
}

Outcome<DecisionPage> PolicyQueries::decisions(const DecisionFilter& filter, size_t limit,
                                               uint64_t before) {
  DecisionPage page;
  uint64_t last = 0;
  before = std::min<uint64_t>(before, INT64_MAX);
  size_t size = std::clamp<size_t>(limit + 1, 16, decision_batch_max);
  for (;;) {
    FERMATA_TRY(rows, batch(filter, before, size));
    for (auto& [number, decision] : rows) {
      // Newest first: what is too old ends it.
      if (filter.from && decision.at < *filter.from) return page;
      if (!matches(filter, decision)) continue;
      if (page.items.size() == limit) {
        page.next_cursor = cursor_of(last);
        return page;
      }
      last = number;
      page.items.push_back(std::move(decision));
    }
    if (rows.size() < size) return page;
    before = rows.back().first;
    size = std::min(size * 2, decision_batch_max);
  }
}

Outcome<std::vector<RuleHits>> PolicyQueries::hits(const AccountId& account) {
  std::vector<RuleHits> out;
  Rows rows = hits_.query(account.text());
  while (rows.next())
    out.push_back({std::string(rows.text(0)), std::string(rows.text(1)), rows.natural(2),
                   Instant{rows.integer(3)}});
  if (rows.failed()) return database_.failure("counting what rules have decided");
  return out;
}

Outcome<Store::PassedPage> PolicyQueries::passed(Instant since, uint64_t after, size_t limit) {
  Store::PassedPage page;
  page.cursor = after;
  size_t seen = 0;
  Rows rows = counted_.query(after, limit);
  while (rows.next()) {
    ++seen;
    page.cursor = rows.natural(0);
    auto decision = decode_fields<job::PolicyDecision>(rows.blob(1), page.cursor);
    if (!decision) return unreadable("policy_decision", page.cursor);
    if (decision->at >= since) page.decisions.push_back(*std::move(decision));
  }
  if (rows.failed()) return database_.failure("reading the decision log");
  page.more = seen == limit;
  return page;
}

Outcome<void> DecisionRows::start() {
  FERMATA_TRY(last, database_.number("SELECT max(number) FROM policy_decision"));
  next_ = static_cast<uint64_t>(last) + 1;
  return {};
}

bool DecisionRows::add(const job::PolicyDecision& decision) {
  uint64_t number = next_++;
  std::string record = encode_fields(decision, number);
  return insert_.execute(number, decision.account.text(), decision.job.text(),
                         static_cast<int64_t>(!decision.counted.empty()), Blob{record}) &&
         hit_.execute(decision.account.text(), decision.bundle, decision.rule_id, decision.at.ms);
}

PolicyWriter::PolicyWriter(Writer& writer) : writer_(writer), database_(writer.database()) {}

Outcome<uint64_t> PolicyWriter::change(const PolicyChange& change, const AuditLine& audit) {
  return transacted<uint64_t>(writer_, &audit, [&] { return apply(change); });
}

Outcome<uint64_t> PolicyWriter::apply(const PolicyChange& change) {
  FERMATA_TRY(stored, database_.number("SELECT revision FROM policy_revision"));
  uint64_t revision = static_cast<uint64_t>(stored);
  if (revision != change.expected)
    return fail(ErrorCode::version_conflict, "policy is at revision " + std::to_string(revision));
  ++revision;
  FERMATA_TRY(last_document, database_.number("SELECT max(number) FROM policy_document"));
  FERMATA_TRY(last_snapshot, database_.number("SELECT max(number) FROM policy_snapshot"));
  FERMATA_TRY(last_version, database_.number("SELECT max(number) FROM policy_version"));
  bool ok = set_revision_.execute(revision);
  auto drop = [&](const PolicyDocument& one) {
    return drop_.execute(static_cast<int64_t>(one.kind), one.account.text(), one.id);
  };
  for (const PolicyDocument& gone : change.removed) ok = ok && drop(gone);
  uint64_t number = static_cast<uint64_t>(last_document);
  for (PolicyDocument written : change.written) {
    written.revision = revision;
    std::string record = encode_fields(written, ++number);
    ok = ok && drop(written) &&
         put_.execute(number, static_cast<int64_t>(written.kind), written.account.text(),
                      written.id, Blob{record});
  }
  number = static_cast<uint64_t>(last_snapshot);
  for (const auto& [hash, effective] : change.snapshots) {
    std::string record = encode_fields(effective, ++number);
    ok = ok && put_snapshot_.execute(number, hash, Blob{record});
  }
  number = static_cast<uint64_t>(last_version);
  for (const PolicyVersion& version : change.versions) {
    std::string record = encode_fields(version, ++number);
    ok = ok && put_version_.execute(number, version.account.text(), Blob{record});
  }
  if (!ok) return database_.failure("writing policy");
  return revision;
}

Outcome<Retention::Sweep> PolicyWriter::remove_decisions(Instant before, size_t limit) {
  return transacted<Retention::Sweep>(writer_, nullptr, [&] { return sweep(before, limit); });
}

Outcome<Retention::Sweep> PolicyWriter::sweep(Instant before, size_t limit) {
  Retention::Sweep sweep;
  std::vector<uint64_t> old;
  {
    Rows rows = oldest_.query(limit);
    while (rows.next()) {
      auto decision = decode_fields<job::PolicyDecision>(rows.blob(1), rows.natural(0));
      if (decision && decision->at >= before) break;
      old.push_back(rows.natural(0));
    }
    if (rows.failed()) return database_.failure("looking for old decisions");
  }
  for (uint64_t number : old)
    if (!drop_decision_.execute(number)) return database_.failure("removing a decision");
  sweep.removed = old.size();
  sweep.more = old.size() == limit;
  return sweep;
}

}  // namespace fermata::sqlite
