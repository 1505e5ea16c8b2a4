#include "host/schedule_desk.h"

#include "core/schedule/history.h"
#include "core/schedule/snapshot.h"
#include "host/deferral.h"

namespace fermata {

namespace {

const char* action_of(const schedule::CommandBody& body) {
  if (std::holds_alternative<schedule::CreateSchedule>(body)) return "schedule.create";
  if (std::holds_alternative<schedule::UpdateSchedule>(body)) return "schedule.update";
  if (std::holds_alternative<schedule::PauseSchedule>(body)) return "schedule.pause";
  if (std::holds_alternative<schedule::ResumeSchedule>(body)) return "schedule.resume";
  if (std::holds_alternative<schedule::TriggerSchedule>(body)) return "schedule.trigger";
  if (std::holds_alternative<schedule::BackfillSchedule>(body)) return "schedule.backfill";
  if (std::holds_alternative<schedule::DeleteSchedule>(body)) return "schedule.delete";
  return nullptr;
}

/// The lines that name those who asked for it.
std::vector<AuditLine> audit_lines(const TouchedSchedule& touched) {
  std::vector<AuditLine> lines;
  for (const DecidedScheduleItem& decided : touched.items) {
    const schedule::Command& command = decided.item.command;
    const char* action = action_of(command.body);
    if (!decided.changed || !action || command.actor == "engine") continue;
    lines.push_back({command.schedule.account,
                     touched.events.back().at,
                     command.actor,
                     action,
                     command.schedule.id.text(),
                     {},
                     Value()});
  }
  return lines;
}

}  // namespace

ScheduleDesk::ScheduleDesk(Store& store, const HostSettings& settings)
    : limits_(settings.schedules),
      checkpoint_events_(settings.schedule_checkpoint_events),
      history_events_max_(settings.schedule_history_events_max),
      cache_(store, settings.cached_schedules_max),
      queue_(settings.queue_commands_max) {}

std::vector<ScheduleItem> ScheduleDesk::gather(Instant now, std::shared_ptr<const ZoneTable> zones,
                                               size_t most) {
  now_ = now;
  if (zones && zones != zones_) {
    if (zones->version() != zones_->version()) zones_told_ = false;
    zones_ = std::move(zones);
  }
  if (!std::exchange(zones_told_, true)) tell_of_zones();
  for (ScheduleItem& item : queue_.take(most)) items_.push_back(std::move(item));
  while (!deferred_.empty() && is_due(deferred_.begin()->first, now)) {
    items_.push_back(std::move(deferred_.begin()->second));
    deferred_.erase(deferred_.begin());
  }
  for (auto& due : alarm_.due(now, most))
    items_.push_back({.command = {std::move(due.key), schedule::WakeSchedule{due.at}}});
  std::vector<ScheduleItem> items;
  while (!items_.empty() && items.size() < most) {
    items.push_back(std::move(items_.front()));
    items_.pop_front();
  }
  return items;
}

void ScheduleDesk::tell_of_zones() {
  for (const auto& [key, version] : by_zone_data_)
    if (version != zones_->version())
      items_.push_back({.command = {key, schedule::ZonesChanged{}}});
}

void ScheduleDesk::hold(ScheduleItem item) {
  std::vector<ScheduleItem>& items = held_[item.command.schedule];
  items.push_back(std::move(item));
}

void ScheduleDesk::release(const schedule::Key& key) {
  auto found = held_.find(key);
  if (found == held_.end()) return;
  std::vector<ScheduleItem> items = std::move(found->second);
  held_.erase(found);
  // Before all that came later, in their own order.
  for (auto item = items.rbegin(); item != items.rend(); ++item)
    items_.push_front(std::move(*item));
}

DecidedScheduleItem& ScheduleDesk::decide(TouchedSchedule& touched, ScheduleItem item, Instant now,
                                          std::vector<schedule::SchedulePost>& posts) {
  // What one commit writes of a schedule happens at one instant.
  if (!touched.events.empty()) now = touched.events.front().at;
  schedule::Given given{now, zones_, limits_};
  auto decision = schedule::decide(touched.open->schedule, item.command, given);
  DecidedScheduleItem decided{.item = std::move(item)};
  if (!decision) {
    decided.refusal = decision.error();
  } else {
    decided.changed = !decision->events.empty();
    std::move(decision->events.begin(), decision->events.end(), std::back_inserter(touched.events));
    posts = std::move(decision->posts);
  }
  touched.items.push_back(std::move(decided));
  return touched.items.back();
}

ScheduleWrite ScheduleDesk::write_of(const TouchedSchedule& touched) const {
  const OpenSchedule& open = *touched.open;
  ScheduleWrite write;
  write.expected_version = open.version;
  write.summary = summarize(open.schedule);
  write.events = schedule::encode_history(touched.events);
  write.audit = audit_lines(touched);
  if (open.since_checkpoint + touched.events.size() < checkpoint_events_) return write;
  uint64_t last = open.schedule.last_sequence;
  write.checkpoint = Checkpoint{last, schedule::encode_state(open.schedule)};
  if (last > history_events_max_) write.history_from = last - history_events_max_ + 1;
  return write;
}

void ScheduleDesk::watch(const schedule::ScheduleSummary& summary) {
  schedule::Key key = summary.key();
  alarm_.set(key, summary.next_due);
  if (summary.next_due && summary.by_clock) {
    by_zone_data_[key] = summary.tzdata_version;
  } else {
    by_zone_data_.erase(key);
  }
}

void ScheduleDesk::recover(const schedule::ScheduleSummary& summary) {
  const OpenSchedule* open = cache_.find(summary.key());
  bool in_hand = alarm_.has(summary.key()) || (open && open->undurable());
  if (in_hand) return;
  watch(summary);
}

std::optional<Instant> ScheduleDesk::next_due() const {
  std::optional<Instant> due = alarm_.next();
  if (!deferred_.empty()) {
    Instant until = is_due(deferred_.begin()->first, now_) ? now_ : deferred_.begin()->first;
    if (!due || until < *due) due = until;
  }
  return due;
}

}  // namespace fermata
