#include "adapters/yaml/scalar.h"

#include <charconv>
#include <cmath>

namespace fermata {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool is_one_of(std::string_view text, std::initializer_list<std::string_view> words) {
  for (std::string_view word : words)
    if (text == word) return true;
  return false;
}

template <class T>
bool whole(std::string_view text, T& value, int base = 10) {
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  return error == std::errc() && end == text.data() + text.size() && !text.empty();
}

bool whole(std::string_view text, double& value) {
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() && !text.empty();
}

/// Digits with an optional sign, or `0x`, `0o`.
bool integer(std::string_view text, int64_t& value) {
  if (text.starts_with("0x")) return whole(text.substr(2), value, 16) && text[2] != '-';
  if (text.starts_with("0o")) return whole(text.substr(2), value, 8) && text[2] != '-';
  std::string_view digits = text.starts_with('+') ? text.substr(1) : text;
  if (text.starts_with("+-")) return false;
  return whole(digits, value);
}

}  // namespace

Value plain_scalar(std::string_view text) {
  if (is_one_of(text, {"", "~", "null", "Null", "NULL"})) return {};
  if (is_one_of(text, {"true", "True", "TRUE"})) return true;
  if (is_one_of(text, {"false", "False", "FALSE"})) return false;
  size_t first = text.front() == '-' || text.front() == '+' ? 1 : 0;
  bool like_number = first < text.size() &&
                     (is_digit(text[first]) ||
                      (text[first] == '.' && first + 1 < text.size() && is_digit(text[first + 1])));
  if (!like_number) return text;
  int64_t number = 0;
  if (integer(text, number)) return number;
  double real = 0;
  std::string_view digits = text.starts_with('+') ? text.substr(1) : text;
  if (whole(digits, real) && std::isfinite(real)) return real;
  return text;
}

}  // namespace fermata
