#pragma once
#include <deque>
#include <map>
#include <mutex>
#include <set>
#include <unordered_map>

#include "ports/accounts.h"
#include "ports/bulk.h"
#include "ports/catalog.h"
#include "ports/contacts.h"
#include "ports/dead_letters.h"
#include "ports/job_files.h"
#include "ports/poison.h"
#include "ports/policy_store.h"
#include "ports/pool_store.h"
#include "ports/reader.h"
#include "ports/retention.h"
#include "ports/store.h"
#include "ports/views.h"

namespace fermata {

/// Store, Reader, Catalog, Bulks and Retention over one state in memory: the reference for every
/// other store, and the simulator's disk. Nothing of it outlives the object. Safe from several
/// threads.
class MemoryStore final : public Store,
                          public Reader,
                          public Catalog,
                          public Bulks,
                          public Retention,
                          public DeadLetters,
                          public PoisonLetters,
                          public JobFiles,
                          public PolicyStore,
                          public PoolStore,
                          public Contacts,
                          public Accounts,
                          public Views,
                          public Outbox {
 public:
  // Store
  Outcome<std::vector<StoredRun>> load(std::span<const RunId> ids,
                                       uint64_t checkpoint_before = UINT64_MAX) override;
  Outcome<std::vector<StoredJob>> load_jobs(std::span<const JobId> ids) override;
  Outcome<std::vector<StoredSchedule>> load_schedules(std::span<const schedule::Key> keys) override;
  std::vector<CommitOutcome> commit(const CommitBatch& batch) override;
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

  // Reader
  Outcome<StoredRun> latest(const RunId& id) override;
  Outcome<StoredRun> find(const RunId& id, uint64_t first_sequence, size_t events_max) override;
  Outcome<std::optional<RunSummary>> summary(const RunId& id) override;
  Outcome<RunPage> list(const RunFilter& filter, size_t limit, const std::string& cursor,
                        RunOrder order = RunOrder::newest_first) override;
  Outcome<std::vector<std::pair<RunStatus, uint64_t>>> counts(const AccountId& account) override;
  Outcome<StoredJob> find_job(const JobId& id) override;
  Outcome<JobPage> list_jobs(const JobFilter& filter, size_t limit,
                             const std::string& cursor) override;
  Outcome<std::vector<std::pair<job::State, uint64_t>>> count_jobs(
      const AccountId& account) override;
  Outcome<StoredSchedule> find_schedule(const schedule::Key& key) override;
  Outcome<SchedulePage> list_schedules(const ScheduleFilter& filter, size_t limit,
                                       const std::string& cursor) override;
  Outcome<std::vector<HistoryChunk>> schedule_history(const schedule::Key& key, uint64_t before,
                                                      size_t events_max) override;
  Outcome<std::optional<WaitRecord>> find_wait(const std::string& id) override;
  Outcome<std::vector<WaitRecord>> waits_of(const RunId& run, const std::string& step) override;
  Outcome<WaitPage> list_waits(const WaitFilter& filter, size_t limit,
                               const WaitStart& start) override;
  Outcome<std::vector<OverdueWaits>> overdue_waits(const AccountId& account, Instant now) override;
  Outcome<std::vector<AccountId>> wait_accounts() override;
  Outcome<WaitTally> wait_tally(const AccountId& account, const WorkflowId& workflow,
                                Instant now) override;
  Outcome<std::vector<WaitSlot>> wait_slots(const WaitFilter& filter) override;
  Outcome<std::optional<ApprovalRecord>> find_approval(const std::string& id) override;
  Outcome<ApprovalPage> list_approvals(const ApprovalFilter& filter, size_t limit,
                                       const std::string& cursor) override;
  Outcome<std::optional<Delivery>> find_delivery(const std::string& id) override;
  Outcome<DeliveryPage> list_deliveries(const DeliveryFilter& filter, size_t limit,
                                        const std::string& cursor) override;
  Outcome<std::optional<SignalRecord>> find_signal(const SignalKey& key) override;
  Outcome<SignalPage> list_signals(const SignalFilter& filter, size_t limit,
                                   const std::string& cursor) override;
  Outcome<AuditPage> audit(const AuditFilter& filter, size_t limit,
                           const std::string& cursor) override;

  // Catalog
  Outcome<WorkflowStored> put_workflow(const WorkflowPut& put, const AuditLine& audit) override;
  Outcome<std::optional<WorkflowRecord>> workflow(const AccountId& account,
                                                  const WorkflowId& id) override;
  Outcome<WorkflowPage> workflows(const AccountId& account, size_t limit,
                                  const std::string& cursor) override;
  Outcome<std::vector<WorkflowVersion>> versions(const AccountId& account,
                                                 const WorkflowId& id) override;
  Outcome<WorkflowRecord> set_current(const AccountId& account, const WorkflowId& id,
                                      uint32_t version, const AuditLine& audit) override;
  Outcome<WorkflowRecord> set_active(const AccountId& account, const WorkflowId& id, bool active,
                                     const AuditLine& audit) override;
  Outcome<void> remove_version(const AccountId& account, const WorkflowId& id, uint32_t version,
                               const AuditLine& audit) override;
  Outcome<void> remove_workflow(const AccountId& account, const WorkflowId& id,
                                const AuditLine& audit) override;
  Outcome<std::optional<WorkflowRecord>> workflow_by_webhook(const std::string& guid) override;
  Outcome<std::optional<std::string>> definition(const DefinitionHash& hash) override;
  Outcome<void> put_key(const KeyRecord& key, const AuditLine& audit) override;
  Outcome<std::optional<KeyRecord>> key(const std::string& id) override;
  Outcome<std::vector<KeyRecord>> keys(const AccountId& account) override;
  Outcome<void> revoke_key(const std::string& id, Instant at, const AuditLine& audit) override;
  void key_used(const std::string& id, Instant at) override;
  Outcome<bool> any_key() override;
  Outcome<CredentialRecord> put_credential(const CredentialPut& put,
                                           const AuditLine& audit) override;
  Outcome<std::optional<CredentialRecord>> credential(const AccountId& account,
                                                      const std::string& id) override;
  Outcome<std::optional<CredentialRecord>> credential_named(const AccountId& account,
                                                            const std::string& name) override;
  Outcome<CredentialPage> credentials(const AccountId& account, size_t limit,
                                      const std::string& cursor) override;
  Outcome<std::vector<AccountId>> credential_accounts() override;
  Outcome<CredentialRecord> revoke_credential(const AccountId& account, const std::string& id,
                                              Instant at, const AuditLine& audit) override;
  Outcome<void> remove_credential(const AccountId& account, const std::string& id,
                                  const AuditLine& audit) override;
  Outcome<bool> reseal_credential(const AccountId& account, const std::string& id,
                                  const std::string& from, const std::string& to,
                                  const AuditLine& audit) override;
  void credential_used(const AccountId& account, const std::string& id, Instant at) override;
  Outcome<std::optional<IdempotencyMark>> mark(const AccountId& account, const std::string& key,
                                               Instant now) override;
  Outcome<IdempotencyMark> put_mark(const IdempotencyMark& mark) override;

  // Bulks
  Outcome<bool> put_bulk(const BulkRecord& record, const std::vector<std::string>& items,
                         const AuditLine& audit) override;
  Outcome<void> set_bulk(const BulkRecord& record, const AuditLine* audit) override;
  Outcome<std::optional<BulkRecord>> bulk(const std::string& id) override;
  Outcome<std::vector<std::string>> bulk_items(const std::string& id, uint64_t from,
                                               size_t limit) override;
  Outcome<BulkPage> bulks(const AccountId& account, size_t limit,
                          const std::string& cursor) override;
  Outcome<std::vector<BulkRecord>> running_bulks() override;

  // Retention
  Outcome<Referred> referred(uint64_t after, size_t limit) override;
  Outcome<RunSweep> remove_runs(uint64_t after, Instant before, const std::set<RunId>& kept,
                                size_t limit) override;
  Outcome<void> remove_run(const RunId& id, const AuditLine& audit) override;
  Outcome<RunSweep> remove_jobs(uint64_t after, Instant before, size_t limit) override;
  Outcome<Sweep> remove_dead_letters(Instant before, size_t limit) override;
  Outcome<Sweep> trim_dead_letters(uint64_t most, size_t limit) override;
  Outcome<Sweep> remove_decisions(Instant before, size_t limit) override;
  Outcome<Sweep> remove_blobs(Instant before, size_t limit) override;
  Outcome<Sweep> remove_remains(size_t limit) override;
  Outcome<Sweep> remove_audit(Instant before, size_t limit) override;
  Outcome<AuditRoot> audit_root(const AccountId& account) override;
  Outcome<Sweep> remove_bulks(Instant before, size_t limit) override;
  Outcome<Sweep> remove_schedules(Instant now, Duration deleted_for, size_t limit) override;
  Outcome<Sweep> remove_marks(Instant now, size_t limit) override;
  Outcome<Sweep> remove_signals(Instant now, size_t limit) override;
  Outcome<Sweep> remove_definitions(Instant now, Duration unused_for, size_t limit) override;

  // DeadLetters
  Outcome<std::optional<DeadLetterEntry>> dead_letter(const std::string& id) override;
  Outcome<DeadLetterPage> dead_letters(const DeadLetterFilter& filter, size_t limit,
                                       const std::string& cursor) override;
  Outcome<std::vector<std::pair<std::string, uint64_t>>> count_dead_letters(
      const AccountId& account) override;
  Outcome<DeadLetterEntry> resolve_dead_letter(const Resolve& resolve,
                                               const AuditLine& audit) override;

  // PoisonLetters
  Outcome<void> keep_poison(const DeadLetterEntry& entry, const AuditLine& audit) override;

  // JobFiles
  Outcome<BlobRef> put_blob(const AccountId& account, std::string_view bytes, Instant now) override;
  Outcome<std::optional<std::string>> blob(const AccountId& account,
                                           const std::string& sha256) override;
  Outcome<std::optional<uint64_t>> blob_bytes(const AccountId& account,
                                              const std::string& sha256) override;
  Outcome<std::optional<std::string>> held_output(const JobId& job) override;
  Outcome<uint64_t> count_held() override;
  Outcome<size_t> append_log(const LogChunk& chunk, uint64_t bytes_max) override;
  Outcome<LogPage> log(const JobId& job, size_t limit, const std::string& cursor) override;

  // PoolStore
  Outcome<StoredPools> stored_pools() override;
  Outcome<void> change_pools(const StoredPools& pools, const AuditLine& audit) override;

  // PolicyStore
  Outcome<StoredPolicy> stored_policy() override;
  Outcome<uint64_t> change_policy(const PolicyChange& change, const AuditLine& audit) override;
  Outcome<std::optional<Value>> snapshot(const std::string& hash) override;
  Outcome<PolicyVersionPage> policy_versions(const AccountId& account, size_t limit,
                                             const std::string& cursor) override;
  Outcome<DecisionPage> decisions(const DecisionFilter& filter, size_t limit,
                                  const std::string& cursor) override;
  Outcome<std::vector<RuleHits>> rule_hits(const AccountId& account) override;

  // Contacts
  Outcome<std::vector<Contact>> load_contacts(std::span<const ContactKey> keys) override;
  Outcome<std::vector<RunId>> live_runs_of(const ContactKey& key) override;
  Outcome<std::vector<Contact>> contacts_at(const AccountId& account, ContactAddress address,
                                            const std::string& key) override;
  Outcome<std::optional<Contact>> find_contact(const ContactKey& key) override;
  Outcome<ContactPage> list_contacts(const ContactFilter& filter, size_t limit,
                                     const std::string& cursor) override;

  // Accounts
  Outcome<void> put_account(const AccountRecord& record, const AuditLine& audit) override;
  Outcome<std::optional<AccountRecord>> account(const AccountId& account) override;
  Outcome<std::vector<AccountRecord>> accounts() override;
  Outcome<void> put_rules(const WorkflowRules& rules, const AuditLine& audit) override;
  Outcome<std::optional<WorkflowRules>> rules(const AccountId& account,
                                              const WorkflowId& workflow) override;
  Outcome<std::vector<WorkflowRules>> all_rules() override;

  // Views
  Outcome<void> put_view(const SavedView& view, const AuditLine& audit) override;
  Outcome<std::optional<SavedView>> view(const AccountId& account, const std::string& id) override;
  Outcome<std::vector<SavedView>> views(const AccountId& account) override;
  Outcome<void> remove_view(const AccountId& account, const std::string& id,
                            const AuditLine& audit) override;

  // Outbox
  Outcome<std::vector<Entry>> outbox(const std::string& lane, uint64_t after,
                                     size_t limit) override;
  Outcome<void> remove_from_outbox(std::span<const uint64_t> numbers) override;
  Outcome<uint64_t> outbox_rows(const std::string& lane) override;
  Outcome<bool> is_marked(const RunId& run, const std::string& mark) override;
  Outcome<void> forget_marks(Instant before) override;
  Outcome<void> bury(const DeadLetterEntry& entry) override;

 private:
  using WorkflowKey = std::pair<AccountId, WorkflowId>;
  struct Workflow {
    WorkflowRecord record;
    std::vector<WorkflowVersion> versions;  ///< version n at n - 1
  };

  struct Bulk {
    BulkRecord record;
    std::vector<std::string> items;
  };

  // All of these ask for the lock to be held.
  bool fits(const RunWrite& run) const;
  CommitOutcome write(const RunWrite& run);
  bool fits(const JobWrite& job) const;
  CommitOutcome write(const JobWrite& job);
  bool fits(const ScheduleWrite& schedule) const;
  CommitOutcome write(const ScheduleWrite& schedule);
  bool fits(const DeliveryWrite& delivery) const;
  CommitOutcome write(const DeliveryWrite& delivery);
  void keep_delivery(const Delivery& delivery);
  void keep_letter(const DeadLetterEntry& entry);
  void forget_deliveries(const RunId& run);
  bool fits(const ContactWrite& contact) const;
  CommitOutcome write(const ContactWrite& contact);
  StoredSchedule stored_schedule(const schedule::Key& key) const;
  void keep(const JobWrite& job);
  void keep(const job::PolicyDecision& decision);
  void settle_letter(const JobId& job, const job::SettleLetter& settle);
  void forget_job(std::map<uint64_t, StoredJob>::iterator job);
  StoredRun since_checkpoint(const StoredRun& run, uint64_t before) const;
  void append(const AuditLine& line);
  Workflow* workflow_at(const AccountId& account, const WorkflowId& id);
  CredentialRecord* credential_at(const AccountId& account, const std::string& id);
  CredentialRecord* credential_by_name(const AccountId& account, const std::string& name);
  Outcome<CredentialRecord> next_credential(const CredentialPut& put);
  Bulk* bulk_at(const std::string& id);
  void keep_wait(const WaitRecord& record);
  void forget_waits(const RunId& run);
  void keep_approval(const ApprovalRecord& record);
  void forget_approvals(const RunId& run);
  void keep_signal(const SignalWrite& write);
  void keep_reached(const SignalReached& reached);
  SignalRecord with_effects(const SignalRecord& record) const;
  void erase_signals_of(const ContactKey& contact);
  void forget_run(std::map<uint64_t, StoredRun>::iterator run);
  std::set<DefinitionHash> used_definitions() const;

  std::mutex mutex_;
  std::map<uint64_t, StoredRun> runs_;  ///< by number, in order of creation
  uint64_t runs_created_ = 0;
  std::unordered_map<RunId, uint64_t> run_at_;
  std::map<uint64_t, StoredJob> jobs_;  ///< by number, in order of creation
  uint64_t jobs_created_ = 0;
  std::unordered_map<JobId, uint64_t> job_at_;
  std::map<uint64_t, DeadLetterEntry> letters_;  ///< by number
  uint64_t letters_opened_ = 0;
  std::map<uint64_t, OutboxRow> outbox_;  ///< by number
  uint64_t outbox_made_ = 0;
  std::map<std::pair<RunId, std::string>, Instant> message_marks_;
  using BlobKey = std::pair<AccountId, std::string>;
  struct KeptBlob {
    std::string bytes;
    Instant put_at;
    std::set<JobId> jobs;  ///< that refer to it
  };
  std::map<BlobKey, KeptBlob> blobs_;
  struct KeptLog {
    std::vector<LogChunk> chunks;
    std::map<uint32_t, uint64_t> bytes;  ///< by attempt
  };
  std::unordered_map<JobId, KeptLog> logs_;
  std::unordered_map<JobId, std::string> held_;
  std::map<RegistrationId, fleet::RegistrationRecord> registrations_;
  StoredPools pools_;
  std::map<std::pair<AccountId, int64_t>, job::Usage> spent_;
  StoredPolicy policy_;
  std::vector<PolicyVersion> policy_versions_;
  std::map<std::string, Value> snapshots_;
  std::map<uint64_t, job::PolicyDecision> decisions_;  ///< by number
  uint64_t decisions_made_ = 0;
  std::map<std::tuple<AccountId, std::string, std::string>, RuleHits> rule_hits_;
  /// In order of creation, with all of the history that is kept; its number is its place plus one.
  std::deque<StoredSchedule> schedules_;
  std::map<schedule::Key, size_t> schedule_at_;
  std::map<size_t, Instant> schedules_deleted_;  ///< since when they are known to be
  std::unordered_map<RunId, std::vector<Checkpoint>> checkpoints_;  ///< oldest first
  std::map<std::string, WaitRecord> waits_;
  std::map<uint64_t, ApprovalRecord> approvals_;  ///< in the order they were asked
  std::map<std::string, uint64_t> approval_numbers_;
  uint64_t next_approval_ = 1;
  /// By execution, step and occurrence.
  std::map<std::tuple<RunId, std::string, uint32_t>, std::string> waits_at_;
  std::map<uint64_t, Delivery> deliveries_;  ///< by number, in order of creation
  uint64_t deliveries_made_ = 0;
  std::unordered_map<std::string, uint64_t> delivery_at_;
  std::map<uint64_t, SignalRecord> signals_;  ///< in the order they came
  uint64_t signals_received_ = 0;
  std::map<SignalKey, uint64_t> signal_at_;
  std::map<SignalKey, std::vector<SignalReached>> reached_;  ///< as runs have said
  std::map<ContactKey, Contact> contacts_;
  std::map<AccountId, AccountRecord> accounts_;
  std::map<WorkflowKey, WorkflowRules> rules_;
  std::map<AccountId, std::vector<SavedView>> views_;  ///< in the order they were made
  std::deque<AuditEntry> audit_;
  uint64_t audit_removed_ = 0;  ///< a line's number is its place plus this plus one
  std::map<AccountId, AuditRoot> audit_roots_;
  std::map<AccountId, std::pair<uint64_t, std::string>> audit_last_;  ///< sequence and hash
  std::map<WorkflowKey, Workflow> workflows_;
  std::map<DefinitionHash, std::string> definitions_;
  std::map<DefinitionHash, Instant> orphans_;  ///< since when nothing names them
  std::map<std::string, KeyRecord> keys_;
  std::map<std::pair<AccountId, std::string>, CredentialRecord> credentials_;
  std::map<std::pair<AccountId, std::string>, IdempotencyMark> marks_;
  std::map<uint64_t, Bulk> bulks_;  ///< by number, in order of creation
  uint64_t bulks_created_ = 0;
  Instant marks_seen_at_{INT64_MIN};  ///< the latest `now` that a mark was asked for
};

}  // namespace fermata
