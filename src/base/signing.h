#pragma once
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

struct evp_pkey_st;

namespace fermata {

/// A private key that signs by ECDSA over P-256 and SHA-256. Safe from several threads.
class SigningKey {
 public:
  /// Of a PEM text. Fails with invalid_setting, without repeating any of it.
  static Outcome<SigningKey> read(std::string_view pem);
  /// In DER.
  std::string sign(std::string_view bytes) const;

 private:
  std::shared_ptr<evp_pkey_st> key_;
};

/// Public keys of others, any of which may have signed.
class TrustedKeys {
 public:
  /// Of a PEM text with one or more public keys of P-256.
  static Outcome<TrustedKeys> read(std::string_view pem);
  bool verify(std::string_view bytes, std::string_view signature) const;

 private:
  std::vector<std::shared_ptr<evp_pkey_st>> keys_;
};

}  // namespace fermata
