#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

/// Strings of the language count code points (F-12), while they are stored as UTF-8. These helpers
/// accept only text that is already known to be valid UTF-8.
namespace fermata::flow::utf8 {

/// Bytes of the code point that begins with `lead`.
constexpr size_t width(char lead) {
  auto byte = static_cast<unsigned char>(lead);
  if (byte < 0x80) return 1;
  if (byte < 0xe0) return 2;
  return byte < 0xf0 ? 3 : 4;
}

/// Byte offset of the code point with that index; the size of the text when there is none.
size_t offset_of(std::string_view text, size_t index);
/// Index of the code point that begins at that byte offset.
size_t index_of(std::string_view text, size_t offset);
/// The code point that begins at `offset`.
uint32_t decode(std::string_view text, size_t offset);

/// Case mapping as Unicode has it, whatever the locale: `ß` becomes `SS`, a final sigma `ς`.
std::string to_upper(std::string_view text);
std::string to_lower(std::string_view text);

/// Bytes of white space at the start and at the end, as `trim` understands it.
size_t space_prefix(std::string_view text);
size_t space_suffix(std::string_view text);

}  // namespace fermata::flow::utf8
