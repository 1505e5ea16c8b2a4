#pragma once
#include <optional>
#include <string>
#include <vector>

#include "core/job/job.h"

namespace fermata::job {

/// What lists, recovery, the alarm and the queue need to know of a job without opening it. Written
/// with every commit of the job, in the same row as its version.
struct Summary {
  static constexpr bool extensible = true;
  JobId id;
  AccountId account;
  State state = State::none;
  Phase phase = Phase::none;
  std::string reason_code;
  Instant submitted_at;
  Instant updated_at;
  std::optional<Instant> ended_at;
  /// When the job next wants to be looked at.
  std::optional<Instant> next_due;
  uint64_t last_sequence = 0;
  std::string request_hash;
  std::string idempotency_key;
  // For lists.
  RunId run;
  WorkflowId workflow;
  std::string step_id;
  JobId parent_job;
  Value labels;
  uint32_t attempts = 0;
  // Where it may go: what the queue is rebuilt from.
  std::string topic;
  Priority priority = Priority::interactive;
  std::vector<std::string> requires_;
  std::optional<Concurrency> concurrency;
  std::optional<Instant> ready_at;
  // Who holds it: what the leases are rebuilt from. Fence 0: nobody.
  uint64_t fence = 0;
  WorkerId worker;
  RegistrationId registration;
  std::string pool;
  uint64_t claim_seq = 0;
  int64_t lease_ms = 0;
  bool started = false;
  /// What policy allows of its rule's jobs together; with `concurrency` what the queue counts.
  std::optional<Concurrency> policy_limit{};
  std::string snapshot{};  ///< of the policy that its verdict is of

  bool operator==(const Summary&) const = default;
  template <class V> void each(V&& v) {
    v("id", id); v("account_id", account); v("state", state); v("phase", phase);
    v("reason_code", reason_code); v("submitted_at", submitted_at); v("updated_at", updated_at);
    v("ended_at", ended_at); v("next_due", next_due); v("last_sequence", last_sequence);
    v("request_hash", request_hash); v("idempotency_key", idempotency_key); v("run_id", run);
    v("workflow_id", workflow); v("step_id", step_id); v("parent_job_id", parent_job);
    v("labels", labels); v("attempts", attempts); v("topic", topic); v("priority", priority);
    v("requires", requires_); v("concurrency", concurrency); v("ready_at", ready_at);
    v("fence", fence); v("worker_id", worker); v("registration_id", registration);
    v("pool", pool); v("claim_seq", claim_seq); v("lease_ms", lease_ms); v("started", started);
    v("policy_limit", policy_limit); v("snapshot", snapshot);
  }
};

Summary summarize(const Job& job, Instant engine_started_at);

}  // namespace fermata::job
