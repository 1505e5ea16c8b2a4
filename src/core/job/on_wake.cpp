#include "core/job/step.h"

namespace fermata::job {

namespace {

void meet_deadline(Step& step) {
  constexpr const char* reason = "the deadline of the job has passed";
  revoke_attempt(step, AttemptOutcome::timeout, reason);
  time_out(step, Cause::deadline, "deadline_exceeded", make_error("deadline_exceeded", reason));
}

/// The attempt took too long: to give a sign of life, or as a whole.
void time_out_attempt(Step& step) {
  const Attempt& open = *step.job.open_attempt();
  bool never_started = !open.started_at && open.start_until && *open.start_until <= step.at;
  AttemptEnd end;
  end.outcome = AttemptOutcome::timeout;
  end.counts = never_started ? CountsAs::a_loss : CountsAs::a_try;
  end.reason_code = never_started ? "start_timeout" : "run_timeout";
  end.error = make_error(end.reason_code, never_started ? "the worker gave no sign of life in time"
                                                        : "the attempt took too long");
  step.effect(RevokeLease{open.fence, open.registration, end.reason_code});
  end_attempt(step, std::move(end));
}

bool awaits_verdict(const Job& job) {
  return job.state == State::pending && job.phase == Phase::policy && !job.not_before;
}

bool due(std::optional<Instant> when, Instant at) { return when && *when <= at; }

/// A scan begins, or has taken too long.
bool act_on_scan(Step& step) {
  const Job& job = step.job;
  if (!due(scan_due(job, step.given.engine_started_at), step.at)) return false;
  if (job.held->scan_at) {
    begin_scan(step);
  } else {
    fail_scan(step, "the scan took too long");
  }
  return true;
}

/// Does the one thing that is due, if any.
bool act(Step& step) {
  const Job& job = step.job;
  if (due(job.review_until, step.at))
    return end_review(step, "nobody has looked at the output in time"), true;
  if (job.finished()) return act_on_scan(step);
  if (due(job.deadline_at, step.at)) return meet_deadline(step), true;
  switch (job.state) {
    case State::pending:
      if (!due(job.not_before, step.at)) return false;
      return ask_policy(step), true;
    case State::approval_required: {
      if (!job.approval || job.approval->expires_at > step.at) return false;
      deny(step, Cause::approval_expiry, *job.verdict, "approval_expired",
           "nobody has approved it in time");
      return true;
    }
    case State::scheduled:
      if (!due(job.queue_until, step.at)) {
        if (!due(job.give_up_at, step.at)) return false;
        return give_up(step), true;
      }
      time_out(step, Cause::queue_timeout, "queue_timeout",
               make_error("queue_timeout", "no worker has taken it in time"));
      return true;
    case State::dispatched:
    case State::running: {
      if (act_on_scan(step)) return true;
      const Attempt* open = job.open_attempt();
      if (!open || !due(attempt_due(*open, step.given.engine_started_at), step.at)) return false;
      return time_out_attempt(step), true;
    }
    case State::retrying:
      if (!due(job.not_before, step.at)) return false;
      return requeue(step), true;
    default: return false;
  }
}

}  // namespace

Outcome<void> on_wake(Step& step) {
  if (!act(step)) {
    // Whoever was to judge it may not have been asked, or its answer may be lost.
    if (!awaits_verdict(step.job)) return fail(ErrorCode::nothing_due, "nothing is due yet");
    ask_policy(step);
    return {};
  }
  // What was due may have led to what is due as well, however late the clock is looked at.
  while (act(step)) {
  }
  return {};
}

}  // namespace fermata::job
