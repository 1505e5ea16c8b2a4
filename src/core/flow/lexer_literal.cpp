#include "core/flow/lexer_literal.h"

#include <charconv>
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
Result<size_t, SyntaxError> take_digits(std::string_view text, size_t at, int base,
                                        std::string& out) {
  bool after_digit = false;
  while (at < text.size()) {
    if (digit_of(text[at]) < base) {
      out.push_back(text[at]);
      after_digit = true;
    } else if (text[at] == '_') {
      bool before_digit = at + 1 < text.size() && digit_of(text[at + 1]) < base;
      if (!after_digit || !before_digit) {
        return Failure{syntax_error(text, at, "an underscore must stand between two digits")};
      }
      after_digit = false;
    } else {
      break;
    }
    ++at;
  }
  return at;
}

Result<Literal, SyntaxError> read_based(std::string_view text, size_t begin, int base) {
  std::string digits;
  FERMATA_TRY(end, take_digits(text, begin + 2, base, digits));
  if (digits.empty()) return Failure{syntax_error(text, begin + 2, "expected digits")};
  double number = 0;
  for (char c : digits) number = number * base + digit_of(c);
  if (number <= static_cast<double>(exact_integer_max)) {
    return Literal{Value(static_cast<int64_t>(number)), end};
  }
  return Literal{Value(number), end};
}

class Escapes {
 public:
  Escapes(std::string_view text, size_t at) : text_(text), at_(at) {}

  /// Reads the escape after a backslash and appends what it stands for.
  Result<size_t, SyntaxError> take(std::string& out) {
    char c = at_ < text_.size() ? text_[at_] : '\0';
    ++at_;
    constexpr std::string_view letters = "ntrbfv\\'\"`$";
    constexpr std::string_view values = "\n\t\r\b\f\v\\'\"`$";
    if (size_t found = letters.find(c); c != '\0' && found != std::string_view::npos) {
      out.push_back(values[found]);
      return at_;
    }
    if (c == '\n') return at_;
    if (c == '\r') return at_ < text_.size() && text_[at_] == '\n' ? at_ + 1 : at_;
    if (c == '0') {
      out.push_back('\0');
      return at_;
    }
    if (c == 'x') return take_point(out, 2);
    if (c == 'u') return take_unicode(out);
    return Failure{syntax_error(text_, at_ - 2, "unknown escape in a string")};
  }

 private:
  Result<uint32_t, SyntaxError> hex(size_t count) {
    uint32_t point = 0;
    for (size_t i = 0; i < count; ++i, ++at_) {
      int digit = at_ < text_.size() ? digit_of(text_[at_]) : 99;
      if (digit > 15) return Failure{syntax_error(text_, at_, "expected a hexadecimal digit")};
      point = point * 16 + static_cast<uint32_t>(digit);
    }
    return point;
  }

  Result<size_t, SyntaxError> take_point(std::string& out, size_t count) {
    FERMATA_TRY(point, hex(count));
    append_utf8(out, point);
    return at_;
  }

  Result<size_t, SyntaxError> take_unicode(std::string& out) {
    size_t begin = at_ - 2;
    if (at_ < text_.size() && text_[at_] == '{') return take_braced(out, begin);
    FERMATA_TRY(first, hex(4));
    uint32_t point = first;
    if (point >= 0xd800 && point <= 0xdbff && text_.substr(at_).starts_with("\\u")) {
      at_ += 2;
      FERMATA_TRY(second, hex(4));
      if (second >= 0xdc00 && second <= 0xdfff) {
        point = 0x10000 + ((point - 0xd800) << 10) + (second - 0xdc00);
      }
    }
    return finish(out, point, begin);
  }

  Result<size_t, SyntaxError> take_braced(std::string& out, size_t begin) {
    uint32_t point = 0;
    size_t close = text_.find('}', ++at_);
    if (close == std::string_view::npos || close == at_ || close - at_ > 6) {
      return Failure{syntax_error(text_, begin, "expected one to six digits as in \\u{1f600}")};
    }
    FERMATA_TRY(read, hex(close - at_));
    point = read;
    ++at_;
    return finish(out, point, begin);
  }

