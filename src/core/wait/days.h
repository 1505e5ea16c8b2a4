#pragma once
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "core/wait/calendar.h"

namespace fermata {

/// A set of weekdays; 0 is Sunday.
class DaySet {
 public:
  constexpr DaySet() = default;
  constexpr explicit DaySet(uint8_t bits) : bits_(bits & 0x7f) {}
  static constexpr DaySet all() { return DaySet(0x7f); }
  static constexpr DaySet monday_to_friday() { return DaySet(0x3e); }
  constexpr bool has(int weekday) const { return (bits_ >> weekday & 1) != 0; }
  constexpr bool empty() const { return bits_ == 0; }
  constexpr void add(int weekday) { bits_ = static_cast<uint8_t>(bits_ | 1 << weekday); }
  bool operator==(const DaySet&) const = default;

 private:
  uint8_t bits_ = 0;
};
/// `monday` … `sunday`, in lower case.
std::optional<int> weekday_named(std::string_view name);

/// A day off: of one year, or of every year.
struct Holiday {
  std::optional<int64_t> year;
  int month = 1;
  int day = 1;
  bool falls_on(CivilDate date) const {
    return month == date.month && day == date.day && (!year || *year == date.year);
  }
  bool operator==(const Holiday&) const = default;
};
/// `YYYY-MM-DD`, or `MM-DD` for every year; the day must exist (02-29 does, in leap years).
std::optional<Holiday> parse_holiday(std::string_view text);

/// When an account works.
struct BusinessDays {
  DaySet days = DaySet::monday_to_friday();
  std::vector<Holiday> holidays;
};

/// Which dates a wait may end on. Holidays count only with `business_days_only` (W-43).
struct DayFilter {
  DaySet days = DaySet::all();
  bool business_days_only = false;
  std::vector<Holiday> holidays;  ///< beside the account's
};

/// Why a date is left out: `weekday`, `business_day` or `holiday`; empty when it is taken. Judged
/// on the nominal local date (R4).
std::string_view reason_to_skip(CivilDate date, const DayFilter& filter,
                                const BusinessDays& business);

}  // namespace fermata
