#include "adapters/cap/from_wire.h"

#include <cap.pb.h>
#include <google/protobuf/stubs/logging.h>

#include <climits>

namespace fermata::cap {
namespace {

namespace wire = cordum::agent::v1;

template <class Map>
auto map_of(const Map& from) {
  std::map<typename Map::key_type, typename Map::mapped_type> out;
  for (const auto& [key, value] : from) out.emplace(key, value);
  return out;
}

template <class List>
auto list_of(const List& from) {
  return std::vector<std::decay_t<decltype(*from.begin())>>(from.begin(), from.end());
}

/// Times beyond what milliseconds can say are as far away as they can be.
Instant instant_of(const google::protobuf::Timestamp& at) {
  constexpr int64_t seconds_max = INT64_MAX / 1'000 - 1;
  int64_t seconds = std::clamp<int64_t>(at.seconds(), -seconds_max, seconds_max);
  return {seconds * 1'000 + at.nanos() / 1'000'000};
}

Dispatch read(const wire::DispatchIdentity& from) {
  return {from.dispatch_id(), from.attempt(), from.assigned_worker_id()};
}

Reference read(const wire::ResourceRef& from) {
  return {from.uri(), from.sha256(), from.media_type(), from.size_bytes()};
}

Budget read(const wire::Budget& from) {
  return {from.max_input_tokens(), from.max_output_tokens(), from.max_total_tokens(),
          from.deadline_ms()};
}

Metadata read(const wire::JobMetadata& from) {
  Metadata to;
  to.tenant_id = from.tenant_id();
  to.actor_id = from.actor_id();
  to.actor_type = static_cast<ActorType>(from.actor_type());
  to.idempotency_key = from.idempotency_key();
  to.capability = from.capability();
  to.risk_tags = list_of(from.risk_tags());
  to.requires_ = list_of(from.requires_());
  to.pack_id = from.pack_id();
  to.labels = map_of(from.labels());
  return to;
}

Compensation read(const wire::Compensation& from) {
  Compensation to;
  to.topic = from.topic();
  to.context_ptr = from.context_ptr();
  to.env = map_of(from.env());
  if (from.has_budget()) to.budget = read(from.budget());
  to.labels = map_of(from.labels());
  if (from.has_meta()) to.meta = read(from.meta());
  return to;
}

JobRequest read(const wire::JobRequest& from) {
  JobRequest to;
  to.job_id = from.job_id();
  to.topic = from.topic();
  to.priority = static_cast<Priority>(from.priority());
  to.context_ptr = from.context_ptr();
  to.adapter_id = from.adapter_id();
  to.env = map_of(from.env());
  to.parent_job_id = from.parent_job_id();
  to.workflow_id = from.workflow_id();
  to.step_index = from.step_index();
  to.memory_id = from.memory_id();
  if (from.has_budget()) to.budget = read(from.budget());
  to.tenant_id = from.tenant_id();
  to.principal_id = from.principal_id();
  to.labels = map_of(from.labels());
  if (from.has_meta()) to.meta = read(from.meta());
  if (from.has_compensation()) to.compensation = read(from.compensation());
  if (from.has_dispatch()) to.dispatch = read(from.dispatch());
  if (from.has_context_ref()) to.context_ref = read(from.context_ref());
  return to;
}

JobResult read(const wire::JobResult& from) {
  JobResult to;
  to.job_id = from.job_id();
  to.status = static_cast<Status>(from.status());
  to.result_ptr = from.result_ptr();
  to.worker_id = from.worker_id();
  to.execution_ms = from.execution_ms();
  to.error_code = from.error_code();
  to.error_message = from.error_message();
  to.artifact_ptrs = list_of(from.artifact_ptrs());
  to.error_number = from.error_code_enum();
  if (from.has_dispatch()) to.dispatch = read(from.dispatch());
  if (from.has_result_ref()) to.result_ref = read(from.result_ref());
  return to;
}

JobProgress read(const wire::JobProgress& from) {
  JobProgress to;
  to.job_id = from.job_id();
  to.percent = from.percent();
  to.message = from.message();
  to.status = static_cast<Status>(from.status());
  if (from.has_dispatch()) to.dispatch = read(from.dispatch());
  return to;
}

JobCancel read(const wire::JobCancel& from) {
  JobCancel to;
  to.job_id = from.job_id();
  to.reason = from.reason();
  to.requested_by = from.requested_by();
  if (from.has_dispatch()) to.dispatch = read(from.dispatch());
  return to;
}

Heartbeat read(const wire::Heartbeat& from) {
  Heartbeat to;
  to.worker_id = from.worker_id();
  to.region = from.region();
  to.type = from.type();
  to.cpu_load = from.cpu_load();
  to.gpu_utilization = from.gpu_utilization();
  to.memory_load = from.memory_load();
  to.active_jobs = from.active_jobs();
  to.capabilities = list_of(from.capabilities());
  to.pool = from.pool();
  to.max_parallel_jobs = from.max_parallel_jobs();
  to.labels = map_of(from.labels());
  return to;
}

Handshake read(const wire::Handshake& from) {
  Handshake to;
  to.component_id = from.component_id();
  to.role = static_cast<Role>(from.role());
  to.supported_versions = list_of(from.supported_versions());
  to.capabilities = map_of(from.capabilities());
  to.sdk_version = from.sdk_version();
  to.ready_topics = list_of(from.ready_topics());
  return to;
}

Alert read(const wire::SystemAlert& from) {
  Alert to;
  to.level = from.level();
  to.message = from.message();
  to.component = from.component();
  to.code = from.code();
  to.severity = static_cast<Severity>(from.severity());
  to.error_number = from.error_code_enum();
  to.details = map_of(from.details());
  return to;
}

Payload payload_of(const wire::BusPacket& from) {
  switch (from.payload_case()) {
    case wire::BusPacket::kJobRequest: return read(from.job_request());
    case wire::BusPacket::kJobResult: return read(from.job_result());
    case wire::BusPacket::kHeartbeat: return read(from.heartbeat());
    case wire::BusPacket::kAlert: return read(from.alert());
    case wire::BusPacket::kJobProgress: return read(from.job_progress());
    case wire::BusPacket::kJobCancel: return read(from.job_cancel());
    case wire::BusPacket::kHandshake: return read(from.handshake());
    case wire::BusPacket::PAYLOAD_NOT_SET: break;
  }
  return {};
}

}  // namespace

Outcome<Packet> read_packet(std::string_view bytes) {
  if (bytes.size() > packet_bytes_max)
    return fail(ErrorCode::bad_request, "A packet has at most " + std::to_string(packet_bytes_max) +
                                            " bytes; this has " + std::to_string(bytes.size()) +
                                            ".");
  // What others send is judged here; the library has nothing to add to standard error.
  static auto* const spoken = google::protobuf::SetLogHandler(nullptr);
  (void)spoken;
  wire::BusPacket from;
  if (!from.ParseFromArray(bytes.data(), static_cast<int>(bytes.size())))
    return fail(ErrorCode::bad_request, "The bytes are no BusPacket of cordum.agent.v1.");
  Packet to;
  to.trace_id = from.trace_id();
  to.sender_id = from.sender_id();
  to.created_at = instant_of(from.created_at());
  to.version = from.protocol_version();
  to.payload = payload_of(from);
  return to;
}

}  // namespace fermata::cap
