#include <algorithm>
#include <charconv>

#include "base/json.h"
#include "core/flow/lexer_literal.h"
#include "core/graph/template_part.h"

namespace fermata::graph {

namespace {

/// Roots that exist in every definition.
constexpr std::string_view given_roots[] = {"json",  "item", "index", "trigger",
                                            "input", "run",  "error"};

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

class TextParser {
 public:
  TextParser(std::string_view text, const std::vector<std::string>& names, flow::ParseLimits limits)
      : text_(text), names_(names), limits_(limits) {}

  Result<Template::Part, TemplateMistake> run() {
    size_t plain_begin = 0;
    while (at_ < text_.size()) {
      size_t mark = text_.find_first_of("${", at_);
      if (mark == std::string_view::npos) break;
      at_ = mark;
      bool special = text_[mark] == '$' || text_.substr(mark).starts_with("{{");
      if (!special) {
        ++at_;
        continue;
      }
      add_plain(text_.substr(plain_begin, mark - plain_begin));
      if (text_[mark] == '$') {
        take_dollar();
      } else {
        FERMATA_TRY_VOID(take_expression());
      }
      plain_begin = at_;
    }
    add_plain(text_.substr(plain_begin));
    return finish();
  }

 private:
  char peek(size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }

  void add_plain(std::string_view piece) { plain_ += piece; }

  void add(Template::Part part) {
    flush();
    parts_.push_back(std::move(part));
  }

  void flush() {
    if (plain_.empty()) return;
    Template::Part literal;
    literal.value = Value(plain_);
    parts_.push_back(std::move(literal));
    plain_.clear();
  }

  Template::Part finish() {
    flush();
    Template::Part out;
    if (parts_.empty()) {
      out.value = Value("");
    } else if (parts_.size() == 1) {
      out = std::move(parts_.front());
    } else {
      out.kind = Template::Part::Kind::text;
      out.parts = std::move(parts_);
    }
    return out;
  }

  /// At a `$`: an escape, a reference, or a dollar sign that is text.
  void take_dollar() {
    if (peek(1) == '$') {
      add_plain("$");
      at_ += 2;
      return;
    }
    size_t begin = at_;
    Reference reference;
    if (is_letter(peek(1))) {
      ++at_;
      reference.root = take_name();
    } else if (peek(1) == '[') {
      ++at_;
      auto key = take_quoted_key();
      if (!key) {
        at_ = begin + 1;
        return add_plain("$");
      }
      reference.root = *std::move(key);
    } else {
      ++at_;
      return add_plain("$");
    }
    reference.root_end = at_ - begin;
    take_steps(reference, begin);
    reference.text = text_.substr(begin, at_ - begin);
    Template::Part part;
    part.kind = Template::Part::Kind::reference;
    part.reference = std::move(reference);
    add(std::move(part));
  }

  /// The longest existing name wins; it may end only where a dash or the end follows.
  std::string take_name() {
    size_t end = at_;
    while (end < text_.size() &&
           (is_letter(text_[end]) || is_digit(text_[end]) || text_[end] == '-')) {
      ++end;
    }
    while (text_[end - 1] == '-') --end;
    size_t length = end - at_;
    for (size_t cut = length; cut > 0; --cut) {
      bool ends_here = cut == length || text_[at_ + cut] == '-';
      if (!ends_here || !exists(text_.substr(at_, cut))) continue;
      length = cut;
      break;
    }
    std::string name(text_.substr(at_, length));
    at_ += length;
    return name;
  }

  bool exists(std::string_view name) const {
    return std::ranges::find(names_, name) != names_.end() ||
           std::ranges::find(given_roots, name) != std::end(given_roots);
  }

