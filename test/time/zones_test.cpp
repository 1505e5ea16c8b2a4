#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>

#include "adapters/tzdata/bundle.h"
#include "adapters/tzdata/directory.h"
#include "adapters/tzdata/tzdata_zones.h"
#include "base/random.h"
#include "core/wait/resolve.h"
#include "test/time/reference.h"

namespace fermata::testing {
namespace {

const int64_t first_ms = parse_rfc3339("1990-01-01T00:00:00Z")->ms;
const int64_t last_ms = parse_rfc3339("2040-12-31T00:00:00Z")->ms;

Instant random_instant(Random& random) {
  return {first_ms + static_cast<int64_t>(random.below(static_cast<uint64_t>(last_ms - first_ms)))};
}

/// Instants near changes of clocks are where mistakes live.
Instant interesting_instant(Random& random, const Zone& zone) {
  Instant at = random_instant(random);
  auto change = zone.next_change(at);
  if (!change || change->ms > last_ms || random.chance(0.3)) return at;
  constexpr int64_t near_ms = 3 * 3'600'000;
  int64_t away = static_cast<int64_t>(random.below(2 * near_ms)) - near_ms;
  if (random.chance(0.2)) away = static_cast<int64_t>(random.below(5)) - 2;
  return {change->ms + away};
}

std::shared_ptr<const ZoneTable> table_of_system() {
  auto directory = look_at_zones(system_zones);
  EXPECT_TRUE(directory);
  auto read = read_zones(*directory);
  EXPECT_TRUE(read);
  EXPECT_EQ(read->problems, std::vector<std::string>{});
  return std::make_shared<const ZoneTable>(directory->version, read->zones);
}

const ZoneTable& system_table() {
  static const auto table = table_of_system();
  return *table;
}

const ZoneTable::Named& random_zone(Random& random) {
  const auto& zones = system_table().zones();
  return zones[random.below(zones.size())];
}

/// Every instant of the minute at which the library shows a local minute, and the minute at which
/// it passed it.
struct SlowMatch {
  std::vector<int64_t> minutes;
  int64_t passed_at = 0;
  int64_t shown_before = 0;  ///< the local minute right before it was passed
};

SlowMatch slow_match(const LibraryZone& library, int64_t local_minute) {
  constexpr int64_t reach_minutes = 27 * 60;
  SlowMatch slow;
  bool passed = false;
  int64_t before = library.local_minute(local_minute - reach_minutes);
  for (int64_t minute = local_minute - reach_minutes + 1; minute <= local_minute + reach_minutes;
       ++minute) {
    int64_t shown = library.local_minute(minute);
    if (shown == local_minute) slow.minutes.push_back(minute);
    if (!passed && shown >= local_minute) {
      passed = true;
      slow.passed_at = minute;
      slow.shown_before = before;
    }
    before = shown;
  }
  return slow;
}

}  // namespace

TEST(SystemZones, all_are_read_and_none_belongs_to_the_machine) {
  EXPECT_GT(system_table().zones().size(), 400u);
  for (std::string_view name : {"localtime", "posixrules", "posix/Europe/Berlin", "tzdata.zi",
                                "right/Europe/Berlin", "zone.tab"})
    EXPECT_EQ(system_table().find(name), nullptr) << name;
  EXPECT_NE(system_table().version(), "unknown");
}

TEST(SystemZones, instants_are_shown_as_the_c_library_shows_them) {
  Random random(1);
  for (int round = 0; round < 400; ++round) {
    const auto& [name, zone] = random_zone(random);
    LibraryZone library(system_zones + "/" + name);
    for (int i = 0; i < 200; ++i) {
      Instant at = interesting_instant(random, *zone);
      auto expected = library.at(at);
      LocalMoment shown = local_moment(at, *zone);
      ASSERT_EQ(shown.local, expected.local) << name << " " << to_rfc3339(at);
      ASSERT_EQ(shown.offset.seconds, expected.offset_seconds) << name << " " << to_rfc3339(at);
      ASSERT_EQ(shown.offset.abbreviation, expected.abbreviation) << name << " " << to_rfc3339(at);
    }
  }
}

//
TEST(SystemZones, local_times_are_found_where_the_c_library_shows_them) {
  Random random(2);
  int gaps = 0, overlaps = 0;
  for (int round = 0; round < 600; ++round) {
    const auto& [name, zone] = random_zone(random);
    LibraryZone library(system_zones + "/" + name);
    Instant near = interesting_instant(random, *zone);
    int64_t local = near.ms / 60'000 + zone->offset_at(near).seconds / 60;
    // Right after a change the time that clocks would have shown without it is of interest too.
    if (auto change = zone->next_change(near); change && random.chance(0.5))
      local = change->ms / 60'000 + zone->offset_at({change->ms - 1}).seconds / 60 +
              static_cast<int64_t>(random.below(120)) - 60;
    SlowMatch slow = slow_match(library, local);
    LocalMatch match = zone->match(local_as_if_utc({local * 60'000}));
    std::string where = name + " " + to_text(local_as_if_utc({local * 60'000}));
    if (slow.minutes.empty()) {
      ++gaps;
      ASSERT_EQ(match.kind, LocalMatch::Kind::gap) << where;
      ASSERT_EQ(match.earlier.ms, slow.passed_at * 60'000) << where;
      ASSERT_EQ(match.later.ms, (slow.passed_at - 1 + local - slow.shown_before) * 60'000) << where;
      continue;
    }
    overlaps += slow.minutes.size() > 1;
    ASSERT_EQ(match.kind,
              slow.minutes.size() > 1 ? LocalMatch::Kind::overlap : LocalMatch::Kind::unique)
        << where;
    ASSERT_EQ(match.earlier.ms, slow.minutes.front() * 60'000) << where;
    ASSERT_EQ(match.later.ms, slow.minutes.back() * 60'000) << where;
  }
  EXPECT_GT(gaps, 20);
  EXPECT_GT(overlaps, 20);
}

// the clock is watched until it reaches the time of day on a day that fits.
TEST(SystemZones, time_of_day_is_what_a_watched_clock_reaches_first) {
  Random random(3);
  for (int round = 0; round < 250; ++round) {
    const auto& [name, zone] = random_zone(random);
    LibraryZone library(system_zones + "/" + name);
    Instant now = interesting_instant(random, *zone);
    waits::UntilTime until;
    until.clock_minutes = static_cast<int>(random.below(1'440));
    until.days.days = DaySet(static_cast<uint8_t>(1 + random.below(127)));
    waits::WaitWorld world{now, system_table(), {}, {}, {}, {}, {}};
    auto found = waits::until_time(until, {zone, name, "explicit", {}}, GapPolicy::gap_end, world);
    ASSERT_TRUE(found);
    int64_t today = days_from_civil(zone->local_at(now).date);
    ClockWatch watch(library, now);
    std::optional<Instant> reached;
    while (!reached && watch.minute() < now.ms / 60'000 + 16 * 1'440) {
      watch.step();
      if (watch.now() <= now) continue;
      for (int64_t local = watch.reached_before() + 1; local <= watch.reached(); ++local) {
        int64_t day = local >= 0 ? local / 1'440 : (local - 1'439) / 1'440;
        bool fits = day >= today && local - day * 1'440 == until.clock_minutes &&
                    until.days.days.has(weekday_of(civil_from_days(day)));
        // A day that the clock jumped over as a whole does not count.
        bool exists = watch.shown() / 1'440 == day || watch.shown_before() / 1'440 == day;
        if (fits && exists && !reached) reached = watch.now();
      }
    }
    ASSERT_TRUE(reached) << name << " " << to_rfc3339(now);
    ASSERT_EQ(to_rfc3339(found->at), to_rfc3339(*reached)) << name << " " << to_rfc3339(now);
  }
}

/// The date so many months and then days away, counted by the C++ library one step at a time; a day
/// that its month does not have is the month's last.
std::chrono::sys_days slow_shift(std::chrono::year_month_day date, int64_t months, int64_t days) {
  std::chrono::year_month month = date.year() / date.month();
  for (int64_t i = 0; i != months; i += months > 0 ? 1 : -1)
    month += std::chrono::months(months > 0 ? 1 : -1);
  std::chrono::year_month_day last = month / std::chrono::last;
  std::chrono::sys_days day = month / std::min(date.day(), last.day());
  for (int64_t i = 0; i != days; i += days > 0 ? 1 : -1)
    day += std::chrono::days(days > 0 ? 1 : -1);
  return day;
}

// calendar first, then the clock on the wall, then elapsed time.
TEST(SystemZones, dates_are_where_a_slow_calendar_and_the_c_library_put_them) {
  Random random(5);
  int gaps = 0, clamped = 0;
  for (int round = 0; round < 400; ++round) {
    const auto& [name, zone] = random_zone(random);
    LibraryZone library(system_zones + "/" + name);
    waits::UntilDate until;
    until.is_anchor = true;
    // The offset leads to where clocks change, or about there.
    Instant near = interesting_instant(random, *zone);
    int64_t months = static_cast<int64_t>(random.below(61)) - 30;
    int64_t days = static_cast<int64_t>(random.below(81)) - 40;
    LocalTime target = zone->local_at(near);
    if (auto change = zone->next_change(near); change && random.chance(0.5))
      target = local_as_if_utc({change->ms + zone->offset_at({change->ms - 1}).seconds * 1'000 +
                                static_cast<int64_t>(random.below(60)) * 60'000});
    CivilDate anchor = plus_months(plus_days(target.date, -days), -months);
    if (random.chance(0.3))
      anchor = {anchor.year, anchor.month, 28 + static_cast<int>(random.below(4))};
    std::chrono::year_month_day written{std::chrono::year(static_cast<int>(anchor.year)),
                                        std::chrono::month(static_cast<unsigned>(anchor.month)),
                                        std::chrono::day(static_cast<unsigned>(anchor.day))};
    if (!written.ok()) continue;
    int64_t minute_of_day = target.ms_of_day / 60'000;
    until.date = WrittenDate{{anchor, minute_of_day * 60'000}, {}};
    until.offset = {months, days, static_cast<int64_t>(random.below(3'000)) - 1'500};
    auto gap = random.chance(0.5) ? GapPolicy::gap_end : GapPolicy::shift;
    std::chrono::sys_days day = slow_shift(written, months, days);
    clamped += std::chrono::year_month_day(slow_shift(written, months, 0)).day() != written.day();
    int64_t local = day.time_since_epoch().count() * 1'440 + minute_of_day;
    SlowMatch slow = slow_match(library, local);
    gaps += slow.minutes.empty() ? 1 : 0;
    int64_t minute = !slow.minutes.empty()       ? slow.minutes.front()
                     : gap == GapPolicy::gap_end ? slow.passed_at
                                                 : slow.passed_at - 1 + local - slow.shown_before;
    Instant expected{(minute + until.offset.minutes) * 60'000};
    // So that it is neither past nor too far.
    waits::WaitWorld world{expected - Duration{86'400'000}, system_table(), {}, {}, {}, {}, {}};
    auto found = waits::until_date(until, {zone, name, "explicit", {}}, gap, world);
    ASSERT_TRUE(found) << name;
    ASSERT_EQ(to_rfc3339(found->at), to_rfc3339(expected))
        << name << " " << to_text(until.date->local) << " " << months << " months " << days
        << " days";
  }
  EXPECT_GT(gaps, 20);
  EXPECT_GT(clamped, 10);
}

// W-5
TEST(SystemZones, zone_of_the_process_has_no_effect) {
  Instant at = *parse_rfc3339("2026-07-01T12:00:00Z");
  LocalTime before = system_table().find("Europe/Berlin")->local_at(at);
  LibraryZone elsewhere(system_zones + "/Asia/Tokyo");
  EXPECT_EQ(table_of_system()->find("Europe/Berlin")->local_at(at), before);
  EXPECT_EQ(read_bundle(bundled_zone_bytes()).value()->find("Europe/Berlin")->local_at(at), before);
}

// W-48
TEST(Bundle, is_the_same_data_in_another_form) {
  auto bundle = read_bundle(bundled_zone_bytes());
  ASSERT_TRUE(bundle) << bundle.error();
  if ((*bundle)->version() != system_table().version())
    GTEST_SKIP() << "the machine has another release than the program";
  ASSERT_EQ((*bundle)->zones().size(), system_table().zones().size());
  Random random(4);
  for (const auto& [name, zone] : system_table().zones()) {
    auto other = (*bundle)->find(name);
    ASSERT_TRUE(other) << name;
    for (int i = 0; i < 50; ++i) {
      Instant at = interesting_instant(random, *zone);
      ASSERT_EQ(zone->offset_at(at), other->offset_at(at)) << name << " " << to_rfc3339(at);
    }
  }
}

}  // namespace fermata::testing
