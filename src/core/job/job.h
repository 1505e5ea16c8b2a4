#pragma once
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "core/job/output.h"
#include "core/job/report.h"
#include "core/job/request.h"

/// The state of a job. Only `evolve` changes it; everything here is the fold of the job's history.
namespace fermata::job {

constexpr size_t attempts_kept_max = 100;
constexpr size_t late_successes_max = 16;

/// What policy said about a request (jobs.md §3).
struct Verdict {
  static constexpr bool extensible = true;
  VerdictKind kind = VerdictKind::allow;
  std::string snapshot = "none";  ///< of the policy that said it; `none` when there is no policy
  std::string rule_id;
  std::string reason;
  std::string reason_code;  ///< of a denial; empty: `safety_denied`
  std::string source;       ///< rules, kernel, fail_open or approval
  Value constraints;        ///< object, or null
  Value approval;           ///< {roles[], count, expires_ms}, or null
  std::string bundle{};     ///< of the account that has the rule; empty: a rule for all
  Value remediations{};     ///< other ways to ask for it (J-6): array, or null
  std::string kernel_snapshot{};  ///< that the kernel named, where one was asked as well
  bool bypassed = false;          ///< the kernel was to be asked and could not be (J-33, J-75)
  bool operator==(const Verdict&) const = default;
  template <class V> void each(V&& v) {
    v("decision", kind); v("snapshot", snapshot); v("rule_id", rule_id); v("reason", reason);
    v("reason_code", reason_code); v("source", source); v("constraints", constraints);
    v("approval", approval); v("bundle", bundle); v("remediations", remediations);
    v("kernel_snapshot", kernel_snapshot); v("bypassed", bypassed);
  }
};
/// A number of `constraints.budgets`, if the verdict sets it.
std::optional<int64_t> constraint(const Verdict& verdict, std::string_view name);

/// Of two constraints the smaller of each number, and every other part that one of them has.
Value tighter_constraints(const Value& base, const Value& other);

/// The limit that a verdict sets to the jobs of its rule and account (J-22), if it does.
std::optional<Concurrency> policy_limit(const Verdict& verdict);

/// One person's word for a job.
struct Vote {
  static constexpr bool extensible = true;
  std::string by;
  Instant at;
  std::string reason{};
  std::string note{};
  bool operator==(const Vote&) const = default;
  template <class V> void each(V&& v) {
    v("by", by); v("at", at); v("reason", reason); v("note", note);
  }
};

/// Terms of an approval, pinned when it was asked for (J-40), and who has voted for it.
struct Approval {
  static constexpr bool extensible = true;
  std::string request_hash;
  std::vector<std::string> roles;
  uint32_t count = 1;
  Instant asked_at;
  Instant expires_at;
  std::optional<int64_t> expires_ms{};
  std::vector<Vote> votes{};
  bool granted = false;
  bool operator==(const Approval&) const = default;
  template <class V> void each(V&& v) {
    v("request_hash", request_hash); v("roles", roles); v("count", count);
    v("asked_at", asked_at); v("expires_at", expires_at); v("expires_ms", expires_ms);
    v("votes", votes); v("granted", granted);
  }
};
/// Jobs of this topic are nothing but their approval: no worker takes them.
constexpr std::string_view gate_topic = "job.approval";

/// One dispatch and what became of it (J-11).
struct Attempt {
  uint32_t attempt = 0;
  uint64_t fence = 0;
  WorkerId worker;
  RegistrationId registration;
  std::string pool;
  uint64_t claim_seq = 0;  ///< of the claim that took it
  std::optional<Instant> ready_at;  ///< since when it had been in the queue
  Instant dispatched_at;
  int64_t lease_ms = 0;
  std::optional<Instant> start_until;
  std::optional<Instant> run_until;
  std::optional<Instant> started_at;
  std::optional<Instant> ended_at;
  AttemptOutcome outcome = AttemptOutcome::lost;  ///< once it has ended
  Value error;
  int64_t execution_ms = 0;
  std::string digest;     ///< of the message that ended it; empty when none did
  bool returned = false;  ///< its worker has let go of it since
  bool open() const { return !ended_at; }
  bool operator==(const Attempt&) const = default;
};

/// A success that was told after its fence was revoked.
struct LateSuccess {
  uint32_t attempt = 0;
  uint64_t fence = 0;
  WorkerId worker;
  std::string digest;
  Instant at;
  bool operator==(const LateSuccess&) const = default;
};

/// What was found in the input, for rules that ask (J-20).
struct ContentCheck {
  static constexpr bool extensible = true;
  uint32_t revision = 1;
  std::string snapshot;            ///< of the policy that asked
  std::vector<std::string> found;  ///< keys of what was looked for
  bool operator==(const ContentCheck&) const = default;
  template <class V> void each(V&& v) {
    v("revision", revision); v("snapshot", snapshot); v("found", found);
  }
};

struct Job {
  JobId id;
  AccountId account;
  Request request;
  std::string request_hash;
  uint32_t revision = 1;
  Source source = Source::api;
  std::string submitter;  ///< key id and actor id
  std::vector<std::string> amended_by{};  ///< each once: what they wrote they do not approve

