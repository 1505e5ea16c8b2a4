#include "core/flow/lexer.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/json.h"
#include "base/utf8.h"
#include "core/flow/code_points.h"
#include "core/flow/lexer_literal.h"
#include "core/flow/names.h"

namespace fermata::flow {

namespace {

bool starts_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$';
}
/// Words that are values themselves, or after which a slash would divide.
bool is_value_word(TokenKind kind) {
  return kind == TokenKind::true_word || kind == TokenKind::false_word ||
         kind == TokenKind::null_word || kind == TokenKind::undefined_word ||
         kind == TokenKind::this_word || kind == TokenKind::plus_plus ||
         kind == TokenKind::minus_minus;
}
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool continues_name(char c) { return starts_name(c) || is_digit(c); }

/// What an open brace waits for: its own `}`, the rest of a template, or the second `}` of `}}`.
enum class Open : uint8_t { brace, hole, mustache };

class Lexer {
 public:
  Lexer(std::string_view text, const LexOptions& options, Issues& issues)
      : text_(text), options_(options), issues_(issues), at_(options.begin) {}

  std::vector<Token> run() {
    if (text_.size() >= std::numeric_limits<uint32_t>::max()) {
      fail(0, "the text is too long", Check::too_large);
      text_ = {};
    } else if (!is_utf8(text_)) {
      fail(first_bad_byte(), "the text is not UTF-8");
      text_ = {};
    }
    at_ = std::min(at_, text_.size());
    if (at_ == 0 && text_.starts_with("\xef\xbb\xbf")) at_ = 3;
    while (true) {
      skip_space();
      if (at_ == text_.size()) break;
      take();
    }
    push(TokenKind::end, at_);
    return std::move(tokens_);
  }

 private:
  size_t first_bad_byte() const {
    size_t at = 0;
    while (size_t size = utf8_sequence_size(text_.substr(at))) at += size;
    return at;
  }
  void fail(size_t offset, std::string message, Check check = Check::syntax) {
    issues_.add(check, offset, std::move(message));
  }

  char peek(size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }

  void push(TokenKind kind, size_t begin, Value value = {}) {
    Span span{static_cast<uint32_t>(begin), static_cast<uint32_t>(at_)};
    tokens_.push_back({kind, line_break_, span, std::move(value)});
    line_break_ = false;
  }

  void skip_space() {
    while (at_ < text_.size()) {
      char c = text_[at_];
      if (c == '\n' || c == '\r') {
        line_break_ = true;
        ++at_;
      } else if ((c < 0 || c <= ' ') && utf8::space_prefix(text_.substr(at_, 4)) > 0) {
        at_ += utf8::width(c);  // one at a time: a line break may be among those that follow
      } else if (c == '/' && peek(1) == '/') {
        while (at_ < text_.size() && text_[at_] != '\n') ++at_;
      } else if (c == '/' && peek(1) == '*') {
        size_t close = text_.find("*/", at_ + 2);
        if (close == std::string_view::npos) {
          fail(at_, "the comment has no end: expected */");
          at_ = text_.size();
          return;
        }
        if (text_.substr(at_, close - at_).find('\n') != std::string_view::npos) line_break_ = true;
        at_ = close + 2;
      } else {
        break;
      }
    }
  }

  void take() {
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
    if (c == '/' && options_.script && at_value()) {
      if (take_regular_expression()) return;
    }
    return take_mark();
  }

  /// True where a value is due, so that a slash cannot be a division.
  bool at_value() const {
    if (tokens_.empty()) return true;
    switch (tokens_.back().kind) {
      case TokenKind::name:
      case TokenKind::number:
      case TokenKind::string:
      case TokenKind::template_whole:
      case TokenKind::template_tail:
      case TokenKind::right_paren:
      case TokenKind::right_bracket:
      case TokenKind::right_brace:
      case TokenKind::bad: return false;
      default: return !is_value_word(tokens_.back().kind);
    }
  }

