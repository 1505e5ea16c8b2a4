#include "test/scenario/scenario_text.h"

#include <algorithm>
#include <charconv>

#include "base/json.h"
#include "base/time.h"

namespace fermata::scenario {

namespace {

/// A note begins with `#` at the start of a line or after two spaces, outside of quoted text.
std::string without_note(std::string_view line) {
  bool quoted = false;
  for (size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '\\' && quoted) {
      ++i;
    } else if (line[i] == '"') {
      quoted = !quoted;
    } else if (line[i] == '#' && !quoted) {
      bool alone = i == 0 || line.find_first_not_of(' ') == i;
      if (alone || (i >= 2 && line[i - 1] == ' ' && line[i - 2] == ' ')) {
        line = line.substr(0, i);
        break;
      }
    }
  }
  size_t end = line.find_last_not_of(" \t\r");
  return std::string(end == std::string_view::npos ? "" : line.substr(0, end + 1));
}

/// Brackets that a text opens and does not close.
int open_brackets(std::string_view text) {
  int depth = 0;
  bool quoted = false;
  for (size_t i = 0; i < text.size(); ++i) {
    if (quoted && text[i] == '\\') {
      ++i;
    } else if (text[i] == '"') {
      quoted = !quoted;
    } else if (!quoted) {
      if (text[i] == '{' || text[i] == '[') ++depth;
      if (text[i] == '}' || text[i] == ']') --depth;
    }
  }
  return depth;
}

struct Physical {
  int number;
  size_t indent;
  std::string text;
};

std::vector<Physical> physical_lines(std::string_view text) {
  std::vector<Physical> lines;
  int number = 0;
  while (!text.empty()) {
    size_t end = text.find('\n');
    std::string line = without_note(text.substr(0, end));
    text = end == std::string_view::npos ? "" : text.substr(end + 1);
    ++number;
    size_t indent = line.find_first_not_of(' ');
    if (indent == std::string::npos) continue;
    if (!lines.empty() && open_brackets(lines.back().text) > 0) {
      lines.back().text += " " + line.substr(indent);
      continue;
    }
    lines.push_back({number, indent, line.substr(indent)});
  }
  return lines;
}

std::vector<Line> nested(const std::vector<Physical>& lines, size_t& at, size_t indent) {
  std::vector<Line> out;
  while (at < lines.size() && lines[at].indent >= indent) {
    if (lines[at].indent > indent) {
      if (out.empty()) throw Mistake{lines[at].number, "an indented line without one above it"};
      out.back().block = nested(lines, at, lines[at].indent);
      continue;
    }
    out.push_back({lines[at].number, lines[at].text, {}});
    ++at;
  }
  return out;
}

}  // namespace

std::vector<Section> read_sections(std::string_view text) {
  std::vector<Physical> physical = physical_lines(text);
  size_t at = 0;
  std::vector<Section> sections;
  for (Line& line : nested(physical, at, 0)) {
    constexpr std::string_view heading = "scenario ";
    if (line.text.starts_with(heading)) {
      sections.push_back({line.text.substr(heading.size()), line.number, {}});
    } else if (sections.empty()) {
      throw Mistake{line.number, "a file begins with `scenario TITLE`"};
    } else {
      sections.back().lines.push_back(std::move(line));
    }
  }
  if (sections.empty()) throw Mistake{1, "the file holds no scenario"};
  return sections;
}

void Words::skip() {
  size_t begin = rest_.find_first_not_of(' ');
  rest_ = begin == std::string_view::npos ? std::string_view() : rest_.substr(begin);
}

std::string_view Words::peek() const { return rest_.substr(0, rest_.find(' ')); }

std::string Words::word(const char* what) {
  if (rest_.empty()) fail(std::string("expected ") + what);
  std::string taken(peek());
  rest_.remove_prefix(taken.size());
  skip();
  return taken;
}

bool Words::accept(std::string_view word) {
  if (peek() != word) return false;
  rest_.remove_prefix(word.size());
  skip();
  return true;
}

bool Words::at_json() const {
  if (rest_.empty()) return false;
  char c = rest_.front();
  if (c == '{' || c == '[' || c == '"' || c == '-' || (c >= '0' && c <= '9')) return true;
  return peek() == "true" || peek() == "false" || peek() == "null";
}

Value Words::json(const char* what) {
  size_t length = json_length(rest_);
  if (length == 0) fail(std::string("expected ") + what + " as JSON, not " + std::string(rest_));
  auto parsed = parse_json(rest_.substr(0, length));
  if (!parsed) fail(std::string(what) + ": " + parsed.error().message);
  rest_.remove_prefix(length);
  skip();
  return *std::move(parsed);
}

int64_t Words::number(const char* what) {
  std::string text = word(what);
  int64_t value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size())
    fail(std::string("expected ") + what + ", not " + text);
  return value;
}

int64_t Words::milliseconds() {
  std::string text = word("a duration");
  auto length = parse_duration(text);
  if (!length) fail("no duration: " + text);
  return length->ms;
}

void Words::end() const {
  if (!rest_.empty()) fail("not understood: " + std::string(rest_));
}

void Words::fail(const std::string& message) const { throw Mistake{line_.number, message}; }

size_t json_length(std::string_view text) {
  if (text.empty()) return 0;
  bool container = text.front() == '{' || text.front() == '[';
  if (!container && text.front() != '"') return std::min(text.find(' '), text.size());
  int depth = 0;
  bool quoted = false;
  for (size_t i = 0; i < text.size(); ++i) {
    if (quoted) {
      if (text[i] == '\\')
        ++i;
      else if (text[i] == '"')
        quoted = false;
    } else if (text[i] == '"') {
      quoted = true;
    } else if (text[i] == '{' || text[i] == '[') {
      ++depth;
    } else if (text[i] == '}' || text[i] == ']') {
      --depth;
    }
    if (!quoted && depth == 0) return i + 1;
  }
  return 0;
}

const Value* at_pointer(const Value& value, std::string_view pointer) {
  const Value* at = &value;
  while (at && !pointer.empty()) {
    pointer.remove_prefix(1);
    std::string token(pointer.substr(0, pointer.find('/')));
    pointer.remove_prefix(token.size());
    if (at->is_array()) {
      size_t index = 0;
      auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), index);
      bool found = error == std::errc() && end == token.data() + token.size() && index < at->size();
      at = found ? &at->items()[index] : nullptr;
    } else {
      at = at->find(token);
    }
  }
  return at;
}

}  // namespace fermata::scenario
