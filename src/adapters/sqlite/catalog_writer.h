#pragma once
#include <atomic>
#include <map>
#include <mutex>
#include <utility>

#include "adapters/sqlite/writer.h"

namespace fermata::sqlite {

/// The writing half of the Catalog: each call is one transaction of the writer.
class CatalogWriter {
 public:
  explicit CatalogWriter(Writer& writer) : writer_(writer) {}

  Outcome<WorkflowStored> put_workflow(const WorkflowPut& put, const AuditLine& audit);
  Outcome<WorkflowRecord> set_current(const AccountId& account, const WorkflowId& id,
                                      uint32_t version, const AuditLine& audit);
  Outcome<WorkflowRecord> set_active(const AccountId& account, const WorkflowId& id, bool active,
                                     const AuditLine& audit);
  Outcome<void> remove_version(const AccountId& account, const WorkflowId& id, uint32_t version,
                               const AuditLine& audit);
  Outcome<void> remove_workflow(const AccountId& account, const WorkflowId& id,
                                const AuditLine& audit);
  Outcome<void> put_key(const KeyRecord& key, const AuditLine& audit);
  Outcome<void> revoke_key(const std::string& id, Instant at, const AuditLine& audit);
  Outcome<IdempotencyMark> put_mark(const IdempotencyMark& mark);
  Outcome<CredentialRecord> put_credential(const CredentialPut& put, const AuditLine& audit);
  Outcome<CredentialRecord> revoke_credential(const AccountId& account, const std::string& id,
                                              Instant at, const AuditLine& audit);
  Outcome<void> remove_credential(const AccountId& account, const std::string& id,
                                  const AuditLine& audit);
  Outcome<bool> reseal_credential(const AccountId& account, const std::string& id,
                                  const std::string& from, const std::string& to,
                                  const AuditLine& audit);

  /// Uses of keys and credentials are remembered here and written with the next change of the same
  /// one, or at the end.
  void key_used(const std::string& id, Instant at);
  void add_last_use(KeyRecord& key);
  void credential_used(const AccountId& account, const std::string& id, Instant at);
  void add_last_use(CredentialRecord& credential);
  void write_uses();

  /// Tells the time at which marks were asked for: marks that are older make room.
  void marks_seen_at(Instant now);

 private:
  using Found = Numbered<WorkflowRecord>;
  Outcome<Found> need_workflow(const AccountId& account, const WorkflowId& id);
  Outcome<WorkflowStored> put_in_transaction(const WorkflowPut& put);
  bool add_version(const Found& workflow, const WorkflowPut& put);
  bool store(const Found& workflow);
  Outcome<void> store_key(uint64_t number, const KeyRecord& key);
  Outcome<void> store_credential(uint64_t number, const CredentialRecord& credential);
  Outcome<CredentialRecord> put_credential_in_transaction(const CredentialPut& put);
  Outcome<void> add_mark(const IdempotencyMark& mark);
  Outcome<void> store_uses();
  Outcome<void> store_credential_uses();
  Outcome<uint64_t> next_number(const char* sql);

  Writer& writer_;
  Database& database_ = writer_.database();
  Statement put_workflow_{database_, "INSERT OR REPLACE INTO workflow VALUES (?, ?, ?, ?, ?)"};
  Statement remove_workflow_{database_, "DELETE FROM workflow WHERE number = ?"};
  Statement remove_versions_{database_, "DELETE FROM version WHERE workflow = ?"};
  Statement remove_version_{database_, "DELETE FROM version WHERE workflow = ? AND version = ?"};
  Statement put_version_{database_, "INSERT INTO version VALUES (?, ?, ?, ?)"};
  Statement put_definition_{database_,
                            "INSERT INTO definition VALUES (?, ?, ?) ON CONFLICT DO NOTHING"};
  Statement put_key_{database_, "INSERT OR REPLACE INTO key VALUES (?, ?, ?, ?)"};
  Statement put_credential_{database_, "INSERT OR REPLACE INTO credential VALUES (?, ?, ?, ?, ?)"};
  Statement remove_credential_{database_, "DELETE FROM credential WHERE number = ?"};
  Statement put_mark_{database_, "INSERT OR REPLACE INTO mark VALUES (?, ?, ?, ?, ?)"};
  Statement drop_marks_{database_,
                        "DELETE FROM mark WHERE number IN (SELECT number FROM mark "
                        "WHERE expires_at <= ? ORDER BY expires_at LIMIT 32)"};

  std::atomic<int64_t> marks_seen_at_ms_ = INT64_MIN;
  std::mutex uses_mutex_;
  std::map<std::string, Instant> uses_;
  std::map<std::pair<AccountId, std::string>, Instant> credential_uses_;
};

}  // namespace fermata::sqlite
