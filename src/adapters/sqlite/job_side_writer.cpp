#include "adapters/sqlite/job_side_writer.h"

#include <algorithm>

#include "adapters/sqlite/transacted.h"
#include "base/hash.h"

namespace fermata::sqlite {

Outcome<BlobRef> JobSideWriter::put_blob(const AccountId& account, std::string_view bytes,
                                         Instant now) {
  BlobRef ref{sha256_hex(bytes), bytes.size()};
  FERMATA_TRY_VOID(writer_.transact(nullptr, [&]() -> Outcome<void> {
    if (!files_.put_blob(account, ref.sha256, bytes, now))
      return database_.failure("writing a blob");
    return {};
  }));
  return ref;
}

Outcome<size_t> JobSideWriter::append_log(const LogChunk& chunk, uint64_t bytes_max) {
  return transacted<size_t>(writer_, nullptr, [&]() -> Outcome<size_t> {
    FERMATA_TRY(job, writer_.jobs().by_id(chunk.job));
    if (!job) return fail(ErrorCode::job_not_found, "There is no job `" + chunk.job.text() + "`.");
    return files_.append_log(chunk, job->number, bytes_max);
  });
}

Outcome<DeadLetterEntry> JobSideWriter::resolve(const DeadLetters::Resolve& resolve,
                                                const AuditLine& audit) {
  return transacted<DeadLetterEntry>(writer_, &audit, [&]() -> Outcome<DeadLetterEntry> {
    FERMATA_TRY(found, letter_queries_.find(resolve.id));
    if (!found) return fail(ErrorCode::value_not_found, "There is no entry `" + resolve.id + "`.");
    DeadLetterEntry& entry = found->entry;
    if (!entry.open())
      return fail(ErrorCode::wrong_state,
                  "The entry was " + std::string(name_of(entry.resolution)) + " already.");
    entry.resolution = resolve.resolution;
    entry.resolved_at = resolve.at;
    entry.resolved_by = resolve.by;
    entry.retried_as = resolve.retried_as;
    if (!letters_.change(found->number, entry)) return database_.failure("writing a dead letter");
    return entry;
  });
}

Outcome<void> JobSideWriter::keep_poison(const DeadLetterEntry& entry, const AuditLine& audit) {
  return writer_.transact(&audit, [&]() -> Outcome<void> {
    if (!letters_.open(entry)) return database_.failure("writing a dead letter");
    return {};
  });
}

Outcome<Retention::RunSweep> JobSideWriter::remove_jobs(uint64_t after, Instant before,
                                                        size_t limit) {
  return transacted<Retention::RunSweep>(writer_, nullptr,
                                         [&] { return sweep_jobs(after, before, limit); });
}

/// Whoever retries what failed needs all that was asked.
Outcome<bool> JobSideWriter::is_wanted(const JobId& job) {
  Rows rows = wanted_.query(job.text());
  bool wanted = rows.next();
  if (rows.failed()) return database_.failure("looking for dead letters");
  return wanted;
}

bool JobSideWriter::forget(const FoundJob& job) {
  if (!garbage_.note(job.record.head)) return false;
  return drop_job_.execute(job.number) && files_.release(job.number);
}

Outcome<Retention::RunSweep> JobSideWriter::sweep_jobs(uint64_t after, Instant before,
                                                       size_t limit) {
  Retention::RunSweep sweep;
  sweep.cursor = after;
  std::vector<uint64_t> numbers;
  {
    Rows rows = next_jobs_.query(after, limit);
    while (rows.next()) numbers.push_back(rows.natural(0));
    if (rows.failed()) return database_.failure("looking for old jobs");
  }
  sweep.more = numbers.size() == limit;
  for (uint64_t number : numbers) {
    auto found = writer_.jobs().by_number(number);
    // What is damaged stays for those who repair it, and holds up nothing.
    if (!found && found.error().code != ErrorCode::data_damaged)
      return Failure{std::move(found).error()};
    sweep.cursor = number;
    if (!found || !*found) continue;
    const job::Summary& job = (*found)->record.summary;
    if (job.submitted_at >= before) {
      sweep.more = false;
      break;
    }
    if (!is_terminal(job.state) || !job.ended_at || *job.ended_at >= before) continue;
    FERMATA_TRY(wanted, is_wanted(job.id));
    if (wanted) continue;
    if (!forget(**found)) return database_.failure("removing a job");
    ++sweep.removed;
  }
  return sweep;
}

Outcome<Retention::Sweep> JobSideWriter::remove_remains(size_t limit) {
  return transacted<Retention::Sweep>(writer_, nullptr, [&] { return garbage_.sweep(limit); });
}

Outcome<Retention::Sweep> JobSideWriter::remove_dead_letters(Instant before, size_t limit) {
  return transacted<Retention::Sweep>(writer_, nullptr,
                                      [&] { return sweep_dead_letters(before, limit); });
}

Outcome<Retention::Sweep> JobSideWriter::sweep_dead_letters(Instant before, size_t limit) {
  std::vector<uint64_t> numbers;
  {
    Rows rows = first_letters_.query(limit);
    while (rows.next()) numbers.push_back(rows.natural(0));
    if (rows.failed()) return database_.failure("looking for old dead letters");
  }
  Retention::Sweep sweep;
  for (uint64_t number : numbers) {
    FERMATA_TRY(found, letter_queries_.by_number(number));
    if (!found || found->entry.letter.created_at >= before) return sweep;
    if (!drop_letter_.execute(number)) return database_.failure("removing a dead letter");
    ++sweep.removed;
  }
  sweep.more = numbers.size() == limit;
  return sweep;
}

Outcome<Retention::Sweep> JobSideWriter::trim_dead_letters(uint64_t most, size_t limit) {
  return transacted<Retention::Sweep>(writer_, nullptr,
                                      [&] { return sweep_letters_beyond(most, limit); });
}

Outcome<Retention::Sweep> JobSideWriter::sweep_letters_beyond(uint64_t most, size_t limit) {
  std::vector<std::pair<std::string, uint64_t>> accounts;
  {
    Rows rows = full_accounts_.query(most);
    while (rows.next()) accounts.emplace_back(rows.text(0), rows.natural(1) - most);
    if (rows.failed()) return database_.failure("counting dead letters");
  }
  std::vector<uint64_t> numbers;
  Retention::Sweep sweep;
  for (const auto& [account, excess] : accounts) {
    size_t room = limit - numbers.size();
    Rows rows = first_resolved_.query(account, std::min<uint64_t>(excess, room));
    while (rows.next()) numbers.push_back(rows.natural(0));
    if (rows.failed()) return database_.failure("looking for resolved dead letters");
    // Another step finds what is left: at most one more than needed.
    if (numbers.size() == limit) sweep.more = true;
    if (sweep.more) break;
  }
  for (uint64_t number : numbers) {
    if (!drop_letter_.execute(number)) return database_.failure("removing a dead letter");
    ++sweep.removed;
  }
  return sweep;
}

Outcome<Retention::Sweep> JobSideWriter::remove_blobs(Instant before, size_t limit) {
  return transacted<Retention::Sweep>(writer_, nullptr, [&]() -> Outcome<Retention::Sweep> {
    FERMATA_TRY(removed, files_.remove_unused(before, limit));
    return Retention::Sweep{removed, removed == limit};
  });
}

}  // namespace fermata::sqlite
