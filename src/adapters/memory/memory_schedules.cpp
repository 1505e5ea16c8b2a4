#include <algorithm>

#include "adapters/memory/memory_store.h"
#include "base/check.h"
#include "ports/cursor.h"

namespace fermata {

StoredSchedule MemoryStore::stored_schedule(const schedule::Key& key) const {
  auto found = schedule_at_.find(key);
  if (found == schedule_at_.end()) return {};
  StoredSchedule stored = schedules_[found->second];
  uint64_t covered = stored.checkpoint ? stored.checkpoint->sequence : 0;
  std::erase_if(stored.history,
                [&](const HistoryChunk& chunk) { return chunk.first_sequence <= covered; });
  return stored;
}

Outcome<std::vector<StoredSchedule>> MemoryStore::load_schedules(
    std::span<const schedule::Key> keys) {
  std::lock_guard lock(mutex_);
  std::vector<StoredSchedule> out;
  out.reserve(keys.size());
  for (const schedule::Key& key : keys) out.push_back(stored_schedule(key));
  return out;
}

bool MemoryStore::fits(const ScheduleWrite& write) const {
  auto found = schedule_at_.find(write.summary.key());
  return write.expected_version ==
         (found == schedule_at_.end() ? 0 : schedules_[found->second].version);
}

CommitOutcome MemoryStore::write(const ScheduleWrite& write) {
  if (!fits(write)) return CommitOutcome::conflict;
  auto [found, fresh] = schedule_at_.try_emplace(write.summary.key(), schedules_.size());
  if (fresh) schedules_.emplace_back();
  StoredSchedule& schedule = schedules_[found->second];
  check(write.events.first_sequence == schedule.summary.last_sequence + 1);
  check(write.summary.last_sequence == schedule.summary.last_sequence + write.events.count);
  schedule.history.push_back(write.events);
  schedule.summary = write.summary;
  ++schedule.version;
  if (!write.checkpoint) return CommitOutcome::done;
  schedule.checkpoint = write.checkpoint;
  std::erase_if(schedule.history, [&](const HistoryChunk& chunk) {
    return chunk.first_sequence + chunk.count <= write.history_from;
  });
  return CommitOutcome::done;
}

Outcome<Store::OpenSchedulesPage> MemoryStore::open_schedules(uint64_t after, size_t limit) {
  std::lock_guard lock(mutex_);
  OpenSchedulesPage page;
  page.cursor = after;
  for (size_t i = after; i < schedules_.size(); ++i) {
    if (!schedules_[i].summary.next_due) continue;
    if (page.schedules.size() == limit) {
      page.more = true;
      break;
    }
    page.schedules.push_back(schedules_[i].summary);
    page.cursor = i + 1;
  }
  return page;
}

Outcome<StoredSchedule> MemoryStore::find_schedule(const schedule::Key& key) {
  std::lock_guard lock(mutex_);
  return stored_schedule(key);
}

Outcome<SchedulePage> MemoryStore::list_schedules(const ScheduleFilter& filter, size_t limit,
                                                  const std::string& cursor) {
  FERMATA_TRY(before, cursor_number(cursor, UINT64_MAX));
  std::lock_guard lock(mutex_);
  SchedulePage page;
  uint64_t last = 0;
  uint64_t newest = before == 0 ? 0 : std::min<uint64_t>(before - 1, schedules_.size());
  for (uint64_t number = newest; number > 0; --number) {
    const schedule::ScheduleSummary& schedule = schedules_[number - 1].summary;
    if (schedules_[number - 1].version == 0 || !matches(filter, schedule)) continue;
    if (page.items.size() == limit) {
      page.next_cursor = cursor_of(last);
      break;
    }
    page.items.push_back(schedule);
    last = number;
  }
  return page;
}

Outcome<Retention::Sweep> MemoryStore::remove_schedules(Instant now, Duration deleted_for,
                                                        size_t limit) {
  std::lock_guard lock(mutex_);
  std::erase_if(schedules_deleted_, [&](const auto& entry) {
    return schedules_[entry.first].summary.status != schedule::Status::deleted;
  });
  for (const auto& [key, at] : schedule_at_)
    if (schedules_[at].summary.status == schedule::Status::deleted)
      schedules_deleted_.try_emplace(at, now);
  Sweep sweep;
  for (auto one = schedules_deleted_.begin(); one != schedules_deleted_.end();) {
    auto [at, since] = *one;
    if (since + deleted_for > now) {
      ++one;
      continue;
    }
    if (sweep.removed == limit) {
      sweep.more = true;
      break;
    }
    schedule_at_.erase(schedules_[at].summary.key());
    // Its place stays, so that the cursors of lists mean what they did.
    schedules_[at] = {};
    one = schedules_deleted_.erase(one);
    ++sweep.removed;
  }
  return sweep;
}

Outcome<std::vector<HistoryChunk>> MemoryStore::schedule_history(const schedule::Key& key,
                                                                 uint64_t before,
                                                                 size_t events_max) {
  std::lock_guard lock(mutex_);
  std::vector<HistoryChunk> out;
  auto found = schedule_at_.find(key);
  if (found == schedule_at_.end()) return out;
  const std::vector<HistoryChunk>& history = schedules_[found->second].history;
  size_t events = 0;
  for (auto chunk = history.rbegin(); chunk != history.rend() && events < events_max; ++chunk) {
    if (chunk->first_sequence >= before) continue;
    out.push_back(*chunk);
    events += chunk->count;
  }
  return out;
}

}  // namespace fermata
