#include "base/time.h"

#include <cstdlib>
#include <iterator>

#include "base/check.h"

namespace fermata {
namespace {

constexpr int64_t day_ms = 86'400'000;

/// At least `width` digits. By hand: instants are written with every row and every answer.
void append_digits(std::string& out, int64_t value, size_t width) {
  char digits[20];
  size_t begin = sizeof digits;
  for (; value > 0 || sizeof digits - begin < width; value /= 10)
    digits[--begin] = static_cast<char>('0' + value % 10);
  out.append(digits + begin, sizeof digits - begin);
}

/// Reads a text from the left; every read gives nothing once the text does not fit.
class Cursor {
 public:
  explicit Cursor(std::string_view text) : rest_(text) {}
  bool done() const { return rest_.empty(); }
  bool skip(char wanted) {
    if (rest_.empty() || rest_.front() != wanted) return false;
    rest_.remove_prefix(1);
    return true;
  }
  bool skip(std::string_view wanted) {
    if (!rest_.starts_with(wanted)) return false;
    rest_.remove_prefix(wanted.size());
    return true;
  }
  bool skip_either(char upper, char lower) { return skip(upper) || skip(lower); }
  bool at_digit() const { return !rest_.empty() && rest_[0] >= '0' && rest_[0] <= '9'; }
  int digit() {
    int value = rest_[0] - '0';
    rest_.remove_prefix(1);
    return value;
  }
  /// Exactly `width` digits, or -1.
  int fixed(int width) {
    int value = 0;
    for (int i = 0; i < width; ++i) {
      if (!at_digit()) return -1;
      value = value * 10 + digit();
    }
    return value;
  }
  /// One or more digits that fit 64 bits.
  std::optional<int64_t> number() {
    if (!at_digit()) return std::nullopt;
    int64_t value = 0;
    while (at_digit()) {
      if (__builtin_mul_overflow(value, int64_t{10}, &value)) return std::nullopt;
      if (__builtin_add_overflow(value, int64_t{digit()}, &value)) return std::nullopt;
    }
    return value;
  }

