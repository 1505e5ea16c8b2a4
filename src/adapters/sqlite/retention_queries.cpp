#include "adapters/sqlite/run_queries.h"

/// What retention asks before it removes anything.
namespace fermata::sqlite {

Outcome<Retention::Referred> RunQueries::referred(uint64_t after, size_t limit) {
  Retention::Referred page;
  page.cursor = after;
  FERMATA_TRY(numbers, open_runs(after, limit));
  page.more = numbers.size() >= limit;
  for (uint64_t number : numbers) {
    page.cursor = number;
    auto found = by_number(number);
    // It may refer to something, but nobody can go on with it.
    if (!found && found.error().code == ErrorCode::data_damaged) continue;
    if (!found) return Failure{std::move(found).error()};
    if (!*found) continue;
    const RunSummary& run = (*found)->record.summary;
    if (!run.parent.empty()) page.ids.insert(run.parent);
    if (!run.origin.empty()) page.ids.insert(run.origin);
  }
  return page;
}

Outcome<RunQueries::UsedDefinitions> RunQueries::used_definitions(uint64_t after, size_t limit) {
  UsedDefinitions used;
  used.cursor = after;
  Numbers numbers;
  if (!collect(after_.query(after, limit), numbers)) return database_.failure("listing runs");
  used.more = numbers.size() == limit;
  for (uint64_t number : numbers) {
    used.cursor = number;
    FERMATA_TRY(found, by_number(number));
    if (!found) continue;
    const RunSummary& run = found->record.summary;
    used.hashes.insert(run.definition);
    for (const DefinitionHash& hash : run.former_definitions) used.hashes.insert(hash);
  }
  return used;
}

Outcome<AuditRoot> RunQueries::audit_root(const AccountId& account) {
  Rows rows = root_.query(account.text());
  if (!rows.next()) {
    if (rows.failed()) return database_.failure("reading the root of an audit chain");
    return AuditRoot{};
  }
  std::optional<AuditRoot> root = decode_audit_root(rows.blob(1), rows.natural(0));
  if (!root) return damaged("audit_root", rows.natural(0), "its checksum does not match");
  return *std::move(root);
}

}  // namespace fermata::sqlite
