#include "adapters/sqlite/retention_writer.h"

#include <map>

#include "adapters/sqlite/transacted.h"

namespace fermata::sqlite {
namespace {

constexpr size_t used_page_runs = 2'000;

}  // namespace

Outcome<Retention::Referred> RetentionWriter::referred(uint64_t after, size_t limit) {
  return readers_.read([&](ReadConnection& c) { return c.runs.referred(after, limit); });
}

/// Within a transaction. False on failure.
bool RetentionWriter::forget(const FoundRun& run) {
  const RunSummary& summary = run.record.summary;
  if (!garbage_.note(run.record.head)) return false;
  return drop_run_.execute(run.number) && drop_checkpoints_.execute(run.number) &&
         tags_.remove(summary, run.number) && waits_.forget(summary.id) &&
         approvals_.forget(summary.id) && deliveries_.forget(summary.id) &&
         count_down_.execute(summary.account.text(), static_cast<int64_t>(summary.status));
}

Outcome<Retention::RunSweep> RetentionWriter::remove_runs(uint64_t after, Instant before,
                                                          const std::set<RunId>& kept,
                                                          size_t limit) {
  return transacted<Retention::RunSweep>(writer_, nullptr,
                                         [&] { return sweep_runs(after, before, kept, limit); });
}

Outcome<Retention::RunSweep> RetentionWriter::sweep_runs(uint64_t after, Instant before,
                                                         const std::set<RunId>& kept,
                                                         size_t limit) {
  Retention::RunSweep sweep;
  sweep.cursor = after;
  std::vector<uint64_t> numbers;
  {
    Rows rows = next_runs_.query(after, limit);
    while (rows.next()) numbers.push_back(rows.natural(0));
    if (rows.failed()) return database_.failure("looking for old runs");
  }
  sweep.more = numbers.size() == limit;
  for (uint64_t number : numbers) {
    auto found = writer_.runs().by_number(number);
    // What is damaged stays for those who repair it, and holds up nothing.
    if (!found && found.error().code != ErrorCode::data_damaged)
      return Failure{std::move(found).error()};
    sweep.cursor = number;
    if (!found || !*found) continue;
    const RunSummary& run = (*found)->record.summary;
    if (run.started_at >= before) {
      sweep.more = false;
      break;
    }
    bool old = is_terminal(run.status) && run.completed_at && *run.completed_at < before;
    if (!old || kept.contains(run.id)) continue;
    if (!forget(**found)) return database_.failure("removing a run");
    ++sweep.removed;
  }
  return sweep;
}

Outcome<void> RetentionWriter::remove_run(const RunId& id, const AuditLine& audit) {
  return writer_.transact(&audit, [&]() -> Outcome<void> {
    FERMATA_TRY(found, writer_.runs().by_id(id));
    if (!found)
      return fail(ErrorCode::execution_not_found, "There is no execution `" + id.text() + "`.");
    if (!is_terminal(found->record.summary.status))
      return fail(ErrorCode::run_not_finished,
                  "The execution `" + id.text() + "` has not ended yet.");
    if (!forget(*found)) return database_.failure("removing a run");
    return {};
  });
}

Outcome<Retention::Sweep> RetentionWriter::remove_remains(size_t limit) {
  return transacted<Retention::Sweep>(writer_, nullptr, [&] { return garbage_.sweep(limit); });
}

Outcome<Retention::Sweep> RetentionWriter::remove_audit(Instant before, size_t limit) {
  return transacted<Retention::Sweep>(writer_, nullptr, [&] { return sweep_audit(before, limit); });
}

Outcome<Retention::Sweep> RetentionWriter::sweep_audit(Instant before, size_t limit) {
  Retention::Sweep sweep;
  std::map<AccountId, AuditRoot> roots;
  std::vector<uint64_t> numbers;
  {
    Rows rows = first_lines_.query(limit);
    while (rows.next()) {
      uint64_t number = rows.natural(0);
      std::optional<AuditEntry> entry = decode_audit(rows.blob(1), number);
      // A line that cannot be read is evidence; it and what follows it stay.
      if (!entry || entry->line.at >= before) break;
      roots[entry->line.account] = {entry->sequence, entry->hash};
      numbers.push_back(number);
    }
    if (rows.failed()) return database_.failure("reading the audit");
  }
  for (uint64_t number : numbers)
    if (!drop_line_.execute(number)) return database_.failure("removing audit lines");
  for (const auto& [account, root] : roots)
    if (!set_root(account, root)) return database_.failure("writing the root of an audit chain");
  sweep.removed = numbers.size();
  sweep.more = numbers.size() == limit;
  return sweep;
}

bool RetentionWriter::set_root(const AccountId& account, const AuditRoot& root) {
  uint64_t number = 0;
  {
    Rows rows = root_.query(account.text());
    if (rows.next()) number = rows.natural(0);
    if (rows.failed()) return false;
  }
  if (number == 0) {
    Rows rows = last_root_.query();
    if (!rows.next()) return false;
    number = rows.natural(0) + 1;
  }
  std::string record = encode_audit_root(root, number);
  return put_root_.execute(number, account.text(), Blob{record});
}

Outcome<AuditRoot> RetentionWriter::audit_root(const AccountId& account) {
  return readers_.read([&](ReadConnection& c) { return c.runs.audit_root(account); });
}

Outcome<Retention::Sweep> RetentionWriter::remove_marks(Instant now, size_t limit) {
  return transacted<Retention::Sweep>(writer_, nullptr, [&]() -> Outcome<Retention::Sweep> {
    if (!drop_marks_.execute(now.ms, limit)) return database_.failure("dropping old marks");
    auto removed = static_cast<uint64_t>(sqlite3_changes64(database_.handle()));
    return Retention::Sweep{removed, removed == limit};
  });
}

Outcome<Retention::Sweep> RetentionWriter::remove_signals(Instant now, size_t limit) {
  return transacted<Retention::Sweep>(writer_, nullptr, [&]() -> Outcome<Retention::Sweep> {
    std::optional<uint64_t> removed = signals_.remove(now, limit);
    if (!removed) return database_.failure("dropping old signals");
    return Retention::Sweep{*removed, *removed == limit};
  });
}

/// Definitions that no version of a workflow names.
Outcome<RetentionWriter::Hashes> RetentionWriter::unversioned() {
  Hashes hashes;
  {
    Rows rows = definitions_.query();
    while (rows.next()) hashes.emplace(std::string(rows.text(0)));
    if (rows.failed()) return database_.failure("listing definitions");
  }
  Rows rows = versions_.query();
  while (rows.next()) {
    std::optional<WorkflowVersion> version = decode_version(rows.blob(1), rows.natural(0));
    if (!version) return damaged("version", rows.natural(0), "its checksum does not match");
    hashes.erase(version->hash);
  }
  if (rows.failed()) return database_.failure("listing versions");
  return hashes;
}

Outcome<Retention::Sweep> RetentionWriter::remove_schedules(Instant now, Duration deleted_for,
                                                            size_t limit) {
  return transacted<Retention::Sweep>(writer_, nullptr,
                                      [&] { return sweep_schedules(now, deleted_for, limit); });
}

/// The row does not say when it was deleted: it counts from when a sweep first saw it.
Outcome<Retention::Sweep> RetentionWriter::sweep_schedules(Instant now, Duration deleted_for,
                                                           size_t limit) {
  bool ok = forget_revived_.execute() && note_deleted_.execute(now.ms);
  std::vector<uint64_t> gone;
  {
    Rows rows = long_deleted_.query((now - deleted_for).ms, limit + 1);
    while (rows.next()) gone.push_back(rows.natural(0));
    ok = ok && !rows.failed();
  }
  Retention::Sweep sweep;
  sweep.more = gone.size() > limit;
  if (sweep.more) gone.pop_back();
  for (uint64_t number : gone) {
    ok = ok && drop_schedule_.execute(number) && drop_schedule_history_.execute(number) &&
         drop_deleted_.execute(number);
    ++sweep.removed;
  }
  if (!ok) return database_.failure("removing deleted schedules");
  return sweep;
}

Outcome<Retention::Sweep> RetentionWriter::remove_definitions(Instant now, Duration unused_for,
                                                              size_t limit) {
  FERMATA_TRY(unused, transacted<Hashes>(writer_, nullptr, [&] { return unversioned(); }));
  uint64_t seen = 0;
  // Every run is looked at, beside the writer and a page at a time; rarely, for only a workflow
  // that was deleted leaves such definitions.
  for (bool more = !unused.empty(); more && !unused.empty();) {
    FERMATA_TRY(used, readers_.read([&](ReadConnection& c) {
      return c.runs.used_definitions(seen, used_page_runs);
    }));
    for (const DefinitionHash& hash : used.hashes) unused.erase(hash);
    seen = used.cursor;
    more = used.more;
  }
  return transacted<Retention::Sweep>(writer_, nullptr, [&] {
    return sweep_definitions(std::move(unused), seen, now, unused_for, limit);
  });
}

Outcome<Retention::Sweep> RetentionWriter::sweep_definitions(Hashes unused, uint64_t seen_runs,
                                                             Instant now, Duration unused_for,
                                                             size_t limit) {
  // Both may have come into use again since they were looked for.
  FERMATA_TRY(still, unversioned());
  std::erase_if(unused, [&](const DefinitionHash& hash) { return !still.contains(hash); });
  for (bool more = !unused.empty(); more;) {
    FERMATA_TRY(used, writer_.runs().used_definitions(seen_runs, used_page_runs));
    for (const DefinitionHash& hash : used.hashes) unused.erase(hash);
    seen_runs = used.cursor;
    more = used.more;
  }
  std::map<DefinitionHash, Instant> since;
  {
    Rows rows = orphans_.query();
    while (rows.next()) since[DefinitionHash(std::string(rows.text(0)))] = Instant{rows.integer(1)};
    if (rows.failed()) return database_.failure("listing unused definitions");
  }
  Retention::Sweep sweep;
  bool ok = true;
  for (const auto& [hash, at] : since)
    if (!unused.contains(hash)) ok = ok && drop_orphan_.execute(hash.text());
  for (const DefinitionHash& hash : unused) {
    auto known = since.find(hash);
    if (known == since.end()) ok = ok && note_orphan_.execute(hash.text(), now.ms);
    bool long_enough = (known == since.end() ? now : known->second) + unused_for <= now;
    if (!long_enough) continue;
    if (sweep.removed == limit) {
      sweep.more = true;
      break;
    }
    ok = ok && drop_definition_.execute(hash.text()) && drop_orphan_.execute(hash.text());
    ++sweep.removed;
  }
  if (!ok) return database_.failure("removing definitions");
  return sweep;
}

}  // namespace fermata::sqlite
