#include "base/check.h"
#include "base/json.h"
#include "base/uuid.h"
#include "core/job/step.h"

/// How a job ends: whatever a terminal commit holds is written here, together (J-15).
namespace fermata::job {

namespace {

/// A worker did the work, or may have, as far as undoing it is concerned (J-71).
bool work_done(const Job& job) {
  if (job.state == State::succeeded) return true;
  const auto& undo = job.request.compensation;
  return undo && undo->when == CompensateWhen::dispatched && job.reached_worker;
}

std::string message_of(const Value& error) {
  const Value& message = error.get("message");
  return message.is_string() ? std::string(message.as_string()) : std::string();
}

void open_dead_letter(Step& step, State last_state) {
  const Job& job = step.job;
  DeadLetter entry;
  entry.id = uuid_v5("fermata.dlq\n" + job.id.text() + "\n" + std::to_string(job.last_sequence));
  entry.account = job.account;
  entry.job = job.id;
  entry.run = job.request.step.run;
  entry.step_id = job.request.step.step_id;
  entry.topic = job.request.topic;
  entry.status = job.state;
  entry.reason_code = job.reason_code;
  entry.reason = job.reason;
  entry.last_state = last_state;
  entry.attempts = job.attempt_count;
  entry.error = job.error;
  entry.created_at = step.at;
  step.record(std::move(entry));
}

/// The run goes on with the output itself, wherever the job keeps it.
void tell_run(Step& step, Cause cause, const Payload* output) {
  const Job& job = step.job;
  if (!job.of_run()) return;
  JobEnded ended;
  ended.job = job.id;
  ended.run = job.request.step.run;
  ended.step_id = job.request.step.step_id;
  ended.state = job.state;
  ended.reason_code = job.reason_code;
  ended.output = output ? *output : job.output;
  ended.error = job.error;
  ended.work_done = work_done(job);
  ended.fatal = cause == Cause::fail_fatally;
  ended.attempts = job.attempt_count;
  if (!job.attempts.empty()) ended.worker = job.attempts.back().worker;
  step.record(std::move(ended));
}

template <class E>
void finish(Step& step, Cause cause, E event, const Payload* output = nullptr) {
  State before = step.job.state;
  const Move* move = find_move(before, cause);
  check(move != nullptr);
  if (before == State::scheduled) step.effect(WithdrawJob{});
  step.emit(std::move(event));
  const Job& job = step.job;
  check(job.state == move->to);
  if (move->dead_letter) open_dead_letter(step, before);
  tell_run(step, cause, output);
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

void pass_gate(Step& step, Payload output) {
  Payload kept = stored(step, output);
  finish(step, Cause::pass_gate, JobSucceeded{std::move(kept), {}}, &output);
}

void fail_job(Step& step, Cause cause, std::string reason_code, Value error) {
  std::string reason = message_of(error);
  finish(step, cause, JobFailed{std::move(reason_code), std::move(reason), std::move(error)});
}

void time_out(Step& step, Cause cause, std::string reason_code, Value error) {
  std::string reason = message_of(error);
  finish(step, cause, JobTimedOut{std::move(reason_code), std::move(reason), std::move(error)});
}

void cancel(Step& step, std::string reason, std::string by) {
  finish(step, Cause::cancel, JobCancelled{std::move(reason), std::move(by)});
}

void deny(Step& step, Cause cause, Verdict verdict, std::string reason_code, std::string reason) {
  finish(step, cause, JobDenied{std::move(verdict), std::move(reason_code), std::move(reason)});
}

}  // namespace fermata::job
