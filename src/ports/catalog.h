#pragma once
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "core/model/summary.h"
#include "ports/credential.h"

namespace fermata {

/// A workflow of an account: a name that points at one of its versions.
struct WorkflowRecord {
  AccountId account;
  WorkflowId id;
  bool active = true;
  uint32_t current_version = 0;
  uint32_t latest_version = 0;
  DefinitionHash current_hash;
  Value layout;              ///< positions and notes; not part of the hash
  std::string webhook_guid;  ///< empty when its trigger is no webhook
  Instant created_at;
  Instant updated_at;
  uint64_t revision = 0;  ///< grows with every change; the ETag
};
struct WorkflowVersion {
  uint32_t version = 0;
  DefinitionHash hash;
  Instant created_at;
  std::string created_by;
};
struct WorkflowPage {
  std::vector<WorkflowRecord> items;  ///< by id
  std::string next_cursor;
};

/// What a PUT of a definition stores. Content that a version already has makes no new one (F-54).
/// The version becomes the current one, also an older one, and the layout is replaced.
struct WorkflowPut {
  AccountId account;
  WorkflowId id;
  DefinitionHash hash;
  std::string canonical;  ///< JSON text of the canonical form
  Value layout;
  /// False leaves the pointer and the layout; the first version is current.
  bool make_current = true;
  std::string webhook_guid;             ///< used if the workflow has none yet
  std::optional<uint64_t> if_revision;  ///< If-Match; 0 means it must not exist
  /// New ones that its nodes gave values for. None may exist, else it fails with
  /// credential_exists and nothing is stored.
  std::vector<InlinedCredential> credentials;
  Instant at;
  std::string actor;
};
struct WorkflowStored {
  WorkflowRecord record;
  uint32_t version = 0;  ///< that has the content, current or not
  bool created_version = false;
};

enum class Role : uint8_t { viewer, operator_, editor, admin, root, worker };
std::string_view name_of(Role role);
std::optional<Role> role_of(std::string_view name);

/// An API key; the secret itself is shown once and never stored.
struct KeyRecord {
  std::string id;  ///< public part, leads the secret
  AccountId account;
  std::string name;
  Role role = Role::viewer;
  std::string secret_hash;  ///< salted
  Instant created_at;
  std::optional<Instant> expires_at;
  std::optional<Instant> last_used_at;
  std::optional<Instant> revoked_at;
};

/// Definitions, keys, credentials and marks: things that are looked up, not run. Safe from several
/// threads; each write is one durable transaction together with its audit line.
class Catalog {
 public:
  virtual ~Catalog() = default;

  virtual Outcome<WorkflowStored> put_workflow(const WorkflowPut& put, const AuditLine& audit) = 0;
  virtual Outcome<std::optional<WorkflowRecord>> workflow(const AccountId& account,
                                                          const WorkflowId& id) = 0;
  virtual Outcome<WorkflowPage> workflows(const AccountId& account, size_t limit,
                                          const std::string& cursor) = 0;
  virtual Outcome<std::vector<WorkflowVersion>> versions(const AccountId& account,
                                                         const WorkflowId& id) = 0;
  /// Fails with workflow_not_found or version_not_found.
  virtual Outcome<WorkflowRecord> set_current(const AccountId& account, const WorkflowId& id,
                                              uint32_t version, const AuditLine& audit) = 0;
  virtual Outcome<WorkflowRecord> set_active(const AccountId& account, const WorkflowId& id,
                                             bool active, const AuditLine& audit) = 0;
  /// Runs under way keep their definition (G-3).
  virtual Outcome<void> remove_workflow(const AccountId& account, const WorkflowId& id,
                                        const AuditLine& audit) = 0;
  /// Its number is not given again. Fails with workflow_not_found, version_not_found, or
  /// version_in_use when it is the current one.
  virtual Outcome<void> remove_version(const AccountId& account, const WorkflowId& id,
                                       uint32_t version, const AuditLine& audit) = 0;
  virtual Outcome<std::optional<WorkflowRecord>> workflow_by_webhook(const std::string& guid) = 0;
  /// JSON text of the canonical form, by hash.
  virtual Outcome<std::optional<std::string>> definition(const DefinitionHash& hash) = 0;

  virtual Outcome<void> put_key(const KeyRecord& key, const AuditLine& audit) = 0;
  virtual Outcome<std::optional<KeyRecord>> key(const std::string& id) = 0;
  virtual Outcome<std::vector<KeyRecord>> keys(const AccountId& account) = 0;
  virtual Outcome<void> revoke_key(const std::string& id, Instant at, const AuditLine& audit) = 0;
  /// Remembers the last use; may be dropped or delayed.
  virtual void key_used(const std::string& id, Instant at) = 0;
  virtual Outcome<bool> any_key() = 0;

  /// Fails with version_conflict, or with credential_exists when the id must be new or another
  /// credential has the name.
  virtual Outcome<CredentialRecord> put_credential(const CredentialPut& put,
                                                   const AuditLine& audit) = 0;
  virtual Outcome<std::optional<CredentialRecord>> credential(const AccountId& account,
                                                              const std::string& id) = 0;
  virtual Outcome<std::optional<CredentialRecord>> credential_named(const AccountId& account,
                                                                    const std::string& name) = 0;
  virtual Outcome<CredentialPage> credentials(const AccountId& account, size_t limit,
                                              const std::string& cursor) = 0;
  /// Every account that has one.
  virtual Outcome<std::vector<AccountId>> credential_accounts() = 0;
  /// Forgets its values; one that is revoked stays as it is.
  virtual Outcome<CredentialRecord> revoke_credential(const AccountId& account,
                                                      const std::string& id, Instant at,
                                                      const AuditLine& audit) = 0;
  virtual Outcome<void> remove_credential(const AccountId& account, const std::string& id,
                                          const AuditLine& audit) = 0;
  /// Puts `to` in the place of `from`, the same values sealed otherwise; false, and nothing is
  /// written, when `from` is no longer there.
  virtual Outcome<bool> reseal_credential(const AccountId& account, const std::string& id,
                                          const std::string& from, const std::string& to,
                                          const AuditLine& audit) = 0;
  /// Remembers the last use; may be dropped or delayed.
  virtual void credential_used(const AccountId& account, const std::string& id, Instant at) = 0;

  virtual Outcome<std::optional<IdempotencyMark>> mark(const AccountId& account,
                                                       const std::string& key, Instant now) = 0;
  /// Keeps the first mark of a key; answers the one that is kept.
  virtual Outcome<IdempotencyMark> put_mark(const IdempotencyMark& mark) = 0;
};

}  // namespace fermata
