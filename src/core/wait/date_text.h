#pragma once
#include <optional>
#include <string_view>

#include "core/wait/zone.h"

/// Dates and times of day as waits take them (W-42, W-43).
namespace fermata {

/// `YYYY-MM-DD`; the day must exist.
std::optional<CivilDate> parse_civil_date(std::string_view text);
/// `HH:MM`, 00:00 to 23:59, as minutes after midnight.
std::optional<int> parse_clock(std::string_view text);

/// A date as it was written: a day, optionally with a time of day and an offset.
struct WrittenDate {
  LocalTime local;
  std::optional<int32_t> offset_seconds;
  /// The instant itself when the text has an offset; else what the zone makes of it (R9).
  LocalMatch match(const Zone& zone) const;
  LocalTime local_in(const Zone& zone) const;
};
/// `YYYY-MM-DD` or `YYYY-MM-DD(T| )HH:MM[:SS[.fff]][Z|±HH:MM]`; no 24:00, no leap second.
std::optional<WrittenDate> parse_written_date(std::string_view text);

}  // namespace fermata
