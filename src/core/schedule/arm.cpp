#include "core/schedule/step.h"

namespace fermata::schedule {

Outcome<Rule> rule_of(const Step& step) {
  return Rule::of(step.schedule.spec, step.schedule.created_at, *step.given.zones);
}

void arm(Step& step, const Rule& rule, Instant counted_to, bool catching_up) {
  bool used_up = is_used_up(step.schedule);
  std::optional<Instant> next = used_up ? std::nullopt : rule.next(counted_to);
  step.emit(ScheduleArmed{next, counted_to, as_if_utc(rule.local_at(counted_to)),
                          step.given.zones->version(), catching_up && next.has_value()});
  if (next) return;
  step.emit(ScheduleEnded{used_up ? "max_runs" : step.schedule.spec.end_at ? "end_at" : "never"});
}

Outcome<void> on_zones_changed(Step& step) {
  const Schedule& schedule = step.schedule;
  bool expects = schedule.next && !schedule.spec.cron.empty();
  if (!expects) return fail(ErrorCode::nothing_due, "no occurrence depends on zone data");
  FERMATA_TRY(rule, rule_of(step));
  Instant after = schedule.counted_to;
  // Where clocks now show another time at the last occurrence, the time it stood for may seem to
  // lie ahead again; it has had its run, as on the second pass of a repeated hour.
  bool moved = !rule.fires_on_both_passes() && rule.local_at(after) != schedule.counted_to_local;
  std::optional<Instant> next = rule.next(after);
  while (moved && next && rule.local_at(*next) <= schedule.counted_to_local)
    next = rule.next(*next);
  if (next == schedule.next)
    return fail(ErrorCode::nothing_due, "the next occurrence stays where it is");
  step.emit(ScheduleArmed{next, after, as_if_utc(schedule.counted_to_local),
                          step.given.zones->version(), schedule.catching_up});
  if (!next) step.emit(ScheduleEnded{schedule.spec.end_at ? "end_at" : "never"});
  return {};
}

}  // namespace fermata::schedule
