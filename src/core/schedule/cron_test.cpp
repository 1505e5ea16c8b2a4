#include "core/schedule/cron.h"

#include <gtest/gtest.h>

namespace fermata::schedule {
namespace {

Instant at(std::string_view text) { return parse_rfc3339(text).value(); }

Zone zone_by(std::string_view rule_text) {
  auto rule = parse_zone_rule(rule_text).value();
  return Zone::from({{rule.standard}, {}, {}, rule}).value();
}

const Zone& berlin() {
  static const Zone zone = zone_by("CET-1CEST,M3.5.0,M10.5.0/3");
  return zone;
}

/// The next occurrences, as the zone shows them, separated by blanks.
std::string next(std::string_view cron_text, std::string_view after, int count,
                 const Zone& zone = utc_zone(), GapPolicy gap = GapPolicy::gap_end) {
  auto cron = Cron::parse(cron_text);
  EXPECT_TRUE(cron) << cron_text << ": " << cron.error();
  std::string all;
  Instant from = at(after);
  for (int i = 0; i < count; ++i) {
    auto found = next_occurrence(*cron, zone, gap, from);
    if (!found) return all + (all.empty() ? "" : " ") + "never";
    from = *found;
    all += (all.empty() ? "" : " ") + to_text(zone.local_at(*found));
  }
  return all;
}

std::string mistake(std::string_view text) {
  auto cron = Cron::parse(text);
  return cron ? std::string() : cron.error();
}

}  // namespace

// F-59, G-32
TEST(Cron, names_ranges_lists_and_steps_are_understood) {
  for (std::string_view text :
       {"* * * * *", "0 9 * * 1-5", "*/15 0,12 1-7 JAN,jul MON-FRI", "  5   4 * *  7 ",
        "0/10 * 31 * *", "0 0 29 2 *", "0 0 31 2 MON", "*/5 * * * * *", "0 0 ? * MON#2",
        "0 0 L * ?", "0 0 15,L * *", "0 0 * * FRI-SUN", "0 0 * * 5-7", "@hourly", "@annually",
        "0 0 1,15 * 1#1,3#5", "10-50/20 * * * *"})
    EXPECT_EQ(mistake(text), "") << text;
}

// F-59, G-32
TEST(Cron, mistakes_name_their_field) {
  struct Case {
    std::string_view text, part;
  };
  for (const Case& example : {Case{"* * * *", "five fields"},
                              Case{"", "five fields"},
                              Case{"* * * * * * *", "has 7"},
                              Case{"60 * * * *", "minute"},
                              Case{"60 * * * * *", "second"},
                              Case{"* 24 * * *", "hour"},
                              Case{"* * 0 * *", "day of month"},
                              Case{"* * * FEBR *", "month"},
                              Case{"* * * * 8", "day of week"},
                              Case{"*/0 * * * *", "step"},
                              Case{"*/60 * * * *", "step"},
                              Case{"5-1 * * * *", "backwards"},
                              Case{"1,,2 * * * *", "minute"},
                              Case{"-1 * * * *", "minute"},
                              Case{"* * * * MON#6", "second Monday"},
                              Case{"* * * * MON#", "second Monday"},
                              Case{"* ? * * *", "hour"},
                              Case{"L * * * *", "minute"},
                              Case{"* * * * L", "day of week"},
                              Case{"+1 * * * *", "minute"},
                              Case{"1-2-3 * * * *", "minute"},
                              Case{"@hourlyy", "Did you mean \"@hourly\"?"},
                              Case{"*5 * * * *", "minute"},
                              Case{"1/ * * * *", "step"},
                              Case{"* * * * TUES", "day of week"}}) {
    std::string text = mistake(example.text);
    EXPECT_NE(text.find(example.part), std::string::npos) << example.text << ": " << text;
  }
  EXPECT_NE(mistake(std::string(501, '*')).find("at most 500"), std::string::npos);
}

// F-59
TEST(Cron, rules_that_never_fire_are_known) {
  for (std::string_view text : {"0 0 30 2 *", "0 0 31 4,6,9,11 *", "0 0 */31 2 MON#5"})
    EXPECT_TRUE(Cron::parse(text)->never_fires()) << text;
  for (std::string_view text :
       {"0 0 29 2 *", "0 0 31 2 MON", "0 0 */31 2 MON", "0 0 L 2 *", "0 0 * 2 MON#5"})
    EXPECT_FALSE(Cron::parse(text)->never_fires()) << text;
  EXPECT_EQ(next("0 0 30 2 *", "2026-01-01T00:00:00Z", 1), "never");
}

// F-59
TEST(Cron, fields_mean_what_they_say) {
  EXPECT_EQ(next("0 9 * * 1-5", "2026-01-23T09:00:00Z", 2),
            "2026-01-26T09:00:00 2026-01-27T09:00:00");
  EXPECT_EQ(next("*/20 10-11 * * *", "2026-01-26T10:20:00Z", 5),
            "2026-01-26T10:40:00 2026-01-26T11:00:00 2026-01-26T11:20:00 2026-01-26T11:40:00 "
            "2026-01-27T10:00:00");
  EXPECT_EQ(next("*/25 * * * * *", "2026-01-26T10:20:49.5Z", 3),
            "2026-01-26T10:20:50 2026-01-26T10:21:00 2026-01-26T10:21:25");
  EXPECT_EQ(next("0 0 L * *", "2028-01-31T00:00:00Z", 2),
            "2028-02-29T00:00:00 2028-03-31T00:00:00");
  EXPECT_EQ(next("0 0 * * MON#2", "2026-01-01T00:00:00Z", 2),
            "2026-01-12T00:00:00 2026-02-09T00:00:00");
  EXPECT_EQ(next("0 0 * * MON#5", "2026-01-01T00:00:00Z", 2),
            "2026-03-30T00:00:00 2026-06-29T00:00:00");
  EXPECT_EQ(next("30 12 29 FEB ?", "2026-01-01T00:00:00Z", 2),
            "2028-02-29T12:30:00 2032-02-29T12:30:00");
  EXPECT_EQ(next("50/5 23 31 12 *", "2026-01-01T00:00:00Z", 3),
            "2026-12-31T23:50:00 2026-12-31T23:55:00 2027-12-31T23:50:00");
  EXPECT_EQ(next("0 0 * * SAT-SUN", "2026-01-26T00:00:00Z", 2),
            "2026-01-31T00:00:00 2026-02-01T00:00:00");
  EXPECT_EQ(next("0 0 * * 7", "2026-01-26T00:00:00Z", 1), "2026-02-01T00:00:00");
}

// F-59: two restricted day fields are alternatives; one that begins with * restricts the other.
TEST(Cron, day_and_weekday_are_alternatives_when_both_are_given) {
  EXPECT_EQ(next("0 0 13 * FRI", "2026-02-09T00:00:00Z", 3),
            "2026-02-13T00:00:00 2026-02-20T00:00:00 2026-02-27T00:00:00");
  EXPECT_EQ(next("0 0 13 * ?", "2026-02-09T00:00:00Z", 2),
            "2026-02-13T00:00:00 2026-03-13T00:00:00");
  EXPECT_EQ(next("0 0 */2 * FRI", "2026-02-09T00:00:00Z", 2),
            "2026-02-13T00:00:00 2026-02-27T00:00:00");
}

// F-59
TEST(Cron, macros_are_their_fields) {
  EXPECT_EQ(next("@hourly", "2026-01-26T10:00:00Z", 1), "2026-01-26T11:00:00");
  EXPECT_EQ(next("@daily", "2026-01-26T10:00:00Z", 1), "2026-01-27T00:00:00");
  EXPECT_EQ(next("@midnight", "2026-01-26T10:00:00Z", 1), "2026-01-27T00:00:00");
  EXPECT_EQ(next("@weekly", "2026-01-26T10:00:00Z", 1), "2026-02-01T00:00:00");
  EXPECT_EQ(next("@monthly", "2026-01-26T10:00:00Z", 1), "2026-02-01T00:00:00");
  EXPECT_EQ(next("@yearly", "2026-01-26T10:00:00Z", 1), "2027-01-01T00:00:00");
}

// F-60: scenario 29
TEST(Cron, skipped_time_fires_once_after_the_gap) {
  EXPECT_EQ(next("30 2 * * *", "2026-03-28T12:00:00Z", 2, berlin()),
            "2026-03-29T03:00:00 2026-03-30T02:30:00");
  EXPECT_EQ(next("30 2 * * *", "2026-03-28T12:00:00Z", 2, berlin(), GapPolicy::shift),
            "2026-03-29T03:30:00 2026-03-30T02:30:00");
  EXPECT_EQ(next("*/15 2 * * *", "2026-03-28T12:00:00Z", 2, berlin()),
            "2026-03-29T03:00:00 2026-03-30T02:00:00");
  EXPECT_EQ(next("*/15 2 * * *", "2026-03-28T12:00:00Z", 5, berlin(), GapPolicy::shift),
            "2026-03-29T03:00:00 2026-03-29T03:15:00 2026-03-29T03:30:00 2026-03-29T03:45:00 "
            "2026-03-30T02:00:00");
}

// F-60
TEST(Cron, skipped_time_falls_together_with_what_is_there) {
  EXPECT_EQ(next("0 2,3 * * *", "2026-03-28T12:00:00Z", 2, berlin()),
            "2026-03-29T03:00:00 2026-03-30T02:00:00");
  EXPECT_EQ(next("30 2,3 * * *", "2026-03-28T12:00:00Z", 2, berlin(), GapPolicy::shift),
            "2026-03-29T03:30:00 2026-03-30T02:30:00");
  EXPECT_EQ(next("30 * * * *", "2026-03-29T00:00:00Z", 3, berlin()),
            "2026-03-29T01:30:00 2026-03-29T03:00:00 2026-03-29T03:30:00");
}

// F-60: scenario 29
TEST(Cron, repeated_time_fires_on_its_first_pass_unless_it_fires_every_hour) {
  auto cron = Cron::parse("30 2 * * *");
  Instant first = *next_occurrence(*cron, berlin(), GapPolicy::gap_end, at("2026-10-24T12:00:00Z"));
  EXPECT_EQ(to_rfc3339(first), "2026-10-25T00:30:00.000Z");
  EXPECT_EQ(to_rfc3339(*next_occurrence(*cron, berlin(), GapPolicy::gap_end, first)),
            "2026-10-26T01:30:00.000Z");
  EXPECT_EQ(next("*/30 * * * *", "2026-10-25T00:00:00Z", 5, berlin()),
            "2026-10-25T02:30:00 2026-10-25T02:00:00 2026-10-25T02:30:00 2026-10-25T03:00:00 "
            "2026-10-25T03:30:00");
  EXPECT_EQ(next("*/30 2,3 * * *", "2026-10-25T00:00:00Z", 3, berlin()),
            "2026-10-25T02:30:00 2026-10-25T03:00:00 2026-10-25T03:30:00");
}

TEST(Cron, search_from_inside_a_second_pass_and_inside_a_shifted_gap) {
  // 02:10 for the second time: 02:30 has been and does not come back.
  EXPECT_EQ(next("30 2 * * *", "2026-10-25T01:10:00Z", 1, berlin()), "2026-10-26T02:30:00");
  // 03:20 after the gap: the shifted 02:30 is still ahead.
  EXPECT_EQ(next("30 2 * * *", "2026-03-29T01:20:00Z", 1, berlin(), GapPolicy::shift),
            "2026-03-29T03:30:00");
  EXPECT_EQ(next("30 2 * * *", "2026-03-29T01:20:00Z", 1, berlin()), "2026-03-30T02:30:00");
}

TEST(Cron, occurrences_before_1970_are_found_too) {
  EXPECT_EQ(next("0 0 1 1 *", "1960-06-01T00:00:00.001Z", 1), "1961-01-01T00:00:00");
  EXPECT_EQ(next("* * * * * *", "1969-12-31T23:59:58.5Z", 2),
            "1969-12-31T23:59:59 1970-01-01T00:00:00");
}

}  // namespace fermata::schedule
