#include "core/graph/nodes/date_parts.h"

namespace fermata::graph {
namespace {

std::optional<CivilDate> civil_date_of(const DateParts& parts) {
  int year = parts.year;
  if (year < 0 && parts.year_of_century >= 0) {
    // As POSIX reads two digits: 69 to 99 are of the last century.
    int century = parts.century >= 0 ? parts.century : parts.year_of_century >= 69 ? 19 : 20;
    year = century * 100 + parts.year_of_century;
  }
  if (year < 0) return std::nullopt;
  if (parts.year_day >= 0 && parts.month < 0) {
    int days = days_in_month(year, 2) == 29 ? 366 : 365;
    if (parts.year_day < 1 || parts.year_day > days) return std::nullopt;
    return civil_from_days(days_from_civil({year, 1, 1}) + parts.year_day - 1);
  }
  int month = parts.month < 0 ? 1 : parts.month;
  int day = parts.day < 0 ? 1 : parts.day;
  if (month < 1 || month > 12 || day < 1 || day > days_in_month(year, month)) return std::nullopt;
  return CivilDate{year, month, day};
}

}  // namespace

std::optional<Instant> instant_of_parts(const DateParts& parts, const Zone& zone) {
  if (parts.unix_seconds) return Instant{*parts.unix_seconds * 1000 + parts.ms};
  auto date = civil_date_of(parts);
  int hour = parts.hour < 0 ? 0 : parts.hour;
  int minute = parts.minute < 0 ? 0 : parts.minute;
  int second = parts.second < 0 ? 0 : parts.second;
  if (!date || hour > 23 || minute > 59 || second > 59) return std::nullopt;
  if (parts.afternoon) {
    if (hour > 12) return std::nullopt;
    hour = hour % 12 + (*parts.afternoon ? 12 : 0);
  }
  LocalTime local{*date, ((hour * 60 + minute) * 60 + second) * int64_t{1000} + parts.ms};
  if (parts.offset_seconds) return instant_at_offset(local, *parts.offset_seconds);
  return zone.instant_of(local);
}

}  // namespace fermata::graph
