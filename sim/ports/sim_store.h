#pragma once
#include <functional>
#include <map>
#include <set>
#include <tuple>

#include "ports/store.h"
#include "sim/chaos.h"
#include "sim/ports/sim_clock.h"

namespace fermata::sim {

/// The truth of a seed: outlives every crash. Refuses, loses its voice and is written by others as
/// the dice fall, but keeps the promises of the port, unless one of them is sabotaged.
class SimStore final : public Store, public Contacts {
 public:
  /// `written` hears of every write that became durable, at that instant. `intrude` makes a write
  /// to a run as another process would, or gives nothing.
  struct Hooks {
    std::function<void(const StoredRun&, const RunWrite&)> written;
    std::function<void(const StoredJob&, const JobWrite&)> job_written;
    std::function<void(const StoredSchedule&, const ScheduleWrite&)> schedule_written;
    std::function<void(const SignalRecord&)> signal_written;
    std::function<void(const Contact&)> contact_written;
    std::function<void()> group_written;
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
  Outcome<PendingDeliveryPage> pending_deliveries(uint64_t after, size_t limit) override;
  Outcome<std::vector<Delivery>> load_deliveries(std::span<const std::string> ids) override;
  Outcome<std::vector<fleet::RegistrationRecord>> registrations() override;
  Outcome<std::vector<AccountSpent>> spent_on(int64_t day) override;
  Outcome<std::vector<std::optional<SignalRecord>>> load_signals(
      std::span<const SignalKey> keys) override;
  Outcome<Windowed> signals_in(const SignalWindow& window, uint64_t after, size_t limit) override;
  Outcome<OpenSignals> open_signals(uint64_t after, size_t limit) override;
  Outcome<std::vector<std::pair<AccountId, uint64_t>>> counted_waits() override;
  Outcome<std::vector<WaitRecord>> limited_waits(size_t after, size_t limit) override;
  Outcome<std::vector<RunId>> runs_of_other_zones(const std::string& version, const RunId& after,
                                                  size_t limit) override;
  Outcome<std::vector<WaitRecord>> listening_waits(size_t after, size_t limit) override;
  Outcome<std::vector<WaitRecord>> ended_listeners(const Signal& signal, Instant since,
                                                   size_t limit) override;
  Outcome<std::vector<RunId>> live_runs_with(const AccountId& account, const std::string& label_key,
                                             const std::string& label_value, size_t limit) override;
  Outcome<PassedPage> passed(Instant since, uint64_t after, size_t limit) override;
  Outcome<std::vector<Contact>> load_contacts(std::span<const ContactKey> keys) override;
  Outcome<std::vector<RunId>> live_runs_of(const ContactKey& key) override;
  Outcome<std::vector<Contact>> contacts_at(const AccountId& account, ContactAddress address,
                                            const std::string& key) override;
  Outcome<std::optional<Contact>> find_contact(const ContactKey& key) override;
  Outcome<ContactPage> list_contacts(const ContactFilter& filter, size_t limit,
                                     const std::string& cursor) override;

  /// The process is gone. What it had under way may have reached the disk, whole or in part.
  void crashed();
  bool in_flight() const { return flight_.has_value(); }
  /// When the answer to the batch under way comes, in true time.
  std::optional<Instant> next() const;

  /// What is stored, without faults.
  const StoredRun* truth(const RunId& id) const;
  const std::vector<RunId>& runs() const { return order_; }
  const std::map<JobId, StoredJob>& jobs() const { return jobs_; }
  const std::map<JobId, std::string>& held() const { return held_; }
  /// With all of their histories.
  const std::map<schedule::Key, StoredSchedule>& schedules() const { return schedules_; }
  const std::map<std::string, Delivery>& deliveries() const { return deliveries_; }
  const std::map<ContactKey, Contact>& contacts() const { return contacts_; }
  const std::vector<AuditLine>& audit() const { return audit_; }
  const std::map<SignalKey, SignalRecord>& signals() const { return signals_; }
  const std::map<std::string, WaitRecord>& waits() const { return waits_; }
  /// The places of the first and the last write of a run, and of the last one of a signal.
  struct Span {
    uint64_t first = 0, last = 0;
  };
  Span written(const RunId& run) const { return run_spans_.at(run); }
  uint64_t closed_at(const SignalKey& key) const { return signal_ends_.at(key); }
  /// The place of the write that made a signal durable, and of the one that ended a wait.
  uint64_t written_at(const SignalKey& key) const { return signal_writes_.at(key); }
  uint64_t ended_at(const std::string& wait) const { return wait_ends_.at(wait); }
  const std::map<std::string, DeadLetterEntry>& dead_letters() const { return letters_; }
  Sabotage sabotage() const { return sabotage_; }
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
    std::vector<const DeliveryWrite*> deliveries{};
    std::vector<const ContactWrite*> contacts{};
    size_t size() const {
      return runs.size() + jobs.size() + schedules.size() + deliveries.size() + contacts.size();
    }
  };
  std::vector<Group> groups_of(const CommitBatch& batch) const;
  CommitOutcome write_with_faults(const Group& group);
  CommitOutcome write_with_faults(const SignalWrite& signal);
  void write(const SignalReached& reached);
  bool fits(const Group& group) const;
  bool fits(const RunWrite& write) const;
  bool fits(const JobWrite& write) const;
  bool fits(const ScheduleWrite& write) const;
  bool fits(const DeliveryWrite& write) const;
  bool fits(const ContactWrite& write) const;
  void write(const Group& group);
  CommitOutcome write(const RunWrite& write);
  void write(const JobWrite& write);
  void write(const ScheduleWrite& write);
  void write(const DeliveryWrite& write);
  void keep(const Delivery& delivery);
  void write(const SignalWrite& write);
  void write(const ContactWrite& write);
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
  std::map<JobId, std::string> held_;  ///< outputs that are scanned or were refused
  std::map<schedule::Key, StoredSchedule> schedules_;
  std::vector<schedule::Key> schedule_order_;
  std::map<std::string, Delivery> deliveries_;
  std::vector<std::string> delivery_order_;
  std::map<SignalKey, SignalRecord> signals_;  ///< with what runs say of them
  std::vector<SignalKey> signal_order_;        ///< of arrival
  std::set<std::tuple<SignalKey, std::string, std::string>> reached_;
  std::map<std::string, WaitRecord> waits_;  ///< the rows
  std::map<SignalKey, uint64_t> signal_writes_;
  std::map<SignalKey, uint64_t> signal_ends_;
  std::map<RunId, Span> run_spans_;
  std::map<std::string, uint64_t> wait_ends_;
  uint64_t writes_ = 0;
  std::map<ContactKey, Contact> contacts_;
  std::map<RegistrationId, fleet::RegistrationRecord> registrations_;
  std::map<std::string, DeadLetterEntry> letters_;
  std::vector<job::PolicyDecision> decisions_;
  std::map<std::pair<AccountId, int64_t>, job::Usage> spent_;
  std::vector<AuditLine> audit_;
  std::map<RunId, bool> conflicted_;
  std::optional<InFlight> flight_;
  uint64_t commits_ = 0;
  uint64_t conflicts_ = 0;
};

}  // namespace fermata::sim
