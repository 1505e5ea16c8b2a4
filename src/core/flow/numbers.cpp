#include "core/flow/numbers.h"

#include <charconv>
#include <cmath>

namespace fermata::flow {

namespace {

std::partial_ordering compare_mixed(int64_t integer, double number) {
  if (std::isnan(number)) return std::partial_ordering::unordered;
  constexpr double limit = 9223372036854775808.0;
  if (number >= limit) return std::partial_ordering::less;
  if (number < -limit) return std::partial_ordering::greater;
  double whole = std::floor(number);
  auto truncated = static_cast<int64_t>(whole);
  if (integer != truncated) return integer <=> truncated;
  return whole == number ? std::partial_ordering::equivalent : std::partial_ordering::less;
}

std::partial_ordering reversed(std::partial_ordering order) {
  if (order < 0) return std::partial_ordering::greater;
  return order > 0 ? std::partial_ordering::less : order;
}

}  // namespace

std::partial_ordering compare_numbers(const Datum& left, const Datum& right) {
  if (left.tag == Tag::integer) {
    if (right.tag == Tag::integer) return left.integer <=> right.integer;
    return compare_mixed(left.integer, right.number);
  }
  if (right.tag == Tag::integer) return reversed(compare_mixed(right.integer, left.number));
  return left.number <=> right.number;
}

std::partial_ordering compare_numbers(const Value& left, const Value& right) {
  return compare_numbers(Datum::of(left), Datum::of(right));
}

double power(double base, double exponent) {
  if (std::isnan(exponent)) return exponent;
  if (std::fabs(base) == 1 && std::isinf(exponent)) return std::nan("");
  return std::pow(base, exponent);
}

bool read_number(std::string_view text, double& out) {
  bool signed_plus = text.starts_with('+');
  if (signed_plus) text.remove_prefix(1);
  if (text.empty()) return false;
  char first = text.front();
  bool digit = first >= '0' && first <= '9';
  bool negative = first == '-' && !signed_plus;
  if (!digit && !negative && first != '.') return false;
  // from_chars would also take "-inf" and "-nan".
  if (negative && (text.size() < 2 || !(text[1] == '.' || (text[1] >= '0' && text[1] <= '9')))) {
    return false;
  }
  const char* end = text.data() + text.size();
  auto read = std::from_chars(text.data(), end, out);
  if (read.ec == std::errc::result_out_of_range && read.ptr == end) {
    bool tiny =
        text.find("e-") != std::string_view::npos || text.find("E-") != std::string_view::npos;
    out = tiny ? 0 : (negative ? -HUGE_VAL : HUGE_VAL);
    return true;
  }
  return read.ec == std::errc() && read.ptr == end;
}

}  // namespace fermata::flow
