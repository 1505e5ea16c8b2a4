#include "adapters/sqlite/run_queries.h"

#include <algorithm>

namespace fermata::sqlite {

Outcome<std::optional<FoundRun>> RunQueries::by_id(const RunId& id) {
  return take_run(by_id_.query(id.text()));
}

Outcome<std::optional<FoundRun>> RunQueries::by_number(uint64_t number) {
  return take_run(by_number_.query(number));
}

Outcome<std::optional<FoundRun>> RunQueries::take_run(Rows rows) {
  if (!rows.next()) {
    if (rows.failed()) return database_.failure("reading a run");
    return std::optional<FoundRun>{};
  }
  uint64_t number = rows.natural(0);
  std::optional<RunRecord> record = decode_run(rows.blob(3), number);
  if (!record) return damaged("run", number, "its checksum does not match");
  if (record->summary.id.text() != rows.text(1) ||
      static_cast<int64_t>(record->summary.status) != rows.integer(2)) {
    return damaged("run", number, "its columns do not match its record");
  }
  return std::optional(FoundRun{number, *std::move(record)});
}

/// Walks the chain backwards from the newest chunk; gives the oldest first.
Outcome<std::vector<RunQueries::Link>> RunQueries::links(const FoundRun& run,
                                                         uint64_t first_sequence, bool with_bytes) {
  std::vector<Link> out;
  uint64_t next_first = run.record.summary.last_sequence + 1;
  uint64_t number = run.record.head;
  while (number != 0 && next_first > first_sequence) {
    Rows rows = (with_bytes ? full_link_ : link_).query(number);
    if (!rows.next()) {
      if (rows.failed()) return database_.failure("reading history");
      return damaged("history", number, "it is missing");
    }
    uint32_t count = static_cast<uint32_t>(rows.integer(3));
    Link link{number, rows.natural(1), {rows.natural(2), count, {}}};
    // The chain of a run grows at the end of the table, so it can only lead to smaller numbers.
    if (rows.natural(0) != run.number || count == 0 || link.prev >= number ||
        link.chunk.first_sequence + count != next_first) {
      return damaged("history", number, "it does not continue the run's history");
    }
    if (with_bytes) FERMATA_TRY_VOID(fill(run, link, rows.natural(4), rows.blob(5)));
    next_first = link.chunk.first_sequence;
    number = link.prev;
    out.push_back(std::move(link));
  }
  if (number == 0 && next_first != 1) {
    return damaged("run", run.number, "its history does not begin at sequence 1");
  }
  std::reverse(out.begin(), out.end());
  return out;
}

Outcome<void> RunQueries::fill(const FoundRun& run, Link& link, uint64_t checksum,
                               std::string_view bytes) {
  link.chunk.bytes = bytes;
  if (history_checksum(run.number, link.prev, link.chunk) == checksum) return {};
  return damaged("history", link.number, "its checksum does not match");
}

Outcome<void> RunQueries::read_bytes(const FoundRun& run, Link& link) {
  Rows rows = bytes_.query(link.number);
  if (rows.next()) return fill(run, link, rows.natural(0), rows.blob(1));
  if (rows.failed()) return database_.failure("reading history");
  return damaged("history", link.number, "it is missing");
}

Outcome<std::vector<HistoryChunk>> RunQueries::history(const FoundRun& run, uint64_t first_sequence,
                                                       size_t events_max) {
  // Of a long history that is read in pages most chunks are only passed over.
  bool whole = events_max == SIZE_MAX;
  FERMATA_TRY(chain, links(run, first_sequence, whole));
  std::vector<HistoryChunk> out;
  out.reserve(whole ? chain.size() : 0);
  size_t events = 0;
  for (Link& link : chain) {
    uint32_t count = link.chunk.count;
    if (!out.empty() && count > events_max - std::min(events, events_max)) break;
    events += count;
    if (!whole) FERMATA_TRY_VOID(read_bytes(run, link));
    out.push_back(std::move(link.chunk));
  }
  return out;
}

Outcome<StoredRun> RunQueries::find(const RunId& id, uint64_t first_sequence, size_t events_max) {
  FERMATA_TRY(found, by_id(id));
  if (!found) return StoredRun{};
  FERMATA_TRY(chunks, history(*found, first_sequence, events_max));
  return StoredRun{found->record.version, std::move(found->record.summary), std::move(chunks)};
}

Outcome<std::vector<StoredRun>> RunQueries::load(std::span<const RunId> ids,
                                                 uint64_t checkpoint_before) {
  std::vector<StoredRun> out;
  out.reserve(ids.size());
  for (const RunId& id : ids) {
    StoredRun& run = out.emplace_back();
    FERMATA_TRY(found, by_id(id));
    if (!found) continue;
    FERMATA_TRY_VOID(choose_checkpoint(*found, checkpoint_before, run));
    uint64_t covered = run.checkpoint ? run.checkpoint->sequence : 0;
    FERMATA_TRY(chunks, history(*found, covered + 1, SIZE_MAX));
    run.version = found->record.version;
    run.summary = std::move(found->record.summary);
    run.history = std::move(chunks);
  }
  return out;
}

/// The newest one that can be read; the history is there for what they leave out.
Outcome<void> RunQueries::choose_checkpoint(const FoundRun& run, uint64_t before, StoredRun& out) {
  for (;;) {
    FERMATA_TRY(newest, checkpoints(run, before, 1));
    if (newest.empty()) return {};
    before = newest.front().sequence;
    bool of_the_past = before <= run.record.summary.last_sequence;
    if (of_the_past && !newest.front().bytes.empty()) {
      out.checkpoint = std::move(newest.front());
      return {};
    }
    ++out.checkpoints_damaged;
  }
}

Outcome<std::vector<Checkpoint>> RunQueries::checkpoints(const FoundRun& run, uint64_t before,
                                                         size_t most) {
  // Sequences are stored as signed numbers.
  uint64_t below = std::min<uint64_t>(before, INT64_MAX);
  Rows rows = checkpoint_.query(run.number, below, most);
  std::vector<Checkpoint> out;
  while (rows.next()) {
    Checkpoint& one = out.emplace_back(Checkpoint{rows.natural(0), std::string(rows.blob(2))});
    if (checkpoint_checksum(run.number, one) != rows.natural(1)) one.bytes.clear();
  }
  if (rows.failed()) return database_.failure("reading a checkpoint");
  return out;
}

Outcome<std::vector<std::pair<RunStatus, uint64_t>>> RunQueries::counts(const AccountId& account) {
  Rows rows = account.empty() ? count_all_.query() : count_one_.query(account.text());
  std::vector<std::pair<RunStatus, uint64_t>> out;
  while (rows.next()) {
    if (rows.natural(0) > static_cast<uint64_t>(RunStatus::timed_out)) {
      return fail(ErrorCode::data_damaged, "the tally of runs has an unknown status");
    }
    out.emplace_back(static_cast<RunStatus>(rows.integer(0)), rows.natural(1));
  }
  if (rows.failed()) return database_.failure("counting runs");
  return out;
}

/// Each status is a range of the index in the order of numbers; the smallest of all come first.
Outcome<RunQueries::Numbers> RunQueries::open_runs(uint64_t after, size_t limit) {
  Numbers numbers;
  for (RunStatus status : {RunStatus::running, RunStatus::waiting, RunStatus::paused}) {
    if (!collect(open_after_.query(static_cast<int64_t>(status), after, limit), numbers)) {
      return database_.failure("listing open runs");
    }
  }
  std::sort(numbers.begin(), numbers.end());
  if (numbers.size() > limit) numbers.resize(limit);
  return numbers;
}

Outcome<RunQueries::Pending> RunQueries::pending(uint64_t after, size_t limit) {
  Pending out;
  Store::PendingPage& page = out.page;
  page.cursor = after;
  FERMATA_TRY(numbers, open_runs(after, limit));
  page.more = numbers.size() >= limit;
  for (uint64_t number : numbers) {
    page.cursor = number;
    auto found = by_number(number);
    if (!found) {
      if (found.error().code != ErrorCode::data_damaged) return Failure{std::move(found).error()};
      out.damages.push_back(std::move(found).error());
      continue;
    }
    if (!*found) continue;
    const RunSummary& run = (*found)->record.summary;
    if (is_terminal(run.status) || (!run.next_due && run.calls_pending == 0)) continue;
    page.runs.push_back({run.id, run.next_due, run.calls_pending, run.account});
  }
  return out;
}

bool RunQueries::collect(Rows rows, Numbers& out) {
  while (rows.next()) out.push_back(rows.natural(0));
  return !rows.failed();
}

}  // namespace fermata::sqlite
