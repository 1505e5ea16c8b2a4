#include "core/job/summary.h"

namespace fermata::job {

Summary summarize(const Job& job, Instant engine_started_at) {
  Summary summary;
  summary.id = job.id;
  summary.account = job.account;
  summary.state = job.state;
  summary.phase = job.phase;
  summary.reason_code = job.reason_code;
  summary.submitted_at = job.submitted_at;
  summary.updated_at = job.last_at;
  summary.ended_at = job.ended_at;
  summary.next_due = next_due(job, engine_started_at);
  summary.last_sequence = job.last_sequence;
  summary.request_hash = job.request_hash;
  summary.idempotency_key = job.request.idempotency_key;
  summary.run = job.request.step.run;
  summary.workflow = job.request.step.workflow;
  summary.step_id = job.request.step.step_id;
  summary.parent_job = job.request.parent_job;
  summary.labels = job.request.labels;
  summary.attempts = job.attempt_count;
  summary.topic = job.request.topic;
  summary.priority = job.request.priority;
  summary.requires_ = job.request.requires_;
  summary.concurrency = job.request.concurrency;
  summary.ready_at = job.ready_at;
  if (job.verdict) {
    summary.policy_limit = policy_limit(*job.verdict);
    if (job.verdict->snapshot != "none") summary.snapshot = job.verdict->snapshot;
  }
  // The last worker stays on show when the job has ended; only an open attempt is a lease.
  if (!job.attempts.empty()) {
    const Attempt& last = job.attempts.back();
    summary.worker = last.worker;
    summary.registration = last.registration;
    summary.pool = last.pool;
    if (last.open()) {
      summary.fence = last.fence;
      summary.claim_seq = last.claim_seq;
      summary.lease_ms = last.lease_ms;
      summary.started = last.started_at.has_value();
    }
  }
  return summary;
}

}  // namespace fermata::job
