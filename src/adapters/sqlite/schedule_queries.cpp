#include "adapters/sqlite/schedule_queries.h"

#include <algorithm>

#include "adapters/sqlite/records.h"
#include "ports/cursor.h"

namespace fermata::sqlite {
namespace {

constexpr size_t schedule_scan_batch = 64;

/// A row of schedule_history: first, count, checksum, bytes.
Outcome<HistoryChunk> chunk_of(const Rows& rows, uint64_t schedule) {
  HistoryChunk chunk{rows.natural(0), static_cast<uint32_t>(rows.integer(1)),
                     std::string(rows.blob(3))};
  if (chunk.count == 0 || history_checksum(schedule, 0, chunk) != rows.natural(2))
    return damaged(
        "schedule_history", schedule,
        "the checksum at sequence " + std::to_string(chunk.first_sequence) + " does not match");
  return chunk;
}

}  // namespace

Outcome<std::optional<FoundSchedule>> ScheduleQueries::by_key(const schedule::Key& key) {
  return take(by_key_.query(key.account.text(), key.id.text()));
}

Outcome<std::optional<FoundSchedule>> ScheduleQueries::by_number(uint64_t number) {
  return take(by_number_.query(number));
}

Outcome<std::optional<FoundSchedule>> ScheduleQueries::take(Rows rows) {
  if (!rows.next()) {
    if (rows.failed()) return database_.failure("reading a schedule");
    return std::optional<FoundSchedule>{};
  }
  uint64_t number = rows.natural(0);
  std::optional<ScheduleRecord> record = decode_schedule(rows.blob(4), number);
  if (!record) return damaged("schedule", number, "its checksum does not match");
  const schedule::ScheduleSummary& summary = record->summary;
  if (summary.account.text() != rows.text(1) || summary.id.text() != rows.text(2) ||
      static_cast<int64_t>(summary.status) != rows.integer(3)) {
    return damaged("schedule", number, "its columns do not match its record");
  }
  return std::optional(FoundSchedule{number, *std::move(record)});
}

Outcome<std::vector<HistoryChunk>> ScheduleQueries::history(const FoundSchedule& schedule) {
  std::vector<HistoryChunk> all;
  Rows rows = chunks_.query(schedule.number, uint64_t{0});
  while (rows.next()) {
    FERMATA_TRY(chunk, chunk_of(rows, schedule.number));
    all.push_back(std::move(chunk));
  }
  if (rows.failed()) return database_.failure("reading the history of a schedule");
  uint64_t next = all.empty() ? 0 : all.front().first_sequence;
  bool begins = next <= schedule.record.history_from;
  for (const HistoryChunk& chunk : all) {
    if (chunk.first_sequence != next) begins = false;
    next = chunk.first_sequence + chunk.count;
  }
  if (!begins || next != schedule.record.summary.last_sequence + 1)
    return damaged("schedule", schedule.number, "its history has a gap");
  return all;
}

Outcome<std::vector<HistoryChunk>> ScheduleQueries::chunks(const FoundSchedule& schedule,
                                                           uint64_t from) {
  std::vector<HistoryChunk> out;
  uint64_t next = from;
  Rows rows = chunks_.query(schedule.number, from);
  while (rows.next()) {
    FERMATA_TRY(chunk, chunk_of(rows, schedule.number));
    if (chunk.first_sequence != next)
      return damaged("schedule", schedule.number, "its history has a gap");
    next += chunk.count;
    out.push_back(std::move(chunk));
  }
  if (rows.failed()) return database_.failure("reading the history of a schedule");
  if (next != schedule.record.summary.last_sequence + 1)
    return damaged("schedule", schedule.number, "its history is not complete");
  return out;
}

Outcome<StoredSchedule> ScheduleQueries::find(const schedule::Key& key) {
  FERMATA_TRY(found, by_key(key));
  if (!found) return StoredSchedule{};
  ScheduleRecord& record = found->record;
  FERMATA_TRY(since, chunks(*found, record.checkpoint ? record.checkpoint->sequence + 1 : 1));
  return StoredSchedule{record.version, std::move(record.summary), std::move(record.checkpoint),
                        std::move(since)};
}

Outcome<std::vector<StoredSchedule>> ScheduleQueries::load(std::span<const schedule::Key> keys) {
  std::vector<StoredSchedule> out;
  out.reserve(keys.size());
  for (const schedule::Key& key : keys) {
    FERMATA_TRY(schedule, find(key));
    out.push_back(std::move(schedule));
  }
  return out;
}

Outcome<SchedulePage> ScheduleQueries::list(const ScheduleFilter& filter, size_t limit,
                                            uint64_t before) {
  SchedulePage page;
  uint64_t last = 0;
  before = std::min<uint64_t>(before, INT64_MAX);
  for (;;) {
    std::vector<uint64_t> numbers;
    Rows rows = filter.account.empty()
                    ? all_.query(before, schedule_scan_batch)
                    : of_account_.query(filter.account.text(), before, schedule_scan_batch);
    while (rows.next()) numbers.push_back(rows.natural(0));
    if (rows.failed()) return database_.failure("listing schedules");
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
  }
}

Outcome<Store::OpenSchedulesPage> ScheduleQueries::open(uint64_t after, size_t limit) {
  Store::OpenSchedulesPage page;
  page.cursor = after;
  std::vector<uint64_t> numbers;
  Rows rows = active_.query(after, limit);
  while (rows.next()) numbers.push_back(rows.natural(0));
  if (rows.failed()) return database_.failure("listing active schedules");
  page.more = numbers.size() >= limit;
  for (uint64_t number : numbers) {
    page.cursor = number;
    FERMATA_TRY(found, by_number(number));
    if (found && found->record.summary.next_due)
      page.schedules.push_back(std::move(found->record.summary));
  }
  return page;
}

Outcome<std::vector<HistoryChunk>> ScheduleQueries::newest(const schedule::Key& key,
                                                           uint64_t before, size_t events_max) {
  FERMATA_TRY(found, by_key(key));
  std::vector<HistoryChunk> out;
  if (!found) return out;
  size_t events = 0;
  Rows rows = newest_.query(found->number, std::min<uint64_t>(before, INT64_MAX));
  while (events < events_max && rows.next()) {
    FERMATA_TRY(chunk, chunk_of(rows, found->number));
    events += chunk.count;
    out.push_back(std::move(chunk));
  }
  if (rows.failed()) return database_.failure("reading the history of a schedule");
  return out;
}

}  // namespace fermata::sqlite
