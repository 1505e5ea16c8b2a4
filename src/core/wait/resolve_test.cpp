#include "core/wait/resolve.h"

#include <gtest/gtest.h>

#include "base/json.h"

namespace fermata::waits {
namespace {

Instant at(std::string_view text) { return parse_rfc3339(text).value(); }

std::shared_ptr<const Zone> zone_by(std::string_view rule_text) {
  auto rule = parse_zone_rule(rule_text).value();
  return std::make_shared<const Zone>(Zone::from({{rule.standard}, {}, {}, rule}).value());
}

const ZoneTable& zones() {
  static const ZoneTable table("2026f", {{"UTC", zone_by("UTC0")},
                                         {"Europe/Berlin", zone_by("CET-1CEST,M3.5.0,M10.5.0/3")},
                                         {"America/New_York", zone_by("EST5EDT,M3.2.0,M11.1.0")},
                                         {"Asia/Tokyo", zone_by("JST-9")}});
  return table;
}

WaitWorld world(std::string_view now) { return {at(now), zones(), {}, {}, {}, {}, {}}; }

Result<WaitInstant, Finding> resolved(std::string_view type, std::string_view config,
                                      const WaitWorld& where) {
  auto read = read_config(type, parse_json(config).value());
  if (!read) return Failure{read.error().front()};
  return resolve(*read, where);
}

/// The instant, or the code of the refusal.
std::string outcome(std::string_view type, std::string_view config, const WaitWorld& where) {
  auto found = resolved(type, config, where);
  if (!found) return found.error().code;
  return to_rfc3339(found->at) + (found->past ? " past" : "");
}

}  // namespace

// R-7, R-8
TEST(UntilDate, past_begins_at_now_and_a_year_is_a_calendar_year) {
  WaitWorld now = world("2026-01-26T12:00:00Z");
  EXPECT_EQ(outcome("until_date", R"({"target_date": "2026-01-26T12:00:00Z"})", now),
            "2026-01-26T12:00:00.000Z past");
  EXPECT_EQ(outcome("until_date", R"({"target_date": "2026-01-26T12:00:01Z"})", now),
            "2026-01-26T12:00:01.000Z");
  EXPECT_EQ(outcome("until_date", R"({"target_date": "2027-01-26T12:00:00Z"})", now),
            "2027-01-26T12:00:00.000Z");
  EXPECT_EQ(outcome("until_date", R"({"target_date": "2027-01-26T12:00:01Z"})", now),
            "date_too_far");
  auto past = resolved("until_date", R"({"target_date": "2025-01-01"})", now);
  EXPECT_EQ(past->warnings, std::vector<std::string>{"target date is in the past"});
}

// R-9
TEST(UntilDate, offset_of_the_text_wins_over_the_zone) {
  WaitWorld now = world("2026-01-26T12:00:00Z");
  now.contact_zone = "Asia/Tokyo";
  now.account_zone = "Europe/Berlin";
  EXPECT_EQ(
      outcome("until_date",
              R"({"target_date": "2026-02-01T09:00:00+02:00", "timezone": "Asia/Tokyo"})", now),
      "2026-02-01T07:00:00.000Z");
  EXPECT_EQ(outcome("until_date", R"({"target_date": "2026-02-01"})", now),
            "2026-02-01T00:00:00.000Z");
  EXPECT_EQ(
      outcome("until_date", R"({"target_date": "2026-02-01", "timezone_mode": "contact"})", now),
      "2026-01-31T15:00:00.000Z");
  EXPECT_EQ(
      outcome("until_date", R"({"target_date": "2026-02-01", "timezone_mode": "account"})", now),
      "2026-01-31T23:00:00.000Z");
}

// R-6
TEST(UntilDate, anchor_is_read_in_the_zone_and_moved_there) {
  WaitWorld now = world("2026-01-01T00:00:00Z");
  // The anchor is the first of February in Berlin; a month later summer time has not begun, two
  // months later it has.
  EXPECT_EQ(outcome("until_date", R"({"anchor_date": "2026-01-31T23:30:00Z",
              "offset": {"months": 1}, "timezone": "Europe/Berlin"})",
                    now),
            "2026-02-28T23:30:00.000Z");
  EXPECT_EQ(outcome("until_date", R"({"anchor_date": "2026-01-31T23:30:00Z",
              "offset": {"months": 2}, "timezone": "Europe/Berlin"})",
                    now),
            "2026-03-31T22:30:00.000Z");
  // Hours come last and are elapsed time, through the gap.
  EXPECT_EQ(outcome("until_date", R"({"anchor_date": "2026-03-28T12:00:00",
              "offset": {"days": 1, "hours": -11}, "timezone": "Europe/Berlin"})",
                    now),
            "2026-03-28T23:00:00.000Z");
  EXPECT_EQ(outcome("until_date", R"({"target_date": "2026-03-01T18:45:00",
              "target_time": "09:00", "timezone": "Europe/Berlin"})",
                    now),
            "2026-03-01T08:00:00.000Z");
}

