#pragma once
#include <deque>
#include <map>

#include "base/queue.h"
#include "host/alarm.h"
#include "host/host.h"
#include "host/touched_schedule.h"

namespace fermata {

/// The desk of schedules: what a partition keeps of them beside its runs, so that an occurrence and
/// the run it starts are one commit (ADR 0023). It holds the schedules in hand, the alarm, and the
/// commands on their way; the partition moves them. Except for `submit`, used by the partition's
/// thread alone.
class ScheduleDesk {
 public:
  ScheduleDesk(Store& store, const HostSettings& settings);

  /// From any thread. False when too many wait.
  bool submit(ScheduleItem item) { return queue_.push(item); }

  /// The commands of this turn: what was submitted and what is due. Where there is other zone data
  /// than before, schedules that follow it are told first.
  std::vector<ScheduleItem> gather(Instant now, std::shared_ptr<const ZoneTable> zones,
                                   size_t most);
  void put_first(ScheduleItem item) { items_.push_front(std::move(item)); }
  void defer(ScheduleItem item, Instant until) { deferred_.emplace(until, std::move(item)); }
  void hold(ScheduleItem item);
  void release(const schedule::Key& key);
  /// Decides one command; what follows from it for runs is added to `posts`.
  DecidedScheduleItem& decide(TouchedSchedule& touched, ScheduleItem item, Instant now,
                              std::vector<schedule::SchedulePost>& posts);
  ScheduleWrite write_of(const TouchedSchedule& touched) const;
  /// After the commit, or when there was nothing to commit: sees to it that the schedule is looked
  /// at again when it wants to be.
  void settled(const OpenSchedule& open) { watch(summarize(open.schedule)); }
  /// At start, and again now and then: what the alarm does not know of is put there.
  void recover(const schedule::ScheduleSummary& summary);

  bool idle() const { return items_.empty() && queue_.size() == 0; }
  bool quiet() const { return idle() && deferred_.empty(); }
  std::optional<Instant> next_due() const;
  ScheduleCache& cache() { return cache_; }

 private:
  void watch(const schedule::ScheduleSummary& summary);
  void tell_of_zones();

  const schedule::ScheduleLimits limits_;
  const uint64_t checkpoint_events_;
  const uint64_t history_events_max_;
  ScheduleCache cache_;
  Alarm<schedule::Key> alarm_;
  /// The zone data by which the next occurrence was found, of those whose rule follows clocks.
  std::map<schedule::Key, std::string> by_zone_data_;
  std::shared_ptr<const ZoneTable> zones_ = utc_table();
  Instant now_;  ///< of the turn under way
  bool zones_told_ = false;
  BoundedQueue<ScheduleItem> queue_;
  std::deque<ScheduleItem> items_;                           ///< to be decided
  std::multimap<Instant, ScheduleItem> deferred_;            ///< to be tried again later
  std::map<schedule::Key, std::vector<ScheduleItem>> held_;  ///< for those not durable yet
};

}  // namespace fermata
