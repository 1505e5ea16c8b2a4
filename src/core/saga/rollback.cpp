#include "base/check.h"
#include "base/uuid.h"
#include "core/saga/saga.h"

namespace fermata::saga {

namespace {

/// `comp-<uuid>`, from run, entry and round: a repeated decision submits the same job (J-72).
JobId undo_job_of(const Run& run, const SagaEntry& entry) {
  return JobId("comp-" +
               uuid_v5("fermata.saga\n" + run.id.text() + "\n" + std::to_string(entry.seq) + "\n" +
                       std::to_string(entry.attempts + 1)));
}

void submit(Step& step, const SagaEntry& entry) {
  const Run& run = step.run;
  OrderJob order;
  order.job = undo_job_of(run, entry);
  order.account = run.account;
  order.run = run.id;
  order.workflow = run.workflow;
  order.definition = run.definition->hash;
  order.step = entry.step;
  order.idempotency_key = entry.idempotency_key;
  order.contact_id = run.contact_id;
  order.request = entry.request;
  order.started_by = run.started_by;
  order.undoes = entry.job;
  order.problem = entry.problem;
  JobId job = order.job;
  step.post(std::move(order));
  step.emit(UndoSubmitted{entry.seq, std::move(job), entry.attempts + 1});
}

void finish(Step& step) {
  RunEnding ending = step.run.saga.ending;
  step.emit(RollbackEnded{});
  switch (ending.status) {
    case RunStatus::cancelled:
      return step.emit(RunCancelled{std::move(ending.reason), std::move(ending.by)});
    case RunStatus::timed_out: return step.emit(RunTimedOut{});
    case RunStatus::completed: return step.emit(RunCompleted{});
    default: return step.emit(RunFailed{std::move(ending.error)});
  }
}

/// The jobs this decision has stopped. Each is asked to tell when its worker has let go; the one
/// whose end it was told of has nobody to wait for.
std::vector<JobId> stopped_jobs(Step& step) {
  std::vector<JobId> stopped;
  for (Post& post : step.decision.posts) {
    auto* stop = std::get_if<StopJob>(&post);
    if (!stop || stop->job == step.settled) continue;
    stop->awaited = true;
    stopped.push_back(stop->job);
  }
  return stopped;
}

bool begin(Step& step, std::string trigger, std::string by, RunEnding ending) {
  Run& run = step.run;
  for (const JobId& member : run.saga.members)
    step.post(StopJob{member, "its saga is undone", true});
  std::vector<JobId> stopped = stopped_jobs(step);
  if (!run.saga.newest_unsettled() && stopped.empty()) return false;
  step.emit(
      RollbackStarted{std::move(trigger), std::move(by), std::move(ending), std::move(stopped)});
  undo_next(step);
  return true;
}

bool rolls_back_on_failure(const Run& run) {
  return run.rolls_back.value_or(run.definition->rolls_back);
}

template <class E>
void end(Step& step, E event, RunEnding ending) {
  const Run& run = step.run;
  check(!run.saga.rolling_back);
  std::string trigger = run.saga.trigger;
  std::string by = run.saga.by;
  if (trigger.empty() && ending.status != RunStatus::cancelled && rolls_back_on_failure(run)) {
    trigger = "on_failure";
    by = "engine";
  }
  if (!trigger.empty() && begin(step, std::move(trigger), std::move(by), std::move(ending))) return;
  step.emit(std::move(event));
}

}  // namespace

void undo_next(Step& step) {
  const Saga& saga = step.run.saga;
  if (!saga.awaited.empty() || saga.submitted()) return;
  const SagaEntry* next = saga.newest_unsettled();
  if (!next) return finish(step);
  // A parked entry holds the older ones: undoing out of order is worse than waiting (J-75).
  if (next->status == UndoStatus::recorded) submit(step, *next);
}

void end_run(Step& step, RunFailed event) {
  RunEnding ending{RunStatus::failed, event.error};
  end(step, std::move(event), std::move(ending));
}

void end_run(Step& step, RunCancelled event) {
  RunEnding ending{RunStatus::cancelled, {}, event.reason, event.by};
  end(step, std::move(event), std::move(ending));
}

void end_run(Step& step, RunTimedOut event) { end(step, event, RunEnding{RunStatus::timed_out}); }

void request(Step& step, std::string trigger, std::string reason, std::string by) {
  if (!step.run.saga.trigger.empty()) return;
  step.emit(RollbackRequested{std::move(trigger), std::move(reason), std::move(by)});
}

void begin_for_ended(Step& step, const std::string& by) {
  if (begin(step, "rollback", by, RunEnding{RunStatus::completed})) return;
  step.emit(RunCompleted{});
}

}  // namespace fermata::saga
