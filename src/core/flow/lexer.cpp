#include "core/flow/lexer.h"

#include <array>
#include <limits>

#include "base/json.h"
#include "base/utf8.h"
#include "core/flow/code_points.h"
#include "core/flow/lexer_literal.h"

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

bool starts_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$';
}
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool continues_name(char c) { return starts_name(c) || is_digit(c); }

/// What an open brace waits for: its own `}`, the rest of a template, or the second `}` of `}}`.
enum class Open : uint8_t { brace, hole, mustache };

class Lexer {
 public:
  Lexer(std::string_view text, LexOptions options) : text_(text), options_(options) {}

  Result<std::vector<Token>, SyntaxError> run() {
    if (text_.size() >= std::numeric_limits<uint32_t>::max()) {
      return Failure{syntax_error(text_, 0, "the text is too long")};
    }
    if (!is_utf8(text_)) return Failure{syntax_error(text_, 0, "the text is not UTF-8")};
    if (text_.starts_with("\xef\xbb\xbf")) at_ = 3;
    while (true) {
      FERMATA_TRY_VOID(skip_space());
      if (at_ == text_.size()) break;
      FERMATA_TRY_VOID(take());
    }
    push(TokenKind::end, at_);
    return std::move(tokens_);
  }

 private:
  using Step = Result<void, SyntaxError>;

  char peek(size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }

  void push(TokenKind kind, size_t begin, Value value = {}) {
    Span span{static_cast<uint32_t>(begin), static_cast<uint32_t>(at_)};
    tokens_.push_back({kind, line_break_, span, std::move(value)});
    line_break_ = false;
  }

  Step skip_space() {
    while (at_ < text_.size()) {
      char c = text_[at_];
      if (c == '\n' || c == '\r') {
        line_break_ = true;
        ++at_;
      } else if (size_t space = c < 0 || c <= ' ' ? utf8::space_prefix(text_.substr(at_, 4)) : 0) {
        at_ += space;
      } else if (c == '/' && peek(1) == '/') {
        while (at_ < text_.size() && text_[at_] != '\n') ++at_;
      } else if (c == '/' && peek(1) == '*') {
        size_t close = text_.find("*/", at_ + 2);
        if (close == std::string_view::npos) {
          return Failure{syntax_error(text_, at_, "the comment has no end: expected */")};
        }
        if (text_.substr(at_, close - at_).find('\n') != std::string_view::npos) line_break_ = true;
        at_ = close + 2;
      } else {
        break;
      }
    }
    return {};
  }

  Step take() {
    char c = peek();
    if (starts_name(c)) return take_name();
    if (c < 0 && in_condition()) return take_name();
    if (is_digit(c) || (c == '.' && is_digit(peek(1)))) return take_number();
    if (c == '"' || c == '\'') return take_string();
    if (c == '`') {
      ++at_;
      return take_template(at_ - 1, true);
    }
    if (c == '}' && !open_.empty() && open_.back() == Open::hole) {
      open_.pop_back();
      ++at_;
      return take_template(at_ - 1, false);
    }
    return take_mark();
  }

  Step take_name() {
    size_t begin = at_;
    while (continues_name(peek())) ++at_;
    if (in_condition()) {
      if (text_[begin] == '$') {
        widen_to_existing_name(begin + 1);
      } else {
        widen_bare_word();
      }
    }
    std::string_view word = text_.substr(begin, at_ - begin);
    TokenKind kind = TokenKind::name;
    for (const Spelling& spelling : spellings) {
      if (spelling.word && spelling.text == word) kind = spelling.kind;
    }
    push(kind, begin);
    return {};
  }

  bool in_condition() const { return options_.condition_text && open_mustaches_ == 0; }

  /// `in-progress` and `Zürich` are words that need no quotes; `x-1` is a subtraction.
  void widen_bare_word() {
    auto is_letter = [](char c) { return c < 0 || (starts_name(c) && c != '$'); };
    while (at_ < text_.size()) {
      bool dash = peek() == '-' && is_letter(peek(1));
      if (!dash && !is_letter(peek()) && !is_digit(peek())) break;
      if (peek() < 0 && utf8::space_prefix(text_.substr(at_, 4)) > 0) break;
      ++at_;
    }
  }

