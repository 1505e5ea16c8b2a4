#include "base/json.h"

#include <charconv>
#include <cmath>
#include <cstdlib>

#include "base/json_scan.h"
#include "base/utf8.h"

namespace fermata {
namespace {

constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Recursive descent, one level per nesting, which the limits bound. Values wait on one stack
/// until their container closes and takes them in a single allocation.
class Parser {
 public:
  Parser(std::string_view text, int nesting_max)
      : text_(text), at_(text.data()), end_(text.data() + text.size()), nesting_max_(nesting_max) {
    constexpr size_t waiting_first = 64;
    waiting_.reserve(waiting_first);
  }

  Outcome<Value> run();

 private:
  bool value();
  bool object();
  bool member();
  bool array();
  bool string();
  const char* string_rest(const char* begin, const char* at);
  const char* escape(const char* at);
  bool number();
  bool fraction(const char* begin, const char* at);
  bool word(std::string_view name, Value meaning);
  bool close_object(size_t base, const char* open);

  void skip_space() {
    while (at_ < end_ && is_json_space(*at_)) ++at_;
  }
  char next() const { return at_ < end_ ? *at_ : '\0'; }
  bool too_deep();
  bool refuse(const char* at, std::string message);
  bool expected(const char* at, std::string_view what);
  Failure<Error> failure() const;

  const std::string_view text_;
  const char* at_;
  const char* const end_;
  const int nesting_max_;
  int nesting_ = 0;
  std::vector<Value> waiting_;
  std::string unescaped_;

