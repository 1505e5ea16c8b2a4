#include <algorithm>

#include "base/overloaded.h"
#include "core/graph/advance.h"
#include "core/graph/undo.h"
#include "core/saga/saga.h"

/// Commands to the saga of a run, and all commands while it is being undone.
namespace fermata::saga {

namespace {

/// Jobs outside a run that may share one saga: all of them are its state (fixed).
constexpr size_t shared_jobs_max = 10'000;

bool awaits(const Run& run, const JobId& job) {
  return std::any_of(run.saga.awaited.begin(), run.saga.awaited.end(),
                     [&](const AwaitedStop& stop) { return stop.job == job; });
}

Outcome<const SagaEntry*> parked_entry(const Run& run, uint32_t seq) {
  const SagaEntry* entry = run.saga.find(seq);
  if (!entry)
    return fail(ErrorCode::undo_not_found,
                "the execution has no entry " + std::to_string(seq) + " to undo");
  if (!run.saga.rolling_back || entry->status != UndoStatus::parked)
    return fail(ErrorCode::undo_not_parked, "entry " + std::to_string(seq) + " is " +
                                                std::string(name_of(entry->status)) +
                                                ", only a parked one can be retried or skipped");
  return entry;
}

Outcome<void> on_retry(Step& step, const Command& command, const RetryUndo& retry) {
  FERMATA_TRY(entry, parked_entry(step.run, retry.seq));
  step.emit(UndoResumed{entry->seq, command.actor});
  undo_next(step);
  return {};
}

Outcome<void> on_skip(Step& step, const Command& command, const SkipUndo& skip) {
  FERMATA_TRY(entry, parked_entry(step.run, skip.seq));
  step.emit(
      UndoEnded{entry->seq, UndoStatus::skipped, entry->reason_code, skip.reason, command.actor});
  undo_next(step);
  return {};
}

Outcome<void> on_roll_back(Step& step, const Command& command, const RollBack& order) {
  const Run& run = step.run;
  if (run.saga.rolling_back) return {};
  if (run.finished()) return fail(ErrorCode::run_finished, "the execution has ended");
  request(step, "rollback", order.reason, command.actor);
  return cancel_run(step, command, CancelRun{order.reason, false});
}

Outcome<void> on_close(Step& step) {
  const Run& run = step.run;
  if (run.status == RunStatus::completed) return {};
  if (run.finished()) return fail(ErrorCode::run_finished, "the execution has ended");
  if (run.saga.rolling_back)
    return fail(ErrorCode::run_rolling_back, "the execution is being undone");
  if (!run.definition->external || run.workflow.text() != saga_workflow)
    return fail(ErrorCode::wrong_state, "only a saga of jobs outside an execution is closed");
  if (!run.saga.members.empty())
    return fail(ErrorCode::wrong_state, std::to_string(run.saga.members.size()) +
                                            " of its jobs have not ended yet, such as " +
                                            run.saga.members.front().text());
  step.emit(RunCompleted{});
  return {};
}

/// Nothing of the run is undone any more: people have to look at what was done too late.
Outcome<void> leave(Step& step, const TellLateSuccess& late) {
  if (step.run.status == RunStatus::completed) return {};
  step.post(LeaveLate{late.job, "it succeeded after execution " + step.run.id.text() +
                                    " had ended as " + std::string(name_of(step.run.status)) +
                                    "; nothing undoes it"});
  return {};
}

Outcome<void> on_late(Step& step, const TellLateSuccess& late) {
  const Run& run = step.run;
  if (run.saga.of_job(late.job)) return {};
  if (run.finished()) return leave(step, late);
  Work work;
  work.job = late.job;
  work.step = late.step;
  work.undo = late.undo;
  work.input = late.input;
  work.input_blob = late.input_blob;
  work.output = late.output;
  work.withheld = late.withheld;
  work.late = true;
  graph::complete_late_undo(step, work);
  record(step, std::move(work));
  if (run.saga.rolling_back) undo_next(step);
  return {};
}

Outcome<void> on_returned(Step& step, const TellReturned& returned) {
  if (!step.run.saga.rolling_back || !awaits(step.run, returned.job))
    return fail(ErrorCode::activation_closed, "this job is no longer awaited");
  step.emit(StopAnswered{returned.job, std::nullopt});
  undo_next(step);
  return {};
}

Outcome<void> on_join(Step& step, const JoinSaga& join) {
  const Run& run = step.run;
  bool over = run.finished() || run.saga.rolling_back || run.account != join.account;
  if (over) {
    step.post(StopJob{join.job, "the saga " + run.id.text() + " has ended"});
    return {};
  }
  const auto& members = run.saga.members;
  if (std::find(members.begin(), members.end(), join.job) != members.end()) return {};
  if (members.size() + run.saga.entries.size() >= shared_jobs_max) {
    step.post(StopJob{join.job, "the saga " + run.id.text() + " has " +
                                    std::to_string(shared_jobs_max) + " jobs, which is the most"});
    return {};
  }
  std::optional<Instant> idle_until;
  if (run.workflow.text() == saga_workflow)
    idle_until = step.at + Duration{step.given.limits.saga_idle_ms};
  step.emit(SagaJoined{join.job, false, idle_until});
  return {};
}

/// What was taken cannot be taken back; whoever reads the history learns of it.
Outcome<void> on_withdrawn(Step& step, const TellWithdrawn& told) {
  step.emit(JobOutputWithdrawn{told.job, told.step, told.reason});
  return {};
}

/// A job outside a run has failed in a way that undoes all it shares its saga with.
void fail_whole(Step& step, Value error) {
  if (step.run.definition->is_script()) return fail_script(step, std::move(error));
  graph::fail_run(step, std::move(error));
}

/// What became of the job that was to undo an entry.
void settle_undo(Step& step, const SagaEntry& entry, const SettleJob& settle) {
  const RunLimits& limits = step.given.limits;
  const Value& message = settle.error.get("message");
  std::string reason =
      message.is_string() ? std::string(message.as_string()) : "the job ended as " + settle.state;
  UndoEnded ended{entry.seq, UndoStatus::parked, "compensation_failed", std::move(reason), ""};
  // It is done, whatever may be read of what its worker said.
  if (settle.state == "SUCCEEDED" || (settle.withheld && settle.work_done)) {
    ended = {entry.seq, UndoStatus::done, "", "", ""};
  } else if (settle.reason_code == "saga_unmarshal_failed") {
    ended.status = UndoStatus::skipped;
    ended.reason_code = settle.reason_code;
    ended.reason = entry.problem.empty() ? ended.reason : entry.problem;
  } else if (settle.state == "DENIED") {
    ended.reason_code = "compensation_denied";
    if (limits.saga_skips_denied) ended.status = UndoStatus::skipped;
  } else if (limits.saga_skips_failed) {
    ended.status = UndoStatus::skipped;
  }
  step.emit(std::move(ended));
}

/// Jobs that were stopped, jobs that undo, and jobs that nobody stopped.
Outcome<void> on_settle_in_rollback(Step& step, const SettleJob& settle) {
  const Saga& saga = step.run.saga;
  const SagaEntry* entry = saga.submitted();
  bool known = false;
  if (entry && entry->undo_job == settle.job) {
    settle_undo(step, *entry, settle);
    known = true;
  } else if (auto work = work_of(settle)) {
    graph::complete_late_undo(step, *work);
    record(step, *std::move(work));
    known = true;
  }
  if (awaits(step.run, settle.job)) {
    bool free = !settle.lease_until || *settle.lease_until <= step.at;
    step.emit(StopAnswered{settle.job, free ? std::nullopt : settle.lease_until});
    known = true;
  }
  if (!known) return fail(ErrorCode::activation_closed, "this work is no longer awaited");
  undo_next(step);
  return {};
}

Outcome<void> on_wake_in_rollback(Step& step) {
  const Saga& saga = step.run.saga;
  std::vector<JobId> gone;
  for (const AwaitedStop& stop : saga.awaited)
    if (stop.until && *stop.until <= step.given.now) gone.push_back(stop.job);
  if (gone.empty()) return fail(ErrorCode::nothing_due, "nothing is due yet");
  for (JobId& job : gone) step.emit(StopAnswered{std::move(job), std::nullopt});
  undo_next(step);
  return {};
}

}  // namespace

bool settle_member(Step& step, const SettleJob& settle) {
  const Run& run = step.run;
  const auto& members = run.saga.members;
  if (run.finished() || std::find(members.begin(), members.end(), settle.job) == members.end())
    return false;
  if (auto work = work_of(settle)) record(step, *std::move(work));
  step.emit(SagaJoined{settle.job, true, run.saga.idle_until});
  if (!settle.fatal) return true;
  request(step, "failed_fatal", settle.reason_code, "job " + settle.job.text());
  Value error = settle.error.is_object() ? settle.error : Value::object();
  error.set("job_id", settle.job.text());
  fail_whole(step, std::move(error));
  return true;
}

bool note_unawaited(Step& step, const SettleJob& settle) {
  auto work = work_of(settle);
  if (step.run.finished() || !work || step.run.saga.of_job(settle.job)) return false;
  graph::complete_late_undo(step, *work);
  record(step, *std::move(work));
  return true;
}

void end_idle(Step& step) { step.emit(RunCompleted{}); }

Outcome<void> on_order(Step& step, const Command& command, const SagaOrder& order) {
  return std::visit(Overloaded{
                        [&](const RollBack& body) { return on_roll_back(step, command, body); },
                        [&](const RetryUndo& body) { return on_retry(step, command, body); },
                        [&](const SkipUndo& body) { return on_skip(step, command, body); },
                        [&](const CloseSaga&) { return on_close(step); },
                        [&](const TellLateSuccess& body) { return on_late(step, body); },
                        [&](const TellReturned& body) { return on_returned(step, body); },
                        [&](const JoinSaga& body) { return on_join(step, body); },
                        [&](const TellWithdrawn& body) { return on_withdrawn(step, body); },
                    },
                    order.what);
}

Outcome<void> decide_rollback(Step& step, const Command& command) {
  if (const auto* order = std::get_if<SagaOrder>(&command.body))
    return on_order(step, command, *order);
  if (const auto* settle = std::get_if<SettleJob>(&command.body))
    return on_settle_in_rollback(step, *settle);
  if (std::holds_alternative<WakeRun>(command.body)) return on_wake_in_rollback(step);
  const auto* cancel = std::get_if<CancelRun>(&command.body);
  if (cancel && cancel->rollback) return {};
  return fail(ErrorCode::run_rolling_back, "the execution is being undone");
}

}  // namespace fermata::saga
