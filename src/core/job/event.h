#pragma once
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/job/job.h"

/// What was decided about a job, in the past tense. The fold of its events is its state; the same
/// events are its history. Each lists its fields once, for the binary form and for people
/// (history.h). Fields are only ever added at the end.
namespace fermata::job {

struct JobSubmitted {
  AccountId account;
  Request request;
  std::string request_hash;
  Source source = Source::api;
  std::string submitter;
  std::optional<Instant> deadline_at;
  template <class V> void each(V&& v) {
    v("account_id", account); v("request", request); v("request_hash", request_hash);
    v("source", source); v("submitter", submitter); v("deadline_at", deadline_at);
  }
};
struct JobAllowed {
  Verdict verdict;
  std::optional<Instant> queue_until;
  std::optional<Instant> give_up_at{};
  template <class V> void each(V&& v) {
    v("verdict", verdict); v("queue_until", queue_until); v("give_up_at", give_up_at);
  }
};
/// No verdict yet: it is asked for again at `check_at`, or whenever it comes.
struct JobPostponed {
  Phase phase = Phase::policy;
  std::optional<Instant> check_at;
  std::string reason;
  template <class V> void each(V&& v) {
    v("phase", phase); v("check_at", check_at); v("reason", reason);
  }
};
struct JobApprovalRequired {
  Verdict verdict;
  Approval approval;
  template <class V> void each(V&& v) { v("verdict", verdict); v("approval", approval); }
};
struct JobDenied {
  Verdict verdict;
  std::string reason_code;
  std::string reason;
  template <class V> void each(V&& v) {
    v("verdict", verdict); v("reason_code", reason_code); v("reason", reason);
  }
};
struct JobAmended {
  std::optional<std::string> topic;
  std::optional<Payload> input;
  std::optional<Value> labels;
  std::optional<Budget> budget;
  std::string request_hash;
  std::optional<Instant> deadline_at;
  std::string by;
  template <class V> void each(V&& v) {
    v("topic", topic); v("input", input); v("labels", labels); v("budget", budget);
    v("request_hash", request_hash); v("deadline_at", deadline_at); v("by", by);
  }
};
struct JobDispatched {
  uint32_t attempt = 0;
  uint64_t fence = 0;
  WorkerId worker;
  RegistrationId registration;
  std::string pool;
  uint64_t claim_seq = 0;
  int64_t lease_ms = 0;
  std::optional<Instant> start_until;
  std::optional<Instant> run_until;
  template <class V> void each(V&& v) {
    v("attempt", attempt); v("fence", fence); v("worker_id", worker);
    v("registration_id", registration); v("pool", pool); v("claim_seq", claim_seq);
    v("lease_ms", lease_ms); v("start_until", start_until); v("run_until", run_until);
  }
};
struct JobStarted {
  uint32_t attempt = 0;
  template <class V> void each(V&& v) { v("attempt", attempt); }
};
enum class CountsAs : uint8_t { nothing, a_try, a_loss };
constexpr CountsAs last_of(CountsAs) { return CountsAs::a_loss; }
std::string_view name_of(CountsAs counts);
struct JobAttemptEnded {
  uint32_t attempt = 0;
  AttemptOutcome outcome = AttemptOutcome::lost;
  CountsAs counts = CountsAs::nothing;
  Value error;
  int64_t execution_ms = 0;
  Usage usage;
  std::string digest;
  template <class V> void each(V&& v) {
    v("attempt", attempt); v("outcome", outcome); v("counts", counts); v("error", error);
    v("execution_ms", execution_ms); v("usage", usage); v("digest", digest);
  }
};
struct JobRetryScheduled {
  Instant not_before;
  template <class V> void each(V&& v) { v("not_before", not_before); }
};
struct JobRequeued {
  std::optional<Instant> queue_until;
  std::optional<Instant> give_up_at{};
  template <class V> void each(V&& v) {
    v("queue_until", queue_until); v("give_up_at", give_up_at);
  }
};
struct JobSucceeded {
  Payload output;
  std::vector<Artifact> artifacts;
  template <class V> void each(V&& v) { v("output", output); v("artifacts", artifacts); }
};
struct JobFailed {
  std::string reason_code;
  std::string reason;
  Value error;
  template <class V> void each(V&& v) {
    v("reason_code", reason_code); v("reason", reason); v("error", error);
  }
};
struct JobTimedOut {
  std::string reason_code;
  std::string reason;
  Value error;
  template <class V> void each(V&& v) {
    v("reason_code", reason_code); v("reason", reason); v("error", error);
  }
};
struct JobCancelled {
  std::string reason;
  std::string by;
  bool awaited = false;  ///< its run waits for the worker to let go
  template <class V> void each(V&& v) { v("reason", reason); v("by", by); v("awaited", awaited); }
};
struct LateSuccessNoted {
  uint32_t attempt = 0;
  uint64_t fence = 0;
  WorkerId worker;
  std::string digest;
  template <class V> void each(V&& v) {
    v("attempt", attempt); v("fence", fence); v("worker_id", worker); v("digest", digest);
  }
};

struct JobVoted {
  Vote vote;
  template <class V> void each(V&& v) { v("vote", vote); }
};
/// All have voted for it, or their votes still stand under another policy.
struct JobApproved {
  Verdict verdict;
  std::optional<Instant> queue_until;
  std::optional<Instant> give_up_at{};
  template <class V> void each(V&& v) {
    v("verdict", verdict); v("queue_until", queue_until); v("give_up_at", give_up_at);
  }
};

/// The worker of a job that was stopped has let go of it.
struct LeaseReturned {
  uint64_t fence = 0;
  template <class V>
  void each(V&& v) {
    v("fence", fence);
  }
};

/// It has not been without a place all the time: the search for one ends later (J-53).
struct GiveUpMoved {
  Instant give_up_at;
  Instant waiting_since;  ///< from then on it counts
  std::string reason_code;
  template <class V> void each(V&& v) {
    v("give_up_at", give_up_at); v("waiting_since", waiting_since); v("reason_code", reason_code);
  }
};
/// The result is not, or not yet, for everybody.
struct JobOutputHeld {
  HeldOutput held;
  template <class V> void each(V&& v) { v("held", held); }
};
struct OutputScanFailed {
  uint32_t tries = 0;
  std::string reason;
  std::optional<Instant> scan_at;  ///< when it is tried again
  template <class V> void each(V&& v) {
    v("tries", tries); v("reason", reason); v("scan_at", scan_at);
  }
};
/// A scan begins once more: after a failure, or because policy has changed meanwhile.
struct OutputScanBegun {
  std::string snapshot;
  bool fail_open = false;
  std::optional<Instant> scan_until;
  template <class V> void each(V&& v) {
    v("snapshot", snapshot); v("fail_open", fail_open); v("scan_until", scan_until);
  }
};
struct OutputJudged {
  OutputVerdict verdict;
  template <class V> void each(V&& v) { v("verdict", verdict); }
};
/// What may be read of a result that could be used before it was scanned.
struct OutputCleared {
  Payload output;
  std::vector<Artifact> artifacts;
  template <class V> void each(V&& v) { v("output", output); v("artifacts", artifacts); }
};
struct JobQuarantined {
  std::string reason_code;
  std::string reason;
  std::optional<Instant> review_until;
  template <class V> void each(V&& v) {
    v("reason_code", reason_code); v("reason", reason); v("review_until", review_until);
  }
};
struct OutputReleased {
  Payload output;
  std::vector<Artifact> artifacts;
  std::string by;
  std::string note;
  template <class V> void each(V&& v) {
    v("output", output); v("artifacts", artifacts); v("by", by); v("note", note);
  }
};
struct OutputDiscarded {
  std::string by;
  std::string reason;
  template <class V> void each(V&& v) { v("by", by); v("reason", reason); }
};
/// The run has waited long enough for people to look.
struct ReviewEnded {
  std::string reason;
  template <class V> void each(V&& v) { v("reason", reason); }
};

/// The input was read for rules that ask about its content.
struct JobContentChecked {
  ContentCheck check;
  template <class V> void each(V&& v) { v("check", check); }
};

/// The position in this list is the stored tag: only ever add at the end.
using EventBody =
    std::variant<JobSubmitted, JobAllowed, JobPostponed, JobApprovalRequired, JobDenied, JobAmended,
                 JobDispatched, JobStarted, JobAttemptEnded, JobRetryScheduled, JobRequeued,
                 JobSucceeded, JobFailed, JobTimedOut, JobCancelled, LateSuccessNoted, JobVoted,
                 JobApproved, LeaseReturned, GiveUpMoved,
                 JobOutputHeld, OutputScanFailed, OutputScanBegun,
                 OutputJudged, OutputCleared, JobQuarantined, OutputReleased, OutputDiscarded,
                 ReviewEnded, JobContentChecked>;
std::string_view type_name(const EventBody& body);

struct Event {
  uint64_t sequence = 0;
  Instant at;
  EventBody body;
};

}  // namespace fermata::job
