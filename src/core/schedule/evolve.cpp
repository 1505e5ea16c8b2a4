#include "base/uuid.h"
#include "core/schedule/decide.h"

/// The fold. Each overload changes the state as its event says and decides nothing.
namespace fermata::schedule {
namespace {

void apply(Schedule& schedule, const ScheduleCreated& event, Instant at) {
  // An id may be used again after its schedule was deleted; only the numbering goes on.
  Schedule made;
  made.id = schedule.id;
  made.account = event.account;
  made.spec = event.spec;
  made.request_hash = event.request_hash;
  made.revision = schedule.revision + 1;
  made.created_at = at;
  made.counted_to = at;
  schedule = std::move(made);
}

void apply(Schedule& schedule, const ScheduleUpdated& event, Instant) {
  schedule.spec = event.spec;
  ++schedule.revision;
  schedule.ended.clear();
}

void apply(Schedule& schedule, const SchedulePaused&, Instant) {
  schedule.paused = true;
  schedule.next.reset();
  schedule.catching_up = false;
}

void apply(Schedule& schedule, const ScheduleResumed&, Instant) { schedule.paused = false; }

void apply(Schedule& schedule, const ScheduleArmed& event, Instant) {
  schedule.next = event.next;
  schedule.counted_to = event.counted_to;
  schedule.counted_to_local = local_as_if_utc(event.counted_to_shown);
  schedule.tzdata_version = event.tzdata_version;
  schedule.catching_up = event.catching_up;
  if (!event.catching_up) schedule.caught_up = 0;
}

void apply(Schedule& schedule, const OccurrenceStarted& event, Instant) {
  if (event.queued) schedule.queue.pop_front();
  schedule.live.insert_or_assign(event.run, LiveRun{event.occurrence, event.cause});
  schedule.last_run = event.run;
  schedule.last_occurrence = event.occurrence;
  if (event.cause != Cause::rule) return;
  ++schedule.runs_started;
  ++schedule.caught_up;
}

void apply(Schedule& schedule, const OccurrenceQueued& event, Instant) {
  schedule.queue.push_back({event.occurrence, event.cause});
  if (event.cause == Cause::rule) ++schedule.caught_up;
}

void apply(Schedule& schedule, const OccurrencesSkipped& event, Instant) {
  schedule.skipped += event.count;
}

void apply(Schedule&, const PreviousCancelled&, Instant) {}
void apply(Schedule&, const BackfillRequested&, Instant) {}

void apply(Schedule& schedule, const ScheduledRunEnded& event, Instant) {
  schedule.live.erase(event.run);
}

void apply(Schedule& schedule, const StartRefused& event, Instant) {
  auto found = schedule.live.find(event.run);
  if (found == schedule.live.end()) return;
  if (found->second.cause == Cause::rule) --schedule.runs_started;
  schedule.live.erase(found);
}

void apply(Schedule& schedule, const ScheduleEnded& event, Instant) {
  schedule.ended = event.reason;
  schedule.next.reset();
}

void apply(Schedule& schedule, const ScheduleDeleted&, Instant) {
  schedule.deleted = true;
  schedule.next.reset();
  schedule.queue.clear();
  schedule.live.clear();
}

}  // namespace

void evolve(Schedule& schedule, const Event& event) {
  std::visit([&](const auto& body) { apply(schedule, body, event.at); }, event.body);
  schedule.last_sequence = event.sequence;
  schedule.last_at = event.at;
}

std::string_view name_of(Cause cause) {
  switch (cause) {
    case Cause::rule: return "rule";
    case Cause::backfill: return "backfill";
    case Cause::trigger: return "trigger";
  }
  return "";
}

std::string_view name_of(Status status) {
  switch (status) {
    case Status::active: return "active";
    case Status::paused: return "paused";
    case Status::ended: return "ended";
    case Status::deleted: return "deleted";
  }
  return "";
}

namespace {

/// The creation tells schedules apart that had the same id one after the other.
std::string name_of(const Schedule& schedule) {
  return "schedule/" + schedule.account.text() + "/" + schedule.id.text() + "/" +
         std::to_string(schedule.created_at.ms);
}

}  // namespace

RunId run_of(const Schedule& schedule, Instant occurrence) {
  return RunId(uuid_v5(name_of(schedule) + "/at/" + std::to_string(occurrence.ms)));
}

RunId triggered_run_of(const Schedule& schedule, std::string_view key) {
  return RunId(uuid_v5(name_of(schedule) + "/trigger/" + std::string(key)));
}

ScheduleSummary summarize(const Schedule& schedule) {
  return {schedule.id,
          schedule.account,
          schedule.spec.workflow,
          schedule.status(),
          schedule.next,
          schedule.last_sequence,
          !schedule.spec.cron.empty(),
          schedule.tzdata_version,
          schedule.request_hash};
}

}  // namespace fermata::schedule
