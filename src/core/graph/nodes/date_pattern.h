#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

/// How a date is written: the common form of strftime formats (`%Y-%m-%d`) and of reference layouts
/// (`2006-01-02`), so that writing and reading exist once (G-55).
namespace fermata::graph {

enum class DateField : uint8_t {
  literal,
  year,
  century,
  year_of_century,
  month,
  month_name,
  month_short,
  day,
  year_day,  ///< the first of January is 1
  weekday_name,
  weekday_short,
  weekday_from_monday,  ///< Monday is 1, Sunday 7
  weekday_from_sunday,  ///< Sunday is 0
  hour,
  hour_of_half,  ///< 1–12
  minute,
  second,
  fraction,
  half_upper,  ///< AM, PM
  half_lower,
  offset,
  abbreviation,
  unix_seconds,
  iso_year,
  iso_year_of_century,
  iso_week,
  week_from_sunday,
  week_from_monday,
};

enum class DatePad : uint8_t { zero, space, none };

struct DatePiece {
  DateField field = DateField::literal;
  uint8_t width = 0;  ///< digits; of an offset: 1 hours, 2 with minutes, 3 with seconds
  DatePad pad = DatePad::zero;
  char letter = 0;       ///< the literal; what stands before a fraction, 0 for nothing
  bool colon = false;    ///< of an offset
  bool z = false;        ///< of an offset: UTC is written Z
  bool trimmed = false;  ///< of a fraction: no zeros at the end, nothing when it is zero
};

using DatePattern = std::vector<DatePiece>;

constexpr size_t date_format_bytes_max = 256;

/// Formats with a `%` are strftime formats, others reference layouts. The failure is what is wrong
/// with the format, as the end of a sentence.
Result<DatePattern, std::string> date_pattern(std::string_view format);
Result<DatePattern, std::string> strftime_pattern(std::string_view format);
DatePattern layout_pattern(std::string_view layout);

constexpr std::array<std::string_view, 7> weekday_names = {
    "Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"};
constexpr std::array<std::string_view, 12> month_names = {
    "January", "February", "March",     "April",   "May",      "June",
    "July",    "August",   "September", "October", "November", "December"};
constexpr size_t short_name_letters = 3;

}  // namespace fermata::graph
