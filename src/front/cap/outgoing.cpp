#include "front/cap/outgoing.h"

#include "front/cap/pointer.h"

namespace fermata::front::cap {
namespace {

namespace wire = fermata::cap;

std::string text_of(const Value& object, std::string_view name) {
  const Value& text = object.get(name);
  return text.is_string() ? std::string(text.as_string()) : std::string();
}

wire::Texts texts_of(const Value& object) {
  wire::Texts texts;
  if (!object.is_object()) return texts;
  for (const Value::Member& member : object.members())
    if (member.value.is_string()) texts.emplace(member.key.as_string(), member.value.as_string());
  return texts;
}

wire::Priority priority_of(std::string_view name) {
  if (name == "critical") return wire::Priority::critical;
  return name == "batch" ? wire::Priority::batch : wire::Priority::interactive;
}

wire::Status status_of(job::State state) {
  switch (state) {
    case job::State::succeeded: return wire::Status::succeeded;
    case job::State::timeout: return wire::Status::timeout;
    case job::State::cancelled: return wire::Status::cancelled;
    case job::State::denied:
    case job::State::output_quarantined: return wire::Status::denied;
    default: return wire::Status::failed;
  }
}

wire::Packet packet_of(wire::Payload payload, const std::string& sender, Instant at) {
  wire::Packet packet;
  packet.sender_id = sender;
  packet.created_at = at;
  packet.payload = std::move(payload);
  return packet;
}

wire::Dispatch identity_of(const JobId& job, uint32_t attempt, uint64_t fence,
                           const DispatchTerms& terms) {
  return {dispatch_id(job, attempt, fence, terms.registration), attempt, terms.worker.text()};
}

}  // namespace

Outgoing dispatch_of(const Value& delivery, const DispatchTerms& terms) {
  JobId job(text_of(delivery, "job_id"));
  auto attempt = static_cast<uint32_t>(delivery.get("attempt").as_integer());
  auto fence = static_cast<uint64_t>(delivery.get("fence").as_integer());
  wire::JobRequest request;
  request.job_id = wire_job_id(job, attempt, terms.identity_understood);
  request.topic = text_of(delivery, "topic");
  request.priority = priority_of(text_of(delivery, "priority"));
  request.context_ptr = pointer_of(delivery.get("input"));
  bool has_input = !delivery.get("input").is_null() || delivery.find("input_blob");
  if (request.context_ptr.empty() && has_input)
    request.context_ptr = context_pointer(terms.base_url, job.text(),
                                          body_token(job, attempt, fence, terms.registration));
  request.adapter_id = text_of(delivery, "adapter_id");
  request.env = texts_of(delivery.get("env"));
  request.parent_job_id = text_of(delivery, "parent_job_id");
  request.workflow_id = text_of(delivery, "workflow_id");
  request.memory_id = text_of(delivery, "memory_id");
  request.tenant_id = terms.account.text();
  request.labels = texts_of(delivery.get("labels"));
  if (auto deadline = parse_rfc3339(text_of(delivery, "deadline_at"))) {
    wire::Budget budget;
    budget.deadline_ms = std::max<int64_t>((*deadline - terms.now).ms, 1);
    request.budget = budget;
  }
  wire::Metadata meta;
  meta.tenant_id = terms.account.text();
  meta.idempotency_key = text_of(delivery, "idempotency_key");
  request.meta = meta;
  request.dispatch = identity_of(job, attempt, fence, terms);
  Outgoing out;
  out.subject = "worker." + terms.worker.text() + ".jobs";
  out.message_id =
      "jobreq:" + job.text() + ":" + std::to_string(attempt) + "." + std::to_string(fence);
  out.packet = packet_of(std::move(request), terms.sender, terms.now);
  out.packet.trace_id = text_of(delivery, "traceparent");
  return out;
}

Outgoing cancel_of(const JobId& job, uint32_t attempt, uint64_t fence, const DispatchTerms& terms) {
  wire::JobCancel cancel;
  cancel.job_id = wire_job_id(job, attempt, terms.identity_understood);
  cancel.reason = "cancelled";
  cancel.requested_by = terms.sender;
  cancel.dispatch = identity_of(job, attempt, fence, terms);
  Outgoing out;
  out.subject = "sys.job.cancel";
  out.message_id = "jobcan:" + job.text() + ":" + std::to_string(attempt);
  out.packet = packet_of(std::move(cancel), terms.sender, terms.now);
  return out;
}

Outgoing accepted_of(const job::Job& job, const std::string& sender, const std::string& base_url) {
  wire::JobResult result;
  result.job_id = job.id.text();
  result.status = status_of(job.state);
  if (job.state != job::State::succeeded) {
    const Value& code = job.error.get("code");
    const Value& message = job.error.get("message");
    result.error_code = job.reason_code;
    if (result.error_code.empty() && code.is_string()) result.error_code = code.as_string();
    result.error_message = job.reason;
    if (message.is_string()) result.error_message = message.as_string();
  }
  if (!job.attempts.empty()) {
    const job::Attempt& last = job.attempts.back();
    result.worker_id = last.worker.text();
    result.execution_ms = last.execution_ms;
    bool has_output = job.output.in_blob || !job.output.value.is_null();
    if (job.state == job::State::succeeded && has_output)
      result.result_ptr = output_pointer(
          base_url, job.id.text(), body_token(job.id, last.attempt, last.fence, last.registration));
  }
  Outgoing out;
  out.subject = "sys.job.accepted";
  out.message_id = "jobacc:" + job.id.text() + ":" + std::to_string(job.attempt_count);
  out.packet = packet_of(std::move(result), sender, job.ended_at.value_or(job.last_at));
  out.packet.trace_id = job.request.traceparent;
  return out;
}

Outgoing dead_letter_of(const job::DeadLetter& letter, const std::string& sender) {
  wire::JobResult result;
  result.job_id = letter.job.text();
  result.status = status_of(letter.status);
  result.error_code = letter.reason_code;
  result.error_message = letter.reason;
  Outgoing out;
  out.subject = "sys.job.dlq";
  out.message_id = "jobdlq:" + letter.id;
  out.packet = packet_of(std::move(result), sender, letter.created_at);
  return out;
}

wire::Packet version_alert(int32_t version, const std::string& from, const std::string& sender,
                           Instant now) {
  wire::Alert alert;
  alert.level = "error";
  alert.message = "A packet of protocol version " + std::to_string(version) +
                  " was not used; version " + std::to_string(wire::version_understood) +
                  " is understood.";
  alert.component = "fermata";
  alert.code = std::to_string(wire::wrong_version_code);
  alert.severity = wire::Severity::error;
  alert.error_number = wire::wrong_version_code;
  alert.details = {{"sender_id", from}};
  return packet_of(std::move(alert), sender, now);
}

}  // namespace fermata::front::cap