  /// The longest existing name wins (G-13); without one the name ends at the first dash.
  void widen_to_existing_name(size_t begin) {
    if (options_.names == nullptr) return;
    size_t end = at_;
    while (end < text_.size() && (continues_name(text_[end]) || text_[end] == '-')) ++end;
    size_t longest = at_;
    for (const std::string& name : *options_.names) {
      if (name.size() > end - begin || begin + name.size() <= longest) continue;
      if (text_.substr(begin, name.size()) != name) continue;
      size_t next = begin + name.size();
      if (next < end && continues_name(text_[next])) continue;
      longest = next;
    }
    at_ = longest;
  }

  Step take_number() {
    size_t begin = at_;
    FERMATA_TRY(literal, read_number(text_, begin));
    at_ = literal.end;
    if (continues_name(peek())) {
      return Failure{syntax_error(text_, at_, "a name may not follow a number directly")};
    }
    push(TokenKind::number, begin, std::move(literal.value));
    return {};
  }

  Step take_string() {
    size_t begin = at_;
    FERMATA_TRY(literal, read_string(text_, begin));
    at_ = literal.end;
    push(TokenKind::string, begin, std::move(literal.value));
    return {};
  }

  Step take_template(size_t begin, bool first) {
    FERMATA_TRY(piece, read_template_piece(text_, begin));
    at_ = piece.end;
    if (piece.hole) open_.push_back(Open::hole);
    TokenKind kind = first ? (piece.hole ? TokenKind::template_head : TokenKind::template_whole)
                           : (piece.hole ? TokenKind::template_middle : TokenKind::template_tail);
    push(kind, begin, std::move(piece.value));
    return {};
  }

  Step take_mark() {
    size_t begin = at_;
    std::string_view rest = text_.substr(at_);
    for (const Spelling& spelling : spellings) {
      if (spelling.word || !rest.starts_with(spelling.text)) continue;
      // `a ?.5 : b` is a choice between numbers, not an optional access.
      if (spelling.kind == TokenKind::optional_dot && is_digit(peek(2))) continue;
      at_ += spelling.text.size();
      note_brace(spelling.kind);
      push(spelling.kind, begin);
      return {};
    }
    std::string found(text_.substr(at_, utf8::width(text_[at_])));
    std::string hint;
    if (std::string_view("&|^~").find(found) != std::string_view::npos) {
      hint = "; there are no bitwise operators";
    }
    return Failure{syntax_error(text_, at_, "unexpected character `" + found + "`" + hint)};
  }

  void note_brace(TokenKind kind) {
    if (kind == TokenKind::left_brace) {
      bool mustache = options_.condition_text && peek() == '{';
      open_.push_back(mustache ? Open::mustache : Open::brace);
      open_mustaches_ += mustache;
    } else if (kind == TokenKind::right_brace && !open_.empty()) {
      open_mustaches_ -= open_.back() == Open::mustache;
      open_.pop_back();
    }
  }

  std::string_view text_;
  LexOptions options_;
  size_t at_ = 0;
  bool line_break_ = false;
  std::vector<Open> open_;
  int open_mustaches_ = 0;
  std::vector<Token> tokens_;
};

}  // namespace

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
    case TokenKind::end:
      return "the end";
    case TokenKind::name:
      return "a name";
    case TokenKind::number:
      return "a number";
    case TokenKind::string:
      return "a string";
    default:
      return "a template";
  }
}

Result<std::vector<Token>, SyntaxError> lex(std::string_view text, LexOptions options) {
  return Lexer(text, options).run();
}

SyntaxError syntax_error(std::string_view text, size_t offset, std::string message,
                         std::string_view code) {
  TextPosition position = position_at(text, offset);
  return {std::string(code), std::move(message), offset, position.line, position.column};
}

}  // namespace fermata::flow
