#include <gtest/gtest.h>

#include "server/test_world.h"

namespace fermata::server {
namespace {

// F-58
TEST(Schedules, preview_shows_when_a_rule_fires_and_stores_nothing) {
  TestWorld world;
  auto shown = world.ask("POST", "/api/v1/schedules/preview",
                         R"({"cron": "30 2 * * *", "from": "2026-03-28T12:00:00Z", "n": 2})");
  EXPECT_EQ(shown.status, 200) << shown.text;
  EXPECT_EQ(shown.body.get("timezone"), Value("UTC"));
  ASSERT_EQ(shown.body.get("next").size(), 2u);
  EXPECT_EQ(shown.body.get("next").items()[1].get("at"), Value("2026-03-30T02:30:00.000Z"));
}

// F-59, A-2
TEST(Schedules, preview_refuses_mistakes_with_their_place) {
  TestWorld world;
  auto refused = [&](std::string_view body) {
    auto answer = world.ask("POST", "/api/v1/schedules/preview", body);
    std::string told = std::to_string(answer.status) + " " + answer.code();
    for (const Value& error : answer.body.get("errors").items())
      told += " " + std::string(error.get("path").as_string());
    return told;
  };
  EXPECT_EQ(refused(R"({"cron": "0 0 30 2 *"})"), "422 schedule_never_fires /cron");
  EXPECT_EQ(refused(R"({"cron": "61 * * * *"})"), "422 invalid_field /cron");
  EXPECT_EQ(refused(R"({"cron": "@daily", "timezone": "Mars/Olympus"})"),
            "422 unknown_timezone /timezone");
}

// W-45, W-48
TEST(Schedules, zones_in_definitions_are_those_of_the_zone_data_in_force) {
  TestWorld world;
  EXPECT_EQ(world.ask("GET", "/version").body.get("tzdata"), Value(utc_table()->version()));
  auto stored = [&](std::string zone) {
    return world.ask("PUT", "/api/v1/workflows/w",
                     R"({"nodes": [{"id": "S", "type": "manual", "trigger": true},
                         {"id": "W", "type": "wait", "parameters": {"wait_type": "until_time",
                          "target_time": "10:00", "timezone": ")" +
                         zone + R"("}}],
                         "edges": [{"id": "e", "src": "S", "dst": "W"}]})");
  };
  auto unknown = stored("Mars/Olympus");
  EXPECT_EQ(unknown.status, 422) << unknown.text;
  EXPECT_EQ(unknown.body.get("errors").items()[0].get("path"),
            Value("/nodes/1/parameters/timezone"));
  EXPECT_EQ(stored("Etc/UTC").status, 201);
}

}  // namespace
}  // namespace fermata::server
