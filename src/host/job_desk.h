#pragma once
#include <atomic>
#include <deque>
#include <map>
#include <set>

#include "base/packed_id.h"
#include "base/queue.h"
#include "host/alarm.h"
#include "host/host.h"
#include "host/job_policy.h"
#include "host/output_desk.h"
#include "host/touched_job.h"

namespace fermata {

/// The desk of jobs: what a partition keeps beside its runs so that jobs are decided in the same
/// turns and written in the same commits (ADR 0020). It holds the jobs in hand, the fleet, the
/// alarm, and the commands on their way; the partition moves them. Except for `ask`, used by the
/// partition's thread alone.
class JobDesk final : public Workers {
 public:
  JobDesk(const HostPorts& ports, const HostSettings& settings);

  /// From any thread: to be called in the next turn. False when too many wait.
  using Visit = std::function<void(JobDesk&)>;
  bool ask(Visit visit) { return queue_.push(visit); }
  size_t asked() const { return queue_.size(); }

  // What the partition takes and gives.
  /// Calls those who asked, sees who has fallen silent, and gives the commands of this turn, of
  /// which the batch has `room` for so many.
  std::vector<JobItem> gather(Instant now, size_t room);
  void put_first(JobItem item) { items_.push_front(std::move(item)); }
  void put_last(JobItem item) { items_.push_back(std::move(item)); }
  void defer(JobItem item, Instant until) { deferred_.emplace(until, std::move(item)); }
  void hold(JobItem item);
  void release(const JobId& job);
  /// Pairs of a waiting job and a waiting worker, as commands.
  std::vector<JobItem> placements();
  /// Decides one command and has the job offered to workers if it is ready; the posts to runs that
  /// follow from it are added to `ends`.
  DecidedJobItem& decide(TouchedJob& touched, JobItem item, Instant now,
                         std::vector<job::Record>& told);
  /// After the commit, or when there was nothing to commit.
  void settled(TouchedJob& touched, Instant now);
  /// The pair was not made; the job is not what it was taken for.
  void not_placed(const fleet::Assignment& assignment) { fleet_.not_placed(now_, assignment); }
  /// Takes what the commit alone needs out of `touched`.
  JobWrite write_of(TouchedJob& touched) const;
  job::Summary summary_of(const OpenJob& open) const { return summarize(open.job, started_at_); }
  /// Sends questions to the policy kernel, and to the one that reads results.
  void ask_kernel(Instant now);
  /// What the kernel has named since the last time.
  std::optional<std::string> take_kernel_named() { return std::exchange(kernel_named_, {}); }
  /// Which breaker is in another state than the last time.
  std::optional<BreakerView> take_breaker_change();
  /// What the audit should be told.
  std::vector<AuditLine> take_notes() { return std::exchange(notes_, {}); }
  /// Tells claims that have something to tell.
  void answer_claims(Instant now);
  /// Nobody waits any longer: the engine stops.
  void stop();
  /// At start, for every registration that was written, then for every job that has not ended.
  void recover(Instant now, const fleet::RegistrationRecord& record) {
    fleet_.restore(now, record);
  }
  void recover(Instant now, const job::Summary& summary);
  void recover(Instant now, const AccountSpent& spent) {
    fleet_.spend(spent.account, spent.usage, now);
  }
  /// What the store should know of workers and does not (J-67).
  RollWrite take_roll();
  std::optional<Instant> next_roll() const;
  void roll_not_written(const RollWrite& roll, Instant now);
  /// Looks at the row of an open job: true when nothing would move it any more, and now something
  /// will (J-81).
  bool replay_orphan(const job::Summary& row, Instant now);
  void started(Instant now) { started_at_ = now; }

  bool idle() const {
    return items_.empty() && queue_.size() == 0 && kernel_.idle() && outputs_.idle();
  }
  bool quiet() const {
    return idle() && deferred_.empty() && kernel_.quiet() && outputs_.quiet() &&
           (!scans_ || scans_->in_flight() == 0);
  }
  std::optional<Instant> next_due() const;
  JobCache& cache() { return cache_; }
  const job::Limits& limits() const { return limits_; }

