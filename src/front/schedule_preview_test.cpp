#include "front/schedule_preview.h"

#include <gtest/gtest.h>

#include "base/json.h"

namespace fermata::front {
namespace {

const ZoneTable& zones() {
  auto rule = parse_zone_rule("CET-1CEST,M3.5.0,M10.5.0/3").value();
  static const ZoneTable table(
      "2026f", {{"UTC", utc_table()->find("UTC")},
                {"Europe/Berlin", std::make_shared<const Zone>(
                                      Zone::from({{rule.standard}, {}, {}, rule}).value())}});
  return table;
}

std::string preview(std::string_view body) {
  auto answer =
      preview_schedule(parse_json(body).value(), zones(), *parse_rfc3339("2026-03-28T12:00:00Z"));
  if (answer) return to_json(*answer);
  std::string told(name_of(answer.error().code));
  for (const Finding& finding : answer.error().findings) told += " " + finding.path;
  return told;
}

}  // namespace

// F-58
TEST(SchedulePreview, shows_the_next_occurrences_in_both_clocks) {
  EXPECT_EQ(
      preview(R"({"cron": "30 2 * * *", "timezone": "Europe/Berlin", "n": 2})"),
      R"({"timezone":"Europe/Berlin","tzdata":"2026f","next":[)"
      R"({"at":"2026-03-29T01:00:00.000Z","local":"2026-03-29T03:00:00+02:00","zone":"CEST"},)"
      R"({"at":"2026-03-30T00:30:00.000Z","local":"2026-03-30T02:30:00+02:00","zone":"CEST"}]})");
  EXPECT_EQ(
      preview(R"({"every_ms": 60000, "n": 1, "from": "2026-01-01T00:00:00Z"})"),
      R"({"timezone":"UTC","tzdata":"2026f","next":[)"
      R"({"at":"2026-01-01T00:01:00.000Z","local":"2026-01-01T00:01:00+00:00","zone":"UTC"}]})");
  EXPECT_EQ(preview(R"({"cron": "@hourly", "end_at": "2026-03-28T12:30:00Z"})"),
            R"({"timezone":"UTC","tzdata":"2026f","next":[]})");
}

// F-58, F-59
TEST(SchedulePreview, mistakes_have_their_own_codes) {
  EXPECT_EQ(preview(R"({"cron": "0 0 30 2 *"})"), "schedule_never_fires /cron");
  EXPECT_EQ(preview(R"({"cron": "@daily", "timezone": "Europe/Berlim"})"),
            "unknown_timezone /timezone");
  EXPECT_EQ(preview(R"({"cron": "@daily", "every_ms": 5000})"), "invalid_field /every_ms");
  EXPECT_EQ(preview("{}"), "invalid_field /cron");
  EXPECT_EQ(preview(R"({"cron": "@daily", "n": 1001})"), "invalid_field /n");
  EXPECT_EQ(preview(R"({"cron": "@daily", "zone": "UTC"})"), "unknown_field /zone");
  EXPECT_EQ(preview(R"({"cron": "@daily", "gap_policy": "jump"})"), "invalid_field /gap_policy");
}

}  // namespace fermata::front
