#include <array>
#include <cstring>

#include "base/bytes.h"

#if defined(__x86_64__)
#include <nmmintrin.h>
#endif

namespace fermata {
namespace {

constexpr std::array<uint32_t, 256> make_table() {
  constexpr uint32_t polynomial_reversed = 0x82f63b78;
  std::array<uint32_t, 256> table{};
  for (uint32_t byte = 0; byte < 256; ++byte) {
    uint32_t crc = byte;
    for (int bit = 0; bit < 8; ++bit) {
      crc = crc & 1 ? crc >> 1 ^ polynomial_reversed : crc >> 1;
    }
    table[byte] = crc;
  }
  return table;
}

constexpr std::array<uint32_t, 256> table = make_table();

#if defined(__x86_64__)
__attribute__((target("sse4.2"))) uint32_t crc32c_instruction(std::string_view bytes) {
  uint64_t crc = 0xffffffff;
  const char* at = bytes.data();
  size_t left = bytes.size();
  for (; left >= 8; left -= 8, at += 8) {
    uint64_t word;
    std::memcpy(&word, at, 8);
    crc = _mm_crc32_u64(crc, word);
  }
  auto tail = static_cast<uint32_t>(crc);
  for (; left > 0; --left, ++at) tail = _mm_crc32_u8(tail, static_cast<unsigned char>(*at));
  return ~tail;
}
#endif

}  // namespace

uint32_t crc32c_portable(std::string_view bytes) {
  uint32_t crc = 0xffffffff;
  for (char c : bytes) crc = crc >> 8 ^ table[(crc ^ static_cast<unsigned char>(c)) & 255];
  return ~crc;
}

uint32_t crc32c(std::string_view bytes) {
#if defined(__x86_64__)
  static const bool has_instruction = __builtin_cpu_supports("sse4.2") != 0;
  if (has_instruction) return crc32c_instruction(bytes);
#endif
  return crc32c_portable(bytes);
}

}  // namespace fermata
