#pragma once
#include <optional>
#include <string>
#include <variant>

#include "core/job/job.h"

namespace fermata::job {

/// Creates the job it is addressed to. Repeating it finds the job there: the same request is
/// answered again, another one under the same id is refused.
struct SubmitJob {
  AccountId account;
  Request request;  ///< normalised
  Source source = Source::api;
  std::string submitter;
  /// Why the request of a compensation cannot be read: it ends at once, for people to see.
  std::string problem{};
};
/// What the kernel said, or that it could not be asked, for the revision it was asked about.
struct JudgeJob {
  Verdict verdict;
  uint32_t revision = 1;
  uint64_t micros = 0;  ///< that the kernel took
};
/// Gives the job to a worker that has a slot for it. When it cannot go there any more (its deadline
/// has passed, policy says otherwise) what is due happens instead: look at the state.
struct PlaceJob {
  WorkerId worker;
  RegistrationId registration;
  std::string pool;
  uint64_t claim_seq = 0;
  int64_t lease_ms = 30'000;
  /// Of the topic or the pool, for requests that name none.
  std::optional<int64_t> run_timeout_ms;
  std::optional<int64_t> start_timeout_ms;
};
/// The worker has named the job in a renewal, progress or heartbeat: the first time starts it.
struct NoteLife {
  uint64_t fence = 0;
};
/// Which attempt a worker speaks of, and who speaks.
struct Spoken {
  uint32_t attempt = 0;  ///< 0: not named
  uint64_t fence = 0;
  WorkerId worker;
  std::string pool;
};
struct ReportResult {
  Spoken spoken;
  Report report;
};
/// The worker will not do it; no try is counted.
struct DeclineJob {
  Spoken spoken;
  std::string reason;
  int64_t retry_after_ms = 0;
};
/// Nobody renews the lease any more.
struct LoseLease {
  uint64_t fence = 0;
  bool counted = true;  ///< false when the engine itself took the lease away (drain, hand-back)
  std::string reason{};
};
/// The worker has never heard of the attempt.
struct MarkUndelivered {
  uint64_t fence = 0;
};
struct CancelJob {
  std::string reason;
  bool awaited = false;  ///< whoever asks waits for the worker to let go
};
/// A success that came too late will not be undone by anybody: people have to look at it (J-74).
struct LeaveLateSuccess {
  std::string reason;
};
/// Look at the clock: does what is due.
struct WakeJob {};
/// Changes a job that was never dispatched (J-6). Absent parts stay.
struct AmendJob {
  std::optional<std::string> topic{};
  std::optional<Payload> input{};
  std::optional<Value> labels{};
  std::optional<Budget> budget{};
};

/// Who votes, and what the voter may.
struct Voter {
  std::string id;
  std::string role;
  bool may_be_submitter = false;  ///< the local root user alone (J-42)
};
/// One person's yes to the request that has this hash; the last one needed releases the job.
struct ApproveJob {
  std::string hash;
  Voter voter;
  std::string reason{};
  std::string note{};
  /// What the kernel says at this moment, where there is one (J-43).
  std::optional<JudgeJob> kernel{};
};
/// One person's no: it ends the job.
struct RejectJob {
  std::string hash;
  Voter voter;
  std::string reason{};
};
/// Policy has changed: does the approval that the job waits for still stand (J-43)?
struct ReviewJob {
  std::optional<JudgeJob> kernel{};  ///< the same
};

/// What a scan has made of a held result. Taken only for the same attempt, output and policy
/// (J-48).
struct JudgeOutput {
  uint64_t fence = 0;
  std::string sha256{};    ///< of the output that was read
  std::string snapshot{};  ///< of the policy that was asked
  std::string problem{};   ///< why it could not be scanned; empty: it was
  OutputVerdict verdict{};
  Payload output{};  ///< that may be read: as it was, or redacted
  std::vector<Artifact> artifacts{};
};
/// The engine has begun anew: nobody scans any more what was being scanned.
struct ResumeScan {};
/// People let a quarantined result be used (J-51), or destroy it.
struct ReleaseOutput {
  Voter voter;
  std::string note{};
  Payload output{};  ///< as it was held
};
struct DiscardOutput {
  Voter voter;
  std::string reason{};
};

/// What was found in the input of the revision, under a policy that asks about it.
struct NoteContent {
  ContentCheck check;
  std::string problem{};  ///< why it could not be read; empty: it was
};
/// Somebody reads a result that is not for everybody: that is written down first (J-46).
struct NoteReading {};

using CommandBody = std::variant<SubmitJob, JudgeJob, PlaceJob, NoteLife, ReportResult, DeclineJob,
                                 LoseLease, MarkUndelivered, CancelJob, WakeJob, AmendJob,
                                 ApproveJob, RejectJob, ReviewJob, LeaveLateSuccess, JudgeOutput,
                                 ResumeScan, ReleaseOutput, DiscardOutput, NoteReading,
                                 NoteContent>;

/// An imperative addressed to one job.
struct Command {
  JobId job;
  CommandBody body;
  std::string actor = "engine";  ///< who asks: a key id, `local` or `engine`
  /// For whom: another account's job does not exist. Empty: for any.
  AccountId account{};
};

}  // namespace fermata::job