  State state = State::none;
  Phase phase = Phase::none;
  std::string reason_code;
  std::string reason;
  Instant submitted_at;
  Instant last_at;  ///< of the latest event: a history never goes back in time
  std::optional<Instant> ended_at;
  std::optional<Instant> deadline_at;

  std::optional<ContentCheck> content;
  std::optional<Verdict> verdict;
  std::optional<Approval> approval;
  uint32_t policy_waits = 0;  ///< how often policy was unavailable since its last verdict
  std::optional<Instant> not_before;   ///< PENDING: the next check; RETRYING: the next attempt
  std::optional<Instant> ready_at;     ///< since when it has been in the queue
  std::optional<Instant> queue_until;
  std::optional<Instant> give_up_at;     ///< nobody has had a place for it since `waiting_since`
  std::optional<Instant> waiting_since;

  uint32_t tries = 0;   ///< failed, failed_retryable, timeout
  uint32_t losses = 0;  ///< lost, start timeout
  uint32_t attempt_count = 0;
  uint64_t last_fence = 0;
  std::deque<Attempt> attempts;  ///< the latest, at most attempts_kept_max
  bool reached_worker = false;   ///< an attempt ended other than declined or undelivered

  Payload output;
  Value error;
  std::vector<Artifact> artifacts;
  Usage usage;
  std::vector<LateSuccess> late_successes;
  bool stop_awaited = false;  ///< its run waits for the worker to let go
  std::optional<HeldOutput> held;
  std::optional<OutputVerdict> judged_output;
  std::optional<Instant> review_until;  ///< its run waits so long for people to look at the output
  bool withdrawn = false;               ///< a late scan refused what had been released
  bool released = false;                ///< by people, out of quarantine

  uint64_t last_sequence = 0;  ///< 0: the job does not exist

  bool exists() const { return last_sequence > 0; }
  bool finished() const { return is_terminal(state); }
  bool of_run() const { return !request.step.run.empty(); }
  /// The run whose saga it is part of; empty: of none.
  RunId saga_run() const;
  /// True when it undoes the work of another job.
  bool undoes() const { return source == Source::compensation; }
  /// The attempt that holds the lease, or null.
  const Attempt* open_attempt() const;
  const Attempt* find_attempt(uint64_t fence) const;
  /// True while the output is not for everybody: it is being scanned, or was refused.
  bool withholds() const;
  /// True when what was redacted is kept, for admins.
  bool keeps_original() const { return judged_output && judged_output->original_kept; }
  /// What every attempt hands to its worker (J-60).
  const std::string& idempotency_key() const;
  bool operator==(const Job&) const = default;
};

/// When the job next wants to be looked at (J-80). Start and run timeouts of attempts that an
/// earlier life of the engine dispatched wait until their worker had one lease to speak up (J-61).
std::optional<Instant> next_due(const Job& job, Instant engine_started_at);
/// When a scan of the held output begins, or is given up; nothing when none is due.
std::optional<Instant> scan_due(const Job& job, Instant engine_started_at);
/// When the open attempt's start or run timeout falls due; nothing when there is none.
std::optional<Instant> attempt_due(const Attempt& attempt, Instant engine_started_at);

}  // namespace fermata::job