  Result<size_t, SyntaxError> finish(std::string& out, uint32_t point, size_t begin) {
    if (point >= 0xd800 && point <= 0xdfff) {
      return Failure{syntax_error(text_, begin, "a lone surrogate is no character")};
    }
    if (point > 0x10ffff) return Failure{syntax_error(text_, begin, "no such character")};
    append_utf8(out, point);
    return at_;
  }

  std::string_view text_;
  size_t at_;
};

}  // namespace

Result<Literal, SyntaxError> read_number(std::string_view text, size_t begin) {
  if (text[begin] == '0' && begin + 1 < text.size()) {
    char base = text[begin + 1];
    if (base == 'x' || base == 'X') return read_based(text, begin, 16);
    if (base == 'b' || base == 'B') return read_based(text, begin, 2);
    if (base == 'o' || base == 'O') return read_based(text, begin, 8);
  }
  std::string digits;
  FERMATA_TRY(whole_end, take_digits(text, begin, 10, digits));
  size_t at = whole_end;
  bool whole = true;
  auto is_digit_at = [&](size_t i) { return i < text.size() && digit_of(text[i]) < 10; };
  if (at < text.size() && text[at] == '.' && is_digit_at(at + 1)) {
    whole = false;
    digits.push_back('.');
    FERMATA_TRY(fraction_end, take_digits(text, at + 1, 10, digits));
    at = fraction_end;
  }
  if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    size_t sign = at + 1 < text.size() && (text[at + 1] == '-' || text[at + 1] == '+');
    if (!is_digit_at(at + 1 + sign)) {
      return Failure{syntax_error(text, at, "expected digits of an exponent")};
    }
    whole = false;
    digits.push_back('e');
    if (sign != 0) digits.push_back(text[at + 1]);
    FERMATA_TRY(exponent_end, take_digits(text, at + 1 + sign, 10, digits));
    at = exponent_end;
  }
  if (whole) {
    uint64_t integer = 0;
    auto read = std::from_chars(digits.data(), digits.data() + digits.size(), integer);
    if (read.ec == std::errc() && integer <= exact_integer_max) {
      return Literal{Value(static_cast<int64_t>(integer)), at};
    }
  }
  double number = 0;
  auto read = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (read.ec != std::errc()) return Failure{syntax_error(text, begin, "the number is too large")};
  return Literal{Value(number), at};
}

Result<Literal, SyntaxError> read_string(std::string_view text, size_t begin) {
  char quote = text[begin];
  std::string out;
  for (size_t at = begin + 1; at < text.size();) {
    char c = text[at];
    if (c == quote) return Literal{Value(out), at + 1};
    if (c == '\n' || c == '\r') break;
    if (c == '\\') {
      FERMATA_TRY(next, Escapes(text, at + 1).take(out));
      at = next;
    } else {
      out.push_back(c);
      ++at;
    }
  }
  return Failure{syntax_error(text, begin,
                              std::string("the string has no end on its line: expected ") + quote)};
}

Result<Literal, SyntaxError> read_template_piece(std::string_view text, size_t begin) {
  std::string out;
  for (size_t at = begin + 1; at < text.size();) {
    char c = text[at];
    if (c == '`') return Literal{Value(out), at + 1, false};
    if (c == '$' && at + 1 < text.size() && text[at + 1] == '{') {
      return Literal{Value(out), at + 2, true};
    }
    if (c == '\\') {
      FERMATA_TRY(next, Escapes(text, at + 1).take(out));
      at = next;
    } else if (c == '\r') {
      // Every kind of line end counts as one \n (F-6).
      out.push_back('\n');
      at += at + 1 < text.size() && text[at + 1] == '\n' ? 2 : 1;
    } else {
      out.push_back(c);
      ++at;
    }
  }
  return Failure{syntax_error(text, begin, "the template has no end: expected `")};
}

}  // namespace fermata::flow
