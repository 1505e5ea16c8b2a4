#include "base/hash.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <memory>

#include "base/check.h"

namespace fermata {
namespace {

/// One algorithm, looked up once: asking OpenSSL by name takes longer than to hash a short text.
class Digester {
 public:
  explicit Digester(const char* name) : algorithm_(EVP_MD_fetch(nullptr, name, nullptr)) {
    check(algorithm_ != nullptr);
  }
  ~Digester() { EVP_MD_free(algorithm_); }
  Digester(const Digester&) = delete;
  Digester& operator=(const Digester&) = delete;

  template <size_t N>
  std::array<uint8_t, N> digest(std::string_view bytes) const {
    thread_local const std::unique_ptr<EVP_MD_CTX, void (*)(EVP_MD_CTX*)> context{EVP_MD_CTX_new(),
                                                                                  EVP_MD_CTX_free};
    std::array<uint8_t, N> out;
    unsigned size = 0;
    check(EVP_DigestInit_ex(context.get(), algorithm_, nullptr) == 1 &&
          EVP_DigestUpdate(context.get(), bytes.data(), bytes.size()) == 1 &&
          EVP_DigestFinal_ex(context.get(), out.data(), &size) == 1 && size == N);
    return out;
  }

 private:
  EVP_MD* algorithm_;
};

/// The 6 bits a letter of either base64 alphabet stands for, or -1.
int base64_bits(char letter) {
  if (letter >= 'A' && letter <= 'Z') return letter - 'A';
  if (letter >= 'a' && letter <= 'z') return letter - 'a' + 26;
  if (letter >= '0' && letter <= '9') return letter - '0' + 52;
  if (letter == '+' || letter == '-') return 62;
  if (letter == '/' || letter == '_') return 63;
  return -1;
}

int hex_bits(char digit) {
  if (digit >= '0' && digit <= '9') return digit - '0';
  if (digit >= 'a' && digit <= 'f') return digit - 'a' + 10;
  if (digit >= 'A' && digit <= 'F') return digit - 'A' + 10;
  return -1;
}

}  // namespace

std::array<uint8_t, 32> sha256(std::string_view bytes) {
  static const Digester digester("SHA256");
  return digester.digest<32>(bytes);
}

std::array<uint8_t, 32> hmac_sha256(std::string_view key, std::string_view bytes) {
  std::array<uint8_t, 32> digest;
  unsigned size = 0;
  // Without a pointer the library would take its key from the call before.
  const char* start = key.empty() ? "" : key.data();
  const auto* text = reinterpret_cast<const unsigned char*>(bytes.data());
  check(HMAC(EVP_sha256(), start, static_cast<int>(key.size()), text, bytes.size(), digest.data(),
             &size) != nullptr);
  check(size == digest.size());
  return digest;
}

std::array<uint8_t, 20> sha1(std::string_view bytes) {
  static const Digester digester("SHA1");
  return digester.digest<20>(bytes);
}

std::string sha256_hex(std::string_view bytes) {
  auto digest = sha256(bytes);
  return hex({reinterpret_cast<const char*>(digest.data()), digest.size()});
}

std::string hex(std::string_view bytes) {
  constexpr char digits[] = "0123456789abcdef";
  std::string out;
  out.reserve(bytes.size() * 2);
  for (char c : bytes) {
    auto byte = static_cast<unsigned char>(c);
    out += digits[byte >> 4];
    out += digits[byte & 15];
  }
  return out;
}

bool unhex(std::string_view text, std::string& out) {
  out.clear();
  if (text.size() % 2 != 0) return false;
  out.reserve(text.size() / 2);
  for (size_t i = 0; i < text.size(); i += 2) {
    int high = hex_bits(text[i]);
    int low = hex_bits(text[i + 1]);
    if (high < 0 || low < 0) return false;
    out += static_cast<char>(high << 4 | low);
  }
  return true;
}

std::string base64(std::string_view bytes, bool url) {
  const char* alphabet = url ? "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
                             : "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (size_t i = 0; i < bytes.size(); i += 3) {
    size_t group = bytes.size() - i < 3 ? bytes.size() - i : 3;
    uint32_t bits = 0;
    for (size_t k = 0; k < 3; ++k) {
      bits = bits << 8 | (k < group ? static_cast<unsigned char>(bytes[i + k]) : 0u);
    }
    for (size_t k = 0; k <= group; ++k) out += alphabet[bits >> (18 - 6 * k) & 63];
    if (!url) out.append(3 - group, '=');
  }
  return out;
}

bool unbase64(std::string_view text, std::string& out) {
  out.clear();
  size_t padding = 0;
  while (padding < 2 && text.ends_with('=')) {
    text.remove_suffix(1);
    ++padding;
  }
  if (text.size() % 4 == 1) return false;
  if (padding > 0 && (text.size() + padding) % 4 != 0) return false;
  out.reserve(text.size() / 4 * 3 + 2);
  uint32_t bits = 0;
  int held = 0;
  for (char letter : text) {
    int six = base64_bits(letter);
    if (six < 0) return false;
    bits = bits << 6 | static_cast<uint32_t>(six);
    held += 6;
    if (held < 8) continue;
    held -= 8;
    out += static_cast<char>(bits >> held & 255);
  }
  // Left-over bits that are not zero would make two texts of the same bytes.
  return (bits & ((1u << held) - 1)) == 0;
}

bool same_secret(std::string_view a, std::string_view b) {
  // Hashes have one length, so the comparison tells nothing about that of the secrets.
  auto left = sha256(a);
  auto right = sha256(b);
  return CRYPTO_memcmp(left.data(), right.data(), left.size()) == 0;
}

}  // namespace fermata
