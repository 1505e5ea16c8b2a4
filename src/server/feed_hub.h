#pragma once
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "ports/feed.h"
#include "server/agenda.h"
#include "server/change.h"
#include "server/job_metrics.h"
#include "server/measures.h"
#include "server/policy_hits.h"
#include "server/saga_metrics.h"
#include "server/wait_metrics.h"
#include "server/whereabouts.h"

namespace fermata::server {

/// Spreads the news of commits to those who wait for them: callers that wait for a run's end,
/// streams of one run, streams of an account. Nothing is queued per listener: a run's listener is
/// told that there is news and reads the history itself; the news of all runs stand in one ring,
/// and who falls out of it is told so. `committed` comes from the partition's thread; everything
/// else may be called from any thread.
class FeedHub final : public Feed {
 public:
  explicit FeedHub(size_t ring_max = 16'384);

  void committed(const RunSummary& summary, const HistoryChunk& events) override;
  void approvals_changed(std::span<const ApprovalRecord> approvals) override;
  void settled(const Run& state) override {
    measures_.settled(state);
    agenda_.settled(state);
    whereabouts_.settled(state);
  }
  void run_unreadable(const RunId& run, Instant at) override { whereabouts_.doubt(run, at); }
  void job_settled(const job::Job& state) override { agenda_.settled(state); }
  void waits_changed(std::span<const WaitRecord> waits) override;
  void audited(std::span<const AuditLine> lines) override { wait_metrics_.audited(lines); }
  void callback_attempted(const Delivery& delivery) override { wait_metrics_.attempted(delivery); }
  /// Tells streams of the account what its people should look at.
  void alert(const AccountId& account, const Value& body);
  /// Tells them that something is not what it was.
  void changed(Change change);
  void job_committed(const job::Summary& summary, const HistoryChunk& events) override;
  void job_happened(const job::Job& state, std::span<const job::Event> events) override {
    job_metrics_.happened(state, events);
    saga_metrics_.happened(state, events);
  }
  void job_judged(const job::PolicyDecision& decision) override {
    job_metrics_.judged(decision);
    policy_hits_.judged(decision);
  }
  void schedule_settled(const schedule::Schedule& state) override;
  void result_planned(const job::Job& job, uint64_t micros) override {
    job_metrics_.planned(job, micros);
  }
  void report_rejected(job::Answer answer) override { job_metrics_.rejected(answer); }
  void job_replayed(const job::Summary& summary) override { job_metrics_.replayed(summary); }
  void jobs_swept(const std::map<job::State, uint64_t>& stale) override {
    job_metrics_.swept(stale);
  }

  /// Called on the partition's thread; must not block. May be called once more while it is being
  /// given up.
  using Listener = std::function<void(const RunSummary&)>;
  using JobListener = std::function<void(const job::Summary&)>;

  /// Listens until it is destroyed.
  class Subscription {
   public:
    Subscription() = default;
    Subscription(Subscription&& other) noexcept;
    Subscription& operator=(Subscription&& other) noexcept;
    ~Subscription() { reset(); }
    void reset();

   private:
    friend class FeedHub;
    FeedHub* hub_ = nullptr;
    std::string run_;  ///< empty: listens to all runs of the account
    std::string job_;  ///< or to a job
    uint64_t id_ = 0;
  };
  [[nodiscard]] Subscription watch_run(const RunId& run, Listener listener);
  [[nodiscard]] Subscription watch_job(const JobId& job, JobListener listener);
  [[nodiscard]] Subscription watch_account(const AccountId& account, Listener listener);

  struct News {
    std::vector<std::shared_ptr<const RunSummary>> runs;  ///< the latest of each run, oldest first
    std::vector<std::shared_ptr<const ApprovalRecord>> approvals{};  ///< as they became, in order
    std::vector<Value> alerts{};                                     ///< in order
    std::vector<std::shared_ptr<const Change>> changes{};            ///< the latest of each thing
    uint64_t next = 0;                                               ///< where to go on
    bool lost = false;  ///< some news had already left the ring
  };
  /// What happened to runs of the account after place `after` (`end()` for only what is to come).
  News news(const AccountId& account, uint64_t after, size_t limit) const;
  uint64_t end() const;

  /// Counted for /metrics.
  struct Counts {
    uint64_t commits = 0;
    uint64_t events = 0;
    uint64_t started = 0;
    uint64_t ended[4] = {};  ///< completed, failed, cancelled, timed out
  };
  Counts counts() const;
  JobMetrics& job_metrics() { return job_metrics_; }
  WaitMetrics& wait_metrics() { return wait_metrics_; }
  SagaMetrics& saga_metrics() { return saga_metrics_; }
  Measures& measures() { return measures_; }
  Agenda& agenda() { return agenda_; }
  Whereabouts& whereabouts() { return whereabouts_; }
  PolicyHits& policy_hits() { return policy_hits_; }

 private:
  struct Entry {
    uint64_t id;
    AccountId account;  ///< of a listener to an account
    std::shared_ptr<Listener> listener;
  };
  struct JobEntry {
    uint64_t id;
    std::shared_ptr<JobListener> listener;
  };
  void forget(const Subscription& subscription);
  void forget_job(const Subscription& subscription);
  struct Entered {
    std::shared_ptr<const RunSummary> run;           ///< or
    std::shared_ptr<const ApprovalRecord> approval;  ///< or
    struct Alert {
      AccountId account;
      Value body;
    };
    std::shared_ptr<const Alert> alert{};
    std::shared_ptr<const Change> change{};
    const AccountId& account() const {
      return run        ? run->account
             : approval ? approval->account
             : alert    ? alert->account
                        : change->account;
    }
  };
  void remember(Entered entered);
  void remember_change(Change change);
  /// Those who listen to the account.
  std::vector<std::shared_ptr<Listener>> listeners_of(const AccountId& account) const;

  const size_t ring_max_;
  mutable std::mutex mutex_;
  std::deque<Entered> ring_;
  uint64_t ring_begin_ = 1;  ///< number of the first entry of the ring
  std::unordered_map<std::string, std::vector<Entry>> by_run_;
  std::vector<Entry> by_account_;
  std::unordered_map<std::string, std::vector<JobEntry>> by_job_;
  uint64_t next_id_ = 1;
  Counts counts_;
  JobMetrics job_metrics_;
  WaitMetrics wait_metrics_;
  SagaMetrics saga_metrics_;
  Measures measures_;
  Agenda agenda_;
  Whereabouts whereabouts_;
  PolicyHits policy_hits_;
};

}  // namespace fermata::server
