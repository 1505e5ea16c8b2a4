#include "adapters/sqlite/run_writer.h"

#include "adapters/sqlite/records.h"

namespace fermata::sqlite {

Outcome<void> RunWriter::start() {
  FERMATA_TRY(last_run, database_.number("SELECT max(number) FROM run"));
  FERMATA_TRY(last_history, database_.number("SELECT max(number) FROM history"));
  next_run_ = static_cast<uint64_t>(last_run) + 1;
  next_history_ = static_cast<uint64_t>(last_history) + 1;
  return {};
}

std::optional<CommitOutcome> RunWriter::test(const RunWrite& write) {
  Rows rows = find_.query(write.summary.id.text());
  if (!rows.next()) {
    if (rows.failed()) return std::nullopt;
    return write.expected_version == 0 ? CommitOutcome::done : CommitOutcome::conflict;
  }
  auto lead = decode_run_lead(rows.blob(1), rows.natural(0));
  if (!lead) return CommitOutcome::unavailable;
  return lead->version == write.expected_version ? CommitOutcome::done : CommitOutcome::conflict;
}

bool RunWriter::write(const std::vector<Task>& tasks) {
  std::vector<RunRow> rows;
  for (const Task& task : tasks) {
    if (task.write->expected_version == 0) {
      rows.push_back(new_row(task));
      continue;
    }
    std::optional<CommitOutcome> outcome = change(*task.write);
    if (!outcome) return false;
    *task.outcome = *outcome;
  }
  return create(rows) && append_history();
}

RunWriter::RunRow RunWriter::new_row(const Task& task) {
  const RunWrite& write = *task.write;
  check(write.events.count == 0 || write.events.first_sequence == 1);
  check(write.summary.last_sequence == write.events.count);
  RunRow row{task, next_run_++, write.events.count > 0 ? next_history_++ : 0, {}};
  row.record = encode_run(1, row.head, write.summary, row.number);
  return row;
}

bool RunWriter::create(const std::vector<RunRow>& rows) {
  for (size_t at = 0; at < rows.size();) {
    bool many = rows.size() - at >= rows_at_once;
    size_t count = many ? rows_at_once : 1;
    Statement& insert = many ? insert_many_ : insert_;
    for (size_t i = 0; i < count; ++i) {
      const RunRow& row = rows[at + i];
      const RunSummary& run = row.task.write->summary;
      insert.bind_row(i, row.number, run.id.text(), run.account.text(), run.workflow.text(),
                      static_cast<int64_t>(run.status), Blob{row.record});
    }
    if (!insert.execute_bound()) return false;
    bool all = sqlite3_changes64(database_.handle()) == static_cast<int64_t>(count);
    for (size_t end = at + count; at < end; ++at) {
      const RunRow& row = rows[at];
      std::optional<bool> there = all ? true : has_number(row.task.write->summary.id, row.number);
      if (!there) return false;
      *row.task.outcome = *there ? CommitOutcome::done : CommitOutcome::conflict;
      if (*there && !created(row)) return false;
    }
  }
  return true;
}

std::optional<bool> RunWriter::has_number(const RunId& id, uint64_t number) {
  Rows rows = find_.query(id.text());
  bool there = rows.next() && rows.natural(0) == number;
  if (rows.failed()) return std::nullopt;
  return there;
}

bool RunWriter::created(const RunRow& row) {
  const RunWrite& write = *row.task.write;
  if (row.head != 0) history_rows_.push_back({row.head, row.number, 0, &write.events});
  ++changes_[{write.summary.account, write.summary.status}];
  return tags_.write(write.summary, row.number) && keep_checkpoint(row.number, write);
}

std::optional<CommitOutcome> RunWriter::change(const RunWrite& write) {
  const RunSummary& run = write.summary;
  uint64_t number = 0;
  std::optional<RunLead> lead;
  {
    Rows rows = find_.query(run.id.text());
    if (!rows.next()) {
      if (rows.failed()) return std::nullopt;
      return CommitOutcome::conflict;
    }
    number = rows.natural(0);
    lead = decode_run_lead(rows.blob(1), number);
  }
  if (!lead) return CommitOutcome::unavailable;
  if (lead->version != write.expected_version) return CommitOutcome::conflict;
  check(write.events.count == 0 || write.events.first_sequence == lead->last_sequence + 1);
  check(run.last_sequence == lead->last_sequence + write.events.count);

  uint64_t head = write.events.count > 0 ? next_history_++ : lead->head;
  std::string record = encode_run(lead->version + 1, head, run, number);
  // An UPDATE that names the status rewrites its index entry even when the value stays.
  bool written =
      run.status == lead->status
          ? update_.execute(Blob{record}, number)
          : update_status_.execute(Blob{record}, static_cast<int64_t>(run.status), number);
  if (!written) return std::nullopt;
  if (write.events.count > 0) history_rows_.push_back({head, number, lead->head, &write.events});
  if (!keep_checkpoint(number, write)) return std::nullopt;
  if (run.status != lead->status) {
    --changes_[{run.account, lead->status}];
    ++changes_[{run.account, run.status}];
  }
  return CommitOutcome::done;
}

bool RunWriter::append_history() {
  for (size_t at = 0; at < history_rows_.size();) {
    bool many = history_rows_.size() - at >= rows_at_once;
    Statement& insert = many ? history_many_ : history_;
    size_t count = many ? rows_at_once : 1;
    for (size_t i = 0; i < count; ++i, ++at) {
      const HistoryRow& row = history_rows_[at];
      insert.bind_row(i, row.number, row.run, row.prev, row.chunk->first_sequence, row.chunk->count,
                      history_checksum(row.run, row.prev, *row.chunk), Blob{row.chunk->bytes});
    }
    if (!insert.execute_bound()) return false;
  }
  history_rows_.clear();
  return true;
}

void RunWriter::drop() {
  history_rows_.clear();
  changes_.clear();
}

bool RunWriter::keep_checkpoint(uint64_t run, const RunWrite& write) {
  if (!write.checkpoint) return true;
  const Checkpoint& kept = *write.checkpoint;
  check(kept.sequence == write.summary.last_sequence && !kept.bytes.empty());
  uint32_t sum = checkpoint_checksum(run, kept);
  return checkpoint_.execute(run, kept.sequence, sum, Blob{kept.bytes}) &&
         forget_checkpoints_.execute(run, write.checkpoints_kept);
}

bool RunWriter::write_tally() {
  for (const auto& [key, change] : changes_) {
    const auto& [account, status] = key;
    if (change == 0) continue;
    if (!tally_.execute(account.text(), static_cast<int64_t>(status), change)) return false;
  }
  changes_.clear();
  return true;
}

}  // namespace fermata::sqlite
