#pragma once
#include <functional>
#include <map>

#include "ports/store.h"
#include "sim/chaos.h"
#include "sim/ports/sim_clock.h"

namespace fermata::sim {

/// The truth of a seed: outlives every crash. Refuses, loses its voice and is written by others as
/// the dice fall, but keeps the promises of the port, unless one of them is sabotaged.
class SimStore final : public Store {
 public:
  /// `written` hears of every write that became durable, at that instant. `intrude` makes a write
  /// to a run as another process would, or gives nothing.
  struct Hooks {
    std::function<void(const StoredRun&, const RunWrite&)> written;
    std::function<void(const StoredJob&, const JobWrite&)> job_written;
    std::function<void(const StoredSchedule&, const ScheduleWrite&)> schedule_written;
    std::function<std::optional<RunWrite>(const RunId&)> intrude;
    std::function<void(Probe)> probe;
  };
  SimStore(Chaos& chaos, const SimClock& clock, Sabotage sabotage, Hooks hooks)
      : chaos_(chaos), clock_(clock), sabotage_(sabotage), hooks_(std::move(hooks)) {}

  Outcome<std::vector<StoredRun>> load(std::span<const RunId> ids,
                                       uint64_t checkpoint_before = UINT64_MAX) override;
  Outcome<std::vector<StoredJob>> load_jobs(std::span<const JobId> ids) override;
  Outcome<std::vector<StoredSchedule>> load_schedules(std::span<const schedule::Key> keys) override;
  std::vector<CommitOutcome> commit(const CommitBatch& batch) override;
  void submit(CommitBatch batch) override;
  std::optional<CommitAnswer> harvest() override;
  Outcome<PendingPage> pending(uint64_t after, size_t limit) override;
  Outcome<OpenJobsPage> open_jobs(uint64_t after, size_t limit) override;
  Outcome<OpenSchedulesPage> open_schedules(uint64_t after, size_t limit) override;
  Outcome<std::vector<fleet::RegistrationRecord>> registrations() override;
  Outcome<PassedPage> passed(Instant since, uint64_t after, size_t limit) override;

  /// The process is gone. What it had under way may have reached the disk, whole or in part.
  void crashed();
  bool in_flight() const { return flight_.has_value(); }
  /// When the answer to the batch under way comes, in true time.
  std::optional<Instant> next() const;

  /// What is stored, without faults.
  const StoredRun* truth(const RunId& id) const;
  const std::vector<RunId>& runs() const { return order_; }
  const std::map<JobId, StoredJob>& jobs() const { return jobs_; }
  /// With all of their histories.
  const std::map<schedule::Key, StoredSchedule>& schedules() const { return schedules_; }
  const std::vector<AuditLine>& audit() const { return audit_; }
  const std::map<std::string, DeadLetterEntry>& dead_letters() const { return letters_; }
  const std::vector<job::PolicyDecision>& decisions() const { return decisions_; }
  uint64_t commits() const { return commits_; }
  uint64_t conflicts() const { return conflicts_; }

 private:
  struct InFlight {
    CommitBatch batch;
    std::optional<std::vector<CommitOutcome>> outcomes;  ///< when it is written already
    Instant answers_at;
  };
  bool flies(const RunId& id) const;
  /// Writes that take effect together, with one outcome for all of them.
  struct Group {
    std::vector<const RunWrite*> runs{};
    std::vector<const JobWrite*> jobs{};
    std::vector<const ScheduleWrite*> schedules{};
    size_t size() const { return runs.size() + jobs.size() + schedules.size(); }
  };
  std::vector<Group> groups_of(const CommitBatch& batch) const;
  CommitOutcome write_with_faults(const Group& group);
  bool fits(const Group& group) const;
  bool fits(const RunWrite& write) const;
  bool fits(const JobWrite& write) const;
  bool fits(const ScheduleWrite& write) const;
  void write(const Group& group);
  CommitOutcome write(const RunWrite& write);
  void write(const JobWrite& write);
  void write(const ScheduleWrite& write);
  CommitOutcome conflict(const RunId& id);
  StoredRun since_checkpoint(const StoredRun& run, uint64_t before);

  Chaos& chaos_;
  const SimClock& clock_;
  const Sabotage sabotage_;
  Hooks hooks_;
  std::map<RunId, StoredRun> runs_;
  std::map<RunId, std::vector<Checkpoint>> checkpoints_;  ///< oldest first
  std::vector<RunId> order_;                              ///< of creation
  std::map<JobId, StoredJob> jobs_;
  std::vector<JobId> job_order_;
  std::map<schedule::Key, StoredSchedule> schedules_;
  std::vector<schedule::Key> schedule_order_;
  std::map<RegistrationId, fleet::RegistrationRecord> registrations_;
  std::map<std::string, DeadLetterEntry> letters_;
  std::vector<job::PolicyDecision> decisions_;
  std::vector<AuditLine> audit_;
  std::map<RunId, bool> conflicted_;
  std::optional<InFlight> flight_;
  uint64_t commits_ = 0;
  uint64_t conflicts_ = 0;
};

}  // namespace fermata::sim
