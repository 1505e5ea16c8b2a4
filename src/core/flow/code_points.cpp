#include "core/flow/code_points.h"

#include "base/utf8.h"

namespace fermata::flow::utf8 {

namespace {

bool continues(char byte) { return (static_cast<unsigned char>(byte) & 0xc0) == 0x80; }

bool is_space(uint32_t point) {
  if (point == ' ' || (point >= 9 && point <= 13) || point == 0xa0 || point == 0x1680) return true;
  return (point >= 0x2000 && point <= 0x200a) || point == 0x2028 || point == 0x2029 ||
         point == 0x202f || point == 0x205f || point == 0x3000 || point == 0xfeff;
}

}  // namespace

size_t offset_of(std::string_view text, size_t index) {
  size_t at = 0;
  while (at < text.size() && index > 0) {
    at += width(text[at]);
    --index;
  }
  return at < text.size() ? at : text.size();
}

size_t index_of(std::string_view text, size_t offset) {
  return utf8_length(text.substr(0, offset));
}

uint32_t decode(std::string_view text, size_t offset) {
  auto byte = [&](size_t i) { return static_cast<unsigned char>(text[offset + i]); };
  switch (width(text[offset])) {
    case 1: return byte(0);
    case 2: return (byte(0) & 0x1fu) << 6 | (byte(1) & 0x3fu);
    case 3: return (byte(0) & 0x0fu) << 12 | (byte(1) & 0x3fu) << 6 | (byte(2) & 0x3fu);
    default:
      return (byte(0) & 0x07u) << 18 | (byte(1) & 0x3fu) << 12 | (byte(2) & 0x3fu) << 6 |
             (byte(3) & 0x3fu);
  }
}

size_t space_prefix(std::string_view text) {
  size_t at = 0;
  while (at < text.size() && is_space(decode(text, at))) at += width(text[at]);
  return at;
}

size_t space_suffix(std::string_view text) {
  size_t end = text.size();
  while (end > 0) {
    size_t begin = end - 1;
    while (begin > 0 && continues(text[begin])) --begin;
    if (!is_space(decode(text, begin))) break;
    end = begin;
  }
  return text.size() - end;
}

}  // namespace fermata::flow::utf8