  // Workers
  fleet::Fleet::Enrolled enroll(const RegistrationId& id, fleet::WorkerCard card,
                                const std::vector<fleet::LeaseKey>& resume) override;
  Outcome<void> dismiss(const RegistrationId& id) override;
  void claim(const RegistrationId& id, uint64_t seq, uint32_t slots, int64_t wait_ms,
             ClaimReply reply) override;
  void await(const RegistrationId& id, uint64_t seq, uint32_t slots, int64_t wait_ms,
             ClaimReply reply) override;
  void quit(const RegistrationId& id, uint64_t seq) override;
  Outcome<Claimed> outstanding(const RegistrationId& id, std::optional<uint64_t> after) override;
  Outcome<fleet::Fleet::BeatAnswer> heartbeat(const RegistrationId& id,
                                              const fleet::Fleet::Beat& beat) override;
  Outcome<fleet::Fleet::Renewal> renew(const RegistrationId& id, const fleet::LeaseKey& lease,
                                       fleet::Progress progress) override;
  void report(const RegistrationId& id, std::vector<ReportedResult> results,
              ReportReply reply) override;
  void decline(const RegistrationId& id, const fleet::LeaseKey& lease, std::string reason,
               int64_t retry_after_ms, JobReply reply) override;
  void drain(const WorkerId& worker, bool on, std::optional<Instant> until) override;
  void note(AuditLine line) override { notes_.push_back(std::move(line)); }
  const fleet::Fleet& fleet() const override { return fleet_; }
  void set_policy(policy::PolicyPtr policy) override;
  void set_pools(fleet::PoolTablePtr table) override { fleet_.use(now_, std::move(table)); }
  const policy::Windows& windows() const override { return policy_.windows(); }
  policy::Windows& windows() { return policy_.windows(); }
  std::vector<BreakerView> breakers() override;
  bool reset_breaker(const std::string& name) override;
  JobLoad load() override;
  /// What was decided of the job was not stored.
  void take_back(const TouchedJob& touched);

 private:
  struct WaitingClaim {
    uint64_t seq = 0;
    std::vector<ClaimReply> replies;
  };
  void hear_visits(size_t room);
  void send(const JobId& job, job::CommandBody body);
  void review_approvals();
  void hear_kernel(Instant now);
  bool needs_word(const JobItem& item) const;
  void track(const JobId& job, job::State state, job::Phase phase);
  const job::Policy* policy_of(const AccountId& account);
  void lose(const std::vector<fleet::Lost>& lost);
  void expire(Instant now);
  void keep(TouchedJob& touched, job::Record record, std::vector<job::Record>& told);
  void keep(TouchedJob& touched, job::Event event, DecidedJobItem& decided);
  job::Given given(const OpenJob& open, const job::Command& command, Instant now);
  void perform(const job::Job& job, const job::Effect& effect);
  void scan(const job::Job& job, const job::ScanOutput& scan);
  void scan(const job::Job& job, const job::ScanInput& wanted);
  void take_scans(Instant now);
  void count_wait(const JobItem& item, Instant now);
  void tell_fleet(const DecidedJobItem& decided, const OpenJob& open);
  void reconcile(const OpenJob& open);
  bool is_orphan(const job::Summary& row);
  void wait_for_answer(const RegistrationId& id, uint64_t seq,
                       Outcome<std::optional<fleet::ClaimAnswer>> answer, ClaimReply reply);
  void fail_claims(const RegistrationId& id, const Error& error);
  void fail_claims_of_the_gone();
  Outcome<Claimed> deliver(const fleet::ClaimAnswer& answer);

  Entropy& entropy_;
  Scans* const scans_;
  const job::Limits limits_;
  const uint32_t epoch_;
  JobCache cache_;
  fleet::Fleet fleet_;
  JobPolicy policy_;
  KernelDesk kernel_;
  OutputDesk outputs_;
  CommandWaits waits_;
  std::optional<std::string> kernel_named_;
  std::vector<AuditLine> notes_;
  std::set<JobId> awaiting_;  ///< approval: a change of policy is looked at by each of them
  std::set<JobId> unjudged_;  ///< policy was unavailable: asked when the breaker closes
  Alarm<JobId, PackedId<JobId>> alarm_;  ///< deadlines, timeouts, backoffs
  Instant now_;                          ///< of the turn under way
  Instant started_at_;                   ///< the engine's
  BoundedQueue<Visit> queue_;
  std::deque<JobItem> items_;                   ///< to be decided
  std::multimap<Instant, JobItem> deferred_;    ///< to be tried again later
  std::map<JobId, std::vector<JobItem>> held_;  ///< for jobs that are not durable yet
  std::map<RegistrationId, WaitingClaim> claims_;
  std::optional<Instant> roll_put_off_until_;
  std::map<JobId, uint64_t> suspects_;  ///< orphans as the last sweep saw them, by sequence
};

}  // namespace fermata
