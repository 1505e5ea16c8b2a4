#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "front/vault.h"
#include "ports/call_secrets.h"
#include "ports/clock.h"

namespace fermata::front {

/// Secrets shorter than this are not looked for in answers: they would be found everywhere.
inline constexpr size_t hidden_bytes_min = 6;

/// What an http node adds to its request for this credential (G-38), or the server that an smtp
/// node sends by (G-37); nothing for a type that neither can use.
std::optional<CallSecrets> call_secrets_of(const Credential& credential);

/// Resolves references for outgoing calls, each time anew, so that a change or a revocation counts
/// from the next attempt on. `vault` and `clock` must outlive it.
FindSecrets secrets_from(Vault& vault, const Clock& clock);

/// The header a webhook asks its callers for (G-31): the one an http node would send. Nothing for
/// a type without one.
std::optional<std::pair<std::string, std::string>> asked_header(const Credential& credential);

/// True when `presented` is the HMAC-SHA-256 of the body under the credential's secret: hexadecimal
/// or base64 as its `encoding` says, `sha256=` before it or not.
bool is_signed(const Credential& credential, std::string_view body, std::string_view presented);

}  // namespace fermata::front
