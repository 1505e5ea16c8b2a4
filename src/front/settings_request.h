#pragma once
#include "front/vault.h"
#include "ports/accounts.h"

namespace fermata::front {

/// What a request to change settings makes of those that are known (W-29).
struct SettingsChange {
  const Value& body;
  bool replaces = true;  ///< PUT; else what is named is changed, null is the default (PATCH)
  std::optional<uint64_t> if_revision;
  Instant now;
};
/// Fails with version_conflict, unknown_timezone, invalid_holiday, invalid_setting or
/// unknown_field. A secret that is not named is kept: it is never shown, so that whoever sends back
/// what was read must not lose it.
Outcome<AccountRecord> changed_settings(Vault& vault, const AccountRecord& known,
                                        const SettingsChange& change, const ZoneTable& zones);
/// {settings, account_id, revision, updated_at} as the API shows them.
Value settings_view(const AccountRecord& record);

/// The secret of callbacks in the clear; empty when there is none.
Outcome<std::string> callback_secret(Vault& vault, const AccountId& account,
                                     const std::string& sealed);

}  // namespace fermata::front
