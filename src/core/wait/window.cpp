#include "core/wait/resolve.h"

namespace fermata::waits {
namespace {

constexpr int64_t window_search_days = 366;

LocalTime minutes_into(CivilDate date, int minutes) { return {date, minutes * int64_t{60'000}}; }

}  // namespace

Result<WindowInstant, Finding> in_window(Instant at, const ResumeWindow& window,
                                         const ChosenZone& zone, GapPolicy gap,
                                         const WaitWorld& world) {
  CivilDate today = zone.zone->local_at(at).date;
  bool crosses_midnight = window.start_minutes > window.end_minutes;
  // Yesterday's window may still be open.
  for (int64_t days = -1; days <= window_search_days; ++days) {
    CivilDate date = plus_days(today, days);
    if (!reason_to_skip(date, window.days, world.business).empty()) continue;
    if (!zone.zone->has_date(date)) continue;
    LocalTime start = minutes_into(date, window.start_minutes);
    LocalTime end = minutes_into(crosses_midnight ? plus_days(date, 1) : date, window.end_minutes);
    Instant opens = zone.zone->instant_of(start, gap);
    Instant closes = zone.zone->instant_of(end, gap);
    if (opens >= closes || closes <= at) continue;
    if (opens <= at) return WindowInstant{at, {}};
    return WindowInstant{opens, LocalIntent{start, zone.name, gap, {}, world.zones.version()}};
  }
  return Failure{Finding{"invalid_window",
                         "/resume_window",
                         "The window does not open on any day within a year.",
                         {}}};
}

}  // namespace fermata::waits
