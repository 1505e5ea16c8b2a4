#pragma once
#include <deque>
#include <map>
#include <mutex>
#include <unordered_map>

#include "ports/bulk.h"
#include "ports/catalog.h"
#include "ports/reader.h"
#include "ports/store.h"

namespace fermata {

/// Store, Reader, Catalog and Bulks over one state in memory: the reference for every other store,
/// and the simulator's disk. Nothing of it outlives the object. Safe from several threads.
class MemoryStore final : public Store, public Reader, public Catalog, public Bulks {
 public:
  // Store
  Outcome<std::vector<StoredRun>> load(std::span<const RunId> ids,
                                       uint64_t checkpoint_before = UINT64_MAX) override;
  std::vector<CommitOutcome> commit(const CommitBatch& batch) override;
  Outcome<PendingPage> pending(uint64_t after, size_t limit) override;

  // Reader
  Outcome<StoredRun> find(const RunId& id, uint64_t first_sequence, size_t events_max) override;
  Outcome<std::optional<RunSummary>> summary(const RunId& id) override;
  Outcome<RunPage> list(const RunFilter& filter, size_t limit, const std::string& cursor) override;
  Outcome<std::vector<std::pair<RunStatus, uint64_t>>> counts(const AccountId& account) override;
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
  StoredRun since_checkpoint(const StoredRun& run, uint64_t before) const;
  void append(const AuditLine& line);
  Workflow* workflow_at(const AccountId& account, const WorkflowId& id);
  CredentialRecord* credential_at(const AccountId& account, const std::string& id);
  CredentialRecord* credential_by_name(const AccountId& account, const std::string& name);
  Outcome<CredentialRecord> next_credential(const CredentialPut& put);
  Bulk* bulk_at(const std::string& id);

  std::mutex mutex_;
  std::deque<StoredRun> runs_;  ///< in order of creation; a run's number is its place plus one
  std::unordered_map<RunId, size_t> run_at_;
  std::unordered_map<RunId, std::vector<Checkpoint>> checkpoints_;  ///< oldest first
  std::vector<AuditEntry> audit_;
  std::map<AccountId, std::pair<uint64_t, std::string>> audit_last_;  ///< sequence and hash
  std::map<WorkflowKey, Workflow> workflows_;
  std::map<DefinitionHash, std::string> definitions_;
  std::map<std::string, KeyRecord> keys_;
  std::map<std::pair<AccountId, std::string>, CredentialRecord> credentials_;
  std::map<std::pair<AccountId, std::string>, IdempotencyMark> marks_;
  std::vector<Bulk> bulks_;
  Instant marks_seen_at_{INT64_MIN};  ///< the latest `now` that a mark was asked for
};

}  // namespace fermata
