#include <algorithm>

#include "core/graph/nodes/date_pattern.h"

namespace fermata::graph {
namespace {

struct Conversion {
  char letter;
  DatePiece piece;
};

const DatePiece* piece_of(char letter) {
  using enum DateField;
  static constexpr Conversion conversions[] = {
      {'a', {weekday_short}},
      {'A', {weekday_name}},
      {'b', {month_short}},
      {'B', {month_name}},
      {'C', {century, 2}},
      {'d', {day, 2}},
      {'e', {day, 2, DatePad::space}},
      {'f', {fraction, 6}},
      {'g', {iso_year_of_century, 2}},
      {'G', {iso_year, 4}},
      {'h', {month_short}},
      {'H', {hour, 2}},
      {'I', {hour_of_half, 2}},
      {'j', {year_day, 3}},
      {'k', {hour, 2, DatePad::space}},
      {'l', {hour_of_half, 2, DatePad::space}},
      {'L', {fraction, 3}},
      {'m', {month, 2}},
      {'M', {minute, 2}},
      {'n', {.field = literal, .letter = '\n'}},
      {'N', {fraction, 9}},
      {'p', {half_upper}},
      {'P', {half_lower}},
      {'s', {unix_seconds, 1, DatePad::none}},
      {'S', {second, 2}},
      {'t', {.field = literal, .letter = '\t'}},
      {'u', {weekday_from_monday, 1}},
      {'U', {week_from_sunday, 2}},
      {'V', {iso_week, 2}},
      {'w', {weekday_from_sunday, 1}},
      {'W', {week_from_monday, 2}},
      {'y', {year_of_century, 2}},
      {'Y', {year, 4}},
      {'z', {offset, 2}},
      {'Z', {abbreviation}},
      {'%', {.field = literal, .letter = '%'}},
  };
  for (const Conversion& conversion : conversions)
    if (conversion.letter == letter) return &conversion.piece;
  return nullptr;
}

struct Shorthand {
  char letter;
  std::string_view format;
};

/// As C has them where no language is chosen.
constexpr Shorthand shorthands[] = {
    {'c', "%a %b %e %H:%M:%S %Y"},
    {'D', "%m/%d/%y"},
    {'F', "%Y-%m-%d"},
    {'r', "%I:%M:%S %p"},
    {'R', "%H:%M"},
    {'T', "%H:%M:%S"},
    {'x', "%m/%d/%y"},
    {'X', "%H:%M:%S"},
};

/// `%-d`, `%_d` and `%0d` choose the padding, `%:z` the colon of an offset.
bool takes_flag(DatePiece& piece, char flag) {
  if (flag == ':') {
    piece.colon = true;
    return piece.field == DateField::offset;
  }
  piece.pad = flag == '-' ? DatePad::none : flag == '_' ? DatePad::space : DatePad::zero;
  return piece.width > 0 && piece.field != DateField::offset && piece.field != DateField::fraction;
}

const Shorthand* shorthand_of(char letter) {
  for (const Shorthand& shorthand : shorthands)
    if (shorthand.letter == letter) return &shorthand;
  return nullptr;
}

/// Reads one conversion behind its percent sign; false when it is not known.
bool add_conversion(std::string_view& rest, DatePattern& pattern) {
  char flag = 0;
  if (!rest.empty() && std::string_view("-_0:").find(rest[0]) != std::string_view::npos) {
    flag = rest[0];
    rest.remove_prefix(1);
  }
  if (rest.empty()) return false;
  char letter = rest[0];
  rest.remove_prefix(1);
  if (const Shorthand* shorthand = shorthand_of(letter)) {
    if (flag != 0) return false;
    auto pieces = strftime_pattern(shorthand->format);
    pattern.insert(pattern.end(), pieces->begin(), pieces->end());
    return true;
  }
  const DatePiece* known = piece_of(letter);
  if (known == nullptr) return false;
  DatePiece piece = *known;
  if (flag != 0 && !takes_flag(piece, flag)) return false;
  pattern.push_back(piece);
  return true;
}

}  // namespace

Result<DatePattern, std::string> strftime_pattern(std::string_view format) {
  DatePattern pattern;
  while (!format.empty()) {
    char letter = format[0];
    format.remove_prefix(1);
    if (letter != '%') {
      pattern.push_back({.field = DateField::literal, .letter = letter});
      continue;
    }
    std::string_view before = format;
    if (add_conversion(format, pattern)) continue;
    std::string_view unknown = before.substr(0, before.size() - format.size());
    return Failure{"has the unknown conversion %" + std::string(unknown)};
  }
  return pattern;
}

Result<DatePattern, std::string> date_pattern(std::string_view format) {
  if (format.size() > date_format_bytes_max)
    return Failure{"is longer than " + std::to_string(date_format_bytes_max) + " bytes"};
  DatePattern pattern;
  if (format.find('%') == std::string_view::npos) {
    pattern = layout_pattern(format);
  } else {
    auto read = strftime_pattern(format);
    if (!read) return Failure{std::move(read).error()};
    pattern = *std::move(read);
  }
  bool any = std::any_of(pattern.begin(), pattern.end(),
                         [](const DatePiece& piece) { return piece.field != DateField::literal; });
  if (!any) return Failure{std::string("names no part of a date; write %Y-%m-%d or 2006-01-02")};
  return pattern;
}

}  // namespace fermata::graph
