#include "base/time.h"

#include <gtest/gtest.h>

#include <limits>

namespace fermata {
namespace {

int64_t instant(std::string_view text) {
  auto at = parse_rfc3339(text);
  return at ? at->ms : -1;
}

int64_t duration(std::string_view text) {
  auto length = parse_duration(text);
  return length ? length->ms : -1;
}

TEST(CivilDate, days_and_dates_agree_over_eight_centuries) {
  CivilDate date{1600, 1, 1};
  int64_t days = days_from_civil(date);
  for (; date.year < 2400; ++days) {
    ASSERT_EQ(days_from_civil(date), days);
    ASSERT_EQ(civil_from_days(days), date);
    if (++date.day > days_in_month(date.year, date.month)) {
      date.day = 1;
      if (++date.month > 12) date = {date.year + 1, 1, 1};
    }
  }
  EXPECT_EQ(days_from_civil({1970, 1, 1}), 0);
  EXPECT_EQ(days_from_civil({2000, 3, 1}), 11'017);
}

TEST(CivilDate, february_follows_the_gregorian_rule) {
  EXPECT_EQ(days_in_month(2024, 2), 29);
  EXPECT_EQ(days_in_month(1900, 2), 28);
  EXPECT_EQ(days_in_month(2000, 2), 29);
  EXPECT_EQ(days_in_month(2026, 2), 28);
}

TEST(Rfc3339, prints_utc_with_milliseconds) {
  EXPECT_EQ(to_rfc3339({0}), "1970-01-01T00:00:00.000Z");
  EXPECT_EQ(to_rfc3339({1'769'385'600'000}), "2026-01-26T00:00:00.000Z");
  EXPECT_EQ(to_rfc3339({-1}), "1969-12-31T23:59:59.999Z");
  EXPECT_EQ(to_rfc3339({253'402'300'800'000}), "+010000-01-01T00:00:00.000Z");
  EXPECT_EQ(to_rfc3339({-62'198'755'200'000}), "-000001-01-01T00:00:00.000Z");
  EXPECT_FALSE(to_rfc3339({std::numeric_limits<int64_t>::min()}).empty());
  EXPECT_FALSE(to_rfc3339({std::numeric_limits<int64_t>::max()}).empty());
}

TEST(Rfc3339, reads_offsets_and_fractions) {
  EXPECT_EQ(instant("2026-01-26T00:00:00.000Z"), 1'769'385'600'000);
  EXPECT_EQ(instant("2026-01-26t01:30:00+01:30"), 1'769'385'600'000);
  EXPECT_EQ(instant("2026-01-25T19:00:00-05:00"), 1'769'385'600'000);
  EXPECT_EQ(instant("1970-01-01T00:00:01z"), 1000);
  EXPECT_EQ(instant("1970-01-01T00:00:00.5Z"), 500);
  EXPECT_EQ(instant("1970-01-01T00:00:00.123999999Z"), 123);
  EXPECT_EQ(instant("2016-12-31T23:59:60Z"), instant("2017-01-01T00:00:00Z"));
  EXPECT_EQ(instant("2017-01-01T00:59:60+01:00"), instant("2017-01-01T00:00:00Z"));
}

TEST(Rfc3339, refuses_what_is_not_a_time) {
  for (std::string_view text : {"",
                                "2026-01-26",
                                "2026-01-26T00:00:00",
                                "2026-1-26T00:00:00Z",
                                "2026-13-01T00:00:00Z",
                                "2026-02-29T00:00:00Z",
                                "2026-01-00T00:00:00Z",
                                "2026-01-26T24:00:00Z",
                                "2026-01-26T00:60:00Z",
                                "2026-01-26T00:00:61Z",
                                "2026-01-26T00:00:60Z",
                                "2026-01-26T00:00:00.Z",
                                "2026-01-26T00:00:00.1234567890Z",
                                "2026-01-26T00:00:00+0100",
                                "2026-01-26T00:00:00+24:00",
                                "2026-01-26T00:00:00Zx",
                                " 2026-01-26T00:00:00Z",
                                "-026-01-26T00:00:00Z",
                                "2026-01-26T00:00:00+1",
                                "2026-01-26T00"}) {
    EXPECT_FALSE(parse_rfc3339(text)) << text;
  }
}

TEST(Duration, reads_units_from_large_to_small) {
  EXPECT_EQ(duration("1500ms"), 1500);
  EXPECT_EQ(duration("30s"), 30'000);
  EXPECT_EQ(duration("5m"), 300'000);
  EXPECT_EQ(duration("2h"), 7'200'000);
  EXPECT_EQ(duration("1d12h"), 129'600'000);
  EXPECT_EQ(duration("1w"), 604'800'000);
  EXPECT_EQ(duration("1w2d3h4m5s6ms"), 788'645'006);
  EXPECT_EQ(duration("3m500ms"), 180'500);
  EXPECT_EQ(duration("0s"), 0);
}

TEST(Duration, reads_iso_8601_without_years_and_months) {
  EXPECT_EQ(duration("PT30M"), 1'800'000);
  EXPECT_EQ(duration("P1DT12H"), 129'600'000);
  EXPECT_EQ(duration("P2W"), 1'209'600'000);
  EXPECT_EQ(duration("PT1H2M3.5S"), 3'723'500);
  EXPECT_EQ(duration("P1D"), 86'400'000);
}

TEST(Duration, refuses_what_is_not_a_duration) {
  for (std::string_view text : {"",
                                "5",
                                "s",
                                "-5s",
                                "1.5h",
                                "1h1h",
                                "30m1h",
                                "1ms1s",
                                "5 s",
                                "5S",
                                "5x",
                                "1h ",
                                "1ms2ms",
                                "99999999999999999999s",
                                "9223372036854775807s",
                                "P",
                                "PT",
                                "P1DT",
                                "P1M",
                                "P1Y",
                                "P1H",
                                "PT1D",
                                "PT5",
                                "PT1S1M",
                                "PT1.5M",
                                "PTT1S",
                                "P1D1D",
                                "PT1.S"}) {
    EXPECT_FALSE(parse_duration(text)) << text;
  }
}

}  // namespace
}  // namespace fermata
