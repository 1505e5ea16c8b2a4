#pragma once
#include "base/time.h"
#include "base/value.h"
#include "ports/catalog.h"
#include "server/api.h"

namespace fermata::server::routes {

/// A key as the API shows it: never its secret nor the hash of it.
inline Value key_value(const KeyRecord& key) {
  auto time = [](const std::optional<Instant>& at) {
    return at ? Value(to_rfc3339(*at)) : Value();
  };
  return Value::object({{"id", key.id},
                        {"name", key.name},
                        {"role", name_of(key.role)},
                        {"account_id", key.account.text()},
                        {"created_at", to_rfc3339(key.created_at)},
                        {"expires_at", time(key.expires_at)},
                        {"last_used_at", time(key.last_used_at)},
                        {"revoked_at", time(key.revoked_at)}});
}

/// The key of the path's first variable, if it is of the caller's account.
Outcome<KeyRecord> own_key(Api& api, const Call& call);

}  // namespace fermata::server::routes
