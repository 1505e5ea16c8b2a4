#include <gtest/gtest.h>

#include <fstream>

#include "base/json.h"
#include "test/command_line/process.h"

namespace fermata::test {
namespace {

// W-17, W-21, A-20
TEST(WaitsCommand, lists_shows_cancels_and_resumes) {
  Scratch scratch;
  ServeProcess server{{"--data", scratch.path("data")}};
  std::string file = scratch.path("nap.json");
  std::ofstream(file) << R"({"nodes": [{"id": "S", "type": "manual", "trigger": true},
      {"id": "nap", "type": "wait", "parameters": {"amount": 1, "unit": "days"}}],
      "edges": [{"id": "e", "src": "S", "dst": "nap"}]})";
  Finished started = server.command({"start", file});
  ASSERT_EQ(started.exit, 0) << started.err;
  Finished listed = server.command({"waits", "--json", "--type", "fixed_time"});
  ASSERT_EQ(listed.exit, 0) << listed.err;
  auto page = parse_json(listed.out);
  ASSERT_TRUE(page) << listed.out;
  ASSERT_EQ(page->get("total"), Value(1));
  std::string id(page->get("items").items()[0].get("id").as_string());
  EXPECT_NE(server.command({"waits"}).out.find(id), std::string::npos);
  EXPECT_EQ(server.command({"waits", "--overdue"}).out.find(id), std::string::npos);
  Finished map = server.command({"waits", "--calendar", "--zone", "Asia/Tokyo"});
  EXPECT_NE(map.out.find("█"), std::string::npos) << map.err;
  EXPECT_NE(map.out.find("Asia/Tokyo"), std::string::npos) << map.out;
  EXPECT_EQ(server.command({"waits", "--calendar", "--type", "for_event"}).out,
            "no wait resumes in the week to come\n");
  EXPECT_EQ(server.command({"waits", "cancel", id, "--reason", "enough"}).out, id + " cancelled\n");
  Finished shown = server.command({"waits", "show", id});
  EXPECT_NE(shown.out.find("enough"), std::string::npos) << shown.out;
  EXPECT_EQ(server.command({"waits", "resume", id}).exit, 0);
  EXPECT_EQ(server.command({"waits", "resume", id}).exit, 4) << "it has ended";
  EXPECT_EQ(server.command({"waits", "show", "nobody"}).exit, 3);
  EXPECT_EQ(server.command({"waits", "eat", id}).exit, 2);
}

// W-21: rows are days and columns hours of the zone, without gaps between them.
TEST(WaitsCommand, heat_map_has_the_days_and_hours_of_its_zone) {
  Scratch scratch;
  ServeProcess server{{"--data", scratch.path("data"), "--clock", "virtual:2026-01-26T10:00:00Z"}};
  std::string nodes = R"({"id": "S", "type": "manual", "trigger": true})", edges;
  for (const char* at : {"2026-01-27T09:00", "2026-01-27T09:30", "2026-01-29T23:00"}) {
    std::string id = "w" + std::to_string(nodes.size());
    nodes += R"(, {"id": ")" + id + R"(", "type": "wait", "parameters": {"wait_type": "until_date",
        "target_date": ")" +
             at + R"(", "timezone": "Europe/Berlin"}})";
    edges += (edges.empty() ? "" : ", ") +
             (R"({"id": "e)" + id + R"(", "src": "S", "dst": ")" + id + "\"}");
  }
  std::string file = scratch.path("dates.json");
  std::ofstream(file) << R"({"nodes": [)" << nodes << R"(], "edges": [)" << edges << "]}";
  Finished started = server.command({"start", file});
  ASSERT_EQ(started.exit, 0) << started.err;
  EXPECT_EQ(server.command({"waits", "--calendar", "--zone", "Europe/Berlin"}).out,
            "                0     6     12    18      Europe/Berlin\n"
            "Tue 2026-01-27  ·········█··············  2\n"
            "Wed 2026-01-28  ························  0\n"
            "Thu 2026-01-29  ·······················▒  1\n");
}

}  // namespace
}  // namespace fermata::test