  void take_steps(Reference& reference, size_t begin) {
    while (true) {
      Reference::Step step;
      if (peek() == '.' && (is_letter(peek(1)) || (peek(1) == '$' && is_letter(peek(2))))) {
        size_t end = at_ + 2;
        while (end < text_.size() && (is_letter(text_[end]) || is_digit(text_[end]))) ++end;
        step.field = text_.substr(at_ + 1, end - at_ - 1);
        at_ = end;
      } else if (peek() == '[' && is_digit(peek(1))) {
        if (!take_index(step.index)) return;
        step.by_index = true;
      } else if (peek() == '[') {
        auto key = take_quoted_key();
        if (!key) return;
        step.field = *std::move(key);
      } else {
        return;
      }
      step.end = at_ - begin;
      reference.steps.push_back(std::move(step));
    }
  }

  bool take_index(size_t& index) {
    const char* end = text_.data() + text_.size();
    auto read = std::from_chars(text_.data() + at_ + 1, end, index);
    if (read.ec != std::errc() || read.ptr == end || *read.ptr != ']') return false;
    at_ = static_cast<size_t>(read.ptr - text_.data()) + 1;
    return true;
  }

  /// At a `[`: the key of `["key"]`. Anything else leaves the text where it was.
  std::optional<std::string> take_quoted_key() {
    if (peek(1) != '"' && peek(1) != '\'') return std::nullopt;
    flow::Issues issues(text_);
    flow::Literal literal = flow::read_string(text_, at_ + 1, issues);
    bool closed = literal.end < text_.size() && text_[literal.end] == ']';
    if (issues.failed() || !closed) return std::nullopt;
    at_ = literal.end + 1;
    return std::string(literal.value.as_string());
  }

  Result<void, TemplateMistake> take_expression() {
    size_t begin = at_ + 2;
    size_t end = expression_end(begin);
    if (end == std::string_view::npos) {
      return Failure{mistake(at_, "expression_invalid", "the expression has no end: expected }}")};
    }
    auto parsed = flow::parse(text_.substr(begin, end - begin), flow::Grammar::expression, limits_);
    if (!parsed) {
      const flow::SyntaxError& error = parsed.error();
      return Failure{mistake(begin + error.offset, error.code, error.message)};
    }
    Template::Part part;
    part.kind = Template::Part::Kind::expression;
    part.expression = *std::move(parsed);
    at_ = end + 2;
    add(std::move(part));
    return {};
  }

  /// Where the `}}` stands that belongs to the `{{` before `at`: not one inside a string, and not
  /// the end of an object.
  size_t expression_end(size_t at) const {
    std::string open;  // what is still open, innermost last: quotes and braces
    for (; at < text_.size(); ++at) {
      char c = text_[at];
      char inside = open.empty() ? '{' : open.back();
      if (inside != '{') {
        bool hole = inside == '`' && text_.substr(at).starts_with("${");
        if (c == '\\') {
          ++at;
        } else if (c == inside) {
          open.pop_back();
        } else if (hole) {
          open.push_back('{');
          ++at;
        }
      } else if (c == '"' || c == '\'' || c == '`' || c == '{') {
        open.push_back(c);
      } else if (c == '}') {
        if (open.empty()) {
          return text_.substr(at).starts_with("}}") ? at : std::string_view::npos;
        }
        open.pop_back();
      }
    }
    return std::string_view::npos;
  }

  TemplateMistake mistake(size_t offset, std::string_view code, std::string_view message) const {
    TextPosition position = position_at(text_, offset);
    std::string where = "at character " + std::to_string(position.column);
    if (position.line > 1) where += " of line " + std::to_string(position.line);
    return {std::string(code), where + ": " + std::string(message)};
  }

  std::string_view text_;
  const std::vector<std::string>& names_;
  flow::ParseLimits limits_;
  size_t at_ = 0;
  std::string plain_;
  std::vector<Template::Part> parts_;
};

}  // namespace

Result<Template::Part, TemplateMistake> parse_text(std::string_view text,
                                                   const std::vector<std::string>& names,
                                                   flow::ParseLimits limits) {
  return TextParser(text, names, limits).run();
}

}  // namespace fermata::graph
