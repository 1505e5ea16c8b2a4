#include "base/check.h"
#include "base/json.h"
#include "base/uuid.h"
#include "core/job/json_fields.h"
#include "core/job/step.h"
#include "core/job/undo.h"

/// How a job ends: whatever a terminal commit holds is written here, together (J-15).
namespace fermata::job {

namespace {

/// A worker did the work, or may have, as far as undoing it is concerned (J-71).
bool work_done(const Job& job, bool held) {
  if (job.state == State::succeeded || job.state == State::output_quarantined || held) return true;
  const auto& undo = job.request.compensation;
  return undo && undo->when == CompensateWhen::dispatched && job.reached_worker;
}

std::string message_of(const Value& error) {
  const Value& message = error.get("message");
  return message.is_string() ? std::string(message.as_string()) : std::string();
}

/// Why people find it in the dead letter queue: of what was to undo something, that alone counts.
std::string dead_letter_code(const Job& job) {
  if (!job.undoes() || job.reason_code == "saga_unmarshal_failed") return job.reason_code;
  return job.state == State::denied ? "compensation_denied" : "compensation_failed";
}

DeadLetter letter_of(const Step& step, State last_state) {
  const Job& job = step.job;
  DeadLetter entry;
  entry.id = uuid_v5("fermata.dlq\n" + job.id.text() + "\n" + std::to_string(job.last_sequence));
  entry.account = job.account;
  entry.job = job.id;
  entry.run = job.request.step.run;
  entry.step_id = job.request.step.step_id;
  entry.topic = job.request.topic;
  entry.status = job.state;
  entry.reason_code = dead_letter_code(job);
  entry.reason = job.reason;
  entry.last_state = last_state;
  entry.attempts = job.attempt_count;
  entry.error = job.error;
  entry.created_at = step.at;
  if (job.state == State::output_quarantined && job.judged_output) {
    entry.findings = Value::array();
    for (const OutputFinding& finding : job.judged_output->findings)
      entry.findings.push(to_value(finding));
  }
  return entry;
}

/// The run goes on with the output itself, wherever the job keeps it.
void tell_run(Step& step, Cause cause, const Payload* output, const Attempt* revoked, bool held) {
  const Job& job = step.job;
  RunId run = job.saga_run();
  if (run.empty()) return;
  JobEnded ended;
  ended.job = job.id;
  ended.run = std::move(run);
  ended.step_id = job.request.step.step_id;
  ended.state = job.state;
  ended.reason_code = job.reason_code;
  ended.output = output ? *output : job.output;
  ended.error = job.error;
  ended.withheld = job.state == State::output_quarantined || held;
  if (job.state == State::output_quarantined)
    ended.error = make_error("job_quarantined", job.reason);
  ended.work_done = work_done(job, held);
  ended.fatal = cause == Cause::fail_fatally;
  ended.attempts = job.attempt_count;
  if (!job.attempts.empty()) ended.worker = job.attempts.back().worker;
  if (ended.work_done) ended.undo = undo_request(job);
  if (ended.undo.is_object()) ended.input = job.request.input;
  if (revoked) ended.lease_until = step.at + Duration{revoked->lease_ms};
  step.record(std::move(ended));
}

/// The attempt that this decision has taken away from its worker, or null.
const Attempt* revoked_by(const Step& step) {
  for (const Effect& effect : step.decision.effects)
    if (const auto* revoke = std::get_if<RevokeLease>(&effect))
      return step.job.find_attempt(revoke->fence);
  return nullptr;
}

template <class E>
void finish(Step& step, Cause cause, E event, const Payload* output = nullptr) {
  State before = step.job.state;
  const Move* move = find_move(before, cause);
  check(move != nullptr);
  bool held = step.job.held && cause != Cause::succeed;
  if (before == State::scheduled) step.effect(WithdrawJob{});
  step.emit(std::move(event));
  const Job& job = step.job;
  check(job.state == move->to);
  if (move->dead_letter) step.record(letter_of(step, before));
  // Whoever waits for people to look, or has gone on long since, is not told now (J-16).
  if (!job.review_until && cause != Cause::withdraw_output)
    tell_run(step, cause, output, job.stop_awaited ? revoked_by(step) : nullptr, held);
  Value details = Value::object({{"state", name_of(job.state)}, {"attempts", job.attempt_count}});
  if (!job.reason_code.empty()) details.set("reason_code", job.reason_code);
  step.audit(cause == Cause::cancel ? "job.cancel" : "job.end", job.reason, std::move(details));
}

}  // namespace

Payload stored(Step& step, Payload payload) {
  if (!payload.in_blob && payload.bytes <= step.given.limits.request.inline_bytes_max)
    return payload;
  std::string text = payload.in_blob ? std::string() : to_canonical_json(payload.value);
  step.record(KeepBlob{payload.sha256, payload.bytes, std::move(text)});
  return payload.as_blob();
}

void succeed(Step& step, Payload output, std::vector<Artifact> artifacts) {
  for (const Artifact& artifact : artifacts)
    step.record(KeepBlob{artifact.sha256, artifact.bytes, {}});
  Payload kept = stored(step, output);
  finish(step, Cause::succeed, JobSucceeded{std::move(kept), std::move(artifacts)}, &output);
}

void succeed_meanwhile(Step& step, const Payload& output, std::vector<Artifact> artifacts) {
  Payload named = output;
  named.value = {};
  finish(step, Cause::succeed, JobSucceeded{std::move(named), std::move(artifacts)}, &output);
}

void pass_gate(Step& step, Payload output) {
  Payload kept = stored(step, output);
  finish(step, Cause::pass_gate, JobSucceeded{std::move(kept), {}}, &output);
}

void tell_end(Step& step, Cause cause, const Payload* output) {
  tell_run(step, cause, output, nullptr, false);
}

void quarantine(Step& step, std::string reason_code, std::string reason) {
  const Job& job = step.job;
  bool late = job.state == State::succeeded;
  int64_t hold_ms = step.given.limits.quarantine_hold_ms;
  // What undoes something is done when it is done; nobody reads what it said.
  bool awaited = !late && hold_ms > 0 && !job.saga_run().empty() && !job.undoes();
  JobQuarantined event{std::move(reason_code), std::move(reason), std::nullopt};
  if (awaited) event.review_until = step.at + Duration{hold_ms};
  finish(step, late ? Cause::withdraw_output : Cause::quarantine, std::move(event));
  if (!late) return;
  step.audit("job.output_withdrawn", job.reason);
  if (!job.saga_run().empty())
    step.record(WithdrawnTold{job.id, job.saga_run(), job.request.step.step_id, job.reason_code});
}

void release(Step& step, Payload output, const std::string& by, const std::string& note) {
  const Job& job = step.job;
  bool awaited = job.review_until.has_value();
  Payload kept = stored(step, output);
  step.emit(OutputReleased{std::move(kept), job.held->artifacts, by, note});
  step.record(SettleLetter{true, by, step.at});
  if (awaited) tell_end(step, Cause::release_output, &output);
  step.audit("job.output_release", note);
}

void fail_job(Step& step, Cause cause, std::string reason_code, Value error) {
  std::string reason = message_of(error);
  finish(step, cause, JobFailed{std::move(reason_code), std::move(reason), std::move(error)});
}

void time_out(Step& step, Cause cause, std::string reason_code, Value error) {
  drop_held(step);
  std::string reason = message_of(error);
  finish(step, cause, JobTimedOut{std::move(reason_code), std::move(reason), std::move(error)});
}

void cancel(Step& step, std::string reason, std::string by, bool awaited) {
  drop_held(step);
  finish(step, Cause::cancel, JobCancelled{std::move(reason), std::move(by), awaited});
}

void leave_dead_letter(Step& step, std::string reason_code, std::string reason) {
  DeadLetter letter = letter_of(step, step.job.state);
  letter.reason_code = std::move(reason_code);
  letter.reason = std::move(reason);
  step.record(std::move(letter));
}

void deny(Step& step, Cause cause, Verdict verdict, std::string reason_code, std::string reason) {
  finish(step, cause, JobDenied{std::move(verdict), std::move(reason_code), std::move(reason)});
}

}  // namespace fermata::job
