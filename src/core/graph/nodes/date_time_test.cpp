#include "core/graph/nodes/date_time.h"

#include <gtest/gtest.h>

#include "core/graph/nodes/node_fixture.h"

namespace fermata::graph {
namespace {

constexpr std::string_view now = "2026-02-03T04:05:06.078Z";

NodeResult run(std::string_view type, std::string_view parameters, std::string_view in = "null") {
  return NodeFixture(type, parameters).at(now).with_json(in);
}
Value result_of(std::string_view type, std::string_view parameters, std::string_view in = "null") {
  auto result = run(type, parameters, in);
  return result ? result->output.get("result") : Value("failed: " + code_of(result));
}

// G-55
TEST(DateTimeNow, gives_the_instant_of_the_decision) {
  auto result = run("dateTimeNow", "{}");
  EXPECT_EQ(output_of(result), json(R"({"result": "2026-02-03T04:05:06.078Z",
    "iso": "2026-02-03T04:05:06.078Z", "unix": 1770091506, "timezone": "UTC"})"));
  EXPECT_FALSE(result->json);
}

// G-55
TEST(DateTimeNow, result_is_written_in_zone_and_format) {
  auto result = run("dateTimeNow", R"({"timezone": "+02:00", "format": "2006-01-02 15:04"})");
  EXPECT_EQ(output_of(result), json(R"({"result": "2026-02-03 06:05",
    "iso": "2026-02-03T04:05:06.078Z", "unix": 1770091506, "timezone": "+02:00"})"));
  EXPECT_EQ(result_of("dateTimeNow", R"({"timezone": "-03:30"})"),
            Value("2026-02-03T00:35:06.078-03:30"));
  EXPECT_EQ(result_of("dateTimeNow", R"({"format": "%d.%m.%Y"})"), Value("03.02.2026"));
}

// G-55
TEST(DateTimeAdd, counts_from_now_without_a_date) {
  EXPECT_EQ(result_of("dateTimeAdd", R"({"amount": 1})"), Value("2026-02-04T04:05:06.078Z"));
  EXPECT_EQ(result_of("dateTimeAdd", R"({"amount": "2", "unit": "hours", "date": ""})"),
            Value("2026-02-03T06:05:06.078Z"));
  EXPECT_EQ(result_of("dateTimeSubtract", R"({"amount": "$json", "unit": "weeks"})", "1"),
            Value("2026-01-27T04:05:06.078Z"));
}

// G-55
TEST(DateTimeAdd, date_that_an_expression_does_not_give_is_not_now) {
  constexpr std::string_view parameters = R"({"date": "$json.d", "amount": 1})";
  for (std::string_view in : {R"({"d": null})", R"({"d": ""})", R"({"d": 5})", R"({"d": "soon"})"})
    EXPECT_EQ(code_of(run("dateTimeAdd", parameters, in)), "date_invalid") << in;
}

struct Shift {
  std::string_view date, amount, unit, result;
};

// G-55
TEST(DateTimeAdd, calendar_units_clamp_to_the_end_of_the_month) {
  for (const Shift& shift : std::initializer_list<Shift>{
           {"2026-01-31", "1", "months", "2026-02-28T00:00:00.000Z"},
           {"2024-01-31", "1", "months", "2024-02-29T00:00:00.000Z"},
           {"2024-02-29", "1", "years", "2025-02-28T00:00:00.000Z"},
           {"2024-02-29", "4", "years", "2028-02-29T00:00:00.000Z"},
           {"2026-03-31", "-1", "months", "2026-02-28T00:00:00.000Z"},
           {"2026-01-15", "-13", "months", "2024-12-15T00:00:00.000Z"},
           {"2026-12-31", "1", "days", "2027-01-01T00:00:00.000Z"},
           {"2026-02-28 10:00", "2", "weeks", "2026-03-14T10:00:00.000Z"},
           {"2026-01-31T10:00:00.5Z", "0", "months", "2026-01-31T10:00:00.500Z"}}) {
    std::string parameters = R"({"date": ")" + std::string(shift.date) + R"(", "amount": )" +
                             std::string(shift.amount) + R"(, "unit": ")" +
                             std::string(shift.unit) + R"("})";
    EXPECT_EQ(result_of("dateTimeAdd", parameters), Value(shift.result)) << parameters;
  }
}

