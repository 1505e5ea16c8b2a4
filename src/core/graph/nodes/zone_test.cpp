#include "core/graph/nodes/zone.h"

#include <gtest/gtest.h>

namespace fermata::graph {
namespace {

// G-55
TEST(FixedZones, know_utc_and_offsets) {
  auto seconds = [](std::string_view name) {
    auto zone = fixed_zones().find(name);
    return zone ? zone->offset_at({0}).seconds : -1;
  };
  for (std::string_view name : {"UTC", "Etc/UTC", "GMT", "Etc/GMT", "Z", "+00:00", "-00:00"})
    EXPECT_EQ(seconds(name), 0) << name;
  EXPECT_EQ(seconds("+02:00"), 7200);
  EXPECT_EQ(seconds("-0530"), -19'800);
  EXPECT_EQ(seconds("+14"), 50'400);
  EXPECT_EQ(seconds("+23:59"), 86'340);
}

// G-55
TEST(FixedZones, know_no_other_names) {
  for (std::string_view name : {"", "Europe/Berlin", "utc", "+", "+2", "+2:00", "+24:00", "+01:60",
                                "+01:0", "+01:000", "01:00", "+01:00 ", "UTC|GMT"})
    EXPECT_EQ(fixed_zones().find(name), nullptr) << name;
}

TEST(LocalMoment, is_what_the_zone_shows) {
  auto zone = fixed_zones().find("-03:30");
  LocalMoment moment = local_moment({0}, *zone);
  EXPECT_EQ(moment.local, (LocalTime{{1969, 12, 31}, (20 * 60 + 30) * 60'000}));
  EXPECT_EQ(zone->instant_of(moment.local), Instant{0});
  EXPECT_EQ(moment.offset.seconds, -12'600);
  EXPECT_EQ(local_moment({-1}, utc_zone()).local, (LocalTime{{1969, 12, 31}, 86'399'999}));
}

TEST(CalendarWords, weekdays_and_days_of_the_year) {
  EXPECT_EQ(weekday_of({1970, 1, 1}), 4);
  EXPECT_EQ(weekday_of({2026, 3, 1}), 0);
  EXPECT_EQ(weekday_of({1, 1, 1}), 1);
  EXPECT_EQ(day_of_year({2024, 12, 31}), 366);
  EXPECT_EQ(day_of_year({2026, 1, 1}), 1);
}

}  // namespace
}  // namespace fermata::graph
