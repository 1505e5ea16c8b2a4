#include <algorithm>

#include "base/check.h"
#include "core/wait/resolve.h"

namespace fermata::waits {
namespace {

/// More than any offset can move a date, in years.
constexpr int64_t anniversary_margin_years = 12;
constexpr int anniversaries_tried_max = 4 * anniversary_margin_years;

/// An anchor moved by its offset and by whole years.
struct Shifted {
  LocalTime local;
  LocalMatch match;
  Duration plus;
  Instant at(GapPolicy gap) const { return match.by(gap) + plus; }
};

Shifted shifted(const UntilDate& until, const Zone& zone, int64_t years) {
  Shifted made;
  made.local = until.date->local_in(zone);
  // Months count from the anchor itself, so that a clamped day does not stay clamped.
  made.local.date = plus_months(made.local.date, until.offset.months + 12 * years);
  made.local.date = plus_days(made.local.date, until.offset.days);
  if (until.clock_minutes) made.local.ms_of_day = *until.clock_minutes * int64_t{60'000};
  made.match = zone.match(made.local);
  made.plus = {until.offset.minutes * 60'000};
  return made;
}

Shifted next_anniversary(const UntilDate& until, const Zone& zone, GapPolicy gap, Instant now) {
  int64_t passed = local_as_if_utc(now).date.year - until.date->local.date.year;
  int64_t years =
      std::max<int64_t>(0, passed - until.offset.months / 12 - anniversary_margin_years);
  for (int tries = 0; tries < anniversaries_tried_max; ++tries, ++years) {
    Shifted made = shifted(until, zone, years);
    if (made.at(gap) > now) return made;
  }
  check(false);
  return {};
}

}  // namespace

Instant latest_date(Instant now) {
  LocalTime local = local_as_if_utc(now);
  local.date = plus_months(local.date, 12);
  return as_if_utc(local);
}

Result<WaitInstant, Finding> until_date(const UntilDate& until, const ChosenZone& zone,
                                        GapPolicy gap, const WaitWorld& world) {
  check(until.date.has_value());
  WaitInstant found;
  bool moved = until.is_anchor || until.clock_minutes || until.yearly;
  found.rule = until.yearly || moved ? "R6" : "R9";
  if (!moved && until.date->offset_seconds) {
    // The text itself says the instant; no zone has a say.
    found.at = until.date->match(*zone.zone).earlier;
  } else {
    Shifted made = until.yearly ? next_anniversary(until, *zone.zone, gap, world.now)
                                : shifted(until, *zone.zone, 0);
    found.at = made.at(gap);
    found.adjusted = made.match.kind;
    found.intent = LocalIntent{made.local, zone.name, gap, made.plus, world.zones.version()};
  }
  found.past = found.at <= world.now;
  if (!until.yearly && found.at > latest_date(world.now))
    return Failure{Finding{"date_too_far",
                           until.is_anchor ? "/anchor_date" : "/target_date",
                           "Maximum future date is 1 year; this is " + to_rfc3339(found.at) + ".",
                           {}}};
  return found;
}

}  // namespace fermata::waits
