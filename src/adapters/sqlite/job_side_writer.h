#pragma once
#include "adapters/sqlite/garbage.h"
#include "adapters/sqlite/writer.h"
#include "ports/dead_letters.h"
#include "ports/job_files.h"
#include "ports/retention.h"

namespace fermata::sqlite {

/// What is written of jobs beside the engine's commits: blobs, logs, what became of dead letters,
/// and the removal of all that was kept long enough. Each call is one transaction of the writer.
class JobSideWriter {
 public:
  explicit JobSideWriter(Writer& writer) : writer_(writer) {}

  Outcome<BlobRef> put_blob(const AccountId& account, std::string_view bytes, Instant now);
  Outcome<size_t> append_log(const LogChunk& chunk, uint64_t bytes_max);
  Outcome<DeadLetterEntry> resolve(const DeadLetters::Resolve& resolve, const AuditLine& audit);
  Outcome<void> keep_poison(const DeadLetterEntry& entry, const AuditLine& audit);

  Outcome<Retention::RunSweep> remove_jobs(uint64_t after, Instant before, size_t limit);
  /// Of the history of removed jobs.
  Outcome<Retention::Sweep> remove_remains(size_t limit);
  Outcome<Retention::Sweep> remove_dead_letters(Instant before, size_t limit);
  Outcome<Retention::Sweep> trim_dead_letters(uint64_t most, size_t limit);
  Outcome<Retention::Sweep> remove_blobs(Instant before, size_t limit);

 private:
  Outcome<Retention::RunSweep> sweep_jobs(uint64_t after, Instant before, size_t limit);
  Outcome<Retention::Sweep> sweep_dead_letters(Instant before, size_t limit);
  Outcome<Retention::Sweep> sweep_letters_beyond(uint64_t most, size_t limit);
  Outcome<bool> is_wanted(const JobId& job);
  bool forget(const FoundJob& job);

  Writer& writer_;
  Database& database_ = writer_.database();
  JobFileRows files_{database_};
  DeadLetterRows letters_{database_};
  DeadLetterQueries letter_queries_{database_};
  Statement next_jobs_{database_,
                       "SELECT number FROM job WHERE number > ? ORDER BY number LIMIT ?"};
  Statement wanted_{database_, "SELECT 1 FROM dead_letter WHERE job = ? AND open = 1 LIMIT 1"};
  Statement drop_job_{database_, "DELETE FROM job WHERE number = ?"};
  Garbage garbage_{database_, job_garbage};
  Statement first_letters_{database_, "SELECT number FROM dead_letter ORDER BY number LIMIT ?"};
  Statement full_accounts_{database_,
                           "SELECT account, count(*) FROM dead_letter GROUP BY account "
                           "HAVING count(*) > ?"};
  Statement first_resolved_{database_,
                            "SELECT number FROM dead_letter WHERE account = ? AND open = 0 "
                            "ORDER BY number LIMIT ?"};
  Statement drop_letter_{database_, "DELETE FROM dead_letter WHERE number = ?"};
};

}  // namespace fermata::sqlite
