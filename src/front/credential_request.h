#pragma once
#include <optional>
#include <string>

#include "front/vault.h"

namespace fermata::front {

/// The body of a request that creates or replaces a credential: {id?, name?, type?, values?}.
struct CredentialRequest {
  std::string id;
  std::string name;
  std::string type;
  Value values;  ///< null when none were given
};
/// Fails with invalid_field or unknown_field; messages name fields, never what they hold.
Outcome<CredentialRequest> read_credential_request(const Value& body);

/// Where a request goes.
struct CredentialTarget {
  AccountId account;
  std::string id;
  std::optional<CredentialRecord> known;  ///< what is there now
  Instant at;
  size_t bytes_max = 65'536;  ///< setting credential_bytes_max
};
/// What to store. Fields that are left out stay as they are; a new one is named by its id. Values
/// may be left out while the type stays the same: they cannot be read back to be sent again.
Outcome<CredentialPut> credential_put(Vault& vault, const CredentialRequest& request,
                                      const CredentialTarget& target);

/// A credential as it is shown: everything but its values.
Value to_value(const CredentialRecord& record);
/// {resealed, kept, unreadable}
Value to_value(const Resealed& resealed);

}  // namespace fermata::front
