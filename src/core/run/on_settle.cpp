#include "core/graph/advance.h"
#include "core/graph/orders.h"
#include "core/run/step.h"
#include "core/saga/saga.h"

/// What other roots report about the work that steps of this run ordered from them.
namespace fermata {

namespace {

Outcome<TokenId> awaited(const Run& run, std::string_view ref, Parked parked) {
  if (run.finished()) return fail(ErrorCode::run_finished, "the execution has ended");
  auto id = graph::token_of_order(run, ref, parked);
  if (!id) return fail(ErrorCode::activation_closed, "this work is no longer awaited");
  return *id;
}

/// The part of `<run id>.<ref>` behind the run's id.
std::string_view ref_in(const Run& run, std::string_view job) {
  std::string_view own = run.id.text();
  bool ours = job.size() > own.size() && job.starts_with(own) && job[own.size()] == '.';
  return ours ? job.substr(own.size() + 1) : std::string_view();
}

}  // namespace

Outcome<void> on_job_settled(Step& step, const SettleJob& settle) {
  if (saga::settle_member(step, settle)) return {};
  auto id = awaited(step.run, ref_in(step.run, settle.job.text()), Parked::job);
  if (!id) {
    if (saga::note_unawaited(step, settle)) return {};
    return Failure{id.error()};
  }
  graph::take_job_end(step, *id, settle);
  graph::advance(step);
  return {};
}

Outcome<void> on_child_settled(Step& step, const SettleChild& settle) {
  FERMATA_TRY(id, awaited(step.run, settle.ref, Parked::child));
  graph::take_child_end(step, id, settle);
  graph::advance(step);
  return {};
}

Outcome<void> on_signal_settled(Step& step, const SettleSignal& settle) {
  FERMATA_TRY(id, awaited(step.run, settle.ref, Parked::sent));
  graph::take_signal_fate(step, id, settle);
  graph::advance(step);
  return {};
}

namespace {

/// One that was begun anew by hand is not what the schedule has started.
void report_to_schedule(Step& step) {
  const Run& run = step.run;
  const Value& schedule = run.trigger.get("schedule_id");
  if (run.trigger_kind != "schedule" || !run.origin.run.empty() || !schedule.is_string()) return;
  step.post(ReportScheduled{run.account, ScheduleId(std::string(schedule.as_string())), run.id,
                            std::string(name_of(run.status))});
}

}  // namespace

void report_end(Step& step) {
  const Run& run = step.run;
  report_to_schedule(step);
  if (run.status != RunStatus::completed)
    for (const RunId& child : run.children)
      step.post(StopRun{child, "execution " + run.id.text() + " has ended"});
  if (run.parent_ref.empty()) return;
  step.post(ReportRun{run.parent, run.parent_ref, run.id, std::string(name_of(run.status)),
                      run.output, run.error});
}

}  // namespace fermata
