#pragma once
#include <string>

#include "front/vault.h"
#include "ports/accounts.h"
#include "ports/call_secrets.h"
#include "ports/clock.h"

namespace fermata::front {

/// The type of credential that holds what callbacks are signed with: `secret`, and `previous` while
/// receivers still learn the new one.
inline constexpr std::string_view callback_type = "callback";
/// The credential of a workflow's callbacks, made when the workflow is; the account's has this id.
std::string callback_credential_id(const WorkflowId& workflow);
inline constexpr std::string_view account_callback_credential = "callbacks";

/// What a callback is signed with (W-73): the credential that its address names, else the
/// workflow's, else the account's, which is one of this id or stands in its settings; nothing when
/// there is none. All that is given must outlive it.
FindSecrets callback_secrets_from(Vault& vault, const Clock& clock, Accounts* accounts = nullptr);

}  // namespace fermata::front