 private:
  std::string_view rest_;
};

/// Milliseconds of `.123456789`, cut; 0 without a point; -1 when malformed.
int fraction_ms(Cursor& in) {
  if (!in.skip('.')) return 0;
  int value = 0;
  int digits = 0;
  for (; in.at_digit(); ++digits) {
    int digit = in.digit();
    if (digits < 3) value = value * 10 + digit;
  }
  if (digits == 0 || digits > 9) return -1;
  for (; digits < 3; ++digits) value *= 10;
  return value;
}

/// Minutes east of UTC, or nothing when there is no legal offset.
std::optional<int> offset_minutes(Cursor& in) {
  if (in.skip_either('Z', 'z')) return 0;
  bool west = in.skip('-');
  if (!west && !in.skip('+')) return std::nullopt;
  int hours = in.fixed(2);
  if (!in.skip(':')) return std::nullopt;
  int minutes = in.fixed(2);
  if (hours < 0 || hours > 23 || minutes < 0 || minutes > 59) return std::nullopt;
  int total = hours * 60 + minutes;
  return west ? -total : total;
}

struct Unit {
  std::string_view name;
  int64_t ms;
};

/// Adds `count` units unless the sum leaves 64 bits.
bool add_units(int64_t& total, int64_t count, int64_t unit_ms) {
  int64_t part = 0;
  return !__builtin_mul_overflow(count, unit_ms, &part) &&
         !__builtin_add_overflow(total, part, &total);
}

/// `PT30M`, `P1DT12H`, `P2W`, `PT0.5S`; years and months have no fixed length and are refused.
std::optional<Duration> parse_iso_duration(Cursor in) {
  constexpr Unit units[] = {{"W", 7 * day_ms}, {"D", day_ms}, {"T", 0},
                            {"H", 3'600'000},  {"M", 60'000}, {"S", 1000}};
  constexpr size_t time_mark = 2;
  int64_t total = 0;
  size_t next = 0;
  bool any = false;
  while (!in.done()) {
    if (next <= time_mark && in.skip('T')) {
      next = time_mark + 1;
      any = false;
      continue;
    }
    auto count = in.number();
    if (!count) return std::nullopt;
    size_t end = next <= time_mark ? time_mark : std::size(units);
    int part_ms = fraction_ms(in);
    while (next < end && !in.skip(units[next].name)) ++next;
    if (next >= end || part_ms < 0) return std::nullopt;
    if (part_ms > 0 && units[next].name != "S") return std::nullopt;
    if (!add_units(total, *count, units[next].ms) || !add_units(total, part_ms, 1)) {
      return std::nullopt;
    }
    ++next;
    any = true;
  }
  if (!any) return std::nullopt;
  return Duration{total};
}

}  // namespace

int64_t days_from_civil(CivilDate date) {
  // Years begin in March here, so that the leap day is the last of its year.
  int64_t year = date.month <= 2 ? date.year - 1 : date.year;
  int64_t era = (year >= 0 ? year : year - 399) / 400;
  int64_t year_of_era = year - era * 400;
  int64_t month = date.month > 2 ? date.month - 3 : date.month + 9;
  int64_t day_of_year = (153 * month + 2) / 5 + date.day - 1;
  int64_t day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
  return era * 146'097 + day_of_era - 719'468;
}

CivilDate civil_from_days(int64_t days) {
  days += 719'468;
  int64_t era = (days >= 0 ? days : days - 146'096) / 146'097;
  int64_t day_of_era = days - era * 146'097;
  int64_t year_of_era =
      (day_of_era - day_of_era / 1460 + day_of_era / 36'524 - day_of_era / 146'096) / 365;
  int64_t day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  int64_t month_from_march = (5 * day_of_year + 2) / 153;
  int day = static_cast<int>(day_of_year - (153 * month_from_march + 2) / 5 + 1);
  int month = static_cast<int>(month_from_march < 10 ? month_from_march + 3 : month_from_march - 9);
  return {year_of_era + era * 400 + (month <= 2 ? 1 : 0), month, day};
}

int days_in_month(int64_t year, int month) {
  check(month >= 1 && month <= 12);
  constexpr int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
  return month == 2 && leap ? 29 : days[month - 1];
}

std::string to_rfc3339(Instant at) {
  int64_t days = at.ms / day_ms;
  int64_t rest = at.ms % day_ms;
  if (rest < 0) {
    rest += day_ms;
    --days;
  }
  CivilDate date = civil_from_days(days);
  std::string out;
  out.reserve(sizeof "2026-01-01T00:00:00.000Z");
  // Years that RFC 3339 cannot write get the signed six-digit form of ECMAScript.
  bool plain = date.year >= 0 && date.year <= 9999;
  if (!plain) out += date.year < 0 ? '-' : '+';
  append_digits(out, plain ? date.year : std::abs(date.year), plain ? 4 : 6);
  auto part = [&](char before, int64_t value, size_t width) {
    out += before;
    append_digits(out, value, width);
  };
  part('-', date.month, 2);
  part('-', date.day, 2);
  part('T', rest / 3'600'000, 2);
  part(':', rest / 60'000 % 60, 2);
  part(':', rest / 1000 % 60, 2);
  part('.', rest % 1000, 3);
  return out += 'Z';
}

std::optional<Instant> parse_rfc3339(std::string_view text) {
  Cursor in(text);
  int year = in.fixed(4);
  if (!in.skip('-')) return std::nullopt;
  int month = in.fixed(2);
  if (!in.skip('-')) return std::nullopt;
  int day = in.fixed(2);
  if (!in.skip_either('T', 't')) return std::nullopt;
  int hour = in.fixed(2);
  if (!in.skip(':')) return std::nullopt;
  int minute = in.fixed(2);
  if (!in.skip(':')) return std::nullopt;
  int second = in.fixed(2);
  int ms = fraction_ms(in);
  auto offset = offset_minutes(in);
  if (!offset || !in.done()) return std::nullopt;
  if (year < 0 || month < 1 || month > 12 || day < 1 || day > days_in_month(year, month)) {
    return std::nullopt;
  }
  if (hour < 0 || hour > 23 || minute < 0 || minute > 59 || second < 0 || second > 60 || ms < 0) {
    return std::nullopt;
  }
  int64_t minutes = days_from_civil({year, month, day}) * 1440 + hour * 60 + minute - *offset;
  // A leap second exists only at the end of a UTC day; it reads as the second after it.
  if (second == 60 && (minutes % 1440 + 1440) % 1440 != 1439) return std::nullopt;
  return Instant{minutes * 60'000 + second * 1000 + ms};
}

std::optional<Duration> parse_duration(std::string_view text) {
  Cursor in(text);
  if (in.skip('P')) return parse_iso_duration(in);
  constexpr Unit units[] = {{"w", 7 * day_ms}, {"d", day_ms}, {"h", 3'600'000},
                            {"m", 60'000},     {"s", 1000},   {"ms", 1}};
  constexpr size_t last = std::size(units) - 1;
  if (in.done()) return std::nullopt;
  int64_t total = 0;
  size_t next = 0;
  while (!in.done()) {
    auto count = in.number();
    if (!count || next > last) return std::nullopt;
    // "ms" is asked for first so that its first letter is not taken for minutes.
    if (in.skip(units[last].name)) {
      next = last;
    } else {
      while (next < last && !in.skip(units[next].name)) ++next;
      if (next == last) return std::nullopt;
    }
    if (!add_units(total, *count, units[next].ms)) return std::nullopt;
    ++next;
  }
  return Duration{total};
}

}  // namespace fermata
