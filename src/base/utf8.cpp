#include "base/utf8.h"

namespace fermata {
namespace {

bool continues(char byte) { return (static_cast<unsigned char>(byte) & 0xc0) == 0x80; }

}  // namespace

size_t utf8_sequence_size(std::string_view text) {
  if (text.empty()) return 0;
  auto first = static_cast<unsigned char>(text[0]);
  if (first < 0x80) return 1;
  if (first < 0xc2 || first > 0xf4) return 0;
  size_t size = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  if (text.size() < size) return 0;
  for (size_t i = 1; i < size; ++i) {
    if (!continues(text[i])) return 0;
  }
  auto second = static_cast<unsigned char>(text[1]);
  bool overlong = (first == 0xe0 && second < 0xa0) || (first == 0xf0 && second < 0x90);
  bool surrogate = first == 0xed && second >= 0xa0;
  bool too_large = first == 0xf4 && second >= 0x90;
  return overlong || surrogate || too_large ? 0 : size;
}

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    size_t size = utf8_sequence_size(text);
    if (size == 0) return false;
    text.remove_prefix(size);
  }
  return true;
}

size_t utf8_length(std::string_view text) {
  size_t length = 0;
  for (char byte : text) length += continues(byte) ? 0 : 1;
  return length;
}

void append_utf8(std::string& out, uint32_t code_point) {
  auto byte = [&out](uint32_t bits) { out += static_cast<char>(bits); };
  if (code_point < 0x80) {
    byte(code_point);
  } else if (code_point < 0x800) {
    byte(0xc0 | code_point >> 6);
    byte(0x80 | (code_point & 0x3f));
  } else if (code_point < 0x10000) {
    byte(0xe0 | code_point >> 12);
    byte(0x80 | (code_point >> 6 & 0x3f));
    byte(0x80 | (code_point & 0x3f));
  } else {
    byte(0xf0 | code_point >> 18);
    byte(0x80 | (code_point >> 12 & 0x3f));
    byte(0x80 | (code_point >> 6 & 0x3f));
    byte(0x80 | (code_point & 0x3f));
  }
}

}  // namespace fermata
