#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace fermata {

/// Bytes of the well-formed UTF-8 sequence that `text` begins with, 0 when it begins with none:
/// overlong forms, surrogates and what lies above U+10FFFF are not well-formed.
size_t utf8_sequence_size(std::string_view text);
bool is_utf8(std::string_view text);
/// Code points of a well-formed text.
size_t utf8_length(std::string_view text);
void append_utf8(std::string& out, uint32_t code_point);

}  // namespace fermata
