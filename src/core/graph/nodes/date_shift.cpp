#include <cmath>

#include "core/graph/nodes/date_time.h"
#include "core/graph/nodes/parts.h"

namespace fermata::graph {
namespace {

/// More than this leaves the calendar from any date, and stays clear of overflow.
constexpr double elapsed_ms_max = 1e15;
constexpr double calendar_amount_max = 4e6;

int64_t elapsed_unit_ms(std::string_view unit) {
  if (unit == "seconds") return 1000;
  if (unit == "minutes") return 60'000;
  return unit == "hours" ? 3'600'000 : 0;
}

Failure<NodeError> outside_calendar() {
  return node_failure("date_invalid", "The result lies outside the years 0 to 9999.");
}

CivilDate shifted_date(CivilDate date, int64_t amount, std::string_view unit) {
  if (unit == "days") return plus_days(date, amount);
  if (unit == "weeks") return plus_days(date, amount * 7);
  return plus_months(date, unit == "years" ? amount * 12 : amount);
}

}  // namespace

bool has_calendar_year(Instant at, const Zone& zone) {
  auto written_with_four = [](CivilDate date) { return date.year >= 0 && date.year <= 9999; };
  return written_with_four(local_moment(at, zone).local.date) &&
         written_with_four(local_moment(at, utc_zone()).local.date);
}

Result<Instant, NodeError> shift_date(Instant at, const Value& amount, std::string_view unit,
                                      bool backwards, const Zone& zone) {
  auto number = number_of(amount);
  if (!number) return parameter_failure("amount", "a number", amount);
  if (int64_t unit_ms = elapsed_unit_ms(unit)) {
    double ms = std::round(*number * static_cast<double>(unit_ms));
    if (!(std::abs(ms) <= elapsed_ms_max)) return outside_calendar();
    at.ms += static_cast<int64_t>(backwards ? -ms : ms);
  } else {
    if (std::abs(*number) > calendar_amount_max) return outside_calendar();
    auto whole = integer_of(amount);
    if (!whole) return parameter_failure("amount", "a whole number with this unit", amount);
    // Going through the local time would move an instant that clocks show twice.
    if (*whole == 0) return at;
    LocalTime local = local_moment(at, zone).local;
    local.date = shifted_date(local.date, backwards ? -*whole : *whole, unit);
    if (local.date.year < 0 || local.date.year > 9999) return outside_calendar();
    at = zone.instant_of(local);
  }
  if (!has_calendar_year(at, zone)) return outside_calendar();
  return at;
}

}  // namespace fermata::graph
