#include "core/schedule/step.h"

namespace fermata::schedule {

Outcome<void> on_backfill(Step& step, const Command& command, const BackfillSchedule& backfill) {
  const Schedule& schedule = step.schedule;
  if (backfill.from > backfill.to)
    return fail(ErrorCode::invalid_field, "the backfill ends before it begins");
  if (backfill.to > step.given.now)
    return fail(ErrorCode::invalid_field,
                "a backfill is about the past; it ends at " + to_rfc3339(backfill.to));
  FERMATA_TRY(rule, rule_of(step));
  uint64_t most = step.given.limits.backfill_max;
  std::vector<Instant> occurrences;
  for (auto at = rule.next(backfill.from - Duration{1}); at && *at <= backfill.to;
       at = rule.next(*at)) {
    if (occurrences.size() >= most)
      return fail(ErrorCode::invalid_field, "the backfill has more than " + std::to_string(most) +
                                                " occurrences; setting schedule_backfill_max");
    occurrences.push_back(*at);
  }
  uint64_t queue_most = step.given.limits.queue_max + most;
  if (schedule.queue.size() + occurrences.size() > queue_most)
    return fail(ErrorCode::queue_full, "the schedule already has " +
                                           std::to_string(schedule.queue.size()) +
                                           " occurrences to start");
  if (schedule.spec.overlap == Overlap::allow &&
      schedule.live.size() + occurrences.size() > step.given.limits.live_max)
    return fail(ErrorCode::queue_full, too_many_live(step));
  step.emit(BackfillRequested{backfill.from, backfill.to, occurrences.size(), command.actor});
  for (Instant occurrence : occurrences) {
    if (schedule.live.contains(run_of(schedule, occurrence))) continue;
    if (schedule.spec.overlap == Overlap::allow) {
      start(step, occurrence, Cause::backfill, false);
    } else {
      step.emit(OccurrenceQueued{occurrence, Cause::backfill});
    }
  }
  start_queued(step);
  return {};
}

}  // namespace fermata::schedule
