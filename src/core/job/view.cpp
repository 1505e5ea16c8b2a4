#include "core/job/view.h"

#include "base/check.h"
#include "core/job/history.h"
#include "core/job/json_fields.h"

namespace fermata::job::view {

namespace {

Value time_or_null(std::optional<Instant> at) { return at ? Value(to_rfc3339(*at)) : Value(); }

void set_text(Value& out, std::string_view name, std::string_view text) {
  if (!text.empty()) out.set(name, text);
}

Value attempt_item(const Attempt& attempt) {
  Value out = Value::object({{"attempt", attempt.attempt},
                             {"fence", attempt.fence},
                             {"worker_id", attempt.worker.text()},
                             {"registration_id", attempt.registration.text()},
                             {"pool", attempt.pool},
                             {"dispatched_at", to_rfc3339(attempt.dispatched_at)},
                             {"started_at", time_or_null(attempt.started_at)},
                             {"ended_at", time_or_null(attempt.ended_at)}});
  if (attempt.open()) return out;
  out.set("outcome", name_of(attempt.outcome));
  if (!attempt.error.is_null()) out.set("error", attempt.error);
  out.set("execution_ms", attempt.execution_ms);
  return out;
}

Value late_successes(const Job& job) {
  Value list = Value::array();
  for (const LateSuccess& late : job.late_successes)
    list.push(Value::object({{"attempt", late.attempt},
                             {"fence", late.fence},
                             {"worker_id", late.worker.text()},
                             {"at", to_rfc3339(late.at)}}));
  return list;
}

Value artifacts(const Job& job) {
  Value list = Value::array();
  for (const Artifact& artifact : job.artifacts) list.push(to_value(artifact));
  return list;
}

/// The request's own fields, the run's step among them.
Value asked(const Job& job) {
  Value out = to_value(job.request);
  Value step = out.get("step");
  out.erase("step");
  if (job.of_run())
    for (const Value::Member& member : step.members())
      out.set(member.key.as_string(), member.value);
  if (job.request.scheduling_attempts_max) {
    out.erase("scheduling_attempts_max");
    out.set("scheduling", Value::object({{"max_attempts", *job.request.scheduling_attempts_max}}));
  }
  return out;
}

void set_end(Value& out, const Job& job) {
  out.set("error", job.error);
  JsonFields fields(out);
  out.set("output", Value());
  fields("output", job.output);
  out.set("artifacts", artifacts(job));
  out.set("usage", to_value(job.usage));
}

}  // namespace

Value output_policy(const Job& job) {
  if (!job.held && !job.judged_output) return {};
  Value out = job.judged_output ? to_value(*job.judged_output) : Value::object();
  if (job.held) {
    out.set("held", Value::object({{"sha256", job.held->sha256},
                                   {"bytes", job.held->bytes},
                                   {"tries", job.held->tries}}));
  }
  if (job.review_until) out.set("review_until", to_rfc3339(*job.review_until));
  if (job.released) out.set("released", true);
  if (job.withdrawn) out.set("withdrawn", true);
  return out;
}

Value job(const Job& job, Instant engine_started_at) {
  Value out = Value::object(
      {{"id", job.id.text()}, {"account_id", job.account.text()}, {"state", name_of(job.state)}});
  set_text(out, "phase", name_of(job.phase));
  set_text(out, "reason_code", job.reason_code);
  set_text(out, "reason", job.reason);
  Value request = asked(job);
  for (const Value::Member& member : request.members())
    out.set(member.key.as_string(), member.value);
  out.set("source", name_of(job.source));
  out.set("submitter", job.submitter);
  out.set("request_hash", job.request_hash);
  out.set("revision", job.revision);
  out.set("idempotency_key", job.idempotency_key());
  out.set("attempt", job.attempt_count);
  out.set("tries", job.tries);
  out.set("losses", job.losses);
  out.set("submitted_at", to_rfc3339(job.submitted_at));
  out.set("updated_at", to_rfc3339(job.last_at));
  out.set("ended_at", time_or_null(job.ended_at));
  out.set("deadline_at", time_or_null(job.deadline_at));
  out.set("not_before", time_or_null(job.not_before));
  out.set("ready_at", time_or_null(job.ready_at));
  out.set("give_up_at",
          time_or_null(job.state == State::scheduled ? job.give_up_at : std::nullopt));
  out.set("next_due", time_or_null(next_due(job, engine_started_at)));
  out.set("verdict", job.verdict ? to_value(*job.verdict) : Value());
  out.set("approval", job.approval ? to_value(*job.approval) : Value());
  set_end(out, job);
  out.set("output_policy", output_policy(job));
  if (job.withholds()) out.set("output_withheld", true);
  if (!job.attempts.empty()) {
    out.set("worker_id", job.attempts.back().worker.text());
    out.set("pool", job.attempts.back().pool);
  }
  if (!job.late_successes.empty()) out.set("late_successes", late_successes(job));
  return out;
}

Value list_item(const Summary& summary) {
  Value out = Value::object({{"id", summary.id.text()},
                             {"account_id", summary.account.text()},
                             {"state", name_of(summary.state)}});
  set_text(out, "phase", name_of(summary.phase));
  set_text(out, "reason_code", summary.reason_code);
  out.set("topic", summary.topic);
  out.set("priority", name_of(summary.priority));
  out.set("labels", summary.labels.is_null() ? Value::object() : summary.labels);
  set_text(out, "run_id", summary.run.text());
  set_text(out, "workflow_id", summary.workflow.text());
  set_text(out, "step_id", summary.step_id);
  set_text(out, "parent_job_id", summary.parent_job.text());
  set_text(out, "worker_id", summary.worker.text());
  set_text(out, "pool", summary.pool);
  out.set("attempt", summary.attempts);
  out.set("submitted_at", to_rfc3339(summary.submitted_at));
  out.set("updated_at", to_rfc3339(summary.updated_at));
  out.set("ended_at", time_or_null(summary.ended_at));
  return out;
}

Value receipt(const Summary& summary) {
  Value out = Value::object({{"id", summary.id.text()}, {"state", name_of(summary.state)}});
  set_text(out, "phase", name_of(summary.phase));
  set_text(out, "reason_code", summary.reason_code);
  out.set("request_hash", summary.request_hash);
  return out;
}

Value attempts(const Job& job) {
  Value list = Value::array();
  for (const Attempt& attempt : job.attempts) list.push(attempt_item(attempt));
  return list;
}

Outcome<std::vector<Value>> history(const std::vector<HistoryChunk>& chunks, uint64_t from,
                                    size_t limit) {
  std::vector<Value> shown;
  for (const HistoryChunk& chunk : chunks) {
    FERMATA_TRY(events, decode_history(chunk));
    for (const Event& event : events) {
      if (event.sequence < from) continue;
      if (shown.size() >= limit) return shown;
      Value out = Value::object({{"sequence", event.sequence},
                                 {"type", type_name(event.body)},
                                 {"at", to_rfc3339(event.at)}});
      JsonFields fields(out);
      std::visit(
          [&](const auto& body) {
            const_cast<std::remove_cvref_t<decltype(body)>&>(body).each(fields);
          },
          event.body);
      shown.push_back(std::move(out));
    }
  }
  return shown;
}

Value delivery(const Job& job) {
  const Attempt* open = job.open_attempt();
  check(open != nullptr);
  const Request& request = job.request;
  Value out = Value::object({{"job_id", job.id.text()},
                             {"attempt", open->attempt},
                             {"fence", open->fence},
                             {"topic", request.topic}});
  JsonFields fields(out);
  fields("input", request.input);
  out.set("priority", name_of(request.priority));
  out.set("labels", request.labels.is_null() ? Value::object() : request.labels);
  out.set("env", request.env.is_null() ? Value::object() : request.env);
  fields("adapter_id", request.adapter_id);
  fields("memory_id", request.memory_id);
  out.set("idempotency_key", job.idempotency_key());
  out.set("deadline_at", time_or_null(job.deadline_at));
  if (open->run_until) out.set("run_timeout_ms", (*open->run_until - open->dispatched_at).ms);
  out.set("lease_ms", open->lease_ms);
  if (job.verdict && !job.verdict->constraints.is_null())
    out.set("constraints", job.verdict->constraints);
  fields("run_id", request.step.run);
  fields("workflow_id", request.step.workflow);
  fields("step_id", request.step.step_id);
  fields("parent_job_id", request.parent_job);
  fields("is_compensation", job.source == Source::compensation);
  fields("traceparent", request.traceparent);
  return out;
}

}  // namespace fermata::job::view