// R-6
TEST(UntilDate, yearly_is_the_next_anniversary_after_now) {
  auto next = [](std::string_view now, std::string_view offset) {
    return outcome("until_date",
                   R"({"anchor_date": "1980-02-29", "repeat": "yearly", "target_time": "09:00",
                       "offset": )" +
                       std::string(offset) + "}",
                   world(now));
  };
  EXPECT_EQ(next("2026-02-28T08:59:59Z", "{}"), "2026-02-28T09:00:00.000Z");
  EXPECT_EQ(next("2026-02-28T09:00:00Z", "{}"), "2027-02-28T09:00:00.000Z");
  EXPECT_EQ(next("2027-02-28T09:00:00Z", "{}"), "2028-02-29T09:00:00.000Z");
  EXPECT_EQ(next("2026-02-28T09:00:00Z", R"({"years": -100, "days": -3660})"),
            "2027-02-21T09:00:00.000Z");
  EXPECT_EQ(next("1900-01-01T00:00:00Z", "{}"), "1980-02-29T09:00:00.000Z");
}

// R-6: the smallest year that fits, found the slow way.
TEST(UntilDate, yearly_agrees_with_trying_every_year) {
  for (int years = -100; years <= 100; years += 7) {
    for (int days : {-3'660, -400, -1, 0, 30, 3'660}) {
      UntilDate until;
      until.is_anchor = until.yearly = true;
      until.date = WrittenDate{{{1999, 8, 31}, 0}, {}};
      until.offset = {years * 12, days, 0};
      ChosenZone zone{zones().find("Europe/Berlin"), "Europe/Berlin", "explicit", {}};
      WaitWorld now = world("2026-05-05T05:05:05Z");
      auto found = until_date(until, zone, GapPolicy::gap_end, now);
      ASSERT_TRUE(found);
      std::optional<Instant> slow;
      for (int k = 0; k < 300 && !slow; ++k) {
        CivilDate date = plus_days(plus_months({1999, 8, 31}, years * 12 + 12 * k), days);
        Instant candidate = zone.zone->instant_of({date, 0});
        if (candidate > now.now) slow = candidate;
      }
      EXPECT_EQ(found->at, slow) << years << " years, " << days << " days";
    }
  }
}

// R-4
TEST(UntilTime, today_counts_until_the_time_has_come) {
  auto next = [](std::string_view now) {
    return outcome("until_time", R"({"target_time": "10:00"})", world(now));
  };
  EXPECT_EQ(next("2026-01-26T09:59:59Z"), "2026-01-26T10:00:00.000Z");
  EXPECT_EQ(next("2026-01-26T10:00:00Z"), "2026-01-27T10:00:00.000Z");
  EXPECT_EQ(next("2026-01-26T10:00:01Z"), "2026-01-27T10:00:00.000Z");
  EXPECT_EQ(outcome("until_time", R"({"target_time": "10:00", "skip_today": true})",
                    world("2026-01-26T09:00:00Z")),
            "2026-01-27T10:00:00.000Z");
}

