#include "base/signing.h"

#include <openssl/bio.h>
#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/pem.h>

#include "base/check.h"

namespace fermata {

namespace {

using KeyRef = std::shared_ptr<evp_pkey_st>;
using Digest = std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)>;
using Memory = std::unique_ptr<BIO, decltype(&BIO_free)>;

KeyRef owned(EVP_PKEY* key) { return {key, EVP_PKEY_free}; }

bool is_p256(EVP_PKEY* key) {
  char group[80] = {};
  size_t length = 0;
  return EVP_PKEY_get_base_id(key) == EVP_PKEY_EC &&
         EVP_PKEY_get_utf8_string_param(key, OSSL_PKEY_PARAM_GROUP_NAME, group, sizeof group,
                                        &length) == 1 &&
         std::string_view(group) == "prime256v1";
}

Memory text_of(std::string_view pem) {
  return {BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())), BIO_free};
}

const unsigned char* bytes_in(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

/// Nobody is asked for a passphrase.
int no_passphrase(char*, int, int, void*) { return -1; }

}  // namespace

Outcome<SigningKey> SigningKey::read(std::string_view pem) {
  Memory text = text_of(pem);
  SigningKey out;
  out.key_ = owned(PEM_read_bio_PrivateKey(text.get(), nullptr, no_passphrase, nullptr));
  if (!out.key_ || !is_p256(out.key_.get()))
    return fail(ErrorCode::invalid_setting,
                "it holds no private key of P-256 in PEM without a passphrase.");
  return out;
}

std::string SigningKey::sign(std::string_view bytes) const {
  Digest digest(EVP_MD_CTX_new(), EVP_MD_CTX_free);
  size_t length = 0;
  check(digest &&
        EVP_DigestSignInit(digest.get(), nullptr, EVP_sha256(), nullptr, key_.get()) == 1);
  check(EVP_DigestSign(digest.get(), nullptr, &length, bytes_in(bytes), bytes.size()) == 1);
  std::string out(length, '\0');
  check(EVP_DigestSign(digest.get(), reinterpret_cast<unsigned char*>(out.data()), &length,
                       bytes_in(bytes), bytes.size()) == 1);
  out.resize(length);
  return out;
}

Outcome<TrustedKeys> TrustedKeys::read(std::string_view pem) {
  Memory text = text_of(pem);
  TrustedKeys out;
  while (EVP_PKEY* found = PEM_read_bio_PUBKEY(text.get(), nullptr, no_passphrase, nullptr)) {
    KeyRef key = owned(found);
    if (!is_p256(found))
      return fail(ErrorCode::invalid_setting, "it holds a key that is not one of P-256.");
    out.keys_.push_back(std::move(key));
  }
  if (out.keys_.empty()) return fail(ErrorCode::invalid_setting, "it holds no public key in PEM.");
  return out;
}

bool TrustedKeys::verify(std::string_view bytes, std::string_view signature) const {
  for (const KeyRef& key : keys_) {
    Digest digest(EVP_MD_CTX_new(), EVP_MD_CTX_free);
    if (digest &&
        EVP_DigestVerifyInit(digest.get(), nullptr, EVP_sha256(), nullptr, key.get()) == 1 &&
        EVP_DigestVerify(digest.get(), bytes_in(signature), signature.size(), bytes_in(bytes),
                         bytes.size()) == 1)
      return true;
  }
  return false;
}

}  // namespace fermata
