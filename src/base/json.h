#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/value.h"

namespace fermata {

constexpr int json_nesting_max_default = 128;
/// More levels than this are refused whatever the setting says: the parser descends per level.
constexpr int json_nesting_ceiling = 1000;

struct JsonLimits {
  int nesting_max = json_nesting_max_default;
};

/// Where a text is: 1-based line and column (in code points), and the byte offset.
struct TextPosition {
  int line = 1;
  int column = 1;
  size_t offset = 0;
};
TextPosition position_at(std::string_view text, size_t offset);

/// Strict RFC 8259, UTF-8 checked, a leading BOM skipped. Refusals say line, column and what was
/// expected (`bad_json`), or `nesting_too_deep`. A key given twice is refused too: which of the two
/// was meant cannot be known.
Outcome<Value> parse_json(std::string_view text, JsonLimits limits = {});

/// Byte offset of the value an RFC 6901 pointer names in a text that parse_json accepts; of its
/// deepest existing ancestor when it does not exist.
size_t locate_json(std::string_view text, std::string_view pointer);

/// Compact, keys in stored order. Numbers as JavaScript prints them; integers exact; NaN and
/// infinities as null. Bytes of a string that are not UTF-8 become U+FFFD.
std::string to_json(const Value& value);
void append_json(std::string& out, const Value& value);
/// Indented by two spaces, for people.
std::string to_pretty_json(const Value& value);
/// Keys sorted by bytes at every level: the form that hashes are taken over.
std::string to_canonical_json(const Value& value);
/// The text form of G-12: strings as they are, numbers without exponent, the rest compact JSON.
std::string to_text(const Value& value);
/// Shortest decimal that reads back the same, as JavaScript prints it; NaN and infinities as such.
std::string number_to_text(double value);
/// One reference token of an RFC 6901 pointer, with ~ and / escaped.
std::string escape_pointer(std::string_view token);

}  // namespace fermata
