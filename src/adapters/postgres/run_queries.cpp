#include <algorithm>
#include <map>

#include "adapters/postgres/root_queries.h"
#include "adapters/postgres/rows.h"
#include "ports/cursor.h"
#include "ports/record/record.h"

namespace fermata::postgres {
namespace {

Outcome<record::RunRecord> run_record_of(const FoundRoot& root) {
  auto decoded = record::decode_run(root.record, root_salt(RootKind::run, root.id));
  if (!decoded) return damaged_row("roots", root.id, "its checksum does not match");
  if (decoded->summary.id.text() != root.id)
    return damaged_row("roots", root.id, "its columns do not match its record");
  return *std::move(decoded);
}

/// The newest one that can be read; the history is there for what they leave out.
Outcome<void> choose_checkpoint(Connection& connection, const FoundRoot& root, uint64_t before,
                                StoredRun& out) {
  Arguments asked;
  asked.number(root.number).number(std::min<uint64_t>(before, INT64_MAX));
  FERMATA_TRY(rows, connection.ask("reading a checkpoint",
                                   "select sequence, checksum, bytes from checkpoints where root = "
                                   "$1 and sequence < $2 order by sequence desc limit 16",
                                   asked));
  uint64_t salt = root_salt(RootKind::run, root.id);
  while (rows.next()) {
    Checkpoint one{rows.natural(0), std::string(rows.blob(2))};
    // One that was written after the root was read belongs to a later state.
    if (one.sequence > out.summary.last_sequence) continue;
    if (record::checkpoint_checksum(salt, one) == rows.natural(1)) {
      out.checkpoint = std::move(one);
      return {};
    }
    ++out.checkpoints_damaged;
  }
  return {};
}

/// Which of the roots have a checkpoint: most have none, and are not asked for one.
Outcome<std::map<uint64_t, bool>> with_checkpoint(Connection& connection,
                                                  const std::vector<FoundRoot>& roots) {
  Column numbers(Type::number);
  for (const FoundRoot& root : roots) numbers.add(root.number);
  Arguments asked;
  asked.array(numbers);
  FERMATA_TRY(rows, connection.ask("looking for checkpoints",
                                   "select w.root from unnest($1::bigint[]) w(root) where exists "
                                   "(select from checkpoints c where c.root = w.root)",
                                   asked));
  std::map<uint64_t, bool> out;
  while (rows.next()) out[rows.natural(0)] = true;
  return out;
}

std::optional<int64_t> tag_for(const RunFilter& filter) {
  if (filter.account.empty()) return std::nullopt;
  const AccountId& account = filter.account;
  if (!filter.contact_id.empty()) return tag_of(account, TagKind::contact, filter.contact_id);
  if (!filter.parent.empty()) return tag_of(account, TagKind::parent, filter.parent.text());
  if (filter.label_key.empty()) return std::nullopt;
  if (filter.label_value.empty()) return tag_of(account, TagKind::label_key, filter.label_key);
  return tag_of(account, TagKind::label, filter.label_key, filter.label_value);
}

RootScan scan_of(const RunFilter& filter, RunOrder order) {
  RootScan scan;
  scan.upwards = order == RunOrder::oldest_first;
  int next = 3;
  auto condition = [&](const char* lead) {
    scan.conditions += std::string(" and ") + lead + "$" + std::to_string(next++);
  };
  std::optional<int64_t> tag = tag_for(filter);
  if (tag) {
    scan.from = "tags t join roots r on r.number = t.root";
    condition(scan.upwards ? "t.root > $1 and t.tag = " : "t.root < $1 and t.tag = ");
  }
  if (!filter.account.empty()) condition("r.account = ");
  if (!filter.workflow.empty()) condition("r.workflow = ");
  if (filter.from) condition("r.started_at >= ");
  if (filter.to) condition("r.started_at < ");
  if (!filter.statuses.empty())
    scan.conditions += " and r.status = any($" + std::to_string(next++) + ")";
  scan.arguments = [&filter, tag](Arguments& arguments) {
    if (tag) arguments.number(*tag);
    if (!filter.account.empty()) arguments.text(filter.account.text());
    if (!filter.workflow.empty()) arguments.text(filter.workflow.text());
    if (filter.from) arguments.number(filter.from->ms);
    if (filter.to) arguments.number(filter.to->ms);
    if (filter.statuses.empty()) return;
    Column statuses(Type::integer);
    for (RunStatus status : filter.statuses) statuses.add(static_cast<int>(status));
    arguments.array(statuses);
  };
  return scan;
}

}  // namespace

Outcome<std::vector<StoredRun>> load_runs(Connection& connection, std::span<const RunId> ids,
                                          uint64_t checkpoint_before) {
  std::vector<StoredRun> out(ids.size());
  Column wanted_ids(Type::text);
  std::map<std::string_view, size_t> places;
  for (size_t i = 0; i < ids.size(); ++i) {
    if (places.emplace(ids[i].text(), i).second) wanted_ids.add(ids[i].text());
  }
  FERMATA_TRY(roots, find_roots(connection, RootKind::run, wanted_ids));
  if (roots.empty()) return out;
  FERMATA_TRY(kept, with_checkpoint(connection, roots));
  std::vector<WantedHistory> wanted;
  for (const FoundRoot& root : roots) {
    StoredRun& run = out[places.at(root.id)];
    FERMATA_TRY(record, run_record_of(root));
    run.version = record.version;
    run.summary = std::move(record.summary);
    if (kept.contains(root.number))
      FERMATA_TRY_VOID(choose_checkpoint(connection, root, checkpoint_before, run));
    uint64_t covered = run.checkpoint ? run.checkpoint->sequence : 0;
    wanted.push_back({&root, covered + 1, run.summary.last_sequence, true, &run.history});
  }
  FERMATA_TRY_VOID(read_histories(connection, RootKind::run, wanted));
  for (size_t i = 0; i < ids.size(); ++i)
    if (size_t first = places.at(ids[i].text()); first != i) out[i] = out[first];
  return out;
}

Outcome<StoredRun> find_run(Connection& connection, const RunId& id, uint64_t first_sequence,
                            size_t events_max) {
  Column ids(Type::text);
  ids.add(id.text());
  FERMATA_TRY(roots, find_roots(connection, RootKind::run, ids));
  if (roots.empty()) return StoredRun{};
  FERMATA_TRY(record, run_record_of(roots.front()));
  StoredRun run{record.version, std::move(record.summary), {}};
  uint64_t last = run.summary.last_sequence;
  if (first_sequence > last) return run;
  std::vector<HistoryChunk> chunks;
  // Every chunk holds at least one event, so no more of them are wanted than events; the one that
  // holds the last of these may reach further.
  uint64_t until = events_max >= last - first_sequence ? last : first_sequence + events_max;
  WantedHistory wanted{&roots.front(), first_sequence, until, true, &chunks};
  FERMATA_TRY_VOID(read_histories(connection, RootKind::run, std::span(&wanted, 1)));
  size_t events = 0;
  for (HistoryChunk& chunk : chunks) {
    if (!run.history.empty() && chunk.count > events_max - std::min(events, events_max)) break;
    events += chunk.count;
    run.history.push_back(std::move(chunk));
  }
  return run;
}

Outcome<std::optional<RunSummary>> run_summary(Connection& connection, const RunId& id) {
  Column ids(Type::text);
  ids.add(id.text());
  FERMATA_TRY(roots, find_roots(connection, RootKind::run, ids));
  if (roots.empty()) return std::optional<RunSummary>{};
  FERMATA_TRY(record, run_record_of(roots.front()));
  return std::optional(std::move(record.summary));
}

Outcome<RunPage> list_runs(Connection& connection, const RunFilter& filter, size_t limit,
                           uint64_t place, RunOrder order) {
  RunPage page;
  uint64_t last = 0;
  auto visit = [&](const FoundRoot& root) -> Outcome<bool> {
    auto record = run_record_of(root);
    if (!record) {
      // One run that cannot be read must not hide the others, nor be missing without a word.
      page.damages.push_back(std::move(record).error());
      return true;
    }
    if (!matches(filter, record->summary)) return true;
    if (page.items.size() == limit) {
      page.next_cursor = run_cursor(last, order);
      return false;
    }
    page.items.push_back(std::move(record->summary));
    last = root.number;
    return true;
  };
  FERMATA_TRY_VOID(scan_roots(connection, scan_of(filter, order), limit, place, visit));
  return page;
}

Outcome<PendingRuns> pending_runs(Connection& connection, uint64_t after, size_t limit) {
  FERMATA_TRY(roots, open_roots(connection, RootKind::run, after, limit));
  PendingRuns out;
  out.page.cursor = roots.empty() ? after : roots.back().number;
  out.page.more = roots.size() >= limit;
  for (const FoundRoot& root : roots) {
    auto record = run_record_of(root);
    if (!record) {
      out.damages.push_back(std::move(record).error());
      continue;
    }
    const RunSummary& run = record->summary;
    if (is_terminal(run.status) || (!run.next_due && run.calls_pending == 0)) continue;
    out.page.runs.push_back({run.id, run.next_due, run.calls_pending, run.account});
  }
  return out;
}

}  // namespace fermata::postgres
