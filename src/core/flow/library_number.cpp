#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <vector>

#include "base/json.h"
#include "core/flow/code_points.h"
#include "core/flow/library_call.h"
#include "core/flow/numbers.h"

namespace fermata::flow::natives {

namespace {

constexpr double nan_value = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double safe_integer_max = 9007199254740991.0;

std::string_view trimmed(std::string_view text) {
  text.remove_prefix(utf8::space_prefix(text));
  text.remove_suffix(utf8::space_suffix(text));
  return text;
}

double number_of_text(std::string_view text) {
  text = trimmed(text);
  if (text == "Infinity" || text == "+Infinity") return infinity;
  if (text == "-Infinity") return -infinity;
  if (text.size() > 2 && text[0] == '0') {
    int base = text[1] == 'x' || text[1] == 'X'   ? 16
               : text[1] == 'b' || text[1] == 'B' ? 2
               : text[1] == 'o' || text[1] == 'O' ? 8
                                                  : 0;
    uint64_t integer = 0;
    const char* end = text.data() + text.size();
    if (base != 0) {
      auto read = std::from_chars(text.data() + 2, end, integer, base);
      return read.ec == std::errc() && read.ptr == end ? static_cast<double>(integer) : nan_value;
    }
  }
  double out = 0;
  return read_number(text, out) ? out : nan_value;
}

using Function = double (*)(double);
template <Function function>
Datum of_one(Machine& machine, Arguments arguments) {
  Call call(machine, arguments);
  return Datum::of(function(call.number(0)));
}

int digit_of(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'z') return c - 'a' + 10;
  if (c >= 'A' && c <= 'Z') return c - 'A' + 10;
  return 99;
}

/// A number with so many digits behind the point; a tie goes away from zero, as in JavaScript.
std::string fixed_text(double number, int digits) {
  // The longest: 21 digits before the point, 100 and those that show a tie behind it, sign, point.
  constexpr int telling_digits = 25;
  char buffer[160];
  auto write = [&](double value, int behind) {
    auto written =
        std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::fixed, behind);
    return std::string(buffer, written.ptr);
  };
  std::string exact = write(number, digits + telling_digits);
  std::string_view rest = std::string_view(exact).substr(exact.size() - telling_digits);
  bool tie = rest[0] == '5' && rest.find_first_not_of('0', 1) == std::string_view::npos;
  if (!tie) return write(number, digits);
  std::string out = exact.substr(0, exact.size() - telling_digits);
  if (out.ends_with('.')) out.pop_back();
  size_t at = out.size();
  while (at > 0 && (out[at - 1] == '9' || out[at - 1] == '.')) {
    --at;
    if (out[at] == '9') out[at] = '0';
  }
  bool room = at > 0 && out[at - 1] != '-';
  if (room) {
    ++out[at - 1];
  } else {
    out.insert(at, "1");
  }
  return out;
}

constexpr std::string_view base_digits = "0123456789abcdefghijklmnopqrstuvwxyz";

std::string whole_in_base(double whole, int base) {
  std::string reversed;
  // Beyond this a double does not know its last digits.
  for (; whole >= (safe_integer_max + 1) * base; whole /= base) reversed += '0';
  whole = std::floor(whole);
  do {
    double digit = std::fmod(whole, base);
    reversed += base_digits[static_cast<size_t>(digit)];
    whole = (whole - digit) / base;
  } while (whole > 0);
  return {reversed.rbegin(), reversed.rend()};
}

/// As many digits as tell the number from its neighbours, the last one rounded. True when rounding
/// carries into the whole part.
bool fraction_in_base(double fraction, double precision, int base, std::vector<int>& digits) {
  while (fraction >= precision) {
    fraction *= base;
    precision *= base;
    int digit = static_cast<int>(fraction);
    fraction -= digit;
    digits.push_back(digit);
    bool up = fraction > 0.5 || (fraction == 0.5 && digit % 2 == 1);
    if (!up || fraction + precision <= 1) continue;
    while (!digits.empty() && digits.back() + 1 == base) digits.pop_back();
    if (digits.empty()) return true;
    ++digits.back();
    return false;
  }
  return false;
}

