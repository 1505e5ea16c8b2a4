#pragma once
#include <filesystem>
#include <functional>
#include <memory>

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
#include "ports/transfer.h"
#include "ports/views.h"
#include "ports/visitor.h"

namespace fermata {

struct SqliteOptions {
  size_t cache_bytes = 128 << 20;  ///< of the writing connection
  size_t readers_max = 4;          ///< connections for Reader and Catalog questions
  int checkpoint_pages = 8192;     ///< length of the log, in pages of 4 KiB, that asks for one
  /// Told why a write failed, on the thread that wrote; for the log.
  std::function<void(const Error&)> on_failure{};
  /// Told of what is damaged whenever recovery or a write meets it; the rest goes on.
  std::function<void(const Error&)> on_damage{};
  /// Told on the same thread when a write succeeds after one that failed.
  std::function<void()> on_recovery{};
};

/// Store, Reader, Catalog and the other ports of stored things in one SQLite file of a data
/// directory, which this process alone may use. Everything answered is durable. What stands under
/// Store is for one partition thread; the rest is safe from several threads.
class SqliteStore final : public Store,
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
  ~SqliteStore() override;

  // Store
  Outcome<std::vector<StoredRun>> load(std::span<const RunId> ids,
                                       uint64_t checkpoint_before = UINT64_MAX) override;
  Outcome<std::vector<StoredJob>> load_jobs(std::span<const JobId> ids) override;
  Outcome<std::vector<StoredSchedule>> load_schedules(std::span<const schedule::Key> keys) override;
  std::vector<CommitOutcome> commit(const CommitBatch& batch) override;
  void submit(CommitBatch batch) override;
  std::optional<CommitAnswer> harvest() override;
  void on_answer(std::function<void()> ring) override;
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
  Outcome<std::vector<WaitRecord>> listening_waits(size_t after, size_t limit) override;
  Outcome<std::vector<WaitRecord>> ended_listeners(const Signal& signal, Instant since,
                                                   size_t limit) override;
  Outcome<std::vector<RunId>> live_runs_with(const AccountId& account, const std::string& label_key,
                                             const std::string& label_value, size_t limit) override;
  Outcome<std::vector<std::pair<AccountId, uint64_t>>> counted_waits() override;
  Outcome<std::vector<WaitRecord>> limited_waits(size_t after, size_t limit) override;
  Outcome<std::vector<RunId>> runs_of_other_zones(const std::string& version, const RunId& after,
                                                  size_t limit) override;
  Outcome<PassedPage> passed(Instant since, uint64_t after, size_t limit) override;
  std::string trouble() const override;

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
  Outcome<std::optional<ApprovalRecord>> find_approval(const std::string& id) override;
  Outcome<ApprovalPage> list_approvals(const ApprovalFilter& filter, size_t limit,
                                       const std::string& cursor) override;
  Outcome<std::vector<WaitRecord>> waits_of(const RunId& run, const std::string& step) override;
  Outcome<WaitPage> list_waits(const WaitFilter& filter, size_t limit,
                               const WaitStart& start) override;
  Outcome<std::vector<WaitSlot>> wait_slots(const WaitFilter& filter) override;
  Outcome<std::vector<OverdueWaits>> overdue_waits(const AccountId& account, Instant now) override;
  Outcome<std::vector<AccountId>> wait_accounts() override;
  Outcome<WaitTally> wait_tally(const AccountId& account, const WorkflowId& workflow,
                                Instant now) override;
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

  /// For a move to another store; one at a time, gone before the store is.
  std::unique_ptr<transfer::Source> source();

  /// Writes a copy of this moment to `file`, which must not exist, while work goes on.
  Outcome<void> backup(const std::filesystem::path& file);

 private:
  struct Parts;
  explicit SqliteStore(std::unique_ptr<Parts> parts);
  friend Outcome<std::unique_ptr<SqliteStore>> open_sqlite(const std::filesystem::path&,
                                                           SqliteOptions);
  std::unique_ptr<Parts> parts_;
};

/// Opens the store of a data directory, which is made when missing. Fails with data_locked (also
/// where the store has moved), schema_newer, data_damaged or io_failed, and then has changed
/// nothing in it.
Outcome<std::unique_ptr<SqliteStore>> open_sqlite(const std::filesystem::path& directory,
                                                  SqliteOptions options = {});

/// Where the store of a directory has gone; nothing when it is still the truth.
Outcome<std::optional<transfer::Moved>> moved_sqlite(const std::filesystem::path& directory);

/// Copies the store of a directory, whether a server uses it or not, to `file`, which must not
/// exist.
Outcome<void> backup_sqlite(const std::filesystem::path& directory,
                            const std::filesystem::path& file);

/// Makes a data directory from a backup after checking it whole. Refuses a directory that has
/// anything in it.
Outcome<void> restore_sqlite(const std::filesystem::path& file,
                             const std::filesystem::path& directory);

/// Rewrites the store of a directory that no server uses, without the room that removed things
/// left, and with a checksum for every page. Either all of it happens or nothing. Answers how many
/// bytes the file had and has.
struct Compacted {
  uint64_t bytes_before = 0;
  uint64_t bytes_after = 0;
};
Outcome<Compacted> compact_sqlite(const std::filesystem::path& directory);

/// Walks through one state of the store of a directory, also beside a running server: checks the
/// file's structure, every checksum, that each history leads from sequence 1 to the last, every
/// account's audit chain and the tally of runs. Fails only if the file cannot be read at all, or
/// not without dropping part of its log; else what is damaged is shown to the visitor and left out.
Outcome<void> visit_sqlite(const std::filesystem::path& directory, StoreVisitor& visitor);

}  // namespace fermata
