#include "core/flow/lexer_literal.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>

#include "base/utf8.h"

namespace fermata::flow {

namespace {

/// Integers up to here are exact as doubles; a larger literal is a double like any other (F-11).
constexpr uint64_t exact_integer_max = uint64_t{1} << 53;

int digit_of(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return 99;
}

/// Copies digits of one base, leaving out single underscores between them.
size_t take_digits(std::string_view text, size_t at, int base, std::string& out, Issues& issues) {
  bool after_digit = false;
  while (at < text.size()) {
    if (digit_of(text[at]) < base) {
      out.push_back(text[at]);
      after_digit = true;
    } else if (text[at] == '_') {
      bool before_digit = at + 1 < text.size() && digit_of(text[at + 1]) < base;
      if (!after_digit || !before_digit) {
        issues.add(Check::syntax, at, "an underscore must stand between two digits");
      }
      after_digit = false;
    } else {
      break;
    }
    ++at;
  }
  return at;
}

Literal read_based(std::string_view text, size_t begin, int base, Issues& issues) {
  std::string digits;
  size_t end = take_digits(text, begin + 2, base, digits, issues);
  if (digits.empty()) issues.add(Check::syntax, begin + 2, "expected digits");
  double number = 0;
  for (char c : digits) number = number * base + digit_of(c);
  if (number <= static_cast<double>(exact_integer_max)) {
    return {Value(static_cast<int64_t>(number)), end};
  }
  return {Value(number), end};
}

/// Reads escapes and appends what they stand for. A wrong one is noted and stands for nothing.
class Escapes {
 public:
  Escapes(std::string_view text, size_t at, Issues& issues)
      : text_(text), at_(at), issues_(issues) {}

  /// Reads the escape after a backslash and gives the offset behind it.
  size_t take(std::string& out) {
    char c = at_ < text_.size() ? text_[at_] : '\0';
    ++at_;
    constexpr std::string_view letters = "ntrbfv\\'\"`$";
    constexpr std::string_view values = "\n\t\r\b\f\v\\'\"`$";
    if (size_t found = letters.find(c); c != '\0' && found != std::string_view::npos) {
      out.push_back(values[found]);
    } else if (c == '\r') {
      at_ += at_ < text_.size() && text_[at_] == '\n';
    } else if (c == '0') {
      out.push_back('\0');
    } else if (c == 'x') {
      take_point(out, 2);
    } else if (c == 'u') {
      take_unicode(out);
    } else if (c != '\n') {
      issues_.add(Check::syntax, at_ - 2, "unknown escape in a string");
      --at_;
    }
    return std::min(at_, text_.size());
  }

 private:
  std::optional<uint32_t> hex(size_t count) {
    uint32_t point = 0;
    for (size_t i = 0; i < count; ++i, ++at_) {
      int digit = at_ < text_.size() ? digit_of(text_[at_]) : 99;
      if (digit > 15) {
        issues_.add(Check::syntax, at_, "expected a hexadecimal digit");
        return std::nullopt;
      }
      point = point * 16 + static_cast<uint32_t>(digit);
    }
    return point;
  }

  void take_point(std::string& out, size_t count) {
    if (auto point = hex(count)) append_utf8(out, *point);
  }

  void take_unicode(std::string& out) {
    size_t begin = at_ - 2;
    if (at_ < text_.size() && text_[at_] == '{') return take_braced(out, begin);
    auto point = hex(4);
    if (!point) return;
    if (*point >= 0xd800 && *point <= 0xdbff && text_.substr(at_).starts_with("\\u")) {
      at_ += 2;
      auto second = hex(4);
      if (!second) return;
      if (*second >= 0xdc00 && *second <= 0xdfff) {
        point = 0x10000 + ((*point - 0xd800) << 10) + (*second - 0xdc00);
      }
    }
    finish(out, *point, begin);
  }

  void take_braced(std::string& out, size_t begin) {
    size_t close = text_.find('}', ++at_);
    if (close == std::string_view::npos || close == at_ || close - at_ > 6) {
      issues_.add(Check::syntax, begin, "expected one to six digits as in \\u{1f600}");
      return;
    }
    auto point = hex(close - at_);
    if (!point) return;
    ++at_;
    finish(out, *point, begin);
  }