/// Digits of a number in another base, as many of a fraction as a double can tell apart.
std::string in_base(double number, int base) {
  double size = std::fabs(number);
  double whole = std::floor(size);
  double precision = std::max(0.5 * (std::nextafter(size, infinity) - size),
                              std::numeric_limits<double>::denorm_min());
  std::vector<int> digits;
  if (fraction_in_base(size - whole, precision, base, digits)) whole += 1;
  std::string out = number < 0 ? "-" : "";
  out += whole_in_base(whole, base);
  if (!digits.empty()) out += '.';
  for (int digit : digits) out += base_digits[static_cast<size_t>(digit)];
  return out;
}

}  // namespace

Datum to_number(Machine& machine, Arguments arguments) {
  const Datum& given = arguments[0];
  if (given.is_number()) return given;
  if (given.tag == Tag::boolean) return Datum::of(given.boolean ? 1.0 : 0.0);
  if (!given.is_text() || !machine.charge_bytes(text_of(given).size())) return Datum::of(nan_value);
  return Datum::of(number_of_text(text_of(given)));
}

Datum to_string(Machine& machine, Arguments arguments) {
  if (arguments[0].is_text()) return arguments[0];
  return machine.text(machine.to_text(arguments[0]));
}

Datum to_boolean(Machine&, Arguments arguments) { return Datum::of(Machine::truthy(arguments[0])); }

Datum parse_int(Machine& machine, Arguments arguments) {
  Call call(machine, arguments);
  std::string content = machine.to_text(arguments[0]);
  int64_t base = call.integer(1, 0);
  if (call.failed()) return {};
  std::string_view text = trimmed(content);
  bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  bool hexadecimal = text.starts_with("0x") || text.starts_with("0X");
  if (hexadecimal && (base == 0 || base == 16)) {
    text.remove_prefix(2);
    base = 16;
  }
  if (base == 0) base = 10;
  if (base < 2 || base > 36) return Datum::of(nan_value);
  double out = 0;
  size_t digits = 0;
  for (; digits < text.size() && digit_of(text[digits]) < base; ++digits) {
    out = out * static_cast<double>(base) + digit_of(text[digits]);
  }
  if (digits == 0) return Datum::of(nan_value);
  return Datum::of(negative ? -out : out);
}

Datum parse_float(Machine& machine, Arguments arguments) {
  std::string content = machine.to_text(arguments[0]);
  std::string_view text = trimmed(content);
  bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  if (text.starts_with("Infinity")) return Datum::of(negative ? -infinity : infinity);
  bool starts = !text.empty() && (digit_of(text[0]) < 10 || text[0] == '.');
  double out = 0;
  if (!starts || std::from_chars(text.data(), text.data() + text.size(), out).ec != std::errc()) {
    return Datum::of(nan_value);
  }
  return Datum::of(negative ? -out : out);
}

Datum is_nan(Machine&, Arguments arguments) {
  const Datum& given = arguments[0];
  return Datum::of(given.tag == Tag::number && std::isnan(given.number));
}

Datum is_finite(Machine&, Arguments arguments) {
  const Datum& given = arguments[0];
  return Datum::of(given.is_number() && std::isfinite(given.as_number()));
}

Datum is_integer(Machine&, Arguments arguments) {
  const Datum& given = arguments[0];
  bool whole = given.tag == Tag::number && std::isfinite(given.number) &&
               std::floor(given.number) == given.number;
  return Datum::of(given.tag == Tag::integer || whole);
}

Datum is_safe_integer(Machine& machine, Arguments arguments) {
  bool whole = is_integer(machine, arguments).boolean;
  return Datum::of(whole && std::fabs(arguments[0].as_number()) <= safe_integer_max);
}

Datum number_to_fixed(Machine& machine, Arguments arguments) {
  Call call(machine, arguments);
  double number = call.number(0);
  int64_t digits = call.integer(1, 0);
  if (call.failed()) return {};
  if (digits < 0 || digits > 100) return machine.throw_argument("toFixed takes 0 to 100 digits");
  if (!std::isfinite(number) || std::fabs(number) >= 1e21) {
    return machine.text(number_to_text(number));
  }
  std::string out = fixed_text(number, static_cast<int>(digits));
  bool zero = out.find_first_not_of("-0.") == std::string::npos;
  if (zero && number == 0 && out.starts_with('-')) out.erase(0, 1);
  return machine.text(std::move(out));
}

