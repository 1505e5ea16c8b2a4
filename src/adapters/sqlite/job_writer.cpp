#include "adapters/sqlite/job_writer.h"

#include "adapters/sqlite/records.h"
#include "base/check.h"

namespace fermata::sqlite {

Outcome<void> JobWriter::start() {
  FERMATA_TRY(last_job, database_.number("SELECT max(number) FROM job"));
  FERMATA_TRY(last_history, database_.number("SELECT max(number) FROM job_history"));
  next_job_ = static_cast<uint64_t>(last_job) + 1;
  next_history_ = static_cast<uint64_t>(last_history) + 1;
  FERMATA_TRY_VOID(decisions_.start());
  return letters_.start();
}

std::optional<CommitOutcome> JobWriter::test(const JobWrite& write) {
  Rows rows = find_.query(write.summary.id.text());
  if (!rows.next()) {
    if (rows.failed()) return std::nullopt;
    return write.expected_version == 0 ? CommitOutcome::done : CommitOutcome::conflict;
  }
  auto lead = decode_job_lead(rows.blob(1), rows.natural(0));
  if (!lead) return CommitOutcome::unavailable;
  return lead->version == write.expected_version ? CommitOutcome::done : CommitOutcome::conflict;
}

std::optional<CommitOutcome> JobWriter::write(const JobWrite& write) {
  return write.expected_version == 0 ? create(write) : change(write);
}

std::optional<CommitOutcome> JobWriter::create(const JobWrite& write) {
  check(write.events.count == 0 || write.events.first_sequence == 1);
  check(write.summary.last_sequence == write.events.count);
  const job::Summary& job = write.summary;
  uint64_t number = next_job_++;
  uint64_t head = write.events.count > 0 ? next_history_++ : 0;
  std::string record = encode_job(1, head, job, number);
  if (!insert_.execute(number, job.id.text(), job.account.text(), static_cast<int64_t>(job.state),
                       job.run.text(), Blob{record})) {
    return std::nullopt;
  }
  if (sqlite3_changes64(database_.handle()) == 0) return CommitOutcome::conflict;
  if (head != 0 && !append(head, number, 0, write.events)) return std::nullopt;
  if (!keep(number, write)) return std::nullopt;
  return CommitOutcome::done;
}

std::optional<CommitOutcome> JobWriter::change(const JobWrite& write) {
  const job::Summary& job = write.summary;
  uint64_t number = 0;
  std::optional<JobLead> stored;
  {
    Rows rows = find_.query(job.id.text());
    if (!rows.next()) {
      if (rows.failed()) return std::nullopt;
      return CommitOutcome::conflict;
    }
    number = rows.natural(0);
    stored = decode_job_lead(rows.blob(1), number);
  }
  if (!stored) return CommitOutcome::unavailable;
  if (stored->version != write.expected_version) return CommitOutcome::conflict;
  check(write.events.count == 0 || write.events.first_sequence == stored->last_sequence + 1);
  check(job.last_sequence == stored->last_sequence + write.events.count);
  uint64_t head = write.events.count > 0 ? next_history_++ : stored->head;
  std::string record = encode_job(stored->version + 1, head, job, number);
  bool written = job.state == stored->state
                     ? update_.execute(Blob{record}, number)
                     : update_state_.execute(Blob{record}, static_cast<int64_t>(job.state), number);
  if (!written) return std::nullopt;
  if (head != stored->head && !append(head, number, stored->head, write.events))
    return std::nullopt;
  if (!keep(number, write)) return std::nullopt;
  return CommitOutcome::done;
}

bool JobWriter::keep(uint64_t job, const JobWrite& write) {
  for (const job::KeepBlob& blob : write.blobs)
    if (!files_.keep(job, write.summary.account, blob, write.summary.updated_at)) return false;
  for (const DeadLetterEntry& entry : write.dead_letters)
    if (!letters_.open(entry)) return false;
  for (const job::PolicyDecision& decision : write.decisions)
    if (!decisions_.add(decision)) return false;
  if (write.drop_held && !held_.drop(job)) return false;
  if (write.held && !held_.put(job, *write.held)) return false;
  for (const std::string& sha256 : write.dropped_blobs)
    if (!files_.drop(job, write.summary.account, sha256)) return false;
  if (write.settled_letter && !settle_letter(write)) return false;
  return !write.spent || usage_.add(write.summary.account, *write.spent);
}

bool JobWriter::settle_letter(const JobWrite& write) {
  auto found = letter_queries_.open_of_job(write.summary.id);
  if (!found) return false;
  if (!*found) return true;
  settle_entry((*found)->entry, *write.settled_letter);
  return letters_.change((*found)->number, (*found)->entry);
}

bool JobWriter::append(uint64_t number, uint64_t job, uint64_t prev, const HistoryChunk& chunk) {
  return history_.execute(number, job, prev, chunk.first_sequence, chunk.count,
                          history_checksum(job, prev, chunk), Blob{chunk.bytes});
}

bool JobWriter::write_letters(const std::vector<DeadLetterEntry>& entries) {
  for (const DeadLetterEntry& entry : entries) {
    DeadLetterQueries queries(database_);
    auto known = queries.find(entry.letter.id);
    if (!known) return false;
    bool written = *known ? letters_.change((*known)->number, entry) : letters_.open(entry);
    if (!written) return false;
  }
  return true;
}

}  // namespace fermata::sqlite
