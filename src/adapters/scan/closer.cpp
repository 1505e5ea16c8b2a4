#include <algorithm>
#include <array>
#include <cmath>

#include "adapters/scan/builtin.h"

namespace fermata::scan {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

std::string digits_of(std::string_view text) {
  std::string digits;
  for (char c : text)
    if (is_digit(c)) digits.push_back(c);
  return digits;
}

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

constexpr size_t random_bytes_min = 16;
constexpr double random_bits_min = 3.3;

}  // namespace

namespace {

bool is_card(std::string_view found) {
  std::string digits = digits_of(found);
  if (digits.size() < 13 || digits.size() > 19) return false;
  // No network gives out numbers that begin otherwise; a row of one digit is a filler.
  if (digits[0] < '2' || digits[0] > '6') return false;
  if (digits.find_first_not_of(digits[0]) == std::string::npos) return false;
  int sum = 0;
  for (size_t i = 0; i < digits.size(); ++i) {
    int digit = digits[digits.size() - 1 - i] - '0';
    if (i % 2 == 1) digit = digit > 4 ? 2 * digit - 9 : 2 * digit;
    sum += digit;
  }
  return sum % 10 == 0;
}

bool is_iban(std::string_view found) {
  std::string text;
  for (char c : found)
    if (c != ' ') text.push_back(c);
  if (text.size() < 15 || text.size() > 34) return false;
  std::rotate(text.begin(), text.begin() + 4, text.end());
  int rest = 0;
  for (char c : text) {
    int value = is_digit(c) ? c - '0' : c - 'A' + 10;
    rest = (rest * (value > 9 ? 100 : 10) + value) % 97;
  }
  return rest == 1;
}

/// What stands behind a number may look like more of it: each beginning that ends before a gap is
/// tried.
bool any_beginning(std::string_view found, Closer is_it) {
  for (;;) {
    if (is_it(found)) return true;
    size_t gap = found.find_last_of(" -");
    if (gap == std::string_view::npos) return false;
    found = found.substr(0, gap);
  }
}

}  // namespace

bool passes_luhn(std::string_view found) { return any_beginning(found, is_card); }
bool passes_iban(std::string_view found) { return any_beginning(found, is_iban); }

bool is_phone(std::string_view found) {
  size_t digits = digits_of(found).size();
  return digits >= 8 && digits <= 15;
}

bool is_ssn(std::string_view found) {
  std::string digits = digits_of(found);
  std::string_view area = std::string_view(digits).substr(0, 3);
  return area != "000" && area != "666" && area[0] != '9' &&
         std::string_view(digits).substr(3, 2) != "00" &&
         std::string_view(digits).substr(5) != "0000";
}

bool is_dni(std::string_view found) {
  constexpr std::string_view letters = "TRWAGMYFPDXBNJZSQVHLCKE";
  int number = 0;
  for (char c : digits_of(found)) number = number * 10 + (c - '0');
  return letters[static_cast<size_t>(number % 23)] == found.back();
}

bool is_random(std::string_view text) {
  if (text.size() < random_bytes_min) return false;
  bool letters = std::any_of(text.begin(), text.end(), is_letter);
  bool digits = std::any_of(text.begin(), text.end(), is_digit);
  if (!letters || !digits || text.find(' ') != std::string_view::npos) return false;
  std::array<size_t, 256> counts{};
  for (char c : text) ++counts[static_cast<unsigned char>(c)];
  double bits = 0;
  for (size_t count : counts) {
    if (count == 0) continue;
    double share = static_cast<double>(count) / static_cast<double>(text.size());
    bits -= share * std::log2(share);
  }
  return bits >= random_bits_min;
}

bool is_labelled_secret(std::string_view found) {
  size_t mark = found.find_first_of(":=");
  if (mark == std::string_view::npos) return false;
  size_t begin = found.find_first_not_of(" \t\r\n\"':=", mark);
  return begin != std::string_view::npos && is_random(found.substr(begin));
}

bool names_secret(std::string_view key) {
  std::string name;
  for (char c : key)
    if (is_letter(c) || is_digit(c)) name.push_back(lower(c));
  for (std::string_view word : {"apikey", "secret", "token", "passwd", "password", "pwd",
                                "accesskey", "credential", "privatekey"})
    if (name.find(word) != std::string::npos) return true;
  return false;
}

}  // namespace fermata::scan