Datum number_to_string(Machine& machine, Arguments arguments) {
  Call call(machine, arguments);
  int64_t base = call.integer(1, 10);
  if (call.failed()) return {};
  if (base < 2 || base > 36) return machine.throw_argument("toString takes a base of 2 to 36");
  double number = arguments[0].as_number();
  if (base == 10 || !std::isfinite(number)) return machine.text(machine.to_text(arguments[0]));
  return machine.text(in_base(number, static_cast<int>(base)));
}

Datum math_abs(Machine& m, Arguments a) { return of_one<std::fabs>(m, a); }
Datum math_ceil(Machine& m, Arguments a) { return of_one<std::ceil>(m, a); }
Datum math_floor(Machine& m, Arguments a) { return of_one<std::floor>(m, a); }
Datum math_trunc(Machine& m, Arguments a) { return of_one<std::trunc>(m, a); }
Datum math_sqrt(Machine& m, Arguments a) { return of_one<std::sqrt>(m, a); }
/// The libraries of hosts differ in the last digit, which shows in cubes of whole numbers.
double cube_root(double number) {
  double root = std::cbrt(number);
  double whole = std::round(root);
  return whole * whole * whole == number ? whole : root;
}
Datum math_cbrt(Machine& m, Arguments a) { return of_one<cube_root>(m, a); }
Datum math_exp(Machine& m, Arguments a) { return of_one<std::exp>(m, a); }
Datum math_log(Machine& m, Arguments a) { return of_one<std::log>(m, a); }
Datum math_log2(Machine& m, Arguments a) { return of_one<std::log2>(m, a); }
Datum math_log10(Machine& m, Arguments a) { return of_one<std::log10>(m, a); }
Datum math_sin(Machine& m, Arguments a) { return of_one<std::sin>(m, a); }
Datum math_cos(Machine& m, Arguments a) { return of_one<std::cos>(m, a); }
Datum math_tan(Machine& m, Arguments a) { return of_one<std::tan>(m, a); }
Datum math_asin(Machine& m, Arguments a) { return of_one<std::asin>(m, a); }
Datum math_acos(Machine& m, Arguments a) { return of_one<std::acos>(m, a); }
Datum math_atan(Machine& m, Arguments a) { return of_one<std::atan>(m, a); }

Datum math_round(Machine& machine, Arguments arguments) {
  Call call(machine, arguments);
  double number = call.number(0);
  double down = std::floor(number);
  return Datum::of(number - down >= 0.5 ? down + 1 : down);
}

Datum math_sign(Machine& machine, Arguments arguments) {
  Call call(machine, arguments);
  double number = call.number(0);
  return Datum::of(number > 0 ? 1.0 : number < 0 ? -1.0 : number);
}

Datum math_pow(Machine& machine, Arguments arguments) {
  Call call(machine, arguments);
  return Datum::of(power(call.number(0), call.number(1)));
}

Datum math_atan2(Machine& machine, Arguments arguments) {
  Call call(machine, arguments);
  return Datum::of(std::atan2(call.number(0), call.number(1)));
}

Datum math_hypot(Machine& machine, Arguments arguments) {
  Call call(machine, arguments);
  double out = 0;
  for (size_t i = 0; i < call.size(); ++i) out = std::hypot(out, call.number(i));
  return Datum::of(out);
}

Datum math_min(Machine& machine, Arguments arguments) {
  Call call(machine, arguments);
  double out = infinity;
  for (size_t i = 0; i < call.size(); ++i) {
    double number = call.number(i);
    if (std::isnan(number) || number < out) out = number;
    if (std::isnan(out)) break;
  }
  return Datum::of(out);
}

Datum math_max(Machine& machine, Arguments arguments) {
  Call call(machine, arguments);
  double out = -infinity;
  for (size_t i = 0; i < call.size(); ++i) {
    double number = call.number(i);
    if (std::isnan(number) || number > out) out = number;
    if (std::isnan(out)) break;
  }
  return Datum::of(out);
}

}  // namespace fermata::flow::natives
