#include "adapters/sqlite/run_writer.h"

#include "adapters/sqlite/record.h"

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

std::optional<CommitOutcome> RunWriter::write(const RunWrite& write) {
  return write.expected_version == 0 ? create(write) : change(write);
}

std::optional<CommitOutcome> RunWriter::create(const RunWrite& write) {
  const RunSummary& run = write.summary;
  check(write.events.count == 0 || write.events.first_sequence == 1);
  check(run.last_sequence == write.events.count);
  uint64_t number = next_run_;
  uint64_t head = write.events.count > 0 ? next_history_ : 0;
  std::string record = encode_run(1, head, run, number);
  if (!insert_.execute(number, run.id.text(), run.account.text(), run.workflow.text(),
                       static_cast<int64_t>(run.status), Blob{record})) {
    return std::nullopt;
  }
  if (sqlite3_changes64(database_.handle()) == 0) return CommitOutcome::conflict;
  ++next_run_;
  if (head != 0 && !append(number, 0, write.events)) return std::nullopt;
  if (!keep_checkpoint(number, write)) return std::nullopt;
  ++changes_[{run.account, run.status}];
  return CommitOutcome::done;
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

  uint64_t head = write.events.count > 0 ? next_history_ : lead->head;
  std::string record = encode_run(lead->version + 1, head, run, number);
  // An UPDATE that names the status rewrites its index entry even when the value stays.
  bool written =
      run.status == lead->status
          ? update_.execute(Blob{record}, number)
          : update_status_.execute(Blob{record}, static_cast<int64_t>(run.status), number);
  if (!written) return std::nullopt;
  if (write.events.count > 0 && !append(number, lead->head, write.events)) return std::nullopt;
  if (!keep_checkpoint(number, write)) return std::nullopt;
  if (run.status != lead->status) {
    --changes_[{run.account, lead->status}];
    ++changes_[{run.account, run.status}];
  }
  return CommitOutcome::done;
}

bool RunWriter::append(uint64_t run, uint64_t prev, const HistoryChunk& chunk) {
  uint32_t sum = history_checksum(run, prev, chunk);
  return history_.execute(next_history_++, run, prev, chunk.first_sequence, chunk.count, sum,
                          Blob{chunk.bytes});
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
