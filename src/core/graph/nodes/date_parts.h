#pragma once
#include <cstdint>
#include <optional>

#include "core/wait/zone.h"

namespace fermata::graph {

/// What has been read of a date; -1 where nothing was.
struct DateParts {
  int year = -1;
  int century = -1;
  int year_of_century = -1;
  int month = -1;
  int day = -1;
  int year_day = -1;
  int hour = -1;
  int minute = -1;
  int second = -1;
  int ms = 0;
  int ignored = -1;
  std::optional<bool> afternoon;
  std::optional<int> offset_seconds;
  std::optional<int64_t> unix_seconds;
};

/// Nothing when a part does not exist in the calendar or on the clock, or the year is not there.
/// Other parts that are not there are the beginning of the year, month or day; without an offset
/// the time is that of `zone`.
std::optional<Instant> instant_of_parts(const DateParts& parts, const Zone& zone);

}  // namespace fermata::graph
