#pragma once
#include "adapters/sqlite/database.h"
#include "adapters/sqlite/held_rows.h"
#include "core/job/effect.h"
#include "ports/job_files.h"

namespace fermata::sqlite {

/// What is asked of blobs and logs, over one connection.
class JobFileQueries {
 public:
  explicit JobFileQueries(Database& database) : database_(database) {}
  Outcome<std::optional<std::string>> blob(const AccountId& account, const std::string& sha256);
  Outcome<std::optional<uint64_t>> blob_bytes(const AccountId& account, const std::string& sha256);
  /// Of a job that exists: by its number.
  Outcome<LogPage> log(const JobId& job, uint64_t number, size_t limit, uint64_t after);

 private:
  Database& database_;
  Statement blob_{database_,
                  "SELECT b.number, c.bytes FROM blob b LEFT JOIN blob_bytes c USING (number) "
                  "WHERE b.account = ? AND b.sha256 = ?"};
  Statement size_{database_, "SELECT size FROM blob WHERE account = ? AND sha256 = ?"};
  Statement log_{database_,
                 "SELECT number, attempt, record FROM job_log WHERE job = ? AND number > ? "
                 "ORDER BY number LIMIT ?"};
};

/// Writes them within a transaction of the caller. False when the database failed.
class JobFileRows {
 public:
  explicit JobFileRows(Database& database) : database_(database) {}
  bool put_blob(const AccountId& account, const std::string& sha256, std::string_view bytes,
                Instant at);
  /// The job refers to the blob from now on.
  bool keep(uint64_t job, const AccountId& account, const job::KeepBlob& blob, Instant at);
  /// The job refers to it no longer; it goes, and leaves nothing behind, unless another one does.
  bool drop(uint64_t job, const AccountId& account, const std::string& sha256);
  /// Nothing of the job is left.
  bool release(uint64_t job);
  Outcome<size_t> append_log(const LogChunk& chunk, uint64_t job, uint64_t bytes_max);
  /// Answers how many went.
  Outcome<uint64_t> remove_unused(Instant before, size_t limit);

 private:
  Database& database_;
  HeldRows held_{database_};
  Statement insert_{database_,
                    "INSERT INTO blob (account, sha256, put_at, jobs, size) VALUES (?, ?, ?, 0, ?) "
                    "ON CONFLICT DO UPDATE SET put_at = max(put_at, excluded.put_at)"};
  Statement find_{database_, "SELECT number FROM blob WHERE account = ? AND sha256 = ?"};
  Statement insert_bytes_{database_, "INSERT INTO blob_bytes VALUES (?, ?) ON CONFLICT DO NOTHING"};
  Statement refer_{database_, "INSERT INTO job_blob VALUES (?, ?) ON CONFLICT DO NOTHING"};
  Statement count_{database_, "UPDATE blob SET jobs = jobs + ? WHERE number = ?"};
  Statement referred_{database_, "SELECT blob FROM job_blob WHERE job = ?"};
  Statement drop_reference_{database_, "DELETE FROM job_blob WHERE job = ? AND blob = ?"};
  Statement jobs_of_{database_, "SELECT jobs FROM blob WHERE number = ?"};
  Statement drop_references_{database_, "DELETE FROM job_blob WHERE job = ?"};
  Statement drop_log_{database_, "DELETE FROM job_log WHERE job = ?"};
  Statement log_size_{database_, "SELECT sum(size) FROM job_log WHERE job = ? AND attempt = ?"};
  Statement last_log_{database_, "SELECT max(number) FROM job_log"};
  Statement insert_log_{database_, "INSERT INTO job_log VALUES (?, ?, ?, ?, ?)"};
  Statement unused_{database_,
                    "SELECT number FROM blob WHERE jobs = 0 AND put_at < ? "
                    "ORDER BY put_at LIMIT ?"};
  Statement drop_{database_, "DELETE FROM blob WHERE number = ?"};
  Statement drop_bytes_{database_, "DELETE FROM blob_bytes WHERE number = ?"};
};

}  // namespace fermata::sqlite
