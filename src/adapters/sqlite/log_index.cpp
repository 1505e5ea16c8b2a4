#include "adapters/sqlite/log_index.h"

#include <cstring>
#include <fstream>

namespace fermata::sqlite {
namespace {

// https://www.sqlite.org/walformat.html: two copies of the header, then the state of checkpoints.
// All numbers are in the byte order of the machine.
constexpr uint32_t known_version = 3'007'000;
constexpr size_t index_header_bytes = 48;
constexpr size_t summed_bytes = 40;
constexpr size_t frames_at = 16;
constexpr size_t salt_at = 32;
constexpr size_t moved_at = 2 * index_header_bytes;

uint32_t word(const char* at) {
  uint32_t value = 0;
  std::memcpy(&value, at, sizeof value);
  return value;
}

bool is_whole(const char* header) {
  uint32_t a = 0;
  uint32_t b = 0;
  for (size_t i = 0; i < summed_bytes; i += 8) {
    a += word(header + i) + b;
    b += word(header + i + 4) + a;
  }
  return word(header) == known_version && a == word(header + summed_bytes) &&
         b == word(header + summed_bytes + 4);
}

}  // namespace

std::optional<LogIndex> read_log_index(const std::filesystem::path& file) {
  std::array<char, moved_at + 4> bytes{};
  std::ifstream in(file, std::ios::binary);
  if (!in.read(bytes.data(), bytes.size())) return std::nullopt;
  bool same = std::memcmp(bytes.data(), bytes.data() + index_header_bytes, index_header_bytes) == 0;
  if (!same || !is_whole(bytes.data())) return std::nullopt;
  LogIndex index;
  index.frames = word(bytes.data() + frames_at);
  index.moved = word(bytes.data() + moved_at);
  std::memcpy(index.salt.data(), bytes.data() + salt_at, index.salt.size());
  return index;
}

}  // namespace fermata::sqlite
