#include "core/wait/zone.h"

#include <gtest/gtest.h>

#include "core/wait/zone_table.h"

namespace fermata {
namespace {

Instant at(std::string_view text) { return parse_rfc3339(text).value(); }

Zone zone_by(std::string_view rule_text) {
  auto rule = parse_zone_rule(rule_text);
  EXPECT_TRUE(rule) << rule_text;
  auto zone = Zone::from({{rule->standard}, {}, {}, rule});
  EXPECT_TRUE(zone);
  return *zone;
}

LocalTime local(std::string_view text) { return local_as_if_utc(at(std::string(text) + "Z")); }

std::string instants(const Zone& zone, std::string_view text) {
  LocalMatch match = zone.match(local(text));
  constexpr std::string_view kinds[] = {"unique", "gap", "overlap"};
  return std::string(kinds[static_cast<size_t>(match.kind)]) + " " + to_rfc3339(match.earlier) +
         " " + to_rfc3339(match.later);
}

}  // namespace

TEST(ZoneRule, texts_are_read_in_all_their_forms) {
  auto berlin = parse_zone_rule("CET-1CEST,M3.5.0,M10.5.0/3").value();
  EXPECT_EQ(berlin.standard, (ZoneOffset{3600, "CET", false}));
  EXPECT_EQ(berlin.summer, (ZoneOffset{7200, "CEST", true}));
  EXPECT_EQ(berlin.begins.seconds, 7200);
  EXPECT_EQ(berlin.ends.seconds, 10'800);
  auto dublin = parse_zone_rule("IST-1GMT0,M10.5.0,M3.5.0/1").value();
  EXPECT_EQ(dublin.summer->seconds, 0);
  auto troll = parse_zone_rule("<+00>0<+02>-2,M3.5.0/1,M10.5.0/3").value();
  EXPECT_EQ(troll.summer->abbreviation, "+02");
  EXPECT_EQ(troll.summer->seconds, 7200);
  EXPECT_EQ(parse_zone_rule("<-0330>3:30").value().standard.seconds, -12'600);
  EXPECT_EQ(parse_zone_rule("EST5EDT,J60/-1,59/167:59:59").value().begins.seconds, -3600);
}

TEST(ZoneRule, texts_that_make_no_sense_are_refused) {
  for (std::string_view text :
       {"", "C", "CET", "CET-1CEST", "CET-1CEST,M3.5.0", "CET-1CEST,M13.1.0,M1.1.0", "CET25",
        "CET-1CEST,M3.6.0,M10.5.0", "CET-1CEST,J0,J1", "CET-1CEST,366,1", "<+0", "CET-1 ",
        "CET-1CEST,M3.5.0/168,M10.5.0", "CET-1CEST,M3.5.0,M10.5.0x", "CET1:60", "CET99999999999"})
    EXPECT_FALSE(parse_zone_rule(text)) << text;
}

//
TEST(Zone, skipped_and_repeated_times_name_both_instants) {
  Zone berlin = zone_by("CET-1CEST,M3.5.0,M10.5.0/3");
  EXPECT_EQ(instants(berlin, "2026-03-29T01:59:59"),
            "unique 2026-03-29T00:59:59.000Z 2026-03-29T00:59:59.000Z");
  EXPECT_EQ(instants(berlin, "2026-03-29T02:00:00"),
            "gap 2026-03-29T01:00:00.000Z 2026-03-29T01:00:00.000Z");
  EXPECT_EQ(instants(berlin, "2026-03-29T02:30:00.250"),
            "gap 2026-03-29T01:00:00.000Z 2026-03-29T01:30:00.250Z");
  EXPECT_EQ(instants(berlin, "2026-03-29T03:00:00"),
            "unique 2026-03-29T01:00:00.000Z 2026-03-29T01:00:00.000Z");
  EXPECT_EQ(instants(berlin, "2026-10-25T02:30:00.001"),
            "overlap 2026-10-25T00:30:00.001Z 2026-10-25T01:30:00.001Z");
  EXPECT_EQ(instants(berlin, "2026-10-25T03:00:00"),
            "unique 2026-10-25T02:00:00.000Z 2026-10-25T02:00:00.000Z");
}

TEST(Zone, rule_goes_on_for_ever_and_in_both_hemispheres) {
  Zone berlin = zone_by("CET-1CEST,M3.5.0,M10.5.0/3");
  EXPECT_EQ(berlin.offset_at(at("2999-07-01T00:00:00Z")).seconds, 7200);
  EXPECT_EQ(berlin.offset_at(at("2999-12-01T00:00:00Z")).seconds, 3600);
  Zone sydney = zone_by("AEST-10AEDT,M10.1.0,M4.1.0/3");
  EXPECT_EQ(sydney.offset_at(at("2031-01-01T00:00:00Z")).abbreviation, "AEDT");
  EXPECT_EQ(sydney.offset_at(at("2031-07-01T00:00:00Z")).abbreviation, "AEST");
  EXPECT_EQ(sydney.next_change(at("2031-01-01T00:00:00Z")), at("2031-04-05T16:00:00Z"));
}

// Summer time that ends in the second in which the next begins never lets standard time through.
TEST(Zone, summer_time_all_year_is_summer_time_all_year) {
  Zone zone = zone_by("XXX3EDT4,0/0,J365/23");
  for (std::string_view text : {"2026-01-01T04:00:00Z", "2026-06-01T00:00:00Z",
                                "2026-12-31T23:59:59Z", "2027-01-01T03:59:59Z"})
    EXPECT_EQ(zone.offset_at(at(text)).seconds, -4 * 3600) << text;
}

// The dates of such a rule lie a week outside of their year.
TEST(Zone, rule_dates_a_week_off_are_found) {
  Zone zone = zone_by("AAA0BBB-1,J1/-167,J2/-167");
  EXPECT_EQ(zone.offset_at(at("2026-12-25T01:30:00Z")).seconds, 3600);
  EXPECT_EQ(zone.next_change(at("2026-12-31T00:00:00Z")), at("2027-12-25T01:00:00Z"));
  Zone late = zone_by("AAA0BBB-1,J364/167,J365/167");
  EXPECT_EQ(late.offset_at(at("2027-01-01T00:00:00Z")).seconds, 0);
  EXPECT_EQ(late.offset_at(at("2027-01-06T00:00:00Z")).seconds, 3600);
}

TEST(Zone, recorded_changes_come_before_the_rule) {
  auto rule = parse_zone_rule("<-02>2").value();
  auto zone = Zone::from({{{-3600, "A", false}, {-7200, "B", false}},
                          {at("2000-01-01T00:00:00Z").ms / 1000},
                          {1},
                          rule});
  ASSERT_TRUE(zone);
  EXPECT_EQ(zone->offset_at({at("2000-01-01T00:00:00Z").ms - 1}).abbreviation, "A");
  EXPECT_EQ(zone->offset_at(at("2000-01-01T00:00:00Z")).abbreviation, "B");
  EXPECT_EQ(zone->next_change({0}), at("2000-01-01T00:00:00Z"));
  EXPECT_EQ(zone->next_change(at("2000-01-01T00:00:00Z")), std::nullopt);
}

TEST(Zone, data_that_contradicts_itself_is_refused) {
  ZoneOffset utc{0, "UTC", false};
  EXPECT_FALSE(Zone::from({}));
  EXPECT_FALSE(Zone::from({{utc}, {1, 1}, {0, 0}, {}}));
  EXPECT_FALSE(Zone::from({{utc}, {1}, {1}, {}}));
  EXPECT_FALSE(Zone::from({{utc}, {1}, {}, {}}));
  EXPECT_FALSE(Zone::from({{{26 * 3600, "X", false}}, {}, {}, {}}));
  EXPECT_FALSE(Zone::from({{utc}, {}, {}, parse_zone_rule("CET-1")}));
  EXPECT_EQ(Zone::from({{utc}, {}, {}, parse_zone_rule("CET-1")}).error(),
            "the rule does not continue the last change");
}

// Samoa went without the 30th of December 2011.
TEST(Zone, dates_may_be_missing) {
  auto zone = Zone::from({{{-10 * 3600, "", true}, {14 * 3600, "", true}},
                          {at("2011-12-30T10:00:00Z").ms / 1000},
                          {1},
                          {}});
  ASSERT_TRUE(zone);
  EXPECT_TRUE(zone->has_date({2011, 12, 29}));
  EXPECT_FALSE(zone->has_date({2011, 12, 30}));
  EXPECT_TRUE(zone->has_date({2011, 12, 31}));
  EXPECT_EQ(instants(*zone, "2011-12-30T09:00:00"),
            "gap 2011-12-30T10:00:00.000Z 2011-12-30T19:00:00.000Z");
}

TEST(Zone, fixed_offsets_show_what_they_say) {
  auto zone = zone_or_offset(*utc_table(), "-03:30");
  ASSERT_TRUE(zone);
  LocalMoment moment = local_moment({0}, *zone);
  EXPECT_EQ(moment.local, (LocalTime{{1969, 12, 31}, 73'800'000}));
  EXPECT_EQ(zone->instant_of(moment.local), Instant{0});
  EXPECT_EQ(local_moment({-1}, utc_zone()).local, (LocalTime{{1969, 12, 31}, 86'399'999}));
  EXPECT_EQ(zone->next_change({0}), std::nullopt);
}

TEST(ZoneTable, without_zone_data_there_are_utc_and_offsets) {
  auto seconds = [](std::string_view name) {
    auto zone = zone_or_offset(*utc_table(), name);
    return zone ? zone->offset_at({0}).seconds : -1;
  };
  for (std::string_view name : {"UTC", "Etc/UTC", "Z", "GMT", "Etc/GMT", "+00:00"})
    EXPECT_EQ(seconds(name), 0) << name;
  EXPECT_EQ(seconds("+02"), 7200);
  EXPECT_EQ(seconds("+0530"), 19'800);
  EXPECT_EQ(seconds("-03:30"), -12'600);
  for (std::string_view name :
       {"", "utc", "Europe/Berlin", "+2", "+24:00", "+02:60", "+02:0", "02:00"})
    EXPECT_EQ(zone_or_offset(*utc_table(), name), nullptr) << name;
}

//
TEST(ZoneTable, unknown_names_are_refused_with_the_nearest_known_one) {
  auto zone = std::make_shared<const Zone>(utc_zone());
  ZoneTable table("2026f",
                  {{"Europe/Berlin", zone}, {"America/New_York", zone}, {"US/Eastern", zone}});
  EXPECT_EQ(table.find("europe/berlin"), nullptr);
  auto suggests = [&](std::string_view wrong, std::string_view meant) {
    std::string text = table.refusal(wrong);
    EXPECT_NE(text.find("Did you mean \"" + std::string(meant) + "\"?"), std::string::npos) << text;
  };
  suggests("europe/berlin", "Europe/Berlin");
  suggests("Europe/Berlim", "Europe/Berlin");
  suggests("Berlin", "Europe/Berlin");
  suggests("Germany/Berlin", "Europe/Berlin");
  suggests("America/New York", "America/New_York");
  EXPECT_EQ(table.refusal("Pacific Time (US & Canada)"),
            "\"Pacific Time (US & Canada)\" is no known time zone (zone data 2026f).");
}

// W-48
TEST(ZoneTable, releases_order_by_year_then_letter) {
  EXPECT_TRUE(is_newer_release("2026b", "2025b"));
  EXPECT_TRUE(is_newer_release("2026f", "2026b"));
  EXPECT_TRUE(is_newer_release("2026za", "2026z"));
  EXPECT_FALSE(is_newer_release("2026f", "2026f"));
  EXPECT_FALSE(is_newer_release("2025z", "2026a"));
  EXPECT_TRUE(is_newer_release("2020a", "unknown"));
  EXPECT_FALSE(is_newer_release("unknown", "2020a"));
  EXPECT_FALSE(is_newer_release("unknown", "unknown"));
}

}  // namespace fermata