// R-4
TEST(UntilTime, answer_tells_which_days_were_passed_over) {
  WaitWorld now = world("2026-12-24T20:00:00Z");
  now.business.holidays = {{{}, 12, 25}};
  auto found = resolved("until_time", R"({"target_time": "10:00", "business_days_only": true,
      "holidays": ["2026-12-28"], "timezone": "Europe/Berlin"})",
                        now);
  ASSERT_TRUE(found);
  EXPECT_EQ(to_rfc3339(found->at), "2026-12-29T09:00:00.000Z");
  std::string why;
  for (const SkippedDate& skipped : found->skipped)
    why += to_text(skipped.date) + " " + std::string(skipped.why) + "; ";
  EXPECT_EQ(why,
            "2026-12-24 passed; 2026-12-25 holiday; 2026-12-26 business_day; "
            "2026-12-27 business_day; 2026-12-28 holiday; ");
  EXPECT_EQ(found->rule, "R4");
  EXPECT_EQ(to_text(found->intent->local), "2026-12-29T10:00:00");
}

// W-43
TEST(UntilTime, filters_that_leave_no_day_are_refused) {
  WaitWorld now = world("2026-01-26T00:00:00Z");
  now.business.days = DaySet::monday_to_friday();
  EXPECT_EQ(outcome("until_time", R"({"target_time": "10:00", "days": ["sunday"],
              "business_days_only": true})",
                    now),
            "no_matching_day");
}

// R-10
TEST(Zones, chain_goes_from_explicit_to_contact_to_account_to_utc) {
  WaitWorld now = world("2026-01-26T00:00:00Z");
  auto source = [&](std::string_view extra) {
    auto found =
        resolved("until_time", R"({"target_time": "10:00")" + std::string(extra) + "}", now);
    return found ? std::string(found->timezone_source) + " " + found->timezone : found.error().code;
  };
  EXPECT_EQ(source(""), "utc UTC");
  now.account_zone = "Europe/Berlin";
  EXPECT_EQ(source(""), "account Europe/Berlin");
  now.contact_zone = "Asia/Tokyo";
  EXPECT_EQ(source(""), "contact Asia/Tokyo");
  EXPECT_EQ(source(R"(, "timezone_mode": "account")"), "account Europe/Berlin");
  EXPECT_EQ(source(R"(, "timezone_mode": "utc")"), "utc UTC");
  EXPECT_EQ(source(R"(, "timezone": "America/New_York")"), "explicit America/New_York");
  EXPECT_EQ(source(R"(, "timezone": "America/Nowhere")"), "unknown_timezone");
  now.contact_zone = "Tokyo Standard Time";
  auto found = resolved("until_time", R"({"target_time": "10:00"})", now);
  EXPECT_EQ(found->timezone, "Europe/Berlin");
  ASSERT_EQ(found->warnings.size(), 1u);
  EXPECT_NE(found->warnings[0].find("Tokyo Standard Time"), std::string::npos);
}

// R-5
TEST(FixedTime, day_is_86400_seconds_whatever_the_clocks_do) {
  WaitWorld now = world("2026-03-28T12:00:00Z");
  now.contact_zone = "Europe/Berlin";
  auto found = resolved("fixed_time", R"({"duration": 1, "unit": "days"})", now);
  EXPECT_EQ(to_rfc3339(found->at), "2026-03-29T12:00:00.000Z");
  EXPECT_FALSE(found->intent);
  EXPECT_EQ(found->timezone, "");
}

