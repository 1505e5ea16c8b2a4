#pragma once
#include <list>
#include <map>

#include "core/schedule/schedule.h"
#include "ports/store.h"

namespace fermata {

/// A schedule in memory, as of one stored version; as OpenRun.
struct OpenSchedule {
  static constexpr uint32_t nowhere = UINT32_MAX;
  uint64_t version = 0;
  schedule::Schedule schedule;
  uint64_t since_checkpoint = 0;  ///< events that would have to be folded to open it again
  bool flying = false;            ///< its commit is under way
  uint32_t place = nowhere;       ///< among the schedules of the next batch
  bool undurable() const { return flying || place != nowhere; }
};

/// Schedules that are being worked on; as RunCache.
class ScheduleCache {
 public:
  ScheduleCache(Store& store, size_t schedules_max)
      : store_(store), schedules_max_(schedules_max) {}

  Outcome<void> fetch(const std::vector<schedule::Key>& keys);
  OpenSchedule* find(const schedule::Key& key);
  const Error* damage(const schedule::Key& key) const;
  void forget(const schedule::Key& key);
  /// Only between turns.
  void trim();
  void clear_damage() { damaged_.clear(); }

 private:
  struct Entry {
    OpenSchedule open;
    std::list<schedule::Key>::iterator place;
  };
  void open(const schedule::Key& key, const StoredSchedule& stored);

  Store& store_;
  const size_t schedules_max_;
  std::map<schedule::Key, Entry> schedules_;
  std::list<schedule::Key> by_use_;  ///< latest first
  std::map<schedule::Key, Error> damaged_;
};

/// The state of a stored schedule: its newest one that was stored, and what has happened since.
Outcome<schedule::Schedule> open_schedule(const ScheduleId& id, const StoredSchedule& stored);

}  // namespace fermata
