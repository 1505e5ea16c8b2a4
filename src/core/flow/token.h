#pragma once
#include <cstdint>
#include <string_view>

#include "base/value.h"

namespace fermata::flow {

/// A stretch of source text, in bytes.
struct Span {
  uint32_t begin = 0;
  uint32_t end = 0;
};

enum class TokenKind : uint8_t {
  end,
  bad,   ///< could not be read, which is already noted
  name,  ///< identifiers, `$name` included
  number,
  string,
  template_whole,   ///< `text` without a hole
  template_head,    ///< from the backquote to the first ${
  template_middle,  ///< from } to ${
  template_tail,    ///< from } to the backquote
#define FLOW_MARK(name, text) name,
#define FLOW_WORD(name, text) name,
#define FLOW_WORD_UNUSED(name, text) name,
#include "core/flow/tokens.def"
#undef FLOW_MARK
#undef FLOW_WORD
#undef FLOW_WORD_UNUSED
};

struct Token {
  TokenKind kind = TokenKind::end;
  bool after_line_break = false;  ///< a line break lies between the previous token and this one
  Span span;
  Value value;  ///< of numbers, strings and template pieces
};

/// The reserved word a text is, or `name`.
TokenKind word_kind(std::string_view word);
/// The longest mark a text begins with, or `bad`.
TokenKind mark_kind(std::string_view rest);
bool is_reserved_word(TokenKind kind);
/// Reserved, but without a rule: the language leaves the construct out on purpose (F-9).
bool is_unused_word(TokenKind kind);
/// As it is written, for marks and words; a description for the rest.
std::string_view spelling(TokenKind kind);

}  // namespace fermata::flow
