#include <algorithm>

#include "base/check.h"
#include "core/job/decide.h"

/// The fold. Each overload changes the state as its event says and decides nothing.
namespace fermata::job {

namespace {

void leave_queue(Job& job) {
  job.ready_at.reset();
  job.queue_until.reset();
}

template <class Event>
void enter_queue(Job& job, const Event& event, Instant at) {
  if (job.state != State::scheduled) {
    job.ready_at = at;
    job.waiting_since = at;
  }
  job.state = State::scheduled;
  job.phase = Phase::ready;
  job.not_before.reset();
  job.queue_until = event.queue_until;
  job.give_up_at = event.give_up_at;
}

void end(Job& job, State state, std::string reason_code, std::string reason, Instant at) {
  job.state = state;
  job.phase = Phase::none;
  job.reason_code = std::move(reason_code);
  job.reason = std::move(reason);
  job.ended_at = at;
  job.not_before.reset();
  leave_queue(job);
}

void fold(Job& job, const JobSubmitted& event, Instant at) {
  job.account = event.account;
  job.request = event.request;
  job.request_hash = event.request_hash;
  job.source = event.source;
  job.submitter = event.submitter;
  job.deadline_at = event.deadline_at;
  job.submitted_at = at;
  job.state = State::pending;
  job.phase = Phase::policy;
}

/// What runs without a verdict shows it.
void mark_bypassed(Job& job) {
  if (job.verdict->bypassed) {
    if (!job.request.labels.is_object()) job.request.labels = Value::object();
    job.request.labels.set("safety_bypassed", "true");
  } else if (job.request.labels.find("safety_bypassed")) {
    job.request.labels.erase("safety_bypassed");
  }
}

void fold(Job& job, const JobAllowed& event, Instant at) {
  job.verdict = event.verdict;
  job.policy_waits = 0;
  mark_bypassed(job);
  job.approval.reset();
  enter_queue(job, event, at);
}

void fold(Job& job, const JobPostponed& event, Instant) {
  job.state = State::pending;
  job.phase = event.phase;
  if (event.phase == Phase::policy_unavailable) ++job.policy_waits;
  job.not_before = event.check_at;
  leave_queue(job);
}

void fold(Job& job, const JobApprovalRequired& event, Instant) {
  job.state = State::approval_required;
  job.phase = Phase::none;
  job.verdict = event.verdict;
  job.policy_waits = 0;
  job.approval = event.approval;
  job.not_before.reset();
  leave_queue(job);
}

void fold(Job& job, const JobVoted& event, Instant) {
  if (job.approval) job.approval->votes.push_back(event.vote);
}

void fold(Job& job, const JobApproved& event, Instant at) {
  job.verdict = event.verdict;
  job.policy_waits = 0;
  mark_bypassed(job);
  if (job.approval) job.approval->granted = true;
  enter_queue(job, event, at);
}

void fold(Job& job, const JobDenied& event, Instant at) {
  job.verdict = event.verdict;
  end(job, State::denied, event.reason_code, event.reason, at);
}

void fold(Job& job, const JobAmended& event, Instant) {
  auto& people = job.amended_by;
  if (std::find(people.begin(), people.end(), event.by) == people.end()) people.push_back(event.by);
  if (event.topic) job.request.topic = *event.topic;
  if (event.input) job.request.input = *event.input;
  if (event.labels) job.request.labels = *event.labels;
  if (event.budget) job.request.budget = *event.budget;
  job.request_hash = event.request_hash;
  job.deadline_at = event.deadline_at;
  ++job.revision;
  job.policy_waits = 0;
  job.state = State::pending;
  job.phase = Phase::policy;
  job.verdict.reset();
  job.approval.reset();
  job.not_before.reset();
  leave_queue(job);
}

void fold(Job& job, const JobDispatched& event, Instant at) {
  Attempt attempt;
  attempt.attempt = event.attempt;
  attempt.fence = event.fence;
  attempt.worker = event.worker;
  attempt.registration = event.registration;
  attempt.pool = event.pool;
  attempt.claim_seq = event.claim_seq;
  attempt.ready_at = job.ready_at;
  attempt.dispatched_at = at;
  attempt.lease_ms = event.lease_ms;
  attempt.start_until = event.start_until;
  attempt.run_until = event.run_until;
  job.attempts.push_back(std::move(attempt));
  if (job.attempts.size() > attempts_kept_max) job.attempts.pop_front();
  job.attempt_count = event.attempt;
  job.last_fence = event.fence;
  job.state = State::dispatched;
  job.phase = Phase::none;
  leave_queue(job);
}

void fold(Job& job, const JobStarted&, Instant at) {
  job.state = State::running;
  job.phase = Phase::executing;
  if (!job.attempts.empty()) job.attempts.back().started_at = at;
}

void fold(Job& job, const JobAttemptEnded& event, Instant at) {
  if (event.counts == CountsAs::a_try) ++job.tries;
  if (event.counts == CountsAs::a_loss) ++job.losses;
  if (event.outcome != AttemptOutcome::declined && event.outcome != AttemptOutcome::undelivered)
    job.reached_worker = true;
  job.usage = job.usage + event.usage;
  if (job.attempts.empty()) return;
  Attempt& attempt = job.attempts.back();
  attempt.ended_at = at;
  attempt.outcome = event.outcome;
  attempt.error = event.error;
  attempt.execution_ms = event.execution_ms;
  attempt.digest = event.digest;
}

void fold(Job& job, const JobRetryScheduled& event, Instant) {
  job.state = State::retrying;
  job.phase = Phase::none;
  job.not_before = event.not_before;
}

void fold(Job& job, const JobRequeued& event, Instant at) { enter_queue(job, event, at); }

void fold(Job& job, const GiveUpMoved& event, Instant) {
  job.give_up_at = event.give_up_at;
  job.waiting_since = event.waiting_since;
}

void fold(Job& job, const JobSucceeded& event, Instant at) {
  job.output = event.output;
  job.artifacts = event.artifacts;
  job.held.reset();
  end(job, State::succeeded, "", "", at);
}

void fold(Job& job, const JobOutputHeld& event, Instant) {
  job.held = event.held;
  // What may be used before it was scanned has succeeded already; what nobody scans is refused.
  if (job.finished() || event.held.snapshot.empty()) return;
  job.state = State::running;
  job.phase = Phase::output_scan;
}

void fold(Job& job, const OutputScanFailed& event, Instant) {
  if (!job.held) return;
  job.held->tries = event.tries;
  job.held->scan_until.reset();
  job.held->scan_at = event.scan_at;
}

void fold(Job& job, const OutputScanBegun& event, Instant at) {
  if (!job.held) return;
  job.held->snapshot = event.snapshot;
  job.held->fail_open = event.fail_open;
  job.held->begun_at = at;
  job.held->scan_at.reset();
  job.held->scan_until = event.scan_until;
}

void fold(Job& job, const OutputJudged& event, Instant) {
  job.judged_output = event.verdict;
  if (!job.held) return;
  job.held->snapshot.clear();
  job.held->scan_at.reset();
  job.held->scan_until.reset();
}

void fold(Job& job, const OutputCleared& event, Instant) {
  job.output = event.output;
  job.artifacts = event.artifacts;
  job.held.reset();
}

void fold(Job& job, const JobQuarantined& event, Instant at) {
  job.withdrawn = job.state == State::succeeded;
  job.output = {};
  job.artifacts.clear();
  job.review_until = event.review_until;
  Instant ended_at = job.withdrawn ? *job.ended_at : at;
  end(job, State::output_quarantined, event.reason_code, event.reason, ended_at);
}

void fold(Job& job, const OutputReleased& event, Instant) {
  job.output = event.output;
  job.artifacts = event.artifacts;
  job.held.reset();
  job.review_until.reset();
  job.released = true;
  end(job, State::succeeded, "", "", *job.ended_at);
}

void fold(Job& job, const OutputDiscarded&, Instant) { job.held.reset(); }

void fold(Job& job, const ReviewEnded&, Instant) { job.review_until.reset(); }

void fold(Job& job, const JobContentChecked& event, Instant) { job.content = event.check; }

void fold(Job& job, const JobFailed& event, Instant at) {
  job.error = event.error;
  end(job, State::failed, event.reason_code, event.reason, at);
}

void fold(Job& job, const JobTimedOut& event, Instant at) {
  job.error = event.error;
  job.held.reset();
  end(job, State::timeout, event.reason_code, event.reason, at);
}

void fold(Job& job, const JobCancelled& event, Instant at) {
  job.stop_awaited = event.awaited;
  job.held.reset();
  end(job, State::cancelled, "", event.reason, at);
}

void fold(Job& job, const LeaseReturned& event, Instant) {
  for (Attempt& attempt : job.attempts)
    if (attempt.fence == event.fence) attempt.returned = true;
}

void fold(Job& job, const LateSuccessNoted& event, Instant at) {
  if (job.late_successes.size() < late_successes_max)
    job.late_successes.push_back({event.attempt, event.fence, event.worker, event.digest, at});
}

}  // namespace

void evolve(Job& job, const Event& event) {
  std::visit([&](const auto& body) { fold(job, body, event.at); }, event.body);
  job.last_sequence = event.sequence;
  job.last_at = event.at;
}

}  // namespace fermata::job