  const char* refused_at_ = nullptr;
  std::string refusal_;
  ErrorCode refusal_code_ = ErrorCode::bad_json;
};

/// What stands at a place, in words for an error message.
std::string describe(const char* at, const char* end) {
  if (at >= end) return "the end of the text";
  std::string_view rest(at, static_cast<size_t>(end - at));
  auto byte = static_cast<unsigned char>(*at);
  size_t size = utf8_sequence_size(rest);
  if (size > 0 && byte >= 0x20 && byte != 0x7f)
    return "'" + std::string(rest.substr(0, size)) + "'";
  constexpr char digits[] = "0123456789ABCDEF";
  return std::string("byte 0x") + digits[byte >> 4] + digits[byte & 15];
}

Outcome<Value> Parser::run() {
  if (text_.starts_with(byte_order_mark)) at_ += byte_order_mark.size();
  skip_space();
  if (!value()) return failure();
  skip_space();
  if (at_ < end_) {
    expected(at_, "the end of the text after the value");
    return failure();
  }
  return std::move(waiting_.back());
}

bool Parser::value() {
  switch (next()) {
    case '"': return string();
    case '{': return object();
    case '[': return array();
    case 't': return word("true", true);
    case 'f': return word("false", false);
    case 'n': return word("null", nullptr);
    default: return number();
  }
}

bool Parser::object() {
  if (nesting_ == nesting_max_) return too_deep();
  ++nesting_;
  const char* open = at_++;
  size_t base = waiting_.size();
  skip_space();
  if (next() == '}') {
    ++at_;
  } else {
    for (;;) {
      if (!member()) return false;
      skip_space();
      char c = next();
      if (c != ',' && c != '}') return expected(at_, "',' or '}' after a member of an object");
      ++at_;
      if (c == '}') break;
      skip_space();
    }
  }
  --nesting_;
  return close_object(base, open);
}

bool Parser::member() {
  if (next() != '"') return expected(at_, "a key in double quotes");
  if (!string()) return false;
  skip_space();
  if (next() != ':') return expected(at_, "':' after the key");
  ++at_;
  skip_space();
  return value();
}

bool Parser::close_object(size_t base, const char* open) {
  std::span<Value> members = std::span(waiting_).subspan(base);
  size_t repeated = Value::repeated_key(members);
  if (repeated != Value::npos) {
    size_t offset = key_offset(text_, static_cast<size_t>(open - text_.data()), repeated);
    std::string key(members[2 * repeated].as_string());
    return refuse(text_.data() + offset, "the key " + to_json(key) + " is given twice");
  }
  Value object = Value::take_object(members);
  waiting_.resize(base);
  waiting_.push_back(std::move(object));
  return true;
}

bool Parser::array() {
  if (nesting_ == nesting_max_) return too_deep();
  ++nesting_;
  ++at_;
  size_t base = waiting_.size();
  skip_space();
  if (next() == ']') {
    ++at_;
  } else {
    for (;;) {
      if (!value()) return false;
      skip_space();
      char c = next();
      if (c != ',' && c != ']') return expected(at_, "',' or ']' after an item of an array");
      ++at_;
      if (c == ']') break;
      skip_space();
    }
  }
  --nesting_;
  Value array = Value::take_array(std::span(waiting_).subspan(base));
  waiting_.resize(base);
  waiting_.push_back(std::move(array));
  return true;
}

bool Parser::string() {
  const char* begin = at_ + 1;
  const char* at = plain_run_end(begin, end_);
  if (at < end_ && *at == '"') {
    waiting_.emplace_back(std::string_view(begin, static_cast<size_t>(at - begin)));
    at_ = at + 1;
    return true;
  }
  at = string_rest(begin, at);
  if (at == nullptr) return false;
  waiting_.emplace_back(std::string_view(unescaped_));
  at_ = at + 1;
  return true;
}

/// Collects a string that is not plain ASCII; gives the closing quote, or nullptr when refused.
const char* Parser::string_rest(const char* begin, const char* at) {
  unescaped_.assign(begin, static_cast<size_t>(at - begin));
  for (;;) {
    if (at >= end_) {
      expected(at, "'\"' at the end of the string");
      return nullptr;
    }
    auto byte = static_cast<unsigned char>(*at);
    if (byte == '"') return at;
    if (byte < 0x20) {
      refuse(at, "a control character must be escaped in a string, found " + describe(at, end_));
      return nullptr;
    }
    if (byte == '\\') {
      at = escape(at + 1);
      if (at == nullptr) return nullptr;
      continue;
    }
    const char* run = at;
    while (at < end_ && static_cast<unsigned char>(*at) >= 0x80) {
      size_t size = utf8_sequence_size({at, static_cast<size_t>(end_ - at)});
      if (size == 0) {
        refuse(at, "the text is not valid UTF-8 here, found " + describe(at, end_));
        return nullptr;
      }
      at += size;
    }
    at = plain_run_end(at, end_);
    unescaped_.append(run, static_cast<size_t>(at - run));
  }
}

/// Four hexadecimal digits, or -1.
int hex4(const char* at, const char* end) {
  if (end - at < 4) return -1;
  unsigned value = 0;
  auto [stop, error] = std::from_chars(at, at + 4, value, 16);
  return error == std::errc() && stop == at + 4 ? static_cast<int>(value) : -1;
}

/// Reads what follows a backslash; gives the place behind it, or nullptr when refused.
const char* Parser::escape(const char* at) {
  constexpr std::string_view names = "\"\\/bfnrt";
  constexpr std::string_view meanings = "\"\\/\b\f\n\r\t";
  char letter = at < end_ ? *at : '\0';
  if (size_t i = names.find(letter); i != names.npos) {
    unescaped_ += meanings[i];
    return at + 1;
  }
  const char* backslash = at - 1;
  if (letter != 'u') {
    expected(at, "one of \" \\ / b f n r t u after the backslash");
    return nullptr;
  }
  int unit = hex4(at + 1, end_);
  if (unit < 0) {
    refuse(backslash, "expected four hexadecimal digits after \\u");
    return nullptr;
  }
  at += 5;
  auto code_point = static_cast<uint32_t>(unit);
  if (unit >= 0xd800 && unit <= 0xdfff) {
    bool pair = unit < 0xdc00 && end_ - at >= 6 && at[0] == '\\' && at[1] == 'u';
    int low = pair ? hex4(at + 2, end_) : -1;
    if (low < 0xdc00 || low > 0xdfff) {
      refuse(backslash, "a \\u escape is half of a surrogate pair without the other half");
      return nullptr;
    }
    code_point = 0x10000 + ((code_point - 0xd800) << 10) + static_cast<uint32_t>(low - 0xdc00);
    at += 6;
  }
  append_utf8(unescaped_, code_point);
  return at;
}

bool Parser::number() {
  const char* begin = at_;
  const char* at = at_;
  bool negative = next() == '-';
  if (negative) ++at;
  const char* digits = at;
  uint64_t value = 0;
  while (at < end_ && is_digit(*at)) value = value * 10 + static_cast<uint64_t>(*at++ - '0');
  auto count = at - digits;
  if (count == 0) return expected(at, negative ? "a digit after '-'" : "a value");
  if (count > 1 && *digits == '0') return refuse(digits, "a number may not begin with a zero");
  bool fractional = at < end_ && (*at == '.' || *at == 'e' || *at == 'E');
  constexpr auto digits_safe = 18;  // so many cannot leave 64 bits
  if (fractional || count > digits_safe) return fraction(begin, at);
  auto integer = static_cast<int64_t>(value);
  waiting_.emplace_back(negative ? -integer : integer);
  at_ = at;
  return true;
}

/// A number that has a point, an exponent or so many digits that it may not fit an integer.
bool Parser::fraction(const char* begin, const char* at) {
  int64_t integer = 0;
  const char* whole_end = at;
  if (at < end_ && *at == '.') {
    ++at;
    if (at >= end_ || !is_digit(*at)) return expected(at, "a digit after the decimal point");
    while (at < end_ && is_digit(*at)) ++at;
  }
  if (at < end_ && (*at == 'e' || *at == 'E')) {
    ++at;
    if (at < end_ && (*at == '+' || *at == '-')) ++at;
    if (at >= end_ || !is_digit(*at)) return expected(at, "a digit in the exponent");
    while (at < end_ && is_digit(*at)) ++at;
  }
  at_ = at;
  if (at == whole_end && std::from_chars(begin, at, integer).ec == std::errc()) {
    waiting_.emplace_back(integer);
    return true;
  }
  double number = 0;
  if (std::from_chars(begin, at, number).ec != std::errc()) {
    // Out of range may mean too large or too close to zero; only the first is refused.
    number = std::strtod(std::string(begin, at).c_str(), nullptr);
  }
  if (std::isinf(number)) return refuse(begin, "the number is too large for a double");
  waiting_.emplace_back(number);
  return true;
}

bool Parser::word(std::string_view name, Value meaning) {
  std::string_view rest(at_, static_cast<size_t>(end_ - at_));
  if (!rest.starts_with(name))
    return expected(at_, "a value (did you mean " + std::string(name) + "?)");
  at_ += name.size();
  waiting_.push_back(std::move(meaning));
  return true;
}

bool Parser::too_deep() {
  refusal_code_ = ErrorCode::nesting_too_deep;
  return refuse(at_, "nested more than " + std::to_string(nesting_max_) +
                         " levels deep (setting json_nesting_max)");
}

bool Parser::expected(const char* at, std::string_view what) {
  return refuse(at, "expected " + std::string(what) + ", found " + describe(at, end_));
}

bool Parser::refuse(const char* at, std::string message) {
  refused_at_ = at;
  refusal_ = std::move(message);
  return false;
}

Failure<Error> Parser::failure() const {
  TextPosition where = position_at(text_, static_cast<size_t>(refused_at_ - text_.data()));
  Finding finding;
  finding.code = name_of(refusal_code_);
  finding.message = refusal_;
  finding.line = where.line;
  finding.column = where.column;
  std::string message = "line " + std::to_string(where.line) + ", column " +
                        std::to_string(where.column) + ": " + refusal_;
  return fail(refusal_code_, std::move(message), {std::move(finding)});
}

}  // namespace

Outcome<Value> parse_json(std::string_view text, JsonLimits limits) {
  int nesting_max =
      limits.nesting_max < json_nesting_ceiling ? limits.nesting_max : json_nesting_ceiling;
  return Parser(text, nesting_max).run();
}

}  // namespace fermata
