#pragma once
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/id.h"
#include "base/value.h"
#include "core/job/words.h"

/// What a submitter asks for. Every part lists its fields once, for the stored form and for people;
/// fields are only ever added at the end.
namespace fermata::job {

/// JSON that travels with a job: in its record when it is small, else an immutable blob of the
/// store named by its hash (J-2).
struct Payload {
  static constexpr bool extensible = true;
  Value value;         ///< null when it lies in a blob
  std::string sha256;  ///< hex, over the canonical JSON
  uint64_t bytes = 0;  ///< of the canonical JSON
  bool in_blob = false;

  static Payload of(Value value);
  /// The same as a reference to a blob that holds its canonical JSON.
  Payload as_blob() const;
  bool operator==(const Payload&) const = default;
  template <class V> void each(V&& v) {
    v("value", value); v("sha256", sha256); v("bytes", bytes); v("in_blob", in_blob);
  }
};

enum class ActorType : uint8_t { human, service };
constexpr ActorType last_of(ActorType) { return ActorType::service; }
std::string_view name_of(ActorType type);

struct Actor {
  static constexpr bool extensible = true;
  std::string id;
  ActorType type = ActorType::service;
  bool operator==(const Actor&) const = default;
  template <class V> void each(V&& v) { v("id", id); v("type", type); }
};

struct Budget {
  static constexpr bool extensible = true;
  std::optional<int64_t> deadline_ms{};
  std::optional<int64_t> max_input_tokens{};
  std::optional<int64_t> max_output_tokens{};
  std::optional<int64_t> max_total_tokens{};
  std::optional<int64_t> max_cost_micros{};
  bool operator==(const Budget&) const = default;
  template <class V> void each(V&& v) {
    v("deadline_ms", deadline_ms); v("max_input_tokens", max_input_tokens);
    v("max_output_tokens", max_output_tokens); v("max_total_tokens", max_total_tokens);
    v("max_cost_micros", max_cost_micros);
  }
};

/// Shape and defaults of G-23, except that any error is retried.
struct RetryPolicy {
  static constexpr bool extensible = true;
  uint32_t max_attempts = 1;
  int64_t backoff_ms = 1'000;
  double multiplier = 2;
  int64_t max_backoff_ms = 60'000;
  double jitter = 0.1;
  std::vector<std::string> retry_on = {"any"};
  bool operator==(const RetryPolicy&) const = default;
  template <class V> void each(V&& v) {
    v("max_attempts", max_attempts); v("backoff_ms", backoff_ms); v("multiplier", multiplier);
    v("max_backoff_ms", max_backoff_ms); v("jitter", jitter); v("retry_on", retry_on);
  }
};

/// At most `limit` leases with this key in the account.
struct Concurrency {
  static constexpr bool extensible = true;
  std::string key;
  uint32_t limit = 1;
  bool operator==(const Concurrency&) const = default;
  template <class V> void each(V&& v) { v("key", key); v("limit", limit); }
};

enum class CompensateWhen : uint8_t { succeeded, dispatched };
constexpr CompensateWhen last_of(CompensateWhen) { return CompensateWhen::dispatched; }
std::string_view name_of(CompensateWhen when);

/// The job that undoes this one (jobs.md §8).
struct Compensation {
  static constexpr bool extensible = true;
  std::string topic{};
  std::optional<Payload> input{};
  Value labels{};  ///< object of texts, or null
  Value env{};
  std::optional<Budget> budget{};
  std::string capability{};
  std::vector<std::string> risk_tags{};
  std::vector<std::string> requires_{};
  std::optional<RetryPolicy> retry{};
  std::string idempotency_key{};
  CompensateWhen when = CompensateWhen::succeeded;
  Value computed{};  ///< the function of a script that makes its input; of jobs of runs alone
  bool operator==(const Compensation&) const = default;
  template <class V> void each(V&& v) {
    v("topic", topic); v("input", input); v("labels", labels); v("env", env); v("budget", budget);
    v("capability", capability); v("risk_tags", risk_tags); v("requires", requires_);
    v("retry", retry); v("idempotency_key", idempotency_key); v("when", when);
    v("computed", computed);
  }
};

/// The step of a run that submitted the job; set by the engine only.
struct RunStep {
  static constexpr bool extensible = true;
  RunId run;
  WorkflowId workflow;
  DefinitionHash definition;
  std::string step_id;
  uint32_t step_index = 0;
  std::string started_by{};  ///< who started the run: that person approves none of its jobs
  bool operator==(const RunStep&) const = default;
  template <class V> void each(V&& v) {
    v("run_id", run); v("workflow_id", workflow); v("definition_hash", definition);
    v("step_id", step_id); v("step_index", step_index); v("started_by", started_by);
  }
};

struct Request {
  static constexpr bool extensible = true;
  std::string topic;  ///< always under `job.`
  Payload input;
  Value env;  ///< object of texts, or null
  std::string adapter_id;
  std::string memory_id;
  Priority priority = Priority::interactive;
  Value labels;  ///< the submitter's own: object of texts, or null
  std::string capability;
  std::vector<std::string> risk_tags;  ///< lower case, sorted, each once
  std::vector<std::string> requires_;  ///< the same
  std::string pack_id;
  Actor actor;
  std::string principal_id;
  std::optional<Budget> budget;
  std::optional<int64_t> run_timeout_ms;  ///< absent: the topic's, the pool's, the setting; 0 none
  std::optional<int64_t> start_timeout_ms;
  std::optional<int64_t> queue_timeout_ms;
  std::optional<RetryPolicy> retry;
  std::optional<uint32_t> scheduling_attempts_max;  ///< 0 = wait for ever
  std::optional<Concurrency> concurrency;
  std::string idempotency_key;
  std::optional<Compensation> compensation;
  RunStep step;
  JobId parent_job;
  std::string saga_id;
  std::string traceparent;
  bool operator==(const Request&) const = default;
  template <class V> void each(V&& v) {
    v("topic", topic); v("input", input); v("env", env); v("adapter_id", adapter_id);
    v("memory_id", memory_id); v("priority", priority); v("labels", labels);
    v("capability", capability); v("risk_tags", risk_tags); v("requires", requires_);
    v("pack_id", pack_id); v("actor", actor); v("principal_id", principal_id);
    v("budget", budget); v("run_timeout_ms", run_timeout_ms);
    v("start_timeout_ms", start_timeout_ms); v("queue_timeout_ms", queue_timeout_ms);
    v("retry", retry); v("scheduling_attempts_max", scheduling_attempts_max);
    v("concurrency", concurrency); v("idempotency_key", idempotency_key);
    v("compensation", compensation); v("step", step); v("parent_job_id", parent_job);
    v("saga_id", saga_id); v("traceparent", traceparent);
  }
};

/// Limits of what may be asked; settings `jobs_…` unless fixed.
struct RequestLimits {
  uint64_t input_bytes_max = 4 << 20;
  int nesting_max = 128;
  uint64_t inline_bytes_max = 64 << 10;  ///< larger payloads become blobs
  int64_t timeout_ms_max = int64_t{365} * 86'400'000;
};
constexpr size_t job_id_bytes_max = 128;
constexpr size_t topic_bytes_max = 200;
constexpr size_t labels_max = 64;
constexpr size_t label_key_bytes_max = 128;
constexpr size_t label_value_bytes_max = 1'024;
constexpr size_t env_value_bytes_max = 4'096;
constexpr size_t facts_max = 64;  ///< risk_tags and requires
constexpr size_t fact_bytes_max = 64;
constexpr size_t name_bytes_max = 256;  ///< of the ids that others give to things
constexpr size_t idempotency_key_bytes_max = 256;
constexpr size_t traceparent_bytes_max = 256;
constexpr uint32_t retry_attempts_max = 100'000;
constexpr size_t retry_codes_max = 32;

/// `x` means `job.x`; facts in lower case, sorted, each once. Changes spelling only, so that two
/// ways of asking for the same job have one hash.
void normalize(Request& request);
/// Everything wrong with a normalised request, with a pointer into the body of `POST /jobs`.
std::vector<Finding> check_request(const Request& request, const RequestLimits& limits);
/// The same for a job's id; `path` names the field.
std::vector<Finding> check_job_id(std::string_view id, std::string_view path);

std::string full_topic(std::string_view name);
bool is_valid_topic(std::string_view topic);
/// Labels only the engine may set: approval_*, safety_*, saga_*, fermata.*, is_compensation.
bool is_reserved_label(std::string_view key);

}  // namespace fermata::job
