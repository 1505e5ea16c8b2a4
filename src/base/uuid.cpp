#include "base/uuid.h"

#include "base/hash.h"

namespace fermata {
namespace {

/// Writes 16 bytes as text, with the version and the RFC 9562 variant put in their places.
std::string uuid_text(uint64_t high, uint64_t low, int version) {
  high = (high & ~uint64_t{0xf000}) | static_cast<uint64_t>(version) << 12;
  low = (low & ~(uint64_t{3} << 62)) | uint64_t{2} << 62;
  constexpr char digits[] = "0123456789abcdef";
  std::string out;
  out.reserve(36);
  for (int i = 0; i < 32; ++i) {
    if (i == 8 || i == 12 || i == 16 || i == 20) out += '-';
    uint64_t half = i < 16 ? high : low;
    out += digits[half >> (60 - 4 * (i % 16)) & 15];
  }
  return out;
}

uint64_t big_endian(const uint8_t* bytes) {
  uint64_t value = 0;
  for (int i = 0; i < 8; ++i) value = value << 8 | bytes[i];
  return value;
}

}  // namespace

std::string uuid_v7(Instant at, uint64_t entropy_high, uint64_t entropy_low) {
  uint64_t high = static_cast<uint64_t>(at.ms) << 16 | (entropy_high & 0xfff);
  return uuid_text(high, entropy_low, 7);
}

std::string uuid_v5(std::string_view name) {
  constexpr char oid_namespace[] =
      "\x6b\xa7\xb8\x12\x9d\xad\x11\xd1\x80\xb4\x00\xc0\x4f\xd4\x30\xc8";
  std::string bytes(oid_namespace, sizeof oid_namespace - 1);
  bytes += name;
  auto digest = sha1(bytes);
  return uuid_text(big_endian(digest.data()), big_endian(digest.data() + 8), 5);
}

std::string uuid_v4(uint64_t entropy_high, uint64_t entropy_low) {
  return uuid_text(entropy_high, entropy_low, 4);
}

bool is_uuid(std::string_view text) {
  if (text.size() != 36) return false;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    bool dash = i == 8 || i == 13 || i == 18 || i == 23;
    bool digit = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
    if (dash ? c != '-' : !digit) return false;
  }
  return true;
}

}  // namespace fermata