// G-55
TEST(DateTimeAdd, units_up_to_hours_are_elapsed_time_with_fractions) {
  EXPECT_EQ(result_of("dateTimeAdd", R"({"date": "2026-01-01", "amount": 1.5, "unit": "hours"})"),
            Value("2026-01-01T01:30:00.000Z"));
  EXPECT_EQ(
      result_of("dateTimeAdd", R"({"date": "2026-01-01", "amount": "90", "unit": "minutes"})"),
      Value("2026-01-01T01:30:00.000Z"));
  EXPECT_EQ(
      result_of("dateTimeSubtract", R"({"date": "2026-01-01", "amount": 0.25, "unit": "seconds"})"),
      Value("2025-12-31T23:59:59.750Z"));
}

// G-27, G-55
TEST(DateTimeAdd, refuses_amounts_it_cannot_count) {
  EXPECT_EQ(code_of(run("dateTimeAdd", R"({"amount": 1.5, "unit": "days"})")), "parameter_invalid");
  for (std::string_view in : {R"("x")", "null", "true"})
    EXPECT_EQ(code_of(run("dateTimeAdd", R"({"amount": "$json"})", in)), "parameter_invalid") << in;
  EXPECT_EQ(code_of(run("dateTimeAdd", R"({"amount": 1, "unit": "$json"})", R"("fortnights")")),
            "parameter_invalid");
}

// G-55
TEST(DateTimeAdd, stays_inside_the_calendar) {
  for (std::string_view unit : {"seconds", "minutes", "hours", "days", "weeks", "months", "years"})
    for (std::string_view amount : {"1e300", "9e18", "-9e18", "4000001", "9007199254740993"}) {
      std::string parameters =
          R"({"amount": )" + std::string(amount) + R"(, "unit": ")" + std::string(unit) + R"("})";
      std::string code = code_of(run("dateTimeAdd", parameters));
      bool small =
          amount == "4000001" && (unit == "seconds" || unit == "minutes" || unit == "hours");
      if (!small) EXPECT_EQ(code, "date_invalid") << parameters;
    }
  EXPECT_EQ(code_of(run("dateTimeAdd", R"({"amount": 8000, "unit": "years"})")), "date_invalid");
  EXPECT_EQ(result_of("dateTimeAdd", R"({"amount": 7973, "unit": "years"})"),
            Value("9999-02-03T04:05:06.078Z"));
}

// G-55
TEST(DateTimeFormat, writes_a_date_in_another_form) {
  EXPECT_EQ(result_of("dateTimeFormat", R"({"date": "$json", "format": "%A, %e %B %Y"})",
                      R"("2026-02-03")"),
            Value("Tuesday,  3 February 2026"));
  EXPECT_EQ(result_of("dateTimeFormat", R"({"date": "2026-02-03T04:05:06Z", "timezone": "+09:00",
                                            "format": "02 Jan 15:04 -0700"})"),
            Value("03 Feb 13:05 +0900"));
  EXPECT_EQ(result_of("dateTimeFormat", R"({"date": "2026-02-03 04:05", "timezone": "+02:00"})"),
            Value("2026-02-03T04:05:00.000+02:00"));
}

// G-55: what a node writes it also reads, but a standard date keeps its meaning.
TEST(DateTimeFormat, reads_its_own_format_where_nothing_else_fits) {
  EXPECT_EQ(result_of("dateTimeFormat", R"({"date": "03/02/2026", "format": "02/01/2006"})"),
            Value("03/02/2026"));
  EXPECT_EQ(result_of("dateTimeFormat", R"({"date": "2026-02-03", "format": "2006-02-01"})"),
            Value("2026-03-02"));
}

// G-55
TEST(DateTimeParse, gives_the_parts_of_a_date) {
  auto result = run("dateTimeParse", R"({"date": "Tue, 03 Feb 2026 23:05:06 GMT",
                                         "timezone": "+02:00"})");
  EXPECT_EQ(output_of(result), json(R"({"result": "2026-02-04T01:05:06.000+02:00",
    "iso": "2026-02-03T23:05:06.000Z", "unix": 1770159906, "timezone": "+02:00",
    "year": 2026, "month": 2, "day": 4, "hour": 1, "minute": 5, "second": 6,
    "weekday": "Wednesday"})"));
}

// G-55
TEST(DateTimeParse, reads_by_its_format_first) {
  auto result = run("dateTimeParse", R"({"date": "2026-02-03", "format": "2006-02-01"})");
  EXPECT_EQ(output_of(result).get("iso"), Value("2026-03-02T00:00:00.000Z"));
  EXPECT_EQ(output_of(result).get("result"), Value("2026-03-02T00:00:00.000Z"));
  EXPECT_EQ(result_of("dateTimeParse", R"({"date": "2026-02-03", "format": "02/01/2006"})"),
            Value("2026-02-03T00:00:00.000Z"));
}

