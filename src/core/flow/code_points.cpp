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

/// Blocks where upper and lower case alternate, the upper one on even or odd code points.
bool alternates_even(uint32_t point) {
  return (point >= 0x100 && point <= 0x137 && point != 0x130 && point != 0x131) ||
         (point >= 0x14a && point <= 0x177) || (point >= 0x370 && point <= 0x373) ||
         (point >= 0x3d8 && point <= 0x3ef) || (point >= 0x460 && point <= 0x481) ||
         (point >= 0x48a && point <= 0x4bf) || (point >= 0x4d0 && point <= 0x52f) ||
         (point >= 0x1e00 && point <= 0x1e95) || (point >= 0x1ea0 && point <= 0x1eff);
}
bool alternates_odd(uint32_t point) {
  return (point >= 0x139 && point <= 0x148) || (point >= 0x179 && point <= 0x17e) ||
         (point >= 0x4c1 && point <= 0x4ce);
}

uint32_t upper(uint32_t point) {
  if (point < 0x80) return point >= 'a' && point <= 'z' ? point - 32 : point;
  if (point == 0xb5) return 0x39c;
  if (point >= 0xe0 && point <= 0xfe && point != 0xf7) return point - 32;
  if (point == 0xff) return 0x178;
  if (point == 0x131) return 'I';
  if (point == 0x17f) return 'S';
  if (alternates_even(point)) return point & ~1u;
  if (alternates_odd(point)) return point % 2 == 0 ? point - 1 : point;
  if (point == 0x3ac) return 0x386;
  if (point >= 0x3ad && point <= 0x3af) return point - 37;
  if (point == 0x3c2) return 0x3a3;
  if (point >= 0x3b1 && point <= 0x3cb) return point - 32;
  if (point == 0x3cc) return 0x38c;
  if (point == 0x3cd || point == 0x3ce) return point - 63;
  if (point >= 0x430 && point <= 0x44f) return point - 32;
  if (point >= 0x450 && point <= 0x45f) return point - 80;
  if (point == 0x4cf) return 0x4c0;
  if (point >= 0x561 && point <= 0x586) return point - 48;
  return point;
}

uint32_t lower(uint32_t point) {
  if (point < 0x80) return point >= 'A' && point <= 'Z' ? point + 32 : point;
  if (point >= 0xc0 && point <= 0xde && point != 0xd7) return point + 32;
  if (point == 0x178) return 0xff;
  if (point == 0x1e9e) return 0xdf;
  if (alternates_even(point)) return point | 1u;
  if (alternates_odd(point)) return point % 2 == 1 ? point + 1 : point;
  if (point == 0x386) return 0x3ac;
  if (point >= 0x388 && point <= 0x38a) return point + 37;
  if (point == 0x38c) return 0x3cc;
  if (point == 0x38e || point == 0x38f) return point + 63;
  if (point >= 0x391 && point <= 0x3ab && point != 0x3a2) return point + 32;
  if (point >= 0x410 && point <= 0x42f) return point + 32;
  if (point >= 0x400 && point <= 0x40f) return point + 80;
  if (point == 0x4c0) return 0x4cf;
  if (point >= 0x531 && point <= 0x556) return point + 48;
  return point;
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
    case 1:
      return byte(0);
    case 2:
      return (byte(0) & 0x1fu) << 6 | (byte(1) & 0x3fu);
    case 3:
      return (byte(0) & 0x0fu) << 12 | (byte(1) & 0x3fu) << 6 | (byte(2) & 0x3fu);
    default:
      return (byte(0) & 0x07u) << 18 | (byte(1) & 0x3fu) << 12 | (byte(2) & 0x3fu) << 6 |
             (byte(3) & 0x3fu);
  }
}

std::string to_upper(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (size_t at = 0; at < text.size(); at += width(text[at])) {
    uint32_t point = decode(text, at);
    if (point == 0xdf) {
      out += "SS";
    } else {
      append_utf8(out, upper(point));
    }
  }
  return out;
}

std::string to_lower(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (size_t at = 0; at < text.size(); at += width(text[at])) {
    append_utf8(out, lower(decode(text, at)));
  }
  return out;
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
