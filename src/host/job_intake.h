#pragma once
#include <algorithm>
#include <array>
#include <functional>
#include <string>
#include <vector>

#include "core/fleet/fleet.h"
#include "core/job/command.h"
#include "core/job/summary.h"
#include "core/policy/policy_set.h"
#include "core/policy/windows.h"
#include "host/breaker.h"

namespace fermata {

/// What became of a command to a job, once its commit is durable.
struct JobTold {
  job::Answer answer = job::Answer::accepted;
  job::Summary summary;
};
/// Called once, on the partition's thread; must not block.
using JobReply = std::function<void(Outcome<JobTold>)>;

/// One item of a worker's results, as far as it could be read (J-65).
struct ReportedResult {
  JobId job;
  uint64_t fence = 0;
  uint32_t attempt = 0;
  job::Report report;
  bool valid = true;
};

/// How long commands have waited for their jobs to be durable (J-90), by the bounds they fit into.
struct CommandWaits {
  static constexpr std::array<int64_t, 9> bounds_ms = {1, 2, 5, 10, 50, 250, 1'000, 10'000, 60'000};
  std::array<uint64_t, bounds_ms.size() + 1> counts{};  ///< the last: beyond all of them
  int64_t sum_ms = 0;
  void add(int64_t ms) {
    auto bound = std::lower_bound(bounds_ms.begin(), bounds_ms.end(), ms);
    ++counts[static_cast<size_t>(bound - bounds_ms.begin())];
    sum_ms += std::max<int64_t>(ms, 0);
  }
};

/// What goes on beside the turns that jobs are decided in.
struct JobLoad {
  CommandWaits waits{};
  size_t under_way = 0;  ///< calls of kernels, probes among them, and scans
};

/// What workers ask of the engine. Given to whoever is let in by `JobIntake::with_workers`, and
/// used on the partition's thread within that call only; replies come then or later.
class Workers {
 public:
  virtual ~Workers() = default;

  virtual fleet::Fleet::Enrolled enroll(const RegistrationId& id, fleet::WorkerCard card,
                                        const std::vector<fleet::LeaseKey>& resume) = 0;
  virtual Outcome<void> dismiss(const RegistrationId& id) = 0;

  struct Claimed {
    std::vector<Value> jobs;  ///< as workers see them
    std::vector<fleet::LeaseKey> cancels;
    bool drain = false;
    uint64_t seq = 0;  ///< of the claim it answers
  };
  using ClaimReply = std::function<void(Outcome<Claimed>)>;
  virtual void claim(const RegistrationId& id, uint64_t seq, uint32_t slots, int64_t wait_ms,
                     ClaimReply reply) = 0;
  /// The same for a worker that is streamed to: no sign of its life.
  virtual void await(const RegistrationId& id, uint64_t seq, uint32_t slots, int64_t wait_ms,
                     ClaimReply reply) = 0;
  virtual void quit(const RegistrationId& id, uint64_t seq) = 0;
  /// What the worker may not have heard of; see Fleet::outstanding.
  virtual Outcome<Claimed> outstanding(const RegistrationId& id, std::optional<uint64_t> after) = 0;

  virtual Outcome<fleet::Fleet::BeatAnswer> heartbeat(const RegistrationId& id,
                                                      const fleet::Fleet::Beat& beat) = 0;
  virtual Outcome<fleet::Fleet::Renewal> renew(const RegistrationId& id,
                                               const fleet::LeaseKey& lease,
                                               fleet::Progress progress) = 0;
  /// One answer per result, in order; `unknown_job` also for what could not be read. Fails as a
  /// whole when one of them could not be stored: sending all of them again does no harm.
  using ReportReply = std::function<void(Outcome<std::vector<job::Answer>>)>;
  virtual void report(const RegistrationId& id, std::vector<ReportedResult> results,
                      ReportReply reply) = 0;
  virtual void decline(const RegistrationId& id, const fleet::LeaseKey& lease, std::string reason,
                       int64_t retry_after_ms, JobReply reply) = 0;

  // By people.
  /// What the worker holds at `until` goes back (J-58).
  virtual void drain(const WorkerId& worker, bool on, std::optional<Instant> until) = 0;
  /// What people did with workers, for the audit with the next commit.
  virtual void note(AuditLine line) = 0;
  virtual const fleet::Fleet& fleet() const = 0;
  /// From now on no attempt starts under another policy (J-27).
  virtual void set_policy(policy::PolicyPtr policy) = 0;
  virtual const policy::Windows& windows() const = 0;
  /// From now on jobs go where this table says.
  virtual void set_pools(fleet::PoolTablePtr table) = 0;
  /// Before whoever is asked outside; empty where nobody is.
  virtual std::vector<BreakerView> breakers() = 0;
  /// False when there is none of that name.
  virtual bool reset_breaker(const std::string& name) = 0;
  virtual JobLoad load() = 0;
};

/// The way of jobs and workers into the engine. Safe from any thread.
class JobIntake {
 public:
  virtual ~JobIntake() = default;
  /// False when the queue is full or the engine is stopping; then `reply` is not called.
  [[nodiscard]] virtual bool submit_job(job::Command command, JobReply reply) = 0;
  /// Several at once, so that they can be decided in one turn; `reply` is called for each by its
  /// place in the list. False as above, for all of them.
  using JobReplies = std::function<void(size_t place, Outcome<JobTold> told)>;
  [[nodiscard]] virtual bool submit_jobs(std::vector<job::Command> commands, JobReplies reply) = 0;
  /// Has `visit` called on the partition's thread. False as above.
  [[nodiscard]] virtual bool with_workers(std::function<void(Workers&)> visit) = 0;
};

}  // namespace fermata
