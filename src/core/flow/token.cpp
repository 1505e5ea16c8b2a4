#include "core/flow/token.h"

namespace fermata::flow {

namespace {

struct Spelling {
  TokenKind kind;
  std::string_view text;
  bool word;
  bool unused;
};

constexpr Spelling spellings[] = {
#define FLOW_MARK(name, text) {TokenKind::name, text, false, false},
#define FLOW_WORD(name, text) {TokenKind::name, text, true, false},
#define FLOW_WORD_UNUSED(name, text) {TokenKind::name, text, true, true},
#include "core/flow/tokens.def"
#undef FLOW_MARK
#undef FLOW_WORD
#undef FLOW_WORD_UNUSED
};

const Spelling* spelling_of(TokenKind kind) {
  for (const Spelling& spelling : spellings) {
    if (spelling.kind == kind) return &spelling;
  }
  return nullptr;
}

}  // namespace

TokenKind word_kind(std::string_view word) {
  for (const Spelling& spelling : spellings) {
    if (spelling.word && spelling.text == word) return spelling.kind;
  }
  return TokenKind::name;
}

TokenKind mark_kind(std::string_view rest) {
  for (const Spelling& spelling : spellings) {
    if (!spelling.word && rest.starts_with(spelling.text)) return spelling.kind;
  }
  return TokenKind::bad;
}

bool is_reserved_word(TokenKind kind) {
  const Spelling* found = spelling_of(kind);
  return found != nullptr && found->word;
}

bool is_unused_word(TokenKind kind) {
  const Spelling* found = spelling_of(kind);
  return found != nullptr && found->unused;
}

std::string_view spelling(TokenKind kind) {
  if (const Spelling* found = spelling_of(kind)) return found->text;
  switch (kind) {
    case TokenKind::end: return "the end";
    case TokenKind::name: return "a name";
    case TokenKind::number: return "a number";
    case TokenKind::string: return "a string";
    case TokenKind::bad: return "what cannot be read";
    default: return "a template";
  }
}

}  // namespace fermata::flow
