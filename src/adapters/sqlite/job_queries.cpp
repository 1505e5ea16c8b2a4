#include "adapters/sqlite/job_queries.h"

#include <algorithm>

#include "adapters/sqlite/records.h"
#include "ports/cursor.h"

namespace fermata::sqlite {
namespace {

constexpr size_t job_scan_batch_max = 4096;

bool none_succeeded(const std::vector<job::State>& states) {
  return !states.empty() &&
         std::find(states.begin(), states.end(), job::State::succeeded) == states.end();
}

}  // namespace

Outcome<std::optional<FoundJob>> JobQueries::by_id(const JobId& id) {
  return take(by_id_.query(id.text()));
}

Outcome<std::optional<FoundJob>> JobQueries::by_number(uint64_t number) {
  return take(by_number_.query(number));
}

Outcome<std::optional<FoundJob>> JobQueries::take(Rows rows) {
  if (!rows.next()) {
    if (rows.failed()) return database_.failure("reading a job");
    return std::optional<FoundJob>{};
  }
  uint64_t number = rows.natural(0);
  std::optional<JobRecord> record = decode_job(rows.blob(3), number);
  if (!record) return damaged("job", number, "its checksum does not match");
  if (record->summary.id.text() != rows.text(1) ||
      static_cast<int64_t>(record->summary.state) != rows.integer(2)) {
    return damaged("job", number, "its columns do not match its record");
  }
  return std::optional(FoundJob{number, *std::move(record)});
}

/// Walks the chain backwards from the newest chunk; gives the oldest first.
Outcome<std::vector<HistoryChunk>> JobQueries::history(const FoundJob& job) {
  std::vector<HistoryChunk> out;
  uint64_t next_first = job.record.summary.last_sequence + 1;
  for (uint64_t number = job.record.head; number != 0;) {
    Rows rows = link_.query(number);
    if (!rows.next()) {
      if (rows.failed()) return database_.failure("reading the history of a job");
      return damaged("job_history", number, "it is missing");
    }
    uint32_t count = static_cast<uint32_t>(rows.integer(3));
    uint64_t prev = rows.natural(1);
    HistoryChunk chunk{rows.natural(2), count, std::string(rows.blob(5))};
    if (rows.natural(0) != job.number || count == 0 || prev >= number ||
        chunk.first_sequence + count != next_first) {
      return damaged("job_history", number, "it does not continue the job's history");
    }
    if (history_checksum(job.number, prev, chunk) != rows.natural(4))
      return damaged("job_history", number, "its checksum does not match");
    next_first = chunk.first_sequence;
    number = prev;
    out.push_back(std::move(chunk));
  }
  if (next_first != 1) return damaged("job", job.number, "its history does not begin at 1");
  std::reverse(out.begin(), out.end());
  return out;
}

Outcome<StoredJob> JobQueries::find(const JobId& id) {
  FERMATA_TRY(found, by_id(id));
  if (!found) return StoredJob{};
  FERMATA_TRY(chunks, history(*found));
  return StoredJob{found->record.version, std::move(found->record.summary), std::move(chunks)};
}

Outcome<std::vector<StoredJob>> JobQueries::load(std::span<const JobId> ids) {
  std::vector<StoredJob> out;
  out.reserve(ids.size());
  for (const JobId& id : ids) {
    FERMATA_TRY(job, find(id));
    out.push_back(std::move(job));
  }
  return out;
}

/// Numbers of jobs that may match, newest first, by the narrowest index that fits.
Outcome<std::vector<uint64_t>> JobQueries::next_numbers(const JobFilter& filter, uint64_t before,
                                                        size_t most) {
  std::vector<uint64_t> numbers;
  bool ok = true;
  if (!filter.run.empty()) {
    ok = collect(of_run_.query(filter.run.text(), before, most), numbers);
  } else if (none_succeeded(filter.states)) {
    for (job::State state : filter.states)
      ok = ok && collect(of_state_.query(static_cast<int64_t>(state), before, most), numbers);
  } else if (!filter.account.empty()) {
    ok = collect(of_account_.query(filter.account.text(), before, most), numbers);
  } else {
    ok = collect(all_.query(before, most), numbers);
  }
  if (!ok) return database_.failure("listing jobs");
  std::sort(numbers.begin(), numbers.end(), std::greater<>());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  if (numbers.size() > most) numbers.resize(most);
  return numbers;
}

Outcome<JobPage> JobQueries::list(const JobFilter& filter, size_t limit, uint64_t before) {
  JobPage page;
  uint64_t last = 0;
  before = std::min<uint64_t>(before, INT64_MAX);
  size_t batch = std::clamp<size_t>(limit + 1, 16, job_scan_batch_max);
  for (;;) {
    FERMATA_TRY(numbers, next_numbers(filter, before, batch));
    if (numbers.empty()) return page;
    for (uint64_t number : numbers) {
      FERMATA_TRY(found, by_number(number));
      if (!found || !matches(filter, found->record.summary)) continue;
      if (page.items.size() == limit) {
        page.next_cursor = cursor_of(last);
        return page;
      }
      page.items.push_back(std::move(found->record.summary));
      last = number;
    }
    before = numbers.back();
    batch = std::min(batch * 2, job_scan_batch_max);
  }
}

Outcome<std::vector<std::pair<job::State, uint64_t>>> JobQueries::counts(const AccountId& account) {
  Rows rows = account.empty() ? count_all_.query() : count_one_.query(account.text());
  std::vector<std::pair<job::State, uint64_t>> out;
  while (rows.next()) {
    if (rows.natural(0) > static_cast<uint64_t>(last_of(job::State{})))
      return fail(ErrorCode::data_damaged, "a job has an unknown state");
    out.emplace_back(static_cast<job::State>(rows.integer(0)), rows.natural(1));
  }
  if (rows.failed()) return database_.failure("counting jobs");
  return out;
}

Outcome<Store::OpenJobsPage> JobQueries::open(uint64_t after, size_t limit) {
  Store::OpenJobsPage page;
  page.cursor = after;
  std::vector<uint64_t> numbers;
  for (int state = static_cast<int>(job::State::pending); !is_terminal(job::State(state)); ++state)
    if (!collect(open_after_.query(static_cast<int64_t>(state), after, limit), numbers))
      return database_.failure("listing open jobs");
  if (!collect(held_after_.query(after, limit), numbers))
    return database_.failure("listing open jobs");
  std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  page.more = numbers.size() >= limit;
  if (numbers.size() > limit) numbers.resize(limit);
  for (uint64_t number : numbers) {
    page.cursor = number;
    FERMATA_TRY(found, by_number(number));
    if (found && (!is_terminal(found->record.summary.state) || found->record.summary.next_due))
      page.jobs.push_back(std::move(found->record.summary));
  }
  return page;
}

bool JobQueries::collect(Rows rows, std::vector<uint64_t>& out) {
  while (rows.next()) out.push_back(rows.natural(0));
  return !rows.failed();
}

}  // namespace fermata::sqlite
