#include "front/cap/incoming.h"

#include <algorithm>
#include <cmath>

#include "base/uuid.h"
#include "front/cap/pointer.h"

namespace fermata::front::cap {
namespace {

namespace wire = fermata::cap;

constexpr std::string_view sdk_lead = "cap/";
constexpr std::string_view sdk_identity = "cap+dispatch_identity/";

Value object_of(const wire::Texts& texts) {
  Value out = Value::object();
  for (const auto& [key, value] : texts) out.set(key, value);
  return out;
}

Value array_of(const std::vector<std::string>& texts) {
  Value out = Value::array();
  for (const std::string& text : texts) out.push(text);
  return out;
}

void put(Value& body, std::string_view name, const std::string& text) {
  if (!text.empty()) body.set(name, text);
}

void put(Value& body, std::string_view name, const std::vector<std::string>& texts) {
  if (!texts.empty()) body.set(name, array_of(texts));
}

/// 0 is how the wire says that there is no limit.
Value budget_of(const wire::Budget& budget) {
  Value out = Value::object();
  auto put_limit = [&](std::string_view name, int64_t limit) {
    if (limit != 0) out.set(name, limit);
  };
  put_limit("deadline_ms", budget.deadline_ms);
  put_limit("max_input_tokens", budget.max_input_tokens);
  put_limit("max_output_tokens", budget.max_output_tokens);
  put_limit("max_total_tokens", budget.max_total_tokens);
  return out;
}

/// What is the engine's to set is left out and counted; the job is not refused for it.
size_t put_labels(Value& body, const wire::Texts& labels, const wire::Texts& more) {
  size_t stripped = 0;
  Value kept = Value::object();
  for (const wire::Texts* texts : {&more, &labels})
    for (const auto& [key, value] : *texts) {
      if (job::is_reserved_label(key)) {
        ++stripped;
      } else {
        kept.set(key, value);
      }
    }
  if (kept.size() > 0) body.set("labels", std::move(kept));
  return stripped;
}

Outcome<void> put_input(Value& body, const std::string& pointer, const std::string& sha256,
                        int nesting_max) {
  if (pointer.empty()) return {};
  FERMATA_TRY(value, inline_value(pointer, nesting_max));
  body.set("input", value ? *std::move(value) : pointed_input(pointer, sha256));
  return {};
}

void put_facts(Value& body, const wire::Metadata& meta) {
  put(body, "capability", meta.capability);
  put(body, "risk_tags", meta.risk_tags);
  put(body, "requires", meta.requires_);
}

Outcome<size_t> put_compensation(Value& body, const wire::Compensation& undo, int nesting_max) {
  Value out = Value::object({{"topic", undo.topic}});
  FERMATA_TRY_VOID(put_input(out, undo.context_ptr, "", nesting_max));
  size_t stripped = put_labels(out, undo.labels, undo.meta ? undo.meta->labels : wire::Texts{});
  if (!undo.env.empty()) out.set("env", object_of(undo.env));
  if (undo.budget) out.set("budget", budget_of(*undo.budget));
  if (undo.meta) {
    put_facts(out, *undo.meta);
    put(out, "idempotency_key", undo.meta->idempotency_key);
  }
  body.set("compensation", std::move(out));
  return stripped;
}

std::string_view priority_of(wire::Priority priority) {
  if (priority == wire::Priority::critical) return "critical";
  return priority == wire::Priority::batch ? "batch" : "interactive";
}

/// Label `run_id`, else the workflow, names the saga (J-76).
std::string saga_of(const wire::JobRequest& request) {
  auto run = request.labels.find("run_id");
  return run != request.labels.end() ? run->second : request.workflow_id;
}

void put_meta(Value& body, const wire::Metadata& meta) {
  put_facts(body, meta);
  put(body, "pack_id", meta.pack_id);
  put(body, "idempotency_key", meta.idempotency_key);
  if (meta.actor_id.empty()) return;
  bool human = meta.actor_type == wire::ActorType::human;
  body.set("actor", Value::object({{"id", meta.actor_id}, {"type", human ? "human" : "service"}}));
}

Outcome<void> check_tenant(const std::string& tenant, const AccountId& account) {
  if (tenant.empty() || tenant == account.text()) return {};
  return fail(ErrorCode::account_mismatch, "The packet is of tenant `" + tenant +
                                               "`; this bus belongs to account `" + account.text() +
                                               "` (nats_account, nats_accounts).");
}

job::AttemptOutcome outcome_of(wire::Status status) {
  switch (status) {
    case wire::Status::succeeded: return job::AttemptOutcome::succeeded;
    case wire::Status::failed_retryable: return job::AttemptOutcome::failed_retryable;
    case wire::Status::failed_fatal: return job::AttemptOutcome::failed_fatal;
    case wire::Status::cancelled: return job::AttemptOutcome::cancelled;
    default: return job::AttemptOutcome::failed;
  }
}

std::string code_of(const wire::JobResult& result) {
  if (result.status == wire::Status::denied) return "denied";
  if (result.status == wire::Status::timeout) return "timeout";
  if (!result.error_code.empty()) return result.error_code;
  return result.error_number != 0 ? std::to_string(result.error_number) : "failed";
}

/// Percent as tenths of a percent; what is no share is none.
uint32_t tenths(float percent) {
  if (!std::isfinite(percent) || percent <= 0) return 0;
  return static_cast<uint32_t>(std::lround(std::min(percent, 100.0F) * 10));
}

}  // namespace

Outcome<WireSubmission> read_submission(const wire::Packet& packet, const wire::JobRequest& request,
                                        const AccountId& account, const std::string& message_id,
                                        const job::RequestLimits& limits) {
  wire::Metadata meta = request.meta.value_or(wire::Metadata{});
  FERMATA_TRY_VOID(check_tenant(request.tenant_id, account));
  FERMATA_TRY_VOID(check_tenant(meta.tenant_id, account));
  WireSubmission out;
  Value body = Value::object({{"topic", request.topic}});
  put(body, "id", request.job_id);
  body.set("priority", priority_of(request.priority));
  bool referred = request.context_ptr.empty() && request.context_ref;
  FERMATA_TRY_VOID(put_input(body, referred ? request.context_ref->uri : request.context_ptr,
                             request.context_ref ? request.context_ref->sha256 : "",
                             limits.nesting_max));
  put(body, "adapter_id", request.adapter_id);
  if (!request.env.empty()) body.set("env", object_of(request.env));
  put(body, "parent_job_id", request.parent_job_id);
  put(body, "memory_id", request.memory_id);
  put(body, "principal_id", request.principal_id);
  put(body, "saga_id", saga_of(request));
  if (request.budget) body.set("budget", budget_of(*request.budget));
  out.labels_stripped = put_labels(body, request.labels, meta.labels);
  put_meta(body, meta);
  if (request.compensation) {
    FERMATA_TRY(stripped, put_compensation(body, *request.compensation, limits.nesting_max));
    out.labels_stripped += stripped;
  }
  std::string sender = packet.sender_id.empty() ? "wire" : packet.sender_id;
  FERMATA_TRY(read, read_job(body, {account, "wire " + sender, {sender, job::ActorType::service}},
                             "", limits));
  out.job = std::move(read);
  out.job.submit.source = job::Source::wire;
  if (out.job.id.empty()) out.job.id = JobId(uuid_v5("fermata.wire.submit\n" + message_id));
  return out;
}

bool is_progress(wire::Status status) {
  return status == wire::Status::pending || status == wire::Status::scheduled ||
         status == wire::Status::dispatched || status == wire::Status::running;
}

Outcome<job::Report> read_report(const wire::JobResult& result) {
  if (result.job_id.empty() || result.worker_id.empty())
    return fail(ErrorCode::invalid_field,
                "A result names its job (job_id) and worker (worker_id).");
  auto known = static_cast<int32_t>(result.status);
  if (known < 1 || known > static_cast<int32_t>(wire::Status::failed_fatal))
    return fail(ErrorCode::invalid_field,
                "The status " + std::to_string(known) + " of the result is not known.");
  job::Report report;
  report.status = outcome_of(result.status);
  report.execution_ms = std::max<int64_t>(result.execution_ms, 0);
  bool well = report.status == job::AttemptOutcome::succeeded;
  bool silent = report.status == job::AttemptOutcome::cancelled && result.error_message.empty();
  if (!well && !silent) {
    Value details;
    if (result.error_number != 0) details = Value::object({{"error_code", result.error_number}});
    report.error = job::make_error(code_of(result), result.error_message, std::move(details));
  }
  return report;
}

Introduction read_introduction(const wire::Handshake& handshake) {
  auto understood = handshake.capabilities.find("dispatch_identity");
  return {handshake.ready_topics, handshake.sdk_version,
          understood != handshake.capabilities.end() && understood->second};
}

fleet::WorkerCard card_of(const wire::Heartbeat& beat, const Introduction& introduction,
                          const AccountId& account) {
  fleet::WorkerCard card;
  card.worker = WorkerId(beat.worker_id);
  card.accounts = {account.text()};
  card.pool = beat.pool.empty() ? "default" : beat.pool;
  card.topics = introduction.ready_topics;
  if (card.topics.empty()) card.topics = {"job.*"};
  card.max_parallel = static_cast<uint32_t>(std::clamp<int64_t>(
      beat.max_parallel_jobs, 1, static_cast<int64_t>(fleet::worker_parallel_max)));
  card.capabilities = beat.capabilities;
  if (!beat.labels.empty()) card.labels = object_of(beat.labels);
  card.region = beat.region;
  card.type = beat.type;
  card.sdk = std::string(introduction.understands_dispatch ? sdk_identity : sdk_lead) +
             introduction.sdk_version;
  fleet::normalize(card);
  return card;
}

bool is_wire_worker(const fleet::WorkerCard& card) {
  return card.sdk.starts_with(sdk_lead) || card.sdk.starts_with(sdk_identity);
}

Introduction introduction_of(const fleet::WorkerCard& card) {
  Introduction introduction;
  introduction.understands_dispatch = card.sdk.starts_with(sdk_identity);
  size_t lead = introduction.understands_dispatch ? sdk_identity.size() : sdk_lead.size();
  introduction.sdk_version = card.sdk.substr(std::min(lead, card.sdk.size()));
  if (card.topics != std::vector<std::string>{"job.*"}) introduction.ready_topics = card.topics;
  return introduction;
}

fleet::Load load_of(const wire::Heartbeat& beat, size_t leases) {
  fleet::Load load;
  load.cpu = tenths(beat.cpu_load);
  load.gpu = tenths(beat.gpu_utilization);
  load.memory = tenths(beat.memory_load);
  int64_t elsewhere = int64_t{beat.active_jobs} - static_cast<int64_t>(leases);
  load.external_jobs = static_cast<uint32_t>(std::max<int64_t>(elsewhere, 0));
  return load;
}

}  // namespace fermata::front::cap
