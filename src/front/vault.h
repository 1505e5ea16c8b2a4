#pragma once
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/sealing.h"
#include "ports/catalog.h"

namespace fermata::front {

/// Where sealing keys come from. `load` gives nothing when there is no key yet; `make` makes the
/// first one and keeps it.
struct KeySource {
  std::function<Outcome<std::optional<SealingKeys>>()> load;
  std::function<Outcome<SealingKeys>()> make;  ///< may be empty
  std::string where{};                         ///< what to look at when there is none
};
/// Keys that are known already.
KeySource given_keys(SealingKeys keys);

/// A credential with its values in the clear. Lives as long as one use of it.
struct Credential {
  std::string id;
  std::string type;
  Value values;
};

struct Resealed {
  size_t resealed = 0;
  size_t kept = 0;                      ///< under the first key already
  std::vector<std::string> unreadable;  ///< ids, left as they were
};

/// The credentials of the catalog, opened and sealed. Keys are asked for at the first use.
/// Safe from several threads.
class Vault {
 public:
  Vault(Catalog& catalog, KeySource source) : catalog_(catalog), source_(std::move(source)) {}

  /// Asks for the keys now, so that what is wrong with them shows early; none at all is fine.
  Outcome<void> prepare();
  /// The values as the catalog may keep them, bound to the credential they belong to. Without any
  /// key the first one is made, unless credentials exist: then theirs was lost, and it fails with
  /// credential_unreadable rather than begin anew beside them.
  Outcome<std::string> seal(const AccountId& account, const std::string& id,
                            const std::string& type, const Value& values);
  /// Fails with credential_unreadable when the key is missing or another, or the record was
  /// altered.
  Outcome<Value> open(const CredentialRecord& record);
  /// What {"id"} or {"name"} stands for, for use at once. Fails with credential_not_found when it
  /// is missing or revoked.
  Outcome<Credential> find(const AccountId& account, const Value& reference, Instant now);

  /// Lets the same request be recognised later without a hash that could be searched.
  Outcome<std::string> print_of(std::string_view text);
  Outcome<bool> is_print(std::string_view print, std::string_view text);

  /// Puts everything that another key sealed under the first one, in all accounts.
  Outcome<Resealed> reseal(Instant now, const std::string& actor);
  /// The ids of credentials that the keys here do not open, in all accounts.
  Outcome<std::vector<std::string>> unreadable();

 private:
  enum class Need { to_open, to_seal };
  Outcome<SealingKeys> keys(Need need);
  Outcome<void> visit(const std::function<Outcome<void>(const CredentialRecord&)>& each);

  Catalog& catalog_;
  const KeySource source_;
  std::mutex mutex_;
  std::optional<SealingKeys> keys_;
};

}  // namespace fermata::front
