#pragma once
#include <string>
#include <vector>

#include "base/error.h"
#include "server/http/address.h"
#include "server/http/message.h"
#include "server/keys.h"
#include "server/principal.h"

namespace fermata::server {

/// How the server knows who asks.
enum class AccessMode : uint8_t {
  keys,      ///< every request to an account's things carries a key
  local,     ///< loopback without keys: who can reach it is root of everything
  insecure,  ///< `--insecure`: the same on any address
};

/// Chosen at start. Fails with `invalid_setting` for an open address without keys.
Outcome<AccessMode> choose_access(const http::ListenAddress& listen, bool any_key, bool insecure);

struct AccessOptions {
  AccessMode mode = AccessMode::local;
  std::vector<std::string> names;  ///< further host names the local server answers to
};

/// Refuses requests that a web page could have made a browser send (U-75): in local mode a Host
/// that is not loopback (DNS rebinding); without keys, `/api` from a foreign Origin.
Outcome<void> guard_origin(const http::Request& request, const AccessOptions& options);

/// The key that a request carries; empty without one.
std::string_view presented_key(const http::Request& request);
/// True when the page that asks was itself served from the address that it asks.
bool is_same_origin(std::string_view origin, std::string_view authority);
/// The same principal for the account that is named; only root may name another than its own.
Outcome<Principal> choose_account(Principal who, std::string_view named);

/// Who asks, from the key presented or the mode, and for which account (`X-Account-Id`, root only).
Outcome<Principal> authenticate(const http::Request& request, const AccessOptions& options,
                                KeyRing& keys, Instant now);

}  // namespace fermata::server
