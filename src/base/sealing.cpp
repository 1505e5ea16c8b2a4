#include "base/sealing.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/rand.h>

#include <memory>

#include "base/check.h"
#include "base/hash.h"

namespace fermata {
namespace {

constexpr char format = 1;
constexpr size_t key_bytes = 32;
constexpr size_t id_bytes = 8;
constexpr size_t nonce_bytes = 12;
constexpr size_t tag_bytes = 16;
constexpr size_t lead_bytes = 1 + id_bytes + nonce_bytes;

using Cipher = std::unique_ptr<EVP_CIPHER_CTX, decltype(&EVP_CIPHER_CTX_free)>;

unsigned char* bytes_of(std::string& text) { return reinterpret_cast<unsigned char*>(text.data()); }
const unsigned char* bytes_of(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

/// From the operating system, never from the Entropy port: a nonce that is used twice would give
/// the key away, and tests make that port repeat itself.
std::string random_bytes(size_t count) {
  std::string out(count, '\0');
  check(RAND_bytes(bytes_of(out), static_cast<int>(count)) == 1);
  return out;
}

Cipher cipher() {
  Cipher made(EVP_CIPHER_CTX_new(), EVP_CIPHER_CTX_free);
  check(made != nullptr);
  return made;
}

std::string text_of(const std::array<uint8_t, 32>& digest) {
  return {reinterpret_cast<const char*>(digest.data()), digest.size()};
}

bool is_separator(char c) { return c == ' ' || c == ',' || c == '\n' || c == '\r' || c == '\t'; }

/// Takes the next word off `text`, remarks left out; empty at the end.
std::string_view take_word(std::string_view& text) {
  size_t at = 0;
  while (at < text.size() && (is_separator(text[at]) || text[at] == '#')) {
    if (text[at] == '#') at = std::min(text.find('\n', at), text.size());
    if (at < text.size()) ++at;
  }
  text.remove_prefix(at);
  size_t end = 0;
  while (end < text.size() && !is_separator(text[end]) && text[end] != '#') ++end;
  std::string_view word = text.substr(0, end);
  text.remove_prefix(end);
  return word;
}

}  // namespace

void SealingKeys::add(std::string bytes) {
  check(bytes.size() == key_bytes);
  std::string id = text_of(hmac_sha256(bytes, "fermata key id")).substr(0, id_bytes);
  if (find(id) == nullptr) keys_.push_back({std::move(id), std::move(bytes)});
}

SealingKeys SealingKeys::fresh() {
  SealingKeys made;
  made.add(random_bytes(key_bytes));
  return made;
}

Outcome<SealingKeys> SealingKeys::read(std::string_view text) {
  SealingKeys made;
  size_t count = 0;
  while (true) {
    std::string_view word = take_word(text);
    if (word.empty()) break;
    ++count;
    std::string bytes;
    bool readable = unhex(word, bytes) && bytes.size() == key_bytes;
    if (!readable) readable = unbase64(word, bytes) && bytes.size() == key_bytes;
    if (!readable)
      return fail(ErrorCode::invalid_setting,
                  "key " + std::to_string(count) +
                      " is not 32 bytes as 64 hexadecimal digits or as base64.");
    made.add(std::move(bytes));
    if (made.keys_.size() > keys_max)
      return fail(ErrorCode::invalid_setting,
                  "there are more than " + std::to_string(keys_max) + " keys.");
  }
  if (count == 0) return fail(ErrorCode::invalid_setting, "there is no key.");
  return made;
}

const SealingKeys::Key* SealingKeys::find(std::string_view id) const {
  for (const Key& key : keys_)
    if (key.id == id) return &key;
  return nullptr;
}

std::string SealingKeys::seal(std::string_view plain, std::string_view bound) const {
  check(!keys_.empty());
  const Key& key = keys_.front();
  std::string nonce = random_bytes(nonce_bytes);
  std::string out = format + key.id + nonce;
  out.resize(lead_bytes + plain.size());
  std::string tag(tag_bytes, '\0');
  Cipher context = cipher();
  int count = 0;
  check(EVP_EncryptInit_ex(context.get(), EVP_aes_256_gcm(), nullptr,
                           bytes_of(std::string_view(key.bytes)),
                           bytes_of(std::string_view(nonce))) == 1);
  check(EVP_EncryptUpdate(context.get(), nullptr, &count, bytes_of(bound),
                          static_cast<int>(bound.size())) == 1);
  check(EVP_EncryptUpdate(context.get(), bytes_of(out) + lead_bytes, &count, bytes_of(plain),
                          static_cast<int>(plain.size())) == 1);
  check(EVP_EncryptFinal_ex(context.get(), bytes_of(tag), &count) == 1 && count == 0);
  check(EVP_CIPHER_CTX_ctrl(context.get(), EVP_CTRL_AEAD_GET_TAG, tag_bytes, tag.data()) == 1);
  return out + tag;
}

Result<std::string, SealFault> SealingKeys::open(std::string_view sealed,
                                                 std::string_view bound) const {
  if (sealed.size() < lead_bytes + tag_bytes || sealed[0] != format)
    return Failure{SealFault::altered};
  const Key* key = find(sealed.substr(1, id_bytes));
  if (key == nullptr) return Failure{SealFault::unknown_key};
  std::string_view nonce = sealed.substr(1 + id_bytes, nonce_bytes);
  std::string_view body = sealed.substr(lead_bytes, sealed.size() - lead_bytes - tag_bytes);
  std::string tag(sealed.substr(sealed.size() - tag_bytes));
  std::string plain(body.size(), '\0');
  Cipher context = cipher();
  int count = 0;
  check(EVP_DecryptInit_ex(context.get(), EVP_aes_256_gcm(), nullptr,
                           bytes_of(std::string_view(key->bytes)), bytes_of(nonce)) == 1);
  check(EVP_DecryptUpdate(context.get(), nullptr, &count, bytes_of(bound),
                          static_cast<int>(bound.size())) == 1);
  check(EVP_DecryptUpdate(context.get(), bytes_of(plain), &count, bytes_of(body),
                          static_cast<int>(body.size())) == 1);
  check(EVP_CIPHER_CTX_ctrl(context.get(), EVP_CTRL_AEAD_SET_TAG, tag_bytes, tag.data()) == 1);
  if (EVP_DecryptFinal_ex(context.get(), bytes_of(tag), &count) != 1) {
    OPENSSL_cleanse(plain.data(), plain.size());
    return Failure{SealFault::altered};
  }
  return plain;
}

std::string SealingKeys::first_id() const {
  check(!keys_.empty());
  return hex(keys_.front().id);
}

bool SealingKeys::knows(std::string_view key_id) const {
  std::string id;
  return unhex(key_id, id) && find(id) != nullptr;
}

std::string SealingKeys::key_id_of(std::string_view sealed) {
  if (sealed.size() < lead_bytes + tag_bytes || sealed[0] != format) return {};
  return hex(sealed.substr(1, id_bytes));
}

std::string SealingKeys::print_of(std::string_view text) const {
  check(!keys_.empty());
  const Key& key = keys_.front();
  std::string print_key = text_of(hmac_sha256(key.bytes, "fermata print"));
  return hex(key.id) + ":" + hex(text_of(hmac_sha256(print_key, text)));
}

bool SealingKeys::is_print(std::string_view print, std::string_view text) const {
  for (const Key& key : keys_) {
    SealingKeys alone;
    alone.keys_.push_back(key);
    std::string made = alone.print_of(text);
    if (made.size() == print.size() && CRYPTO_memcmp(made.data(), print.data(), made.size()) == 0)
      return true;
  }
  return false;
}

std::string SealingKeys::first_text() const {
  check(!keys_.empty());
  return base64(keys_.front().bytes);
}

}  // namespace fermata
