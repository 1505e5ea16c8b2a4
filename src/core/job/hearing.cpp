#include "core/job/hearing.h"

#include <algorithm>

#include "core/job/undo.h"

namespace fermata::job {

namespace {

bool already_noted(const Job& job, uint64_t fence) {
  return std::any_of(job.late_successes.begin(), job.late_successes.end(),
                     [&](const LateSuccess& late) { return late.fence == fence; });
}

/// A message under one fence is told once; what the sixteen kept ones do not show is not told.
void note_late_success(Step& step, const Spoken& spoken, const Report& report) {
  const Job& job = step.job;
  if (already_noted(job, spoken.fence) || job.late_successes.size() >= late_successes_max) return;
  step.emit(LateSuccessNoted{spoken.attempt, spoken.fence, spoken.worker, digest_of(report)});
  RunId run = job.saga_run();
  Value undo = undo_request(job);
  if (run.empty() || undo.is_null()) return;
  LateSuccessTold told;
  told.job = job.id;
  told.run = std::move(run);
  told.saga_id = job.request.saga_id;
  told.fence = spoken.fence;
  // What nobody has scanned is not handed on.
  told.withheld = output_plan(step, size_of(report)).step != OutputPlan::Step::pass;
  if (!told.withheld) told.output = report.output;
  told.step_id = job.request.step.step_id;
  told.undo = std::move(undo);
  told.input = job.request.input;
  step.record(std::move(told));
}

/// Who waits for the worker of a stopped job hears when it has let go, once.
void note_return(Step& step, const Attempt& attempt) {
  if (!step.job.stop_awaited || attempt.returned || attempt.fence != step.job.last_fence) return;
  step.emit(LeaseReturned{attempt.fence});
  step.record(LeaseReturnedTold{step.job.id, step.job.saga_run()});
}

void audit_violation(Step& step, Answer answer, const Spoken& spoken) {
  Value details = Value::object({{"answer", name_of(answer)},
                                 {"attempt", spoken.attempt},
                                 {"fence", spoken.fence},
                                 {"worker_id", spoken.worker.text()},
                                 {"pool", spoken.pool}});
  step.audit("job.report_refused", std::string(name_of(answer)), std::move(details));
}

}  // namespace

Answer hear(const Job& job, const Spoken& spoken, const std::string& digest) {
  if (!job.exists()) return Answer::unknown_job;
  const Attempt* named = job.find_attempt(spoken.fence);
  bool other_attempt = named && spoken.attempt != 0 && spoken.attempt != named->attempt;
  bool same_worker = named && named->worker == spoken.worker && named->pool == spoken.pool;
  if (named && !other_attempt && named->open() && same_worker) return Answer::accepted;
  if (named && !other_attempt && !named->digest.empty())
    return named->digest == digest ? Answer::duplicate : Answer::conflict;
  if (spoken.fence < job.last_fence) return Answer::stale;
  if (!named || other_attempt) return Answer::future;
  if (!same_worker) return Answer::wrong_worker;
  // Its fence was revoked without a word of its own, and no newer one was given out since.
  return job.finished() ? Answer::terminal : Answer::stale;
}

void answer_only(Step& step, Answer answer, const Spoken& spoken, const Report* report) {
  step.decision.answer = answer;
  switch (answer) {
    case Answer::stale:
    case Answer::terminal:
      if (report && report->status == AttemptOutcome::succeeded)
        note_late_success(step, spoken, *report);
      break;
    case Answer::conflict:
    case Answer::future:
    case Answer::wrong_worker: audit_violation(step, answer, spoken); break;
    case Answer::accepted:
    case Answer::duplicate:
    case Answer::unknown_job: break;
  }
  const Attempt* named = step.job.find_attempt(spoken.fence);
  if (!named || named->open() || named->worker != spoken.worker) return;
  step.effect(FreeLease{named->fence, named->registration, false});
  note_return(step, *named);
}

}  // namespace fermata::job
