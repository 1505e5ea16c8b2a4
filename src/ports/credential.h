#pragma once
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/time.h"
#include "core/model/summary.h"

namespace fermata {

/// A secret of an account that nodes and webhooks name by id or name (G-4). The store sees its
/// values sealed only.
struct CredentialRecord {
  AccountId account;
  std::string id;
  std::string name;    ///< unique in the account
  std::string type;    ///< of front/credential_types.h
  std::string sealed;  ///< empty once it is revoked
  Instant created_at;
  Instant updated_at;
  std::optional<Instant> last_used_at;
  std::optional<Instant> revoked_at;
  uint64_t revision = 0;  ///< grows with every change of what it is; the ETag

  bool operator==(const CredentialRecord&) const = default;
};
struct CredentialPage {
  std::vector<CredentialRecord> items;  ///< by id
  std::string next_cursor;
};

/// The first answer to a POST that carried an Idempotency-Key.
struct IdempotencyMark {
  AccountId account;
  std::string key;
  std::string body_hash;
  int status = 0;
  std::string answer;
  Instant expires_at;
};

/// What creating or replacing a credential stores. A revoked one that gets values is alive again.
struct CredentialPut {
  AccountId account;
  std::string id;
  std::string name;
  std::string type;
  std::string sealed;
  std::optional<uint64_t> if_revision;  ///< If-Match; 0 means it must not exist
  bool is_new = false;                  ///< one that exists is credential_exists
  std::optional<IdempotencyMark> mark;  ///< written with it, or not at all
  Instant at;
};

/// The record after a put over the one that is `known`, if any. Fails with credential_exists or
/// version_conflict; whether the name is free is for the store to say.
Outcome<CredentialRecord> credential_after(const CredentialPut& put,
                                           const std::optional<CredentialRecord>& known);
/// The failures that every store tells alike.
Failure<Error> credential_name_taken(const std::string& name);
Failure<Error> no_credential(const std::string& id);
Failure<Error> mark_taken(const std::string& key);

/// A credential that is stored together with the definition it was written in.
struct InlinedCredential {
  CredentialPut put;
  AuditLine audit;
};

}  // namespace fermata
