#include "ports/credential.h"

namespace fermata {

Outcome<CredentialRecord> credential_after(const CredentialPut& put,
                                           const std::optional<CredentialRecord>& known) {
  if (put.is_new && known)
    return fail(ErrorCode::credential_exists, "There is a credential `" + put.id + "` already.");
  uint64_t revision = known ? known->revision : 0;
  if (put.if_revision && *put.if_revision != revision)
    return fail(ErrorCode::version_conflict,
                "credential `" + put.id + "` is at revision " + std::to_string(revision));
  CredentialRecord next = known.value_or(CredentialRecord{});
  if (!known) {
    next.account = put.account;
    next.id = put.id;
    next.created_at = put.at;
  }
  next.name = put.name;
  next.type = put.type;
  next.sealed = put.sealed;
  next.updated_at = put.at;
  next.revoked_at.reset();
  ++next.revision;
  return next;
}

Failure<Error> credential_name_taken(const std::string& name) {
  return fail(ErrorCode::credential_exists,
              "Another credential of this account is named `" + name + "`.");
}

Failure<Error> no_credential(const std::string& id) {
  return fail(ErrorCode::credential_not_found, "There is no credential `" + id + "`.");
}

Failure<Error> mark_taken(const std::string& key) {
  return fail(ErrorCode::idempotency_key_reused,
              "The Idempotency-Key `" + key + "` came with a request before.");
}

}  // namespace fermata
