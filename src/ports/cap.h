#pragma once
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/error.h"
#include "base/time.h"

/// Packets of the CAP wire protocol as plain values. Numbers of enumerations are those that travel;
/// one that is not known here is kept as it came. What nobody here reads is not kept.
namespace fermata::cap {

using Texts = std::map<std::string, std::string>;

enum class Status : int32_t {
  unspecified = 0,
  pending,
  scheduled,
  dispatched,
  running,
  succeeded,
  failed,
  cancelled,
  denied,
  timeout,
  failed_retryable,
  failed_fatal,
};
enum class Priority : int32_t { unspecified = 0, interactive, batch, critical };
enum class ActorType : int32_t { unspecified = 0, human, service };
enum class Role : int32_t { unspecified = 0, gateway, scheduler, worker, orchestrator, controller };
enum class Severity : int32_t { unspecified = 0, info, warning, error, critical };
constexpr int32_t wrong_version_code = 100;

/// Which dispatch of a job is meant: an id nobody can guess, the attempt and its worker.
struct Dispatch {
  std::string id{};
  uint64_t attempt = 0;
  std::string worker{};
  bool operator==(const Dispatch&) const = default;
};
/// Where bytes lie, and which they are.
struct Reference {
  std::string uri{};
  std::string sha256{};  ///< raw bytes, or empty
  std::string media_type{};
  uint64_t size_bytes = 0;
  bool operator==(const Reference&) const = default;
};
/// 0: none.
struct Budget {
  int64_t max_input_tokens = 0;
  int64_t max_output_tokens = 0;
  int64_t max_total_tokens = 0;
  int64_t deadline_ms = 0;
  bool operator==(const Budget&) const = default;
};
struct Metadata {
  std::string tenant_id{};
  std::string actor_id{};
  ActorType actor_type = ActorType::unspecified;
  std::string idempotency_key{};
  std::string capability{};
  std::vector<std::string> risk_tags{};
  std::vector<std::string> requires_{};
  std::string pack_id{};
  Texts labels{};
  bool operator==(const Metadata&) const = default;
};
struct Compensation {
  std::string topic{};
  std::string context_ptr{};
  Texts env{};
  std::optional<Budget> budget{};
  Texts labels{};
  std::optional<Metadata> meta{};
  bool operator==(const Compensation&) const = default;
};
struct JobRequest {
  std::string job_id{};
  std::string topic{};
  Priority priority = Priority::unspecified;
  std::string context_ptr{};
  std::string adapter_id{};
  Texts env{};
  std::string parent_job_id{};
  std::string workflow_id{};
  int32_t step_index = 0;
  std::string memory_id{};
  std::optional<Budget> budget{};
  std::string tenant_id{};
  std::string principal_id{};
  Texts labels{};
  std::optional<Metadata> meta{};
  std::optional<Compensation> compensation{};
  std::optional<Dispatch> dispatch{};
  std::optional<Reference> context_ref{};
  bool operator==(const JobRequest&) const = default;
};
struct JobResult {
  std::string job_id{};
  Status status = Status::unspecified;
  std::string result_ptr{};
  std::string worker_id{};
  int64_t execution_ms = 0;
  std::string error_code{};
  std::string error_message{};
  std::vector<std::string> artifact_ptrs{};
  int32_t error_number = 0;
  std::optional<Dispatch> dispatch{};
  std::optional<Reference> result_ref{};
  bool operator==(const JobResult&) const = default;
};
struct JobProgress {
  std::string job_id{};
  int32_t percent = 0;
  std::string message{};
  Status status = Status::unspecified;
  std::optional<Dispatch> dispatch{};
  bool operator==(const JobProgress&) const = default;
};
struct JobCancel {
  std::string job_id{};
  std::string reason{};
  std::string requested_by{};
  std::optional<Dispatch> dispatch{};
  bool operator==(const JobCancel&) const = default;
};
struct Heartbeat {
  std::string worker_id{};
  std::string region{};
  std::string type{};
  float cpu_load = 0;
  float gpu_utilization = 0;
  float memory_load = 0;
  int32_t active_jobs = 0;
  std::vector<std::string> capabilities{};
  std::string pool{};
  int32_t max_parallel_jobs = 0;
  Texts labels{};
  bool operator==(const Heartbeat&) const = default;
};
struct Handshake {
  std::string component_id{};
  Role role = Role::unspecified;
  std::vector<int32_t> supported_versions{};
  std::map<std::string, bool> capabilities{};
  std::string sdk_version{};
  std::vector<std::string> ready_topics{};
  bool operator==(const Handshake&) const = default;
};
struct Alert {
  std::string level{};
  std::string message{};
  std::string component{};
  std::string code{};
  Severity severity = Severity::unspecified;
  int32_t error_number = 0;
  Texts details{};
  bool operator==(const Alert&) const = default;
};

using Payload = std::variant<std::monostate, JobRequest, JobResult, JobProgress, JobCancel,
                             Heartbeat, Handshake, Alert>;
constexpr int32_t version_understood = 1;

struct Packet {
  std::string trace_id{};
  std::string sender_id{};
  Instant created_at{};
  int32_t version = version_understood;
  Payload payload{};
  bool operator==(const Packet&) const = default;
};

/// Bytes that are longer are not looked at.
constexpr size_t packet_bytes_max = 8 << 20;

/// Packets as the bytes that travel. Safe from several threads.
class Codec {
 public:
  virtual ~Codec() = default;
  /// Fields that are not known are ignored, and so is a payload that is not. Fails with bad_request
  /// for bytes that are no packet.
  virtual Outcome<Packet> read(std::string_view bytes) const = 0;
  /// The same packet gives the same bytes.
  virtual std::string write(const Packet& packet) const = 0;
};

}  // namespace fermata::cap
