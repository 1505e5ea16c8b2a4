#include "base/packed_id.h"

#include <algorithm>

namespace fermata {

namespace {

constexpr size_t uuid_chars = 36;

bool is_dash_place(size_t at) { return at == 8 || at == 13 || at == 18 || at == 23; }

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return -1;
}

/// False when the text is not what unpacking would give.
bool pack_uuid(std::string_view text, uint64_t& high, uint64_t& low) {
  if (text.size() != uuid_chars) return false;
  uint64_t upper = 0, lower = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if (is_dash_place(i)) {
      if (text[i] != '-') return false;
      continue;
    }
    int digit = hex_digit(text[i]);
    if (digit < 0) return false;
    upper = upper << 4 | lower >> 60;
    lower = lower << 4 | static_cast<uint64_t>(digit);
  }
  high = upper;
  low = lower;
  return true;
}

}  // namespace

PackedText::PackedText(std::string_view text) {
  if (!pack_uuid(text, high_, low_)) other_ = std::make_unique<std::string>(text);
}

PackedText::PackedText(const PackedText& other)
    : high_(other.high_),
      low_(other.low_),
      other_(other.other_ ? std::make_unique<std::string>(*other.other_) : nullptr) {}

PackedText& PackedText::operator=(const PackedText& other) { return *this = PackedText(other); }

std::string PackedText::text() const {
  if (other_) return *other_;
  std::string out(uuid_chars, '-');
  uint64_t upper = high_, lower = low_;
  for (size_t i = uuid_chars; i-- > 0;) {
    if (is_dash_place(i)) continue;
    out[i] = "0123456789abcdef"[lower & 15];
    lower = lower >> 4 | upper << 60;
    upper >>= 4;
  }
  return out;
}

std::strong_ordering PackedText::operator<=>(const PackedText& other) const {
  if (other_ && other.other_) return *other_ <=> *other.other_;
  if (other_ || other.other_)
    return other_ ? std::strong_ordering::greater : std::strong_ordering::less;
  if (high_ != other.high_) return high_ <=> other.high_;
  return low_ <=> other.low_;
}

}  // namespace fermata