  bool take_regular_expression() {
    size_t close = at_ + 1;
    while (close < text_.size() && text_[close] != '/' && text_[close] != '\n') {
      close += text_[close] == '\\' ? 2 : 1;
    }
    if (close >= text_.size() || text_[close] != '/') return false;
    fail(at_, "there are no regular expressions; use includes, startsWith, indexOf or split",
         Check::unsupported);
    size_t begin = std::exchange(at_, close + 1);
    while (continues_name(peek())) ++at_;
    push(TokenKind::string, begin, Value(""));
    return true;
  }

  void take_name() {
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
    push(word_kind(word), begin);
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

  void take_number() {
    size_t begin = at_;
    Literal literal = read_number(text_, begin, issues_);
    at_ = literal.end;
    if (continues_name(peek())) {
      fail(at_, "a name may not follow a number directly");
      while (continues_name(peek())) ++at_;
    }
    push(TokenKind::number, begin, std::move(literal.value));
  }

  void take_string() {
    size_t begin = at_;
    bool plain = options_.plain_strings && text_[begin] == '"';
    Literal literal =
        plain ? read_plain_string(text_, begin, issues_) : read_string(text_, begin, issues_);
    at_ = literal.end;
    push(TokenKind::string, begin, std::move(literal.value));
  }

  void take_template(size_t begin, bool first) {
    Literal piece = read_template_piece(text_, begin, issues_);
    at_ = piece.end;
    if (piece.hole) open_.push_back(Open::hole);
    TokenKind kind = first ? (piece.hole ? TokenKind::template_head : TokenKind::template_whole)
                           : (piece.hole ? TokenKind::template_middle : TokenKind::template_tail);
    push(kind, begin, std::move(piece.value));
  }

  void take_mark() {
    size_t begin = at_;
    std::string_view rest = text_.substr(at_);
    TokenKind kind = is_shift(rest) ? TokenKind::bad : mark_kind(rest);
    // `a ?.5 : b` is a choice between numbers, not an optional access.
    if (kind == TokenKind::optional_dot && is_digit(peek(2))) kind = TokenKind::question;
    if (kind == TokenKind::bad) return take_unknown(begin);
    at_ += spelling(kind).size();
    note_brace(kind);
    push(kind, begin);
  }

  /// `a << 1` and `a >> 1` are no comparisons.
  static bool is_shift(std::string_view rest) {
    return rest.starts_with("<<") || rest.starts_with(">>");
  }

  void take_unknown(size_t begin) {
    constexpr std::string_view bitwise = "&|^~<>";
    if (bitwise.find(peek()) != std::string_view::npos) {
      while (at_ < text_.size() && (bitwise.find(peek()) != std::string_view::npos)) ++at_;
      if (peek() == '=') ++at_;
      fail(begin,
           "unexpected " + quoted(text_.substr(begin, at_ - begin)) +
               "; there are no bitwise operators",
           Check::unsupported);
    } else {
      at_ += utf8::width(text_[at_]);
      std::string_view found = text_.substr(begin, at_ - begin);
      bool letter = found.size() > 1 && options_.script;
      fail(begin, "unexpected character " + quoted(found) +
                      (letter ? "; names are made of a-z, A-Z, 0-9, _ and $" : ""));
      while (letter && at_ < text_.size() && (peek() < 0 || continues_name(peek()))) ++at_;
    }
    push(TokenKind::bad, begin);
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
  const LexOptions& options_;
  Issues& issues_;
  size_t at_;
  bool line_break_ = false;
  std::vector<Open> open_;
  int open_mustaches_ = 0;
  std::vector<Token> tokens_;
};

}  // namespace

std::vector<Token> lex(std::string_view text, const LexOptions& options, Issues& issues) {
  return Lexer(text, options, issues).run();
}

Result<std::vector<Token>, SyntaxError> lex(std::string_view text, const LexOptions& options) {
  Issues issues(text);
  auto tokens = lex(text, options, issues);
  if (issues.failed()) return Failure{issues.first()};
  return tokens;
}

SyntaxError syntax_error(std::string_view text, size_t offset, std::string message,
                         std::string_view code) {
  TextPosition position = position_at(text, offset);
  return {std::string(code), std::move(message), offset, position.line, position.column};
}

}  // namespace fermata::flow
