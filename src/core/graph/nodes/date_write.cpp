#include <cstdlib>

#include "core/graph/nodes/date_time.h"

namespace fermata::graph {
namespace {

constexpr int64_t date_second_ms = 1000;
constexpr int64_t date_minute_ms = 60'000;
constexpr int64_t date_hour_ms = 3'600'000;

struct IsoWeek {
  int64_t year;
  int week;
};

/// The week belongs to the year its Thursday lies in.
IsoWeek iso_week_of(CivilDate date) {
  int from_monday = (weekday_of(date) + 6) % 7;
  CivilDate thursday = civil_from_days(days_from_civil(date) - from_monday + 3);
  return {thursday.year, (day_of_year(thursday) - 1) / 7 + 1};
}

void append_number(std::string& out, int64_t number, size_t width, DatePad pad) {
  std::string digits = std::to_string(std::abs(number));
  if (number < 0) out += '-';
  if (pad != DatePad::none && digits.size() < width)
    out.append(width - digits.size(), pad == DatePad::zero ? '0' : ' ');
  out += digits;
}

/// What a field that is a number says; other fields are written by append_piece.
int64_t number_in_field(DateField field, const LocalMoment& moment) {
  const CivilDate& date = moment.local.date;
  int64_t ms = moment.local.ms_of_day;
  using enum DateField;
  switch (field) {
    case year: return date.year;
    case century: return date.year / 100;
    case year_of_century: return date.year % 100;
    case month: return date.month;
    case day: return date.day;
    case year_day: return day_of_year(date);
    case weekday_from_monday: return (weekday_of(date) + 6) % 7 + 1;
    case weekday_from_sunday: return weekday_of(date);
    case hour: return ms / date_hour_ms;
    case hour_of_half: return (ms / date_hour_ms + 11) % 12 + 1;
    case minute: return ms / date_minute_ms % 60;
    case second: return ms / date_second_ms % 60;
    case unix_seconds:
      return moment.at.ms / date_second_ms - (moment.at.ms % date_second_ms < 0 ? 1 : 0);
    case iso_year: return iso_week_of(date).year;
    case iso_year_of_century: return iso_week_of(date).year % 100;
    case iso_week: return iso_week_of(date).week;
    case week_from_sunday: return (day_of_year(date) + 6 - weekday_of(date)) / 7;
    case week_from_monday: return (day_of_year(date) + 6 - (weekday_of(date) + 6) % 7) / 7;
    default: return 0;
  }
}

void append_fraction(std::string& out, const DatePiece& piece, int64_t ms_of_day) {
  std::string digits;
  append_number(digits, ms_of_day % date_second_ms, 3, DatePad::zero);
  digits.resize(piece.width, '0');
  if (piece.trimmed) digits.resize(digits.find_last_not_of('0') + 1);
  if (digits.empty()) return;
  if (piece.letter != 0) out += piece.letter;
  out += digits;
}

void append_offset(std::string& out, const DatePiece& piece, int64_t seconds) {
  if (piece.z && seconds == 0) {
    out += 'Z';
    return;
  }
  out += seconds < 0 ? '-' : '+';
  seconds = std::abs(seconds);
  append_number(out, seconds / 3600, 2, DatePad::zero);
  if (piece.width >= 2) {
    if (piece.colon) out += ':';
    append_number(out, seconds / 60 % 60, 2, DatePad::zero);
  }
  if (piece.width >= 3) {
    if (piece.colon) out += ':';
    append_number(out, seconds % 60, 2, DatePad::zero);
  }
}

void append_piece(std::string& out, const DatePiece& piece, const LocalMoment& moment) {
  std::string_view month_text = month_names[static_cast<size_t>(moment.local.date.month - 1)];
  std::string_view day_text = weekday_names[static_cast<size_t>(weekday_of(moment.local.date))];
  bool afternoon = moment.local.ms_of_day >= 12 * date_hour_ms;
  using enum DateField;
  switch (piece.field) {
    case literal: out += piece.letter; break;
    case month_name: out += month_text; break;
    case month_short: out += month_text.substr(0, short_name_letters); break;
    case weekday_name: out += day_text; break;
    case weekday_short: out += day_text.substr(0, short_name_letters); break;
    case half_upper: out += afternoon ? "PM" : "AM"; break;
    case half_lower: out += afternoon ? "pm" : "am"; break;
    case fraction: append_fraction(out, piece, moment.local.ms_of_day); break;
    case offset: append_offset(out, piece, moment.offset.seconds); break;
    case abbreviation:
      // A zone without letters is told by its offset.
      if (moment.offset.abbreviation.empty())
        append_offset(out, {offset, 2}, moment.offset.seconds);
      else
        out += moment.offset.abbreviation;
      break;
    default: append_number(out, number_in_field(piece.field, moment), piece.width, piece.pad);
  }
}

}  // namespace

std::string write_date(const DatePattern& pattern, const LocalMoment& moment) {
  std::string out;
  for (const DatePiece& piece : pattern) append_piece(out, piece, moment);
  return out;
}

}  // namespace fermata::graph
