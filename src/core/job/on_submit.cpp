#include "core/job/request_hash.h"
#include "core/job/step.h"
#include "core/job/undo.h"

namespace fermata::job {

namespace {

/// The same request again is answered with the job it made; nothing happens twice.
Outcome<void> repeated(Step& step, const SubmitJob& submit, const std::string& hash) {
  const Job& job = step.job;
  if (job.account == submit.account && job.request_hash == hash) {
    step.decision.answer = Answer::duplicate;
    return {};
  }
  bool same_key = !submit.request.idempotency_key.empty() && job.account == submit.account &&
                  submit.request.idempotency_key == job.request.idempotency_key;
  if (same_key)
    return fail(ErrorCode::idempotency_key_reused,
                "the idempotency key belongs to another request, job " + job.id.text());
  return fail(ErrorCode::job_id_taken,
              "job " + step.command.job.text() + " was submitted by another request");
}

}  // namespace

Outcome<void> on_submit(Step& step, const SubmitJob& submit) {
  const Limits& limits = step.given.limits;
  std::string hash = request_hash(submit.account, submit.request);
  if (step.job.exists()) return repeated(step, submit, hash);
  // A run's order is not refused for what others have queued: the run would fail for it.
  if (submit.source == Source::api && step.given.queued >= limits.queued_max)
    return fail(ErrorCode::queue_full, "the account has " + std::to_string(step.given.queued) +
                                           " jobs waiting for workers (jobs_queued_max)");
  bool undoes = submit.source == Source::compensation;
  const Request& request = submit.request;
  std::vector<Finding> findings =
      check_request(undoes ? without_marks(request) : request, limits.request);
  for (Finding& finding : check_job_id(step.command.job.text(), "/id"))
    findings.push_back(std::move(finding));
  if (!findings.empty()) return invalid(std::move(findings));
  step.job.id = step.command.job;
  JobSubmitted event;
  event.account = submit.account;
  event.request = submit.request;
  event.request.input = stored(step, submit.request.input);
  if (auto& undo = event.request.compensation; undo && undo->input)
    undo->input = stored(step, *undo->input);
  event.request_hash = std::move(hash);
  event.source = submit.source;
  event.submitter = submit.submitter;
  if (submit.request.budget && submit.request.budget->deadline_ms)
    event.deadline_at = step.at + Duration{*submit.request.budget->deadline_ms};
  step.emit(std::move(event));
  step.audit("job.submit", "", Value::object({{"topic", submit.request.topic}}));
  if (!submit.request.saga_id.empty() && !step.job.of_run())
    step.record(JoinTold{step.job.id, step.job.saga_run(), step.job.account, submit.submitter});
  if (!submit.problem.empty()) {
    // Nobody can tell what was to be done: people are, and the saga goes on (J-75).
    Verdict verdict;
    verdict.kind = VerdictKind::deny;
    verdict.source = "saga";
    deny(step, Cause::deny, std::move(verdict), "saga_unmarshal_failed", submit.problem);
    return {};
  }
  // With rules at hand the next step is in the same commit.
  ask_policy(step);
  return {};
}

}  // namespace fermata::job
