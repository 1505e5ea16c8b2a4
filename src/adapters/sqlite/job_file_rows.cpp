#include "adapters/sqlite/job_file_rows.h"

#include "adapters/sqlite/records.h"
#include "base/hash.h"
#include "ports/cursor.h"
#include "ports/record/job_log_record.h"

namespace fermata::sqlite {
Outcome<std::optional<std::string>> JobFileQueries::blob(const AccountId& account,
                                                         const std::string& sha256) {
  Rows rows = blob_.query(account.text(), sha256);
  if (!rows.next()) {
    if (rows.failed()) return database_.failure("reading a blob");
    return std::optional<std::string>{};
  }
  std::string bytes(rows.blob(1));
  if (sha256_hex(bytes) != sha256)
    return damaged("blob", rows.natural(0), "its bytes do not have its hash");
  return std::optional(std::move(bytes));
}

Outcome<std::optional<uint64_t>> JobFileQueries::blob_bytes(const AccountId& account,
                                                            const std::string& sha256) {
  Rows rows = size_.query(account.text(), sha256);
  if (rows.next()) return std::optional(rows.natural(0));
  if (rows.failed()) return database_.failure("looking for a blob");
  return std::optional<uint64_t>{};
}

Outcome<LogPage> JobFileQueries::log(const JobId& job, uint64_t number, size_t limit,
                                     uint64_t after) {
  LogPage page;
  uint64_t last = after;
  Rows rows = log_.query(number, after, limit + 1);
  while (rows.next()) {
    if (page.items.size() == limit) {
      page.next_cursor = cursor_of(last);
      return page;
    }
    last = rows.natural(0);
    LogChunk& chunk = page.items.emplace_back();
    chunk.job = job;
    chunk.attempt = static_cast<uint32_t>(rows.natural(1));
    if (!decode_log(rows.blob(2), last, chunk))
      return damaged("job_log", last, "its checksum does not match");
  }
  if (rows.failed()) return database_.failure("reading the log of a job");
  return page;
}

bool JobFileRows::put_blob(const AccountId& account, const std::string& sha256,
                           std::string_view bytes, Instant at) {
  if (!insert_.execute(account.text(), sha256, at.ms, static_cast<uint64_t>(bytes.size())))
    return false;
  uint64_t number = 0;
  {
    Rows rows = find_.query(account.text(), sha256);
    if (!rows.next()) return false;
    number = rows.natural(0);
  }
  return insert_bytes_.execute(number, Blob{bytes});
}

bool JobFileRows::keep(uint64_t job, const AccountId& account, const job::KeepBlob& blob,
                       Instant at) {
  if (!blob.text.empty() && !put_blob(account, blob.sha256, blob.text, at)) return false;
  uint64_t number = 0;
  {
    Rows rows = find_.query(account.text(), blob.sha256);
    // Bytes that were never put cannot be kept; whoever asks for them is told so.
    if (!rows.next()) return !rows.failed();
    number = rows.natural(0);
  }
  if (!refer_.execute(job, number)) return false;
  if (sqlite3_changes64(database_.handle()) == 0) return true;
  return count_.execute(int64_t{1}, number);
}

bool JobFileRows::drop(uint64_t job, const AccountId& account, const std::string& sha256) {
  uint64_t number = 0;
  {
    Rows rows = find_.query(account.text(), sha256);
    if (!rows.next()) return !rows.failed();
    number = rows.natural(0);
  }
  if (!drop_reference_.execute(job, number)) return false;
  if (sqlite3_changes64(database_.handle()) > 0 && !count_.execute(int64_t{-1}, number))
    return false;
  {
    Rows rows = jobs_of_.query(number);
    if (!rows.next()) return false;
    if (rows.natural(0) > 0) return true;
  }
  Wiping wiping(database_);
  return wiping.on() && drop_bytes_.execute(number) && drop_.execute(number);
}

bool JobFileRows::release(uint64_t job) {
  std::vector<uint64_t> blobs;
  {
    Rows rows = referred_.query(job);
    while (rows.next()) blobs.push_back(rows.natural(0));
    if (rows.failed()) return false;
  }
  for (uint64_t blob : blobs)
    if (!count_.execute(int64_t{-1}, blob)) return false;
  if (!blobs.empty() && !drop_references_.execute(job)) return false;
  return drop_log_.execute(job) && held_.drop(job);
}

Outcome<size_t> JobFileRows::append_log(const LogChunk& chunk, uint64_t job, uint64_t bytes_max) {
  uint64_t size = 0;
  uint64_t number = 1;
  {
    Rows rows = log_size_.query(job, chunk.attempt);
    if (rows.next()) size = rows.natural(0);
    if (rows.failed()) return database_.failure("reading the log of a job");
  }
  {
    Rows rows = last_log_.query();
    if (rows.next()) number = rows.natural(0) + 1;
    if (rows.failed()) return database_.failure("reading the log of a job");
  }
  LogChunk kept{chunk.job, chunk.attempt, chunk.at, {}};
  uint64_t added = 0;
  for (const std::string& line : chunk.lines) {
    // A line that does not fit ends the log: one without its middle would mislead.
    if (size + added + line.size() + 1 > bytes_max) break;
    added += line.size() + 1;
    kept.lines.push_back(line);
  }
  size_t dropped = chunk.lines.size() - kept.lines.size();
  if (kept.lines.empty() && (dropped == 0 || size >= bytes_max)) return dropped;
  // Shorter lines that come later must not stand behind the gap: the log is full now.
  if (dropped > 0) added = bytes_max - size;
  std::string record = encode_log(kept, number);
  if (!insert_log_.execute(number, job, chunk.attempt, added, Blob{record}))
    return database_.failure("writing the log of a job");
  return dropped;
}

Outcome<uint64_t> JobFileRows::remove_unused(Instant before, size_t limit) {
  std::vector<uint64_t> numbers;
  {
    Rows rows = unused_.query(before.ms, limit);
    while (rows.next()) numbers.push_back(rows.natural(0));
    if (rows.failed()) return database_.failure("looking for blobs that nobody uses");
  }
  for (uint64_t number : numbers)
    if (!drop_bytes_.execute(number) || !drop_.execute(number))
      return database_.failure("removing a blob");
  return numbers.size();
}

}  // namespace fermata::sqlite
