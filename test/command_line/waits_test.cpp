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
  EXPECT_NE(server.command({"waits", "--calendar"}).out.find("█"), std::string::npos);
  EXPECT_EQ(server.command({"waits", "cancel", id, "--reason", "enough"}).out, id + " cancelled\n");
  Finished shown = server.command({"waits", "show", id});
  EXPECT_NE(shown.out.find("enough"), std::string::npos) << shown.out;
  EXPECT_EQ(server.command({"waits", "resume", id}).exit, 0);
  EXPECT_EQ(server.command({"waits", "resume", id}).exit, 4) << "it has ended";
  EXPECT_EQ(server.command({"waits", "show", "nobody"}).exit, 3);
  EXPECT_EQ(server.command({"waits", "eat", id}).exit, 2);
}

}  // namespace
}  // namespace fermata::test
