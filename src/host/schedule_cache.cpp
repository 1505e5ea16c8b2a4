#include "host/schedule_cache.h"

#include "core/schedule/history.h"
#include "core/schedule/snapshot.h"

namespace fermata {

Outcome<schedule::Schedule> open_schedule(const ScheduleId& id, const StoredSchedule& stored) {
  if (!stored.checkpoint) return schedule::fold(id, stored.history);
  FERMATA_TRY(state, schedule::decode_state(stored.checkpoint->bytes));
  if (state.id != id || state.last_sequence != stored.checkpoint->sequence)
    return fail(ErrorCode::data_damaged,
                "the stored state of schedule " + id.text() + " is not that of its sequence");
  return schedule::fold_on(std::move(state), stored.history);
}

Outcome<void> ScheduleCache::fetch(const std::vector<schedule::Key>& keys) {
  for (const schedule::Key& key : keys) {
    // The same one may have been asked for twice.
    if (schedules_.contains(key)) continue;
    // One by one: there are few, and a damaged one must not be the others' misfortune.
    auto loaded = store_.load_schedules(std::span(&key, 1));
    if (loaded) {
      open(key, loaded->front());
    } else if (loaded.error().code == ErrorCode::data_damaged) {
      damaged_.emplace(key, loaded.error());
    } else {
      return Failure{std::move(loaded).error()};
    }
  }
  return {};
}

void ScheduleCache::open(const schedule::Key& key, const StoredSchedule& stored) {
  OpenSchedule open;
  open.schedule.id = key.id;
  if (stored.version > 0) {
    auto state = open_schedule(key.id, stored);
    if (!state) {
      damaged_.emplace(key, state.error());
      return;
    }
    open.version = stored.version;
    open.schedule = *std::move(state);
    for (const HistoryChunk& chunk : stored.history) open.since_checkpoint += chunk.count;
  }
  by_use_.push_front(key);
  schedules_.emplace(key, Entry{std::move(open), by_use_.begin()});
}

OpenSchedule* ScheduleCache::find(const schedule::Key& key) {
  auto found = schedules_.find(key);
  if (found == schedules_.end()) return nullptr;
  by_use_.splice(by_use_.begin(), by_use_, found->second.place);
  return &found->second.open;
}

const Error* ScheduleCache::damage(const schedule::Key& key) const {
  auto found = damaged_.find(key);
  return found == damaged_.end() ? nullptr : &found->second;
}

void ScheduleCache::forget(const schedule::Key& key) {
  auto found = schedules_.find(key);
  if (found == schedules_.end()) return;
  by_use_.erase(found->second.place);
  schedules_.erase(found);
}

void ScheduleCache::trim() {
  for (auto last = by_use_.end(); schedules_.size() > schedules_max_ && last != by_use_.begin();) {
    --last;
    auto found = schedules_.find(*last);
    if (found->second.open.undurable()) continue;
    schedules_.erase(found);
    last = by_use_.erase(last);
  }
}

}  // namespace fermata
