#include "front/cap/signed_codec.h"

namespace fermata::front::cap {

namespace {

constexpr uint64_t signature_field = 14;
constexpr uint64_t bytes_kind = 2;

/// Takes a number of seven bits a byte off the front.
std::optional<uint64_t> take_number(std::string_view& bytes) {
  uint64_t number = 0;
  for (unsigned shift = 0; shift < 64 && !bytes.empty(); shift += 7) {
    auto byte = static_cast<unsigned char>(bytes.front());
    bytes.remove_prefix(1);
    number |= static_cast<uint64_t>(byte & 0x7f) << shift;
    if (byte < 0x80) return number;
  }
  return std::nullopt;
}

/// How long the content of a field is that begins here, its length number taken off.
std::optional<size_t> content_of(uint64_t kind, std::string_view& bytes) {
  if (kind == 0) {
    std::string_view rest = bytes;
    if (!take_number(rest)) return std::nullopt;
    return bytes.size() - rest.size();
  }
  if (kind == 1) return 8;
  if (kind == 5) return 4;
  if (kind != bytes_kind) return std::nullopt;
  auto length = take_number(bytes);
  return length ? std::optional<size_t>(*length) : std::nullopt;
}

void put_number(std::string& out, uint64_t number) {
  for (; number >= 0x80; number >>= 7) out += static_cast<char>(number | 0x80);
  out += static_cast<char>(number);
}

}  // namespace

std::optional<SignedBytes> without_signature(std::string_view bytes) {
  SignedBytes out;
  while (!bytes.empty()) {
    std::string_view at = bytes;
    auto tag = take_number(bytes);
    if (!tag) return std::nullopt;
    auto length = content_of(*tag & 7, bytes);
    if (!length || *length > bytes.size()) return std::nullopt;
    std::string_view content = bytes.substr(0, *length);
    bytes.remove_prefix(*length);
    if (*tag >> 3 == signature_field && (*tag & 7) == bytes_kind) {
      out.signature = content;
    } else {
      out.rest += at.substr(0, at.size() - bytes.size());
    }
  }
  return out;
}

Outcome<fermata::cap::Packet> SignedCodec::read(std::string_view bytes) const {
  if (wanted_ == Signatures::off || bytes.size() > fermata::cap::packet_bytes_max)
    return inner_.read(bytes);
  auto parts = without_signature(bytes);
  if (!parts) return inner_.read(bytes);
  if (parts->signature.empty()) {
    if (wanted_ == Signatures::require)
      return fail(ErrorCode::bad_request,
                  "The packet is not signed (code 104); nats_signatures is `require`.");
    return inner_.read(bytes);
  }
  if (!keys_.trusted || !keys_.trusted->verify(parts->rest, parts->signature))
    return fail(ErrorCode::bad_request,
                "The signature of the packet is of none of the keys in nats_trusted_keys (code "
                "103).");
  return inner_.read(bytes);
}

std::string SignedCodec::write(const fermata::cap::Packet& packet) const {
  std::string bytes = inner_.write(packet);
  if (!keys_.own) return bytes;
  std::string signature = keys_.own->sign(bytes);
  put_number(bytes, signature_field << 3 | bytes_kind);
  put_number(bytes, signature.size());
  return bytes + signature;
}

}  // namespace fermata::front::cap
