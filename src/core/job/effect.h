#pragma once
#include <optional>
#include <string>
#include <variant>

#include "core/job/job.h"
#include "core/model/summary.h"

namespace fermata::job {

// Records are written in the same commit as the events, or not at all (J-15).

/// To the run that submitted the job: how it ended (J-16). Once per job and end.
struct JobEnded {
  static constexpr bool extensible = true;
  JobId job;
  RunId run;
  std::string step_id;
  State state = State::none;
  std::string reason_code;
  Payload output;
  Value error;
  bool work_done = false;  ///< its effect may have to be undone (J-71)
  bool fatal = false;      ///< the run is to be undone (J-73)
  uint32_t attempts = 0;
  WorkerId worker;  ///< of the last attempt
  Value undo{};     ///< request of the job that undoes it, or null
  Payload input{};  ///< with `undo`, where that has no input of its own
  /// A worker that was told to stop may be at it until then.
  std::optional<Instant> lease_until{};
  bool withheld = false;  ///< there is an output, which nobody may have
  bool operator==(const JobEnded&) const = default;
  template <class V> void each(V&& v) {
    v("job_id", job); v("run_id", run); v("step_id", step_id); v("state", state);
    v("reason_code", reason_code); v("output", output); v("error", error);
    v("work_done", work_done); v("fatal", fatal); v("attempts", attempts); v("worker_id", worker);
    v("undo", undo); v("input", input); v("lease_until", lease_until);
    v("withheld", withheld);
  }
};
/// To the saga of a job whose compensation may be needed: a revoked attempt did succeed (J-74).
struct LateSuccessTold {
  static constexpr bool extensible = true;
  JobId job;
  RunId run;
  std::string saga_id;
  uint64_t fence = 0;
  Payload output;
  std::string step_id{};
  Value undo{};
  Payload input{};
  bool withheld = false;
  bool operator==(const LateSuccessTold&) const = default;
  template <class V> void each(V&& v) {
    v("job_id", job); v("run_id", run); v("saga_id", saga_id); v("fence", fence);
    v("output", output);
    v("step_id", step_id);
    v("undo", undo);
    v("input", input);
    v("withheld", withheld);
  }
};
/// To a run that is undone: the worker of a job it had stopped has let go (J-73).
struct LeaseReturnedTold {
  JobId job;
  RunId run;
  bool operator==(const LeaseReturnedTold&) const = default;
};
/// To a run that has taken an output: it was refused since (J-46).
struct WithdrawnTold {
  JobId job;
  RunId run;
  std::string step_id;
  std::string reason;
  bool operator==(const WithdrawnTold&) const = default;
};
/// To the saga that the job, which is of no run, is part of (J-76).
struct JoinTold {
  JobId job;
  RunId saga;
  AccountId account;
  std::string submitter;
  bool operator==(const JoinTold&) const = default;
};
/// An entry of the dead letter queue (J-82) as it is opened.
struct DeadLetter {
  static constexpr bool extensible = true;
  std::string id;  ///< derived from job and sequence: a repeated commit makes no second one
  AccountId account;
  JobId job;
  RunId run;
  std::string step_id;
  std::string topic;
  State status = State::none;
  std::string reason_code;
  std::string reason;
  State last_state = State::none;
  uint32_t attempts = 0;
  Value error;
  Instant created_at;
  Value findings{};  ///< of an output that was refused
  bool operator==(const DeadLetter&) const = default;
  template <class V> void each(V&& v) {
    v("id", id); v("account_id", account); v("job_id", job); v("run_id", run);
    v("step_id", step_id); v("topic", topic); v("status", status); v("reason_code", reason_code);
    v("reason", reason); v("last_state", last_state); v("attempts", attempts); v("error", error);
    v("created_at", created_at); v("findings", findings);
  }
};
/// Bytes the job refers to from now on (J-2). `text` is empty when a worker has put them there.
struct KeepBlob {
  std::string sha256;
  uint64_t bytes = 0;
  std::string text;
  bool operator==(const KeepBlob&) const = default;
};
/// Bytes the job does not refer to any more. They go at once unless another job does.
struct DropBlob {
  std::string sha256;
  bool operator==(const DropBlob&) const = default;
};
/// The output that is held, as canonical JSON; in a row of its own, in place of an earlier one.
struct KeepHeld {
  std::string text;
  bool operator==(const KeepHeld&) const = default;
};
/// It goes, and nothing of it stays.
struct DropHeld {
  bool operator==(const DropHeld&) const = default;
};
/// The open dead letter of the job is done with.
struct SettleLetter {
  bool released = false;  ///< else discarded
  std::string by;
  Instant at;
  bool operator==(const SettleLetter&) const = default;
};
/// That a job was let pass by a velocity rule: it counts in the window of this key.
struct VelocityCount {
  static constexpr bool extensible = true;
  std::string key;
  int64_t window_ms = 0;
  bool operator==(const VelocityCount&) const = default;
  template <class V> void each(V&& v) { v("key", key); v("window_ms", window_ms); }
};
/// One line of the decision log (J-25).
struct PolicyDecision {
  static constexpr bool extensible = true;
  AccountId account;
  JobId job;
  uint32_t revision = 1;
  Instant at;
  std::string topic;
  VerdictKind decision = VerdictKind::deny;
  std::string rule_id;
  std::string bundle;
  std::string reason;
  std::string snapshot;
  std::string source;
  Value facts;
  std::vector<VelocityCount> counted{};
  uint64_t micros = 0;  ///< that it took
  std::string kernel_snapshot{};
  bool operator==(const PolicyDecision&) const = default;
  template <class V> void each(V&& v) {
    v("account_id", account); v("job_id", job); v("revision", revision); v("at", at);
    v("topic", topic); v("decision", decision); v("rule_id", rule_id); v("bundle", bundle);
    v("reason", reason); v("snapshot", snapshot); v("source", source); v("facts", facts);
    v("counted", counted); v("micros", micros); v("kernel_snapshot", kernel_snapshot);
  }
};
using Record = std::variant<JobEnded, LateSuccessTold, DeadLetter, KeepBlob, AuditLine,
                            PolicyDecision, LeaseReturnedTold, JoinTold, WithdrawnTold,
                            DropBlob, KeepHeld, DropHeld, SettleLetter>;

// Effects are performed after the commit by loops that may be killed at any instant. What a crash
// loses here is found again from the jobs' states.

/// The job is in the queue: find it a worker.
struct OfferJob {};
/// It is no longer in the queue.
struct WithdrawJob {};
/// The fence was revoked: tell the worker to stop; its slot stays taken until it has (J-14).
struct RevokeLease {
  uint64_t fence = 0;
  RegistrationId registration;
  std::string reason;
};
/// The attempt ended by the worker's own word or its silence: the slot is free.
struct FreeLease {
  uint64_t fence = 0;
  RegistrationId registration;
  bool refused = false;  ///< the worker declined it, or never got it
};
/// Rules alone cannot judge it: ask the kernel.
struct AskPolicy {
  uint32_t revision = 1;
};
/// The held result is to be read, under this policy.
struct ScanOutput {
  uint64_t fence = 0;
  uint32_t tries = 0;  ///< that failed before
  std::string snapshot;
};
/// The input is to be read before policy can tell.
struct ScanInput {
  uint32_t revision = 1;
  std::string snapshot;
};
using Effect = std::variant<OfferJob, WithdrawJob, RevokeLease, FreeLease, AskPolicy, ScanOutput,
                            ScanInput>;

/// True while the effect still makes sense for the job as it is now: what came later in the same
/// commit may have overtaken it.
bool still_wanted(const Job& job, const Effect& effect);

}  // namespace fermata::job