  void finish(std::string& out, uint32_t point, size_t begin) {
    if (point >= 0xd800 && point <= 0xdfff) {
      issues_.add(Check::syntax, begin, "a lone surrogate is no character");
    } else if (point > 0x10ffff) {
      issues_.add(Check::syntax, begin, "no such character");
    } else {
      append_utf8(out, point);
    }
  }

  std::string_view text_;
  size_t at_;
  Issues& issues_;
};

/// Copies `.5` and `e-3` behind the whole digits, if they are there; true when one was.
bool take_fraction(std::string_view text, size_t& at, std::string& digits, Issues& issues) {
  bool found = false;
  auto is_digit_at = [&](size_t i) { return i < text.size() && digit_of(text[i]) < 10; };
  if (at < text.size() && text[at] == '.' && is_digit_at(at + 1)) {
    found = true;
    digits.push_back('.');
    at = take_digits(text, at + 1, 10, digits, issues);
  }
  if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    size_t sign = at + 1 < text.size() && (text[at + 1] == '-' || text[at + 1] == '+');
    if (!is_digit_at(at + 1 + sign)) {
      issues.add(Check::syntax, at, "expected digits of an exponent");
      at += 1 + sign;
      return found;
    }
    found = true;
    digits.push_back('e');
    if (sign != 0) digits.push_back(text[at + 1]);
    at = take_digits(text, at + 1 + sign, 10, digits, issues);
  }
  return found;
}

}  // namespace

Literal read_number(std::string_view text, size_t begin, Issues& issues) {
  if (text[begin] == '0' && begin + 1 < text.size()) {
    char base = text[begin + 1];
    if (base == 'x' || base == 'X') return read_based(text, begin, 16, issues);
    if (base == 'b' || base == 'B') return read_based(text, begin, 2, issues);
    if (base == 'o' || base == 'O') return read_based(text, begin, 8, issues);
  }
  std::string digits;
  size_t at = take_digits(text, begin, 10, digits, issues);
  bool whole = !take_fraction(text, at, digits, issues);
  if (whole) {
    uint64_t integer = 0;
    auto read = std::from_chars(digits.data(), digits.data() + digits.size(), integer);
    if (read.ec == std::errc() && integer <= exact_integer_max) {
      return {Value(static_cast<int64_t>(integer)), at};
    }
  }
  double number = 0;
  auto read = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (read.ec != std::errc()) issues.add(Check::syntax, begin, "the number is too large");
  return {Value(number), at};
}

Literal read_string(std::string_view text, size_t begin, Issues& issues) {
  char quote = text[begin];
  std::string out;
  size_t at = begin + 1;
  while (at < text.size()) {
    char c = text[at];
    if (c == quote) return {Value(out), at + 1};
    if (c == '\n' || c == '\r') break;
    if (c == '\\') {
      at = Escapes(text, at + 1, issues).take(out);
    } else {
      out.push_back(c);
      ++at;
    }
  }
  issues.add(Check::syntax, begin,
             std::string("the string has no end on its line: expected ") + quote);
  return {Value(out), at};
}

Literal read_plain_string(std::string_view text, size_t begin, Issues& issues) {
  size_t close = text.find(text[begin], begin + 1);
  if (close == std::string_view::npos) {
    issues.add(Check::syntax, begin, std::string("the string has no end: expected ") + text[begin]);
    close = text.size();
  }
  return {Value(text.substr(begin + 1, close - begin - 1)), std::min(close + 1, text.size())};
}

Literal read_template_piece(std::string_view text, size_t begin, Issues& issues) {
  std::string out;
  for (size_t at = begin + 1; at < text.size();) {
    char c = text[at];
    if (c == '`') return {Value(out), at + 1, false};
    if (c == '$' && at + 1 < text.size() && text[at + 1] == '{') {
      return {Value(out), at + 2, true};
    }
    if (c == '\\') {
      at = Escapes(text, at + 1, issues).take(out);
    } else if (c == '\r') {
      // Every kind of line end counts as one \n (F-6).
      out.push_back('\n');
      at += at + 1 < text.size() && text[at + 1] == '\n' ? 2 : 1;
    } else {
      out.push_back(c);
      ++at;
    }
  }
  issues.add(Check::syntax, begin, "the template has no end: expected `");
  return {Value(out), text.size()};
}

}  // namespace fermata::flow
