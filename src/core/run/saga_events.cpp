#include "core/run/saga_events.h"

#include <algorithm>

#include "base/check.h"
#include "core/run/approval_events.h"
#include "core/run/wait_events.h"

namespace fermata {

namespace {

/// One timer: the first instant at which the saga wants to be looked at.
void arm(Run& run) {
  std::erase_if(run.timers, [](const RunTimer& timer) { return timer.kind == TimerKind::undo; });
  std::optional<Instant> due;
  if (!run.saga.rolling_back && run.saga.members.empty()) due = run.saga.idle_until;
  for (const AwaitedStop& stop : run.saga.awaited)
    if (stop.until && (!due || *stop.until < *due)) due = stop.until;
  if (due) run.timers.insert({*due, TimerKind::undo, 0});
}

SagaEntry& entry_of(Run& run, uint32_t seq) {
  SagaEntry* entry = run.saga.find(seq);
  check(entry != nullptr);
  return *entry;
}

}  // namespace

void apply(Run& run, const SagaRecorded& event, Instant) {
  run.saga.entries.push_back(event.entry);
}

void apply(Run& run, const RollbackRequested& event, Instant) {
  run.saga.trigger = event.trigger;
  run.saga.by = event.by;
}

void apply(Run& run, const RollbackStarted& event, Instant at) {
  Saga& saga = run.saga;
  saga.trigger = event.trigger;
  saga.by = event.by;
  saga.rolling_back = true;
  saga.started_at = at;
  saga.ending = event.ending;
  saga.members.clear();
  saga.idle_until.reset();
  for (const JobId& job : event.stopped) saga.awaited.push_back({job, {}});
  // Undoing has no time limit, and a pause does not hold it.
  cancel_all_waits(run, run_ends);
  withdraw_approvals(run, run_ends);
  run.status = RunStatus::running;
  run.paused_at.reset();
  run.timeout_at.reset();
  run.timers.clear();
  run.script.reset();
  run.script_begins.reset();
  run.script_retry_at.reset();
  run.script_faults = 0;
  arm(run);
}

void apply(Run& run, const StopAnswered& event, Instant) {
  std::vector<AwaitedStop>& awaited = run.saga.awaited;
  auto found = std::find_if(awaited.begin(), awaited.end(),
                            [&](const AwaitedStop& stop) { return stop.job == event.job; });
  if (found == awaited.end()) return;
  if (event.until) {
    found->until = event.until;
  } else {
    awaited.erase(found);
  }
  arm(run);
}

void apply(Run& run, const UndoSubmitted& event, Instant) {
  SagaEntry& entry = entry_of(run, event.seq);
  entry.status = UndoStatus::submitted;
  entry.undo_job = event.job;
  entry.attempts = event.attempt;
  entry.reason_code.clear();
  entry.reason.clear();
}

void apply(Run& run, const UndoEnded& event, Instant) {
  SagaEntry& entry = entry_of(run, event.seq);
  entry.status = event.status;
  entry.reason_code = event.reason_code;
  entry.reason = event.reason;
  entry.by = event.by;
}

void apply(Run& run, const UndoResumed& event, Instant) {
  entry_of(run, event.seq).status = UndoStatus::recorded;
}

void apply(Run& run, const RollbackEnded&, Instant at) {
  run.saga.rolling_back = false;
  run.saga.rolled_back = true;
  run.saga.ended_at = at;
}

void apply(Run&, const JobOutputWithdrawn&, Instant) {}

void apply(Run& run, const SagaJoined& event, Instant) {
  std::vector<JobId>& members = run.saga.members;
  if (event.ended) {
    std::erase(members, event.job);
  } else {
    members.push_back(event.job);
  }
  run.saga.idle_until = event.idle_until;
  arm(run);
}

}  // namespace fermata
