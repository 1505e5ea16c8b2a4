#include "adapters/postgres/job_file_rows.h"

#include <algorithm>

#include "adapters/postgres/asking.h"
#include "base/hash.h"
#include "ports/cursor.h"
#include "ports/record/fields_record.h"
#include "ports/record/job_log_record.h"

namespace fermata::postgres {
namespace {

constexpr size_t letter_batch_max = 1'024;
constexpr const char* letter_columns =
    "select number, id, open, resolution, resolved_at, resolved_by, retried_as, record from "
    "dead_letters ";

Outcome<DeadLetterEntry> letter_in(const Rows& rows) {
  auto letter =
      record::decode_fields<job::DeadLetter>(rows.blob(7), salt_of("dead_letters", rows.text(1)));
  if (!letter) return damaged_row("dead_letters", rows.text(1), "its checksum does not match");
  int64_t resolution = rows.integer(3);
  bool known = resolution >= 0 && resolution <= static_cast<int64_t>(Resolution::purged);
  if (letter->id != rows.text(1) || !known || rows.flag(2) != (resolution == 0))
    return damaged_row("dead_letters", rows.text(1), "its columns do not match its record");
  return DeadLetterEntry{*std::move(letter), static_cast<Resolution>(resolution),
                         instant_in(rows, 4), std::string(rows.text(5)),
                         JobId(std::string(rows.text(6)))};
}

/// The rows of the next batch, by the narrowest index that the filter allows.
Outcome<Rows> letter_batch(Connection& connection, const DeadLetterFilter& filter, uint64_t before,
                           size_t size) {
  Arguments asked;
  asked.number(before).number(uint64_t{size});
  std::string sql = std::string(letter_columns) + "where number < $1";
  if (!filter.job.empty()) {
    asked.text(filter.job.text());
    sql += " and job = $3";
  } else if (!filter.account.empty()) {
    asked.text(filter.account.text());
    sql += " and account = $3";
    if (filter.open) sql += *filter.open ? " and open = true" : " and open = false";
  }
  return connection.ask("listing dead letters", sql + " order by number desc limit $2", asked);
}

}  // namespace

uint64_t held_salt(const JobId& job) { return salt_of("held_outputs", job.text()); }
uint64_t log_salt(const JobId& job) { return salt_of("job_logs", job.text()); }

Outcome<std::optional<std::string>> find_blob(Connection& connection, const AccountId& account,
                                              const std::string& sha256) {
  Arguments asked;
  asked.text(account.text()).text(sha256);
  FERMATA_TRY(rows,
              connection.ask("reading a blob",
                             "select bytes from blobs where account = $1 and sha256 = $2", asked));
  if (!rows.next()) return std::optional<std::string>{};
  std::string bytes(rows.blob(0));
  if (sha256_hex(bytes) != sha256)
    return damaged_row("blobs", sha256, "its bytes do not have its hash");
  return std::optional(std::move(bytes));
}

Outcome<std::optional<uint64_t>> find_blob_size(Connection& connection, const AccountId& account,
                                                const std::string& sha256) {
  Arguments asked;
  asked.text(account.text()).text(sha256);
  FERMATA_TRY(rows,
              connection.ask("looking for a blob",
                             "select size from blobs where account = $1 and sha256 = $2", asked));
  if (!rows.next()) return std::optional<uint64_t>{};
  return std::optional(rows.natural(0));
}

Outcome<std::optional<std::string>> find_held(Connection& connection, const JobId& job) {
  Arguments asked;
  asked.text(job.text());
  FERMATA_TRY(rows, connection.ask("reading a held output",
                                   "select h.record from roots r join held_outputs h on h.job = "
                                   "r.number where r.kind = 1 and r.id = $1",
                                   asked));
  if (!rows.next()) return std::optional<std::string>{};
  auto text = record::unseal(rows.blob(0), held_salt(job));
  if (!text) return damaged_row("held_outputs", job.text(), "its checksum does not match");
  return std::optional(std::string(*text));
}

Outcome<LogPage> read_log(Connection& connection, const JobId& job, size_t limit, uint64_t after) {
  Arguments asked;
  asked.text(job.text()).number(after).number(uint64_t{limit + 1});
  FERMATA_TRY(rows, connection.ask("reading the log of a job",
                                   "select l.number, l.attempt, l.record from roots r join "
                                   "job_logs l on l.job = r.number where r.kind = 1 and r.id = $1 "
                                   "and l.number > $2 order by l.number limit $3",
                                   asked));
  LogPage page;
  uint64_t last = after;
  while (rows.next()) {
    if (page.items.size() == limit) {
      page.next_cursor = cursor_of(last);
      return page;
    }
    last = rows.natural(0);
    LogChunk& chunk = page.items.emplace_back();
    chunk.job = job;
    chunk.attempt = static_cast<uint32_t>(rows.natural(1));
    if (!record::decode_log(rows.blob(2), log_salt(job), chunk))
      return damaged_row("job_logs", std::to_string(last), "its checksum does not match");
  }
  return page;
}

Outcome<std::optional<DeadLetterEntry>> find_dead_letter(Connection& connection,
                                                         const std::string& id) {
  Arguments asked;
  asked.text(id);
  FERMATA_TRY(rows, connection.ask("reading a dead letter",
                                   std::string(letter_columns) + "where id = $1", asked));
  if (!rows.next()) return std::optional<DeadLetterEntry>{};
  FERMATA_TRY(entry, letter_in(rows));
  return std::optional(std::move(entry));
}

Outcome<DeadLetterPage> list_dead_letters(Connection& connection, const DeadLetterFilter& filter,
                                          size_t limit, uint64_t before) {
  DeadLetterPage page;
  uint64_t last = 0;
  before = std::min<uint64_t>(before, INT64_MAX);
  size_t size = std::clamp<size_t>(limit + 1, 16, letter_batch_max);
  for (;;) {
    FERMATA_TRY(rows, letter_batch(connection, filter, before, size));
    while (rows.next()) {
      before = rows.natural(0);
      FERMATA_TRY(entry, letter_in(rows));
      if (!matches(filter, entry)) continue;
      if (page.items.size() == limit) {
        page.next_cursor = cursor_of(last);
        return page;
      }
      page.items.push_back(std::move(entry));
      last = before;
    }
    if (rows.count() < size) return page;
    size = std::min(size * 2, letter_batch_max);
  }
}

Outcome<void> put_blob_row(Connection& connection, const AccountId& account,
                           const std::string& sha256, std::string_view bytes, Instant at) {
  Arguments put;
  put.text(account.text()).text(sha256).number(at.ms).number(uint64_t{bytes.size()}).bytes(bytes);
  return order(connection, "writing a blob",
               "insert into blobs as b (account, sha256, put_at, size, unused, bytes) values ($1, "
               "$2, $3, $4, true, $5) on conflict (account, sha256) do update set put_at = "
               "greatest(b.put_at, excluded.put_at)",
               put);
}

Outcome<size_t> append_log_rows(Connection& connection, const LogChunk& chunk, uint64_t bytes_max) {
  Arguments asked;
  asked.text(chunk.job.text()).number(int64_t{chunk.attempt});
  FERMATA_TRY(rows, connection.ask("reading the log of a job",
                                   "select r.number, (select coalesce(sum(size), 0)::bigint from "
                                   "job_logs l where l.job = r.number and l.attempt = $2) from "
                                   "roots r where r.kind = 1 and r.id = $1",
                                   asked));
  if (!rows.next())
    return fail(ErrorCode::job_not_found, "There is no job `" + chunk.job.text() + "`.");
  uint64_t size = rows.natural(1);
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
  Arguments put;
  put.number(rows.natural(0)).number(int64_t{chunk.attempt}).number(added);
  put.bytes(record::encode_log(kept, log_salt(chunk.job)));
  FERMATA_TRY_VOID(order(connection, "writing the log of a job",
                         "insert into job_logs (job, attempt, size, record) values "
                         "($1, $2, $3, $4)",
                         put));
  return dropped;
}

Outcome<void> write_resolution(Connection& connection, const DeadLetterEntry& entry) {
  Arguments put;
  put.text(entry.letter.id).flag(entry.open()).integer(static_cast<int>(entry.resolution));
  entry.resolved_at ? put.number(entry.resolved_at->ms) : put.none(Type::number);
  put.text(entry.resolved_by).text(entry.retried_as.text());
  return order(connection, "writing a dead letter",
               "update dead_letters set open = $2, resolution = $3, resolved_at = $4, resolved_by "
               "= $5, retried_as = $6 where id = $1",
               put);
}

}  // namespace fermata::postgres
