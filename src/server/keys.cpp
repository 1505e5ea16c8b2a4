#include "server/keys.h"

#include <openssl/crypto.h>
#include <openssl/rand.h>

#include <algorithm>

#include "base/check.h"
#include "base/hash.h"

namespace fermata::server {
namespace {

constexpr std::string_view prefix = "fk_";
constexpr size_t id_digits = 16;
constexpr size_t id_size = 3 + id_digits;
constexpr size_t secret_size = 43;
constexpr size_t key_size = id_size + 1 + secret_size;

/// Keys must not be guessable even where ids are made predictable for tests, so the bits come from
/// the operating system and not from the Entropy port.
std::string random_bytes(size_t count) {
  std::string out(count, '\0');
  check(RAND_bytes(reinterpret_cast<unsigned char*>(out.data()), static_cast<int>(count)) == 1);
  return out;
}

std::string salted_hash(std::string_view salt, std::string_view presented) {
  auto digest = hmac_sha256(salt, presented);
  return hex({reinterpret_cast<const char*>(digest.data()), digest.size()});
}

Failure<Error> refused(std::string message) {
  return fail(ErrorCode::unauthorized, std::move(message));
}

}  // namespace

NewKey make_key() {
  NewKey key;
  key.id = std::string(prefix) + hex(random_bytes(id_digits / 2));
  key.secret = key.id + "_" + base64(random_bytes(32), true).substr(0, secret_size);
  std::string salt = hex(random_bytes(16));
  key.secret_hash = "1:" + salt + ":" + salted_hash(salt, key.secret);
  return key;
}

bool key_matches(std::string_view presented, std::string_view secret_hash) {
  size_t colon = secret_hash.rfind(':');
  if (!secret_hash.starts_with("1:") || colon < 2) return false;
  std::string found = salted_hash(secret_hash.substr(2, colon - 2), presented);
  std::string_view expected = secret_hash.substr(colon + 1);
  return found.size() == expected.size() &&
         CRYPTO_memcmp(found.data(), expected.data(), found.size()) == 0;
}

std::string key_id_of(std::string_view presented) {
  if (presented.size() != key_size || !presented.starts_with(prefix) || presented[id_size] != '_')
    return {};
  std::string_view id = presented.substr(0, id_size);
  bool digits = std::all_of(id.begin() + 3, id.end(), [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
  });
  return digits ? std::string(id) : std::string();
}

Outcome<Principal> KeyRing::verify(std::string_view presented, Instant now) {
  std::string id = key_id_of(presented);
  if (id.empty()) return refused("The key does not have the form of a Fermata key.");
  std::string print = sha256_hex(presented);
  {
    std::lock_guard lock(mutex_);
    auto found = known_.find(print);
    if (found != known_.end() && now < found->second.until) return found->second.who;
  }
  FERMATA_TRY(record, catalog_.key(id));
  if (!record || !key_matches(presented, record->secret_hash))
    return refused("The key is not known here.");
  if (record->revoked_at) return refused("The key has been revoked.");
  if (record->expires_at && *record->expires_at <= now) return refused("The key has expired.");
  catalog_.key_used(id, now);
  Known known{{record->account, record->role, record->id}, now + Duration{remembered_ms}};
  if (record->expires_at) known.until = std::min(known.until, *record->expires_at);
  std::lock_guard lock(mutex_);
  if (known_.size() >= known_max) known_.clear();
  known_[print] = known;
  return known.who;
}

void KeyRing::forget(const std::string& key_id) {
  std::lock_guard lock(mutex_);
  std::erase_if(known_, [&](const auto& entry) { return entry.second.who.actor == key_id; });
}

std::string new_callback_secret() { return "whsec_" + base64(random_bytes(32), true); }

}  // namespace fermata::server
