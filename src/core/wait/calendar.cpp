#include "core/wait/calendar.h"

#include <algorithm>
#include <cstdio>

namespace fermata {
namespace {

constexpr int64_t day_ms = 86'400'000;

}  // namespace

Instant as_if_utc(LocalTime local) {
  return {days_from_civil(local.date) * day_ms + local.ms_of_day};
}

LocalTime local_as_if_utc(Instant at) {
  int64_t days = at.ms / day_ms;
  int64_t rest = at.ms % day_ms;
  if (rest < 0) {
    rest += day_ms;
    --days;
  }
  return {civil_from_days(days), rest};
}

int weekday_of(CivilDate date) {
  int64_t day = (days_from_civil(date) + 4) % 7;  // 1970-01-01 was a Thursday
  return static_cast<int>(day < 0 ? day + 7 : day);
}

int day_of_year(CivilDate date) {
  return static_cast<int>(days_from_civil(date) - days_from_civil({date.year, 1, 1})) + 1;
}

CivilDate plus_days(CivilDate date, int64_t days) {
  return civil_from_days(days_from_civil(date) + days);
}

CivilDate plus_months(CivilDate date, int64_t months) {
  int64_t total = date.year * 12 + date.month - 1 + months;
  int64_t year = total >= 0 ? total / 12 : (total - 11) / 12;
  int month = static_cast<int>(total - year * 12) + 1;
  return {year, month, std::min(date.day, days_in_month(year, month))};
}

std::string to_text(CivilDate date) {
  char out[40];
  std::snprintf(out, sizeof out, "%04lld-%02d-%02d", static_cast<long long>(date.year), date.month,
                date.day);
  return out;
}

std::string to_text(LocalTime local) {
  int ms = static_cast<int>(local.ms_of_day % 1000);
  char out[24];
  std::snprintf(out, sizeof out, "T%02d:%02d:%02d", static_cast<int>(local.ms_of_day / 3'600'000),
                static_cast<int>(local.ms_of_day / 60'000 % 60),
                static_cast<int>(local.ms_of_day / 1000 % 60));
  std::string text = to_text(local.date) + out;
  if (ms == 0) return text;
  std::snprintf(out, sizeof out, ".%03d", ms);
  return text + out;
}

}  // namespace fermata
