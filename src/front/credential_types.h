#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/value.h"

namespace fermata::front {

/// One of the values that a credential of some type holds. All are sealed; `secret` tells those
/// that must not stand on a command line or come back in an answer.
struct CredentialField {
  std::string_view name;
  bool required = true;
  bool secret = true;
  std::string_view standard = "";  ///< taken when it is not given
  std::string_view also = "";      ///< names it has elsewhere, separated by `|`
};

struct CredentialType {
  std::string_view name;
  std::string_view summary;
  std::vector<CredentialField> fields;
  bool takes_more = false;  ///< values that no field names are kept as they are
};

/// What a credential can be. The names are those of the wire contract of Rune where it has one.
const std::vector<CredentialType>& credential_types();
/// nullptr for a name that is none.
const CredentialType* credential_type(std::string_view name);
/// Names of all types, for messages.
std::string credential_type_names();

/// Values as they are sealed: fields under their own names as texts, defaults filled in.
struct CredentialValues {
  Value values;
  std::vector<Finding> findings;  ///< name fields, never what they hold
};
/// `path` is the pointer of the values themselves.
CredentialValues read_credential_values(const CredentialType& type, const Value& written,
                                        const std::string& path, size_t bytes_max);

/// The type that values written without one are meant for: the first whose required fields they
/// have and which knows all of them, else `custom`.
const CredentialType& guessed_type(const Value& values);

}  // namespace fermata::front