// W-46
TEST(Spread, is_fixed_by_the_waits_id_and_stays_within_its_bound) {
  WaitWorld now = world("2026-01-26T00:00:00Z");
  now.spread_key = "one";
  std::string first =
      outcome("until_time", R"({"target_time": "10:00", "spread_seconds": 60})", now);
  EXPECT_EQ(first, outcome("until_time", R"({"target_time": "10:00", "spread_seconds": 60})", now));
  int64_t least = INT64_MAX, most = 0;
  for (int i = 0; i < 1'000; ++i) {
    int64_t ms = spread_delay(std::to_string(i), 60'000).ms;
    least = std::min(least, ms);
    most = std::max(most, ms);
  }
  EXPECT_GE(least, 0);
  EXPECT_LT(least, 1'000);
  EXPECT_LE(most, 60'000);
  EXPECT_GT(most, 59'000);
  EXPECT_EQ(spread_delay("x", 0), Duration{0});
}

// W-46
TEST(Window, resume_outside_moves_to_the_next_opening) {
  auto with = [](std::string_view now, std::string_view window) {
    return outcome(
        "fixed_time",
        R"({"duration": 1, "unit": "hours", "resume_window": )" + std::string(window) + "}",
        world(now));
  };
  std::string_view office = R"({"start": "09:00", "end": "17:00", "timezone": "Europe/Berlin",
                               "days": ["monday", "tuesday"]})";
  EXPECT_EQ(with("2026-01-26T09:00:00Z", office), "2026-01-26T10:00:00.000Z");
  EXPECT_EQ(with("2026-01-26T07:00:00Z", office), "2026-01-26T08:00:00.000Z");
  EXPECT_EQ(with("2026-01-26T06:30:00Z", office), "2026-01-26T08:00:00.000Z");
  EXPECT_EQ(with("2026-01-26T14:59:59Z", office), "2026-01-26T15:59:59.000Z");
  EXPECT_EQ(with("2026-01-26T15:00:00Z", office), "2026-01-27T08:00:00.000Z");
  EXPECT_EQ(with("2026-01-27T15:00:00Z", office), "2026-02-02T08:00:00.000Z");
}

// W-46
TEST(Window, may_cross_midnight_and_belongs_to_the_day_it_opened) {
  auto with = [](std::string_view now) {
    return outcome("fixed_time", R"({"duration": 1, "unit": "hours", "resume_window":
                     {"start": "22:00", "end": "06:00", "days": ["friday"]}})",
                   world(now));
  };
  EXPECT_EQ(with("2026-01-30T22:00:00Z"), "2026-01-30T23:00:00.000Z");
  EXPECT_EQ(with("2026-01-31T04:30:00Z"), "2026-01-31T05:30:00.000Z");
  EXPECT_EQ(with("2026-01-31T05:00:00Z"), "2026-02-06T22:00:00.000Z");
  EXPECT_EQ(with("2026-01-30T00:00:00Z"), "2026-01-30T22:00:00.000Z");
}

// W-46
TEST(Window, holds_back_a_date_that_has_passed) {
  auto found = resolved("until_date", R"({"target_date": "2026-01-01", "resume_window":
      {"start": "09:00", "end": "10:00", "timezone": "Europe/Berlin"}})",
                        world("2026-01-26T12:00:00Z"));
  ASSERT_TRUE(found);
  EXPECT_FALSE(found->past);
  EXPECT_EQ(to_rfc3339(found->at), "2026-01-27T08:00:00.000Z");
  EXPECT_EQ(found->timezone, "Europe/Berlin");
  EXPECT_EQ(outcome("until_date", R"({"target_date": "2026-01-01", "resume_window":
              {"start": "09:00", "end": "10:00", "timezone": "Mars/Base"}})",
                    world("2026-01-26T12:00:00Z")),
            "unknown_timezone");
}

// W-48
TEST(LocalIntent, new_zone_data_makes_another_instant_of_the_same_intent) {
  WaitWorld now = world("2026-07-01T00:00:00Z");
  auto found =
      resolved("until_time", R"({"target_time": "09:00", "timezone": "America/New_York"})", now);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->intent->tzdata_version, "2026f");
  ZoneTable later("2026g", {{"America/New_York", zone_by("EST5")}});
  EXPECT_EQ(to_rfc3339(*instant_of(*found->intent, zones())), "2026-07-01T13:00:00.000Z");
  EXPECT_EQ(to_rfc3339(*instant_of(*found->intent, later)), "2026-07-01T14:00:00.000Z");
  EXPECT_EQ(instant_of(*found->intent, *utc_table()), std::nullopt);
}

TEST(Occurrences, follow_each_other_and_stop_where_there_is_none) {
  auto daily = read_config("until_time", parse_json(R"({"target_time": "02:30",
      "timezone": "Europe/Berlin", "days": ["sunday"]})")
                                             .value());
  std::string all;
  for (const WaitInstant& found : occurrences(*daily, world("2026-03-20T00:00:00Z"), 3))
    all += to_rfc3339(found.at) + " ";
  EXPECT_EQ(all, "2026-03-22T01:30:00.000Z 2026-03-29T01:00:00.000Z 2026-04-05T00:30:00.000Z ");
  auto once = read_config("until_date", parse_json(R"({"target_date": "2026-04-01"})").value());
  EXPECT_EQ(occurrences(*once, world("2026-03-20T00:00:00Z"), 3).size(), 1u);
}

}  // namespace fermata::waits