// G-55
TEST(DateTimeParse, before_the_epoch_unix_counts_down) {
  auto result = run("dateTimeParse", R"({"date": "1969-12-31T23:59:58.5Z"})");
  EXPECT_EQ(output_of(result).get("unix"), Value(-2));
  EXPECT_EQ(output_of(result).get("second"), Value(58));
}

// G-55
TEST(DateTimeParse, refuses_what_is_no_date) {
  auto result = run("dateTimeParse", R"({"date": "next week"})");
  EXPECT_EQ(code_of(result), "date_invalid");
  EXPECT_NE(result.error().message.find("next week"), std::string::npos);
  EXPECT_EQ(code_of(run("dateTimeParse", R"({"date": "0000-01-01", "timezone": "+01:00"})")),
            "date_invalid");
}

// G-55
TEST(DateTime, zone_that_is_not_known_fails_and_says_what_is) {
  auto result = run("dateTimeNow", R"({"timezone": "Europe/Berlin"})");
  EXPECT_EQ(code_of(result), "timezone_unknown");
  EXPECT_EQ(result.error().details, json(R"({"timezone": "Europe/Berlin"})"));
  EXPECT_NE(result.error().message.find("is no known time zone (zone data none)"),
            std::string::npos);
}

// G-20, G-55
TEST(DateTime, format_that_makes_no_sense_is_refused) {
  auto result = run("dateTimeNow", R"({"format": "%Y %Q"})");
  EXPECT_EQ(code_of(result), "parameter_invalid");
  EXPECT_EQ(result.error().details, json(R"({"parameter": "format"})"));
}

/// Summer time begins on 2026-03-29 at 01:00Z and ends on 2026-10-25 at 01:00Z.
ZoneTable summer_zones() {
  auto rule = parse_zone_rule("CET-1CEST,M3.5.0,M10.5.0/3");
  auto zone = Zone::from({{rule->standard}, {}, {}, rule});
  return {"2026f", {{"Summer", std::make_shared<const Zone>(*zone)}}};
}

Value shown_in_summer_zone(std::string_view type, std::string_view parameters) {
  ZoneTable zones = summer_zones();
  NodeFixture node(type, parameters);
  auto result = node.zones(zones).run();
  return result ? result->output.get("result") : Value("failed: " + code_of(result));
}

// G-55
TEST(DateTime, days_are_calendar_time_and_hours_elapsed_time_in_a_zone) {
  EXPECT_EQ(shown_in_summer_zone("dateTimeAdd", R"({"date": "2026-03-28 12:00", "amount": 1,
              "timezone": "Summer"})"),
            Value("2026-03-29T12:00:00.000+02:00"));
  EXPECT_EQ(shown_in_summer_zone("dateTimeAdd", R"({"date": "2026-03-28 12:00", "amount": 24,
              "unit": "hours", "timezone": "Summer"})"),
            Value("2026-03-29T13:00:00.000+02:00"));
  EXPECT_EQ(shown_in_summer_zone("dateTimeFormat", R"({"date": "2026-07-01", "timezone": "Summer",
              "format": "02 Jan 2006 MST"})"),
            Value("01 Jul 2026 CEST"));
}

// G-55
TEST(DateTime, skipped_and_repeated_local_times_follow_the_rules_of_waits) {
  EXPECT_EQ(shown_in_summer_zone("dateTimeAdd", R"({"date": "2026-02-28 02:30", "amount": 29,
              "timezone": "Summer"})"),
            Value("2026-03-29T03:00:00.000+02:00"));
  EXPECT_EQ(shown_in_summer_zone("dateTimeParse", R"({"date": "2026-10-25 02:30",
              "timezone": "Summer"})"),
            Value("2026-10-25T02:30:00.000+02:00"));
}

// G-55
TEST(DateTime, nothing_added_leaves_the_second_pass_of_a_repeated_hour) {
  EXPECT_EQ(shown_in_summer_zone("dateTimeAdd", R"({"date": "2026-10-25T01:30:00Z", "amount": 0,
              "timezone": "Summer"})"),
            Value("2026-10-25T02:30:00.000+01:00"));
}

}  // namespace
}  // namespace fermata::graph
