#include "core/schedule/step.h"

/// What runs report about themselves.
namespace fermata::schedule {
namespace {

Outcome<void> refuse_unknown(const Schedule& schedule, const RunId& run) {
  if (schedule.live.contains(run)) return {};
  return fail(ErrorCode::nothing_due, "execution " + run.text() + " is not awaited here");
}

}  // namespace

Outcome<void> on_run_ended(Step& step, const RunEnded& ended) {
  FERMATA_TRY_VOID(refuse_unknown(step.schedule, ended.run));
  step.emit(ScheduledRunEnded{ended.run, ended.status});
  start_queued(step);
  return {};
}

Outcome<void> on_start_refused(Step& step, const RefuseStart& refuse) {
  FERMATA_TRY_VOID(refuse_unknown(step.schedule, refuse.run));
  step.emit(StartRefused{refuse.run, refuse.code, refuse.message});
  start_queued(step);
  return {};
}

}  // namespace fermata::schedule
