#pragma once
#include <map>
#include <span>

#include "core/breaker/breaker.h"
#include "core/job/effect.h"
#include "core/job/event.h"
#include "core/job/summary.h"
#include "core/model/approval.h"
#include "core/model/delivery.h"
#include "core/model/effect.h"
#include "core/model/summary.h"
#include "core/model/wait.h"
#include "core/schedule/schedule.h"

namespace fermata {

struct Run;

/// Told of every commit after it is durable, in the order of commits, on the partition's thread.
/// Must not block and cannot fail: live streams, waiting callers and counters hang on it.
class Feed {
 public:
  virtual ~Feed() = default;
  virtual void committed(const RunSummary& summary, const HistoryChunk& events) = 0;
  /// The state in memory that this commit left; for those who hold it against the history.
  virtual void settled(const Run& /*state*/) {}
  /// What the commit changed of the run's approvals, each as it is now.
  virtual void approvals_changed(std::span<const ApprovalRecord>) {}
  /// The same of its waits.
  virtual void waits_changed(std::span<const WaitRecord>) {}
  /// What the commit told the audit.
  virtual void audited(std::span<const AuditLine>) {}
  /// What came of an attempt to deliver a callback.
  virtual void callback_attempted(const Delivery&) {}
  /// The same of jobs.
  virtual void job_committed(const job::Summary&, const HistoryChunk& /*events*/) {}
  virtual void job_settled(const job::Job& /*state*/) {}
  /// The same of schedules.
  virtual void schedule_committed(const schedule::ScheduleSummary&,
                                  const HistoryChunk& /*events*/) {}
  virtual void schedule_settled(const schedule::Schedule& /*state*/) {}
  /// What the commit wrote of the job, for those who count.
  virtual void job_happened(const job::Job& /*state*/, std::span<const job::Event>) {}
  /// What policy said of a job.
  virtual void job_judged(const job::PolicyDecision&) {}
  /// How long it took to say what becomes of a result before anybody has read it.
  virtual void result_planned(const job::Job&, uint64_t /*micros*/) {}
  /// A worker's word that changed nothing, or an orphan that a sweep has found.
  virtual void report_rejected(job::Answer) {}
  virtual void job_replayed(const job::Summary&) {}
  /// All open jobs were looked at: how many nothing would have moved, by state.
  virtual void jobs_swept(const std::map<job::State, uint64_t>& /*stale*/) {}
  /// The policy kernel judges by this snapshot now; what was judged by others is asked again.
  virtual void kernel_named(const std::string& /*snapshot*/) {}
  /// A breaker before a policy kernel is in another state.
  virtual void breaker_changed(std::string_view /*name*/, breaker::State) {}
  /// A run that was to be moved cannot be: what is stored of it cannot be read. Told each time.
  virtual void run_unreadable(const RunId&, Instant /*at*/) {}
  /// A line of a `log` node.
  virtual void logged(const WriteLog& /*line*/) {}
};

/// Hands everything on, for those who stand in between.
class PassingFeed : public Feed {
 public:
  explicit PassingFeed(Feed& inner) : inner_(inner) {}
  void committed(const RunSummary& summary, const HistoryChunk& events) override {
    inner_.committed(summary, events);
  }
  void settled(const Run& state) override { inner_.settled(state); }
  void approvals_changed(std::span<const ApprovalRecord> approvals) override {
    inner_.approvals_changed(approvals);
  }
  void waits_changed(std::span<const WaitRecord> waits) override { inner_.waits_changed(waits); }
  void audited(std::span<const AuditLine> lines) override { inner_.audited(lines); }
  void callback_attempted(const Delivery& delivery) override {
    inner_.callback_attempted(delivery);
  }
  void job_committed(const job::Summary& summary, const HistoryChunk& events) override {
    inner_.job_committed(summary, events);
  }
  void job_settled(const job::Job& state) override { inner_.job_settled(state); }
  void job_happened(const job::Job& state, std::span<const job::Event> events) override {
    inner_.job_happened(state, events);
  }
  void job_judged(const job::PolicyDecision& decision) override { inner_.job_judged(decision); }
  void result_planned(const job::Job& job, uint64_t micros) override {
    inner_.result_planned(job, micros);
  }
  void report_rejected(job::Answer answer) override { inner_.report_rejected(answer); }
  void job_replayed(const job::Summary& summary) override { inner_.job_replayed(summary); }
  void jobs_swept(const std::map<job::State, uint64_t>& stale) override {
    inner_.jobs_swept(stale);
  }
  void schedule_committed(const schedule::ScheduleSummary& summary,
                          const HistoryChunk& events) override {
    inner_.schedule_committed(summary, events);
  }
  void schedule_settled(const schedule::Schedule& state) override {
    inner_.schedule_settled(state);
  }
  void kernel_named(const std::string& snapshot) override { inner_.kernel_named(snapshot); }
  void breaker_changed(std::string_view name, breaker::State state) override {
    inner_.breaker_changed(name, state);
  }
  void run_unreadable(const RunId& run, Instant at) override { inner_.run_unreadable(run, at); }
  void logged(const WriteLog& line) override { inner_.logged(line); }

 protected:
  Feed& inner_;
};

}  // namespace fermata
