#pragma once
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

#include "ports/catalog.h"
#include "server/principal.h"

namespace fermata::server {

/// A fresh secret to sign callbacks with (W-75).
std::string new_callback_secret();

/// `fk_` + 16 hexadecimal digits (the id) + `_` + 43 characters of base64url (256 random bits).
struct NewKey {
  std::string id;           ///< `fk_` and the digits
  std::string secret;       ///< the whole text, shown once
  std::string secret_hash;  ///< what is stored: `1:` salt `:` hash, hexadecimal
};
NewKey make_key();
/// True when the presented text is the one `secret_hash` was made from; takes the same time
/// whatever differs.
bool key_matches(std::string_view presented, std::string_view secret_hash);
/// The id that leads a presented key, or empty when the text has another shape.
std::string key_id_of(std::string_view presented);

/// Turns presented keys into principals. Safe from several threads.
///
/// A key's secret is 256 random bits, so nobody can search for it and a slow password hash would
/// protect nothing while costing tens of milliseconds for each request: HMAC-SHA-256 under a salt
/// is enough. Verified keys are remembered for `remembered_ms` by the SHA-256 of their text (the
/// text itself is not kept), so most requests ask no store; a revocation made here counts at once,
/// one made by another replica after that time at the latest.
class KeyRing {
 public:
  explicit KeyRing(Catalog& catalog) : catalog_(catalog) {}

  /// Fails with `unauthorized` when it is unknown, wrong, expired or revoked.
  Outcome<Principal> verify(std::string_view presented, Instant now);
  void forget(const std::string& key_id);

 private:
  struct Known {
    Principal who;
    Instant until;
  };
  static constexpr size_t known_max = 4096;
  static constexpr int64_t remembered_ms = 30'000;

  Catalog& catalog_;
  std::mutex mutex_;
  std::unordered_map<std::string, Known> known_;  ///< by SHA-256 of the presented text
};

}  // namespace fermata::server
