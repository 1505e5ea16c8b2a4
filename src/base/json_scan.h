#pragma once
#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace fermata {

/// The first byte of [at, end) that a JSON string cannot hold as it stands or that needs a look:
/// a quote, a backslash, a control character, anything outside ASCII. Eight bytes at a time.
inline const char* plain_run_end(const char* at, const char* end) {
  static_assert(std::endian::native == std::endian::little);
  constexpr uint64_t ones = 0x0101010101010101ULL;
  for (; end - at >= 8; at += 8) {
    uint64_t word;
    std::memcpy(&word, at, 8);
    // The top bit of a byte is set by a borrow exactly when it is below 0x20, or equal to the
    // letter asked for; a borrow can only mislead bytes after the first hit.
    uint64_t control = word - ones * 0x20;
    uint64_t quote = (word ^ ones * '"') - ones;
    uint64_t backslash = (word ^ ones * '\\') - ones;
    uint64_t hits = (word | control | quote | backslash) & ones * 0x80;
    if (hits != 0) return at + std::countr_zero(hits) / 8;
  }
  for (; at < end; ++at) {
    auto byte = static_cast<unsigned char>(*at);
    if (byte < 0x20 || byte >= 0x80 || byte == '"' || byte == '\\') return at;
  }
  return end;
}

inline bool is_json_space(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

/// Where the key number `index` of the object that opens at `offset` begins, in a text that is
/// well-formed up to there.
size_t key_offset(std::string_view text, size_t offset, size_t index);

}  // namespace fermata
