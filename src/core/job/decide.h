#pragma once
#include <functional>
#include <vector>

#include "base/error.h"
#include "core/job/command.h"
#include "core/job/effect.h"
#include "core/job/event.h"

namespace fermata::job {

/// Limits and defaults of jobs; settings `jobs_…`.
struct Limits {
  RequestLimits request;
  ReportLimits report;
  int64_t run_timeout_ms = 900'000;
  int64_t start_timeout_ms = 30'000;
  int64_t queue_timeout_ms = 0;
  uint32_t losses_max = 3;          ///< so many go back, the next one ends the job
  uint32_t retryable_attempts = 5;  ///< for failed_retryable where no policy was given
  int64_t recheck_ms = 5'000;       ///< after a throttle, or while policy is unavailable
  int64_t approval_expires_ms = 86'400'000;
  uint32_t scheduling_attempts = 50;  ///< in vain, of jobs that no run waits for (J-53)
  uint64_t queued_max = 1'000'000;    ///< jobs of an account that wait for workers (J-5)
  int64_t scan_timeout_ms = 30'000;   ///< for one scan (J-45)
  uint32_t scan_tries = 3;
  int64_t quarantine_hold_ms = 86'400'000;  ///< that a run waits for people to look (J-51)
};

/// A verdict with what the decision log keeps of how it came about.
struct Judged {
  Judged(Verdict said) : verdict(std::move(said)) {}
  Verdict verdict;
  Value facts{};
  std::vector<VelocityCount> counted{};
  uint64_t micros = 0;
  bool content_wanted = false;  ///< the input has to be read first: there is no verdict yet
};

enum class FailMode : uint8_t { closed, open };
std::string_view name_of(FailMode mode);

/// Somebody outside who has to be asked as well (jobs.md §3.2).
struct Kernel {
  bool reachable = true;  ///< false: its circuit is open, and nobody asks
  /// The newest it has named in this life of the engine; nothing: it has not spoken yet.
  std::optional<std::string> snapshot{};
  FailMode fail_mode = FailMode::closed;
};

/// The policy in force. Without rules every job is allowed under the snapshot `none`.
struct Policy {
  std::string snapshot = "none";
  /// Nothing: somebody outside has to be asked.
  std::function<std::optional<Judged>(const Job&, Instant)> judge;
  std::optional<Kernel> kernel{};
  /// What becomes of a result before anybody has read it. Absent: it passes.
  std::function<OutputPlan(const Job&, const ResultSize&)> plan_output{};
  /// The error of a failed attempt, as far as it may be read. Absent: as it is.
  std::function<Value(const Job&, const Value&)> clean_error{};
};

/// What keeps a job that waits from a worker, as the fleet knows it.
struct Routing {
  std::string reason_code = "no_workers";
  bool fault = true;  ///< nobody there could take it; else all who could are busy or at a limit
  Instant fault_since{};
};

/// All that a decision may know of the world.
struct Given {
  Instant now;
  uint64_t entropy = 0;
  /// The version the job gets by this commit, and the store's epoch: what fences are made of.
  uint64_t version = 0;
  uint32_t epoch = 0;
  Instant engine_started_at;
  const Policy* policy = nullptr;    ///< null: no policy
  std::optional<Routing> routing{};  ///< of a job in the queue
  /// Of the topic or its pools, for requests that name none.
  std::optional<int64_t> queue_timeout_ms{};
  uint64_t queued = 0;  ///< jobs of the submitter's account that wait for workers
  Limits limits;
};

struct Decision {
  std::vector<Event> events;
  std::vector<Record> records;  ///< in the same commit as the events
  std::vector<Effect> effects;  ///< after it
  /// To a worker's message; `duplicate` also to a repeated submit, `terminal` to a cancel that
  /// found the job ended.
  Answer answer = Answer::accepted;
};

/// Decides what a command means for a job and advances the job by the events it returns: each event
/// goes through `evolve` and nothing else touches the state. Pure: the same job, command and
/// `given` give the same events. A refusal changes nothing. A decision may have records without
/// events: a protocol violation is audited though it changes nothing.
Outcome<Decision> decide(Job& job, const Command& command, const Given& given);

/// Folds one event into the state. Total: no checks of meaning, no effects.
void evolve(Job& job, const Event& event);

}  // namespace fermata::job
