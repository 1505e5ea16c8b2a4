#include "adapters/sqlite/schedule_writer.h"

#include "adapters/sqlite/records.h"
#include "base/check.h"

namespace fermata::sqlite {

Outcome<void> ScheduleWriter::start() {
  FERMATA_TRY(last, database_.number("SELECT max(number) FROM schedule"));
  next_ = static_cast<uint64_t>(last) + 1;
  return {};
}

/// Nothing when the database failed.
std::optional<ScheduleWriter::Row> ScheduleWriter::find(const ScheduleWrite& write) {
  Rows rows = find_.query(write.summary.account.text(), write.summary.id.text());
  if (!rows.next()) {
    if (rows.failed()) return std::nullopt;
    return Row{};
  }
  uint64_t number = rows.natural(0);
  return Row{number, decode_schedule(rows.blob(1), number)};
}

std::optional<CommitOutcome> ScheduleWriter::test(const ScheduleWrite& write) {
  std::optional<Row> row = find(write);
  if (!row) return std::nullopt;
  if (row->number == 0)
    return write.expected_version == 0 ? CommitOutcome::done : CommitOutcome::conflict;
  if (!row->record) return CommitOutcome::unavailable;
  return row->record->version == write.expected_version ? CommitOutcome::done
                                                        : CommitOutcome::conflict;
}

std::optional<CommitOutcome> ScheduleWriter::create(const ScheduleWrite& write) {
  const schedule::ScheduleSummary& schedule = write.summary;
  check(write.events.first_sequence == 1);
  check(schedule.last_sequence == write.events.count);
  uint64_t number = next_++;
  std::string record = encode_schedule({1, 1, write.checkpoint, schedule}, number);
  if (!insert_.execute(number, schedule.account.text(), schedule.id.text(),
                       static_cast<int64_t>(schedule.status), Blob{record}))
    return std::nullopt;
  if (sqlite3_changes64(database_.handle()) == 0) return CommitOutcome::conflict;
  if (!append(number, write.events)) return std::nullopt;
  return CommitOutcome::done;
}

std::optional<CommitOutcome> ScheduleWriter::write(const ScheduleWrite& write) {
  if (write.expected_version == 0) return create(write);
  std::optional<Row> row = find(write);
  if (!row) return std::nullopt;
  if (row->number == 0) return CommitOutcome::conflict;
  if (!row->record) return CommitOutcome::unavailable;
  ScheduleRecord record = *std::move(row->record);
  if (record.version != write.expected_version) return CommitOutcome::conflict;
  check(write.events.first_sequence == record.summary.last_sequence + 1);
  check(write.summary.last_sequence == record.summary.last_sequence + write.events.count);
  ++record.version;
  record.summary = write.summary;
  bool lets_go = write.checkpoint && write.history_from > record.history_from;
  if (write.checkpoint) record.checkpoint = write.checkpoint;
  if (lets_go) record.history_from = write.history_from;
  std::string bytes = encode_schedule(record, row->number);
  if (!update_.execute(Blob{bytes}, static_cast<int64_t>(record.summary.status), row->number))
    return std::nullopt;
  if (!append(row->number, write.events)) return std::nullopt;
  if (lets_go && !let_go_.execute(row->number, write.history_from, write.history_from))
    return std::nullopt;
  return CommitOutcome::done;
}

bool ScheduleWriter::append(uint64_t schedule, const HistoryChunk& chunk) {
  return history_.execute(schedule, chunk.first_sequence, chunk.count,
                          history_checksum(schedule, 0, chunk), Blob{chunk.bytes});
}

}  // namespace fermata::sqlite
