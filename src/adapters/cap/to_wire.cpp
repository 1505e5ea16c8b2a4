#include "adapters/cap/to_wire.h"

#include <cap.pb.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

#include "base/overloaded.h"

namespace fermata::cap {
namespace {

namespace wire = cordum::agent::v1;

template <class From, class Map>
void put(const From& from, Map* to) {
  for (const auto& [key, value] : from) (*to)[key] = value;
}

template <class List>
void put_all(const std::vector<std::string>& from, List* to) {
  for (const std::string& one : from) *to->Add() = one;
}

void put(Instant at, google::protobuf::Timestamp* to) {
  int64_t seconds = at.ms / 1'000;
  int64_t rest = at.ms % 1'000;
  // A time before 1970 counts forward from the second before it.
  if (rest < 0) {
    --seconds;
    rest += 1'000;
  }
  to->set_seconds(seconds);
  to->set_nanos(static_cast<int32_t>(rest) * 1'000'000);
}

void put(const Dispatch& from, wire::DispatchIdentity* to) {
  to->set_dispatch_id(from.id);
  to->set_attempt(from.attempt);
  to->set_assigned_worker_id(from.worker);
}

void put(const Reference& from, wire::ResourceRef* to) {
  to->set_uri(from.uri);
  to->set_sha256(from.sha256);
  to->set_media_type(from.media_type);
  to->set_size_bytes(from.size_bytes);
}

void put(const Budget& from, wire::Budget* to) {
  to->set_max_input_tokens(from.max_input_tokens);
  to->set_max_output_tokens(from.max_output_tokens);
  to->set_max_total_tokens(from.max_total_tokens);
  to->set_deadline_ms(from.deadline_ms);
}

void put(const Metadata& from, wire::JobMetadata* to) {
  to->set_tenant_id(from.tenant_id);
  to->set_actor_id(from.actor_id);
  to->set_actor_type(static_cast<wire::ActorType>(from.actor_type));
  to->set_idempotency_key(from.idempotency_key);
  to->set_capability(from.capability);
  put_all(from.risk_tags, to->mutable_risk_tags());
  put_all(from.requires_, to->mutable_requires_());
  to->set_pack_id(from.pack_id);
  put(from.labels, to->mutable_labels());
}

void put(const Compensation& from, wire::Compensation* to) {
  to->set_topic(from.topic);
  to->set_context_ptr(from.context_ptr);
  put(from.env, to->mutable_env());
  if (from.budget) put(*from.budget, to->mutable_budget());
  put(from.labels, to->mutable_labels());
  if (from.meta) put(*from.meta, to->mutable_meta());
}

void put(const JobRequest& from, wire::JobRequest* to) {
  to->set_job_id(from.job_id);
  to->set_topic(from.topic);
  to->set_priority(static_cast<wire::JobPriority>(from.priority));
  to->set_context_ptr(from.context_ptr);
  to->set_adapter_id(from.adapter_id);
  put(from.env, to->mutable_env());
  to->set_parent_job_id(from.parent_job_id);
  to->set_workflow_id(from.workflow_id);
  to->set_step_index(from.step_index);
  to->set_memory_id(from.memory_id);
  if (from.budget) put(*from.budget, to->mutable_budget());
  to->set_tenant_id(from.tenant_id);
  to->set_principal_id(from.principal_id);
  put(from.labels, to->mutable_labels());
  if (from.meta) put(*from.meta, to->mutable_meta());
  if (from.compensation) put(*from.compensation, to->mutable_compensation());
  if (from.dispatch) put(*from.dispatch, to->mutable_dispatch());
  if (from.context_ref) put(*from.context_ref, to->mutable_context_ref());
}

void put(const JobResult& from, wire::JobResult* to) {
  to->set_job_id(from.job_id);
  to->set_status(static_cast<wire::JobStatus>(from.status));
  to->set_result_ptr(from.result_ptr);
  to->set_worker_id(from.worker_id);
  to->set_execution_ms(from.execution_ms);
  to->set_error_code(from.error_code);
  to->set_error_message(from.error_message);
  put_all(from.artifact_ptrs, to->mutable_artifact_ptrs());
  to->set_error_code_enum(static_cast<wire::ErrorCode>(from.error_number));
  if (from.dispatch) put(*from.dispatch, to->mutable_dispatch());
  if (from.result_ref) put(*from.result_ref, to->mutable_result_ref());
}

void put(const JobProgress& from, wire::JobProgress* to) {
  to->set_job_id(from.job_id);
  to->set_percent(from.percent);
  to->set_message(from.message);
  to->set_status(static_cast<wire::JobStatus>(from.status));
  if (from.dispatch) put(*from.dispatch, to->mutable_dispatch());
}

void put(const JobCancel& from, wire::JobCancel* to) {
  to->set_job_id(from.job_id);
  to->set_reason(from.reason);
  to->set_requested_by(from.requested_by);
  if (from.dispatch) put(*from.dispatch, to->mutable_dispatch());
}

void put(const Heartbeat& from, wire::Heartbeat* to) {
  to->set_worker_id(from.worker_id);
  to->set_region(from.region);
  to->set_type(from.type);
  to->set_cpu_load(from.cpu_load);
  to->set_gpu_utilization(from.gpu_utilization);
  to->set_memory_load(from.memory_load);
  to->set_active_jobs(from.active_jobs);
  put_all(from.capabilities, to->mutable_capabilities());
  to->set_pool(from.pool);
  to->set_max_parallel_jobs(from.max_parallel_jobs);
  put(from.labels, to->mutable_labels());
}

void put(const Handshake& from, wire::Handshake* to) {
  to->set_component_id(from.component_id);
  to->set_role(static_cast<wire::ComponentRole>(from.role));
  for (int32_t version : from.supported_versions) to->add_supported_versions(version);
  put(from.capabilities, to->mutable_capabilities());
  to->set_sdk_version(from.sdk_version);
  put_all(from.ready_topics, to->mutable_ready_topics());
}

void put(const Alert& from, wire::SystemAlert* to) {
  to->set_level(from.level);
  to->set_message(from.message);
  to->set_component(from.component);
  to->set_code(from.code);
  to->set_severity(static_cast<wire::Severity>(from.severity));
  to->set_error_code_enum(static_cast<wire::ErrorCode>(from.error_number));
  put(from.details, to->mutable_details());
}

void put(const Payload& from, wire::BusPacket& to) {
  std::visit(Overloaded{[](const std::monostate&) {},
                        [&](const JobRequest& body) { put(body, to.mutable_job_request()); },
                        [&](const JobResult& body) { put(body, to.mutable_job_result()); },
                        [&](const JobProgress& body) { put(body, to.mutable_job_progress()); },
                        [&](const JobCancel& body) { put(body, to.mutable_job_cancel()); },
                        [&](const Heartbeat& body) { put(body, to.mutable_heartbeat()); },
                        [&](const Handshake& body) { put(body, to.mutable_handshake()); },
                        [&](const Alert& body) { put(body, to.mutable_alert()); }},
             from);
}

}  // namespace

std::string write_packet(const Packet& packet) {
  wire::BusPacket to;
  to.set_trace_id(packet.trace_id);
  to.set_sender_id(packet.sender_id);
  put(packet.created_at, to.mutable_created_at());
  to.set_protocol_version(packet.version);
  put(packet.payload, to);
  std::string bytes;
  {
    google::protobuf::io::StringOutputStream stream(&bytes);
    google::protobuf::io::CodedOutputStream out(&stream);
    // Maps have no order of their own; sorted, the same packet gives the same bytes.
    out.SetSerializationDeterministic(true);
    to.SerializeToCodedStream(&out);
  }
  return bytes;
}

}  // namespace fermata::cap
