#include <gtest/gtest.h>

#include <fstream>
#include <thread>

#include "base/json.h"
#include "base/time.h"
#include "test/command_line/process.h"

namespace fermata::test {
namespace {

// F-58, F-60
TEST(ScheduleNext, shows_each_occurrence_by_both_clocks) {
  std::vector<std::string> words = {
      "schedule", "next", "30 2 * * *", "--zone", "Europe/Berlin", "--from", "2026-03-28T12:00:00Z",
      "-n",       "2"};
  Finished shown = fermata(words);
  EXPECT_EQ(shown.exit, 0) << shown.err;
  EXPECT_EQ(shown.out,
            "2026-03-29T03:00:00+02:00  2026-03-29T01:00:00.000Z  CEST\n"
            "2026-03-30T02:30:00+02:00  2026-03-30T00:30:00.000Z  CEST\n");
  words.insert(words.end(), {"--gap-policy", "shift", "--json"});
  Finished shifted = fermata(words, {"TZ=Asia/Tokyo"});
  EXPECT_EQ(shifted.exit, 0) << shifted.err;
  EXPECT_EQ(parse_json(shifted.out)->get("next").items()[0].get("at"),
            Value("2026-03-29T01:30:00.000Z"));
}

// F-59
TEST(ScheduleNext, mistakes_are_told_with_what_to_do) {
  Finished zone = fermata({"schedule", "next", "@daily", "--zone", "Europe/Berlim"});
  EXPECT_EQ(zone.exit, 4);
  EXPECT_NE(zone.err.find("Did you mean \"Europe/Berlin\"?"), std::string::npos) << zone.err;
  EXPECT_EQ(fermata({"schedule", "next", "0 0 30 2 *"}).exit, 4);
  EXPECT_EQ(fermata({"schedule", "soon", "@daily"}).exit, 2);
  EXPECT_EQ(fermata({"schedule", "next"}).exit, 2);
}

// F-58, F-61
TEST(ScheduleCommand, is_made_shown_triggered_and_removed) {
  Scratch scratch;
  ServeProcess server({"--data", scratch.path("data"), "--clock", "virtual:2026-01-26T00:00:00Z"});
  std::string file = scratch.path("report.json");
  std::ofstream(file) << R"({"nodes":[{"id":"t","type":"manual","trigger":true},
                                      {"id":"n","type":"noop"}],
                             "edges":[{"id":"1","src":"t","dst":"n"}]})";
  ASSERT_EQ(server.command({"start", file}).exit, 0);
  Finished made =
      server.command({"schedule", "create", "report", "--id", "nightly", "--cron", "30 2 * * *",
                      "--zone", "Europe/Berlin", "--set", "days=1", "--label", "team=blue"});
  EXPECT_EQ(made.exit, 0) << made.err;
  EXPECT_EQ(made.out, "nightly\n");
  Finished listed = server.command({"schedule", "ls"});
  EXPECT_NE(listed.out.find("nightly"), std::string::npos) << listed.out << listed.err;
  EXPECT_NE(listed.out.find("2026-01-26 01:30:00"), std::string::npos) << listed.out;
  Finished started = server.command({"schedule", "trigger", "nightly"});
  EXPECT_EQ(started.exit, 0) << started.err;
  std::string id = started.out.substr(0, started.out.size() - 1);
  Finished shown = server.command({"schedule", "show", "nightly"});
  EXPECT_NE(shown.out.find(id), std::string::npos) << shown.out << shown.err;
  Finished counted =
      server.command({"schedule", "backfill", "nightly", "--from", "2026-01-20T00:00:00Z", "--to",
                      "2026-01-22T00:00:00Z", "--dry-run"});
  EXPECT_EQ(counted.out, "2 occurrences\n") << counted.err;
  EXPECT_EQ(server.command({"schedule", "pause", "nightly"}).out, "nightly  paused\n");
  EXPECT_EQ(server.command({"schedule", "resume", "nightly"}).out, "nightly  active\n");
  Finished all = server.command({"schedule", "show", "nightly", "--json"});
  EXPECT_EQ(parse_json(all.out)->get("occurrences").size(), 1u) << all.out;
  EXPECT_EQ(server.command({"schedule", "delete", "nightly"}).exit, 0);
  EXPECT_EQ(server.command({"schedule", "show", "nightly"}).exit, 3);
  EXPECT_EQ(server.command({"schedule", "create", "report", "--cron", "61 * * * *"}).exit, 4);
  EXPECT_EQ(server.command({"schedule", "backfill", "nightly"}).exit, 2);
}

// F-61, row 30: the server is killed again and again while a schedule fires every second.
TEST(ScheduleCommand, fires_once_for_each_occurrence_through_kills) {
  Scratch scratch;
  std::string file = scratch.path("tick.json");
  std::ofstream(file) << R"({"nodes":[{"id":"t","type":"manual","trigger":true},
                                      {"id":"n","type":"noop"}],
                             "edges":[{"id":"1","src":"t","dst":"n"}]})";
  std::vector<std::string> words = {"--data", scratch.path("data")};
  {
    ServeProcess server(words);
    ASSERT_EQ(server.command({"start", file}).exit, 0);
    ASSERT_EQ(server
                  .command({"schedule", "create", "tick", "--id", "s", "--every-ms", "1000",
                            "--overlap", "allow", "--catch-up", "all"})
                  .exit,
              0);
    server.kill_hard();
  }
  for (int i = 0; i < 4; ++i) {
    ServeProcess server(words);
    std::this_thread::sleep_for(std::chrono::milliseconds(700 + 150 * i));
    server.kill_hard();
  }
  ServeProcess server(words);
  ASSERT_EQ(server.command({"schedule", "pause", "s"}).exit, 0);
  Finished shown = server.command({"schedule", "show", "s", "--json"});
  auto state = parse_json(shown.out);
  ASSERT_TRUE(state) << shown.out << shown.err;
  // From the first occurrence to the last one every second has its execution.
  auto last = parse_rfc3339(state->get("last_occurrence").as_string());
  auto created = parse_rfc3339(state->get("created_at").as_string());
  ASSERT_TRUE(last && created) << shown.out;
  EXPECT_EQ(state->get("runs_started").as_integer(), (last->ms - created->ms) / 1'000);
  EXPECT_EQ(state->get("skipped").as_integer(), 0);
  EXPECT_GE(state->get("runs_started").as_integer(), 3);
}

// W-48
TEST(ZoneData, of_a_directory_that_cannot_be_read_is_refused_and_never_replaced) {
  Finished nowhere = fermata({"schedule", "next", "@daily"}, {"FERMATA_TZDATA=/nowhere"});
  EXPECT_EQ(nowhere.exit, 2);
  EXPECT_NE(nowhere.err.find("tzdata: /nowhere"), std::string::npos) << nowhere.err;
  EXPECT_NE(fermata({"version"}).out.find("(zone data 20"), std::string::npos);
}

}  // namespace
}  // namespace fermata::test
