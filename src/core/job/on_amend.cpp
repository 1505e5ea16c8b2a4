#include "core/job/request_hash.h"
#include "core/job/step.h"

namespace fermata::job {

namespace {

Request amended(const Job& job, const AmendJob& amend) {
  Request request = job.request;
  if (amend.topic) request.topic = *amend.topic;
  if (amend.input) request.input = *amend.input;
  // The engine's own mark; the amended job is judged anew.
  if (request.labels.is_object()) request.labels.erase("safety_bypassed");
  if (amend.labels) request.labels = *amend.labels;
  if (amend.budget) request.budget = *amend.budget;
  normalize(request);
  return request;
}

}  // namespace

Outcome<void> on_amend(Step& step, const AmendJob& amend) {
  const Job& job = step.job;
  FERMATA_TRY(move, permit(job.state, Cause::amend));
  if (job.attempt_count > 0)
    return fail(ErrorCode::wrong_state, "the job has been dispatched already");
  Request request = amended(job, amend);
  if (auto findings = check_request(request, step.given.limits.request); !findings.empty())
    return invalid(std::move(findings));
  JobAmended event;
  if (amend.topic) event.topic = request.topic;
  if (amend.input) event.input = stored(step, *amend.input);
  if (request.labels != job.request.labels) event.labels = request.labels;
  event.budget = amend.budget;
  event.request_hash = request_hash(job.account, request);
  // Counted from the submit, as ever: amending gives no time.
  if (request.budget && request.budget->deadline_ms)
    event.deadline_at = job.submitted_at + Duration{*request.budget->deadline_ms};
  event.by = step.command.actor;
  if (move.from == State::scheduled) step.effect(WithdrawJob{});
  step.emit(std::move(event));
  step.audit("job.amend", "", Value::object({{"revision", job.revision}}));
  ask_policy(step);
  return {};
}

}  // namespace fermata::job
