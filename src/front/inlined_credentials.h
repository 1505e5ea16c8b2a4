#pragma once
#include <string>
#include <vector>

#include "front/vault.h"

namespace fermata::front {

/// Values that the nodes of one document give their credentials (G-4), one entry per id and type.
struct InlinedValues {
  std::string path;  ///< pointer of the values
  std::string id;
  std::string name;  ///< empty when none was written
  std::string type;  ///< empty when none was written
  Value values;
};
/// Of a document that was checked and found right.
std::vector<InlinedValues> inlined_values(const Value& document);

/// What storing them asks for: credentials to be made, and what forbids it.
struct Inlining {
  std::vector<CredentialPut> puts;
  std::vector<Finding> errors;  ///< credential_conflict, invalid_field
};
struct InliningContext {
  AccountId account;
  Instant at;
  size_t bytes_max = 65'536;
};
/// Compares with the account's credentials: the same values under the same id need nothing, others
/// are a conflict. Seals what is new. Fails when a credential cannot be opened to compare.
Outcome<Inlining> inline_credentials(Vault& vault, Catalog& catalog, const Value& document,
                                     const InliningContext& context);

}  // namespace fermata::front
