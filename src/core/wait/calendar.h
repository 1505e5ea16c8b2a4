#pragma once
#include <cstdint>

#include "base/time.h"

/// Reckoning with calendar days and clock times, without saying where they are shown.
namespace fermata {

/// What calendar and clock show somewhere, without saying where.
struct LocalTime {
  CivilDate date;
  int64_t ms_of_day = 0;  ///< 0 to 86,399,999
  auto operator<=>(const LocalTime&) const = default;
};

/// The instant at which a clock in UTC would show it.
Instant as_if_utc(LocalTime local);
LocalTime local_as_if_utc(Instant at);

/// 0 is Sunday.
int weekday_of(CivilDate date);
/// 1 is the first of January.
int day_of_year(CivilDate date);
CivilDate plus_days(CivilDate date, int64_t days);
/// A day that the month does not have becomes its last one.
CivilDate plus_months(CivilDate date, int64_t months);

/// `2026-01-26`.
std::string to_text(CivilDate date);
/// `2026-01-26T10:00:00`, with milliseconds only where there are some.
std::string to_text(LocalTime local);

}  // namespace fermata
