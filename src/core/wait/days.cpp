#include "core/wait/days.h"

#include <algorithm>
#include <array>

#include "core/wait/date_text.h"

namespace fermata {

std::optional<int> weekday_named(std::string_view name) {
  constexpr std::array<std::string_view, 7> names = {"sunday",   "monday", "tuesday", "wednesday",
                                                     "thursday", "friday", "saturday"};
  auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) return std::nullopt;
  return static_cast<int>(found - names.begin());
}

std::optional<Holiday> parse_holiday(std::string_view text) {
  constexpr size_t yearly_size = 5;
  bool yearly = text.size() == yearly_size;
  constexpr std::string_view some_leap_year = "2024-";
  auto date = parse_civil_date(yearly ? std::string(some_leap_year) + std::string(text)
                                      : std::string(text));
  if (!date) return std::nullopt;
  Holiday holiday{date->year, date->month, date->day};
  if (yearly) holiday.year.reset();
  return holiday;
}

std::string_view reason_to_skip(CivilDate date, const DayFilter& filter,
                                const BusinessDays& business) {
  int weekday = weekday_of(date);
  if (!filter.days.has(weekday)) return "weekday";
  if (!filter.business_days_only) return {};
  if (!business.days.has(weekday)) return "business_day";
  auto is_today = [&](const Holiday& holiday) { return holiday.falls_on(date); };
  bool off = std::any_of(business.holidays.begin(), business.holidays.end(), is_today) ||
             std::any_of(filter.holidays.begin(), filter.holidays.end(), is_today);
  return off ? "holiday" : "";
}

}  // namespace fermata
