#pragma once
#include <deque>
#include <map>
#include <mutex>
#include <unordered_map>

#include "ports/bulk.h"
#include "ports/catalog.h"
#include "ports/reader.h"
#include "ports/retention.h"
#include "ports/store.h"

namespace fermata {

/// Store, Reader, Catalog, Bulks and Retention over one state in memory: the reference for every
/// other store, and the simulator's disk. Nothing of it outlives the object. Safe from several
/// threads.
class MemoryStore final : public Store,
                          public Reader,
                          public Catalog,
                          public Bulks,
                          public Retention {
 public:
  // Store
  Outcome<std::vector<StoredRun>> load(std::span<const RunId> ids,
                                       uint64_t checkpoint_before = UINT64_MAX) override;
  Outcome<std::vector<StoredJob>> load_jobs(std::span<const JobId> ids) override;
  Outcome<std::vector<StoredSchedule>> load_schedules(
      std::span<const schedule::Key> keys) override;
  std::vector<CommitOutcome> commit(const CommitBatch& batch) override;
  Outcome<PendingPage> pending(uint64_t after, size_t limit) override;
  Outcome<OpenJobsPage> open_jobs(uint64_t after, size_t limit) override;
  Outcome<OpenSchedulesPage> open_schedules(uint64_t after, size_t limit) override;

  // Reader
  Outcome<StoredRun> latest(const RunId& id) override;
  Outcome<StoredRun> find(const RunId& id, uint64_t first_sequence, size_t events_max) override;
  Outcome<std::optional<RunSummary>> summary(const RunId& id) override;
  Outcome<RunPage> list(const RunFilter& filter, size_t limit, const std::string& cursor) override;
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
  Outcome<std::vector<WaitSlot>> wait_slots(const WaitFilter& filter) override;
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
  Outcome<Sweep> remove_remains(size_t limit) override;
  Outcome<Sweep> remove_audit(Instant before, size_t limit) override;
  Outcome<AuditRoot> audit_root(const AccountId& account) override;
  Outcome<Sweep> remove_bulks(Instant before, size_t limit) override;
  Outcome<Sweep> remove_marks(Instant now, size_t limit) override;
  Outcome<Sweep> remove_definitions(Instant now, Duration unused_for, size_t limit) override;

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
  StoredSchedule stored_schedule(const schedule::Key& key) const;
  StoredRun since_checkpoint(const StoredRun& run, uint64_t before) const;
  void append(const AuditLine& line);
  Workflow* workflow_at(const AccountId& account, const WorkflowId& id);
  CredentialRecord* credential_at(const AccountId& account, const std::string& id);
  CredentialRecord* credential_by_name(const AccountId& account, const std::string& name);
  Outcome<CredentialRecord> next_credential(const CredentialPut& put);
  Bulk* bulk_at(const std::string& id);
  void keep_wait(const WaitRecord& record);
  void forget_waits(const RunId& run);
  void forget_run(std::map<uint64_t, StoredRun>::iterator run);
  std::set<DefinitionHash> used_definitions() const;

  std::mutex mutex_;
  std::map<uint64_t, StoredRun> runs_;  ///< by number, in order of creation
  uint64_t runs_created_ = 0;
  std::unordered_map<RunId, uint64_t> run_at_;
  std::deque<StoredJob> jobs_;  ///< in order of creation; a job's number is its place plus one
  std::unordered_map<JobId, size_t> job_at_;
  std::deque<StoredSchedule> schedules_;  ///< as jobs_; with all of the history that is kept
  std::map<schedule::Key, size_t> schedule_at_;
  std::unordered_map<RunId, std::vector<Checkpoint>> checkpoints_;  ///< oldest first
  std::map<std::string, WaitRecord> waits_;
  /// By execution, step and occurrence.
  std::map<std::tuple<RunId, std::string, uint32_t>, std::string> waits_at_;
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
