#include "core/wait/resolve.h"

namespace fermata::waits {
namespace {

constexpr int64_t search_days = 366;
constexpr size_t skipped_max = 31;

}  // namespace

Result<WaitInstant, Finding> until_time(const UntilTime& until, const ChosenZone& zone,
                                        GapPolicy gap, const WaitWorld& world) {
  WaitInstant found;
  found.rule = "R4";
  auto skip = [&](CivilDate date, std::string_view why) {
    if (found.skipped.size() < skipped_max) found.skipped.push_back({date, why});
  };
  CivilDate today = zone.zone->local_at(world.now).date;
  for (int64_t days = 0; days <= search_days; ++days) {
    CivilDate date = plus_days(today, days);
    std::string_view why = reason_to_skip(date, until.days, world.business);
    if (days == 0 && until.skip_today) why = "skip_today";
    if (why.empty() && !zone.zone->has_date(date)) why = "missing";
    LocalTime local{date, until.clock_minutes * int64_t{60'000}};
    LocalMatch match = zone.zone->match(local);
    // Equal to now counts as passed, or a wait would end where it begins.
    if (why.empty() && match.by(gap) <= world.now) why = "passed";
    if (!why.empty()) {
      skip(date, why);
      continue;
    }
    found.at = match.by(gap);
    found.adjusted = match.kind;
    found.intent = LocalIntent{local, zone.name, gap, {}, world.zones.version()};
    return found;
  }
  return Failure{Finding{"no_matching_day",
                         "/days",
                         "No day within a year fits \"days\", business days and holidays.",
                         {}}};
}

}  // namespace fermata::waits
