#include "base/json.h"
#include "base/json_scan.h"

namespace fermata {
namespace {

/// Walks over a JSON text that was found well-formed, without building values. On another text
/// it gives some offset inside the text, never one outside.
class Walker {
 public:
  Walker(std::string_view text, size_t offset) : text_(text), offset_(offset) { skip_space(); }

  size_t offset() const { return offset_; }
  char next() const { return offset_ < text_.size() ? text_[offset_] : '\0'; }
  /// Over the one character here and the space behind it.
  void step() {
    if (offset_ < text_.size()) ++offset_;
    skip_space();
  }
  bool step_over(char wanted) {
    if (next() != wanted) return false;
    step();
    return true;
  }

  /// Over the value here and the space behind it; gives the value's own text.
  std::string_view skip_value() {
    size_t begin = offset_;
    size_t depth = 0;
    do {
      char c = next();
      if (c == '"') {
        skip_string();
      } else {
        if (c == '{' || c == '[') ++depth;
        if (depth > 0 && (c == '}' || c == ']')) --depth;
        ++offset_;
        if (depth == 0 && c != '}' && c != ']') skip_scalar();
      }
    } while (depth > 0 && offset_ < text_.size());
    if (offset_ > text_.size()) offset_ = text_.size();
    std::string_view skipped = text_.substr(begin, offset_ - begin);
    skip_space();
    return skipped;
  }

 private:
  void skip_space() {
    while (offset_ < text_.size() && is_json_space(text_[offset_])) ++offset_;
  }
  void skip_string() {
    for (++offset_; offset_ < text_.size() && text_[offset_] != '"'; ++offset_) {
      if (text_[offset_] == '\\') ++offset_;
    }
    if (offset_ < text_.size()) ++offset_;
  }
  void skip_scalar() {
    constexpr std::string_view ends = ",]} \t\r\n";
    while (offset_ < text_.size() && ends.find(text_[offset_]) == ends.npos) ++offset_;
  }

  std::string_view text_;
  size_t offset_;
};

/// One reference token with ~1 and ~0 resolved.
std::string unescape_token(std::string_view token) {
  std::string out;
  for (size_t i = 0; i < token.size(); ++i) {
    bool escaped = token[i] == '~' && i + 1 < token.size();
    if (escaped && (token[i + 1] == '0' || token[i + 1] == '1')) {
      out += token[++i] == '0' ? '~' : '/';
    } else {
      out += token[i];
    }
  }
  return out;
}

/// Moves to the member with this key; false when there is none.
bool enter_member(Walker& walker, std::string_view key) {
  walker.step();
  while (walker.next() == '"') {
    auto name = parse_json(walker.skip_value());
    walker.step_over(':');
    if (name && name->as_string() == key) return true;
    walker.skip_value();
    if (!walker.step_over(',')) return false;
  }
  return false;
}

/// Moves to the item with this index; false when there is none.
bool enter_item(Walker& walker, std::string_view token) {
  size_t index = 0;
  if (token.empty() || token.size() > 9) return false;
  for (char c : token) {
    if (c < '0' || c > '9') return false;
    index = index * 10 + static_cast<size_t>(c - '0');
  }
  walker.step();
  for (; walker.next() != ']'; --index) {
    if (index == 0) return true;
    walker.skip_value();
    if (!walker.step_over(',')) return false;
  }
  return false;
}

}  // namespace

TextPosition position_at(std::string_view text, size_t offset) {
  TextPosition position;
  position.offset = offset < text.size() ? offset : text.size();
  for (char c : text.substr(0, position.offset)) {
    bool continuation = (static_cast<unsigned char>(c) & 0xc0) == 0x80;
    if (c == '\n') {
      ++position.line;
      position.column = 1;
    } else if (!continuation) {
      ++position.column;
    }
  }
  return position;
}

size_t locate_json(std::string_view text, std::string_view pointer) {
  Walker walker(text, text.starts_with("\xef\xbb\xbf") ? 3 : 0);
  size_t found = walker.offset();
  while (pointer.starts_with('/')) {
    pointer.remove_prefix(1);
    std::string_view raw = pointer.substr(0, pointer.find('/'));
    pointer.remove_prefix(raw.size());
    std::string token = unescape_token(raw);
    bool entered = walker.next() == '{'   ? enter_member(walker, token)
                   : walker.next() == '[' ? enter_item(walker, token)
                                          : false;
    if (!entered) break;
    found = walker.offset();
  }
  return found;
}

size_t key_offset(std::string_view text, size_t offset, size_t index) {
  Walker walker(text, offset);
  walker.step();
  for (; index > 0; --index) {
    walker.skip_value();
    walker.step_over(':');
    walker.skip_value();
    walker.step_over(',');
  }
  return walker.offset();
}

std::string escape_pointer(std::string_view token) {
  std::string out;
  out.reserve(token.size());
  for (char c : token) {
    if (c == '~') {
      out += "~0";
    } else if (c == '/') {
      out += "~1";
    } else {
      out += c;
    }
  }
  return out;
}

}  // namespace fermata
