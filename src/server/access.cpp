#include "server/access.h"

#include <algorithm>

#include "front/fields.h"

namespace fermata::server {
namespace {

bool is_known_host(std::string_view authority, const AccessOptions& options) {
  std::string_view host = http::host_of_authority(authority);
  return http::is_loopback_host(host) ||
         std::any_of(options.names.begin(), options.names.end(), [&](const std::string& name) {
           return http::equal_ignoring_case(name, host);
         });
}

/// What the address that we listen on allows does not hold for what came by another.
AccessMode mode_for(const http::Request& request, const AccessOptions& options) {
  bool strange = request.from_elsewhere && options.mode == AccessMode::local;
  return strange ? AccessMode::keys : options.mode;
}

}  // namespace

bool is_same_origin(std::string_view origin, std::string_view authority) {
  for (std::string_view scheme : {"http://", "https://"})
    if (origin.starts_with(scheme))
      return http::equal_ignoring_case(origin.substr(scheme.size()), authority);
  return false;
}

std::string_view presented_key(const http::Request& request) {
  std::string_view authorization = request.header("authorization");
  constexpr std::string_view bearer = "bearer ";
  if (authorization.size() > bearer.size() &&
      http::equal_ignoring_case(authorization.substr(0, bearer.size()), bearer))
    return authorization.substr(bearer.size());
  return request.header("x-api-key");
}

Outcome<Principal> choose_account(Principal who, std::string_view named) {
  if (named.empty() || named == who.account.text()) return who;
  if (who.role != Role::root)
    return fail(ErrorCode::account_mismatch,
                "The key does not belong to the account in X-Account-Id.");
  if (!front::is_valid_id(named)) return fail(ErrorCode::invalid_id, "X-Account-Id is not an id.");
  who.account = AccountId(std::string(named));
  return who;
}

Outcome<AccessMode> choose_access(const http::ListenAddress& listen, bool any_key, bool insecure) {
  if (any_key) return AccessMode::keys;
  if (http::is_loopback_host(listen.host)) return AccessMode::local;
  if (insecure) return AccessMode::insecure;
  return fail(ErrorCode::invalid_setting,
              "listen: " + to_text(listen) +
                  " can be reached by others and no key exists. Create one with `fermata keys "
                  "create`, listen on 127.0.0.1, or say --insecure.");
}

Outcome<void> guard_origin(const http::Request& request, const AccessOptions& options) {
  AccessMode mode = mode_for(request, options);
  if (mode == AccessMode::keys) return {};
  if (mode == AccessMode::local && !request.authority.empty() &&
      !is_known_host(request.authority, options))
    return fail(ErrorCode::origin_forbidden,
                "The Host is not this machine's loopback address, and without keys the server "
                "answers to no other name.");
  if (!request.path.starts_with("/api")) return {};
  bool foreign =
      request.has_header("origin") && !is_same_origin(request.header("origin"), request.authority);
  if (foreign || request.header("sec-fetch-site") == "cross-site")
    return fail(ErrorCode::origin_forbidden, "A web page from elsewhere may not use this server.");
  return {};
}

Outcome<Principal> authenticate(const http::Request& request, const AccessOptions& options,
                                KeyRing& keys, Instant now) {
  std::string_view key = presented_key(request);
  AccessMode mode = mode_for(request, options);
  Principal who;
  if (!key.empty()) {
    FERMATA_TRY(known, keys.verify(key, now));
    who = std::move(known);
  } else if (mode == AccessMode::keys) {
    return fail(ErrorCode::unauthorized, "The request carries no key.");
  } else {
    bool local = mode == AccessMode::local;
    who = {default_account, Role::root, local ? "local" : "anonymous"};
  }
  return choose_account(std::move(who), request.header("x-account-id"));
}

}  // namespace fermata::server
