#include "core/schedule/step.h"

namespace fermata::schedule {

Outcome<void> on_create(Step& step, const Command& command, const CreateSchedule& create) {
  Schedule& schedule = step.schedule;
  if (schedule.exists()) {
    if (schedule.request_hash == create.request_hash) return {};
    return fail(ErrorCode::schedule_exists,
                "schedule " + command.schedule.id.text() + " was made by another request");
  }
  FERMATA_TRY_VOID(refuse_wrong(create.spec, *step.given.zones));
  schedule.id = command.schedule.id;
  step.emit(
      ScheduleCreated{command.schedule.account, create.spec, create.request_hash, command.actor});
  if (create.paused) {
    step.emit(SchedulePaused{command.actor});
    return {};
  }
  FERMATA_TRY(rule, rule_of(step));
  arm(step, rule, step.at);
  return {};
}

Outcome<void> on_update(Step& step, const Command& command, const UpdateSchedule& update) {
  const Schedule& schedule = step.schedule;
  if (update.expected_revision && *update.expected_revision != schedule.revision)
    return fail(ErrorCode::version_conflict, "schedule " + schedule.id.text() + " is at revision " +
                                                 std::to_string(schedule.revision));
  FERMATA_TRY_VOID(refuse_wrong(update.spec, *step.given.zones));
  bool paused = update.paused.value_or(schedule.paused);
  bool resumes = schedule.paused && !paused;
  bool same_rule = schedule.spec.same_rule(update.spec);
  bool changes = !(update.spec == schedule.spec);
  if (changes) step.emit(ScheduleUpdated{update.spec, command.actor});
  if (resumes) return on_resume(step, command);
  if (paused && !schedule.paused) step.emit(SchedulePaused{command.actor});
  if (paused || !changes) return {};
  FERMATA_TRY(rule, rule_of(step));
  arm(step, rule, same_rule ? schedule.counted_to : step.at, same_rule && schedule.catching_up);
  return {};
}

Outcome<void> on_pause(Step& step, const Command& command) {
  if (step.schedule.paused) return {};
  step.emit(SchedulePaused{command.actor});
  return {};
}

Outcome<void> on_resume(Step& step, const Command& command) {
  if (!step.schedule.paused) return {};
  FERMATA_TRY(rule, rule_of(step));
  step.emit(ScheduleResumed{command.actor});
  // A pause is no downtime: what would have come in it never does.
  arm(step, rule, step.at);
  start_queued(step);
  return {};
}

Outcome<void> on_delete(Step& step, const Command& command) {
  step.emit(ScheduleDeleted{command.actor});
  return {};
}

}  // namespace fermata::schedule
