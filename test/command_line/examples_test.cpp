#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>

#include "base/json.h"
#include "test/command_line/process.h"

namespace fermata::test {
namespace {

Value output_of(const Finished& finished) {
  EXPECT_EQ(finished.exit, 0) << finished.err;
  auto value = parse_json(finished.out);
  EXPECT_TRUE(value) << finished.out;
  return value ? *value : Value();
}

TEST(Examples, all_are_valid_without_a_warning) {
  for (const auto& file : std::filesystem::directory_iterator("examples")) {
    std::string kind = file.path().extension();
    if (kind != ".json" && kind != ".flow") continue;
    Finished checked = fermata({"check", "--json", file.path().string()});
    EXPECT_EQ(checked.exit, 0) << checked.out;
    const Value result = parse_json(checked.out)->get("files").items()[0];
    EXPECT_EQ(result.get("warnings").size(), 0u) << checked.out;
  }
}

TEST(Examples, hello_greets) {
  EXPECT_EQ(output_of(fermata({"run", "examples/hello.json", "--set", "name=Ada"})),
            Value("Hello, Ada!"));
}

TEST(Examples, loop_counts_its_turns_without_waiting_for_them) {
  EXPECT_EQ(to_json(output_of(fermata({"run", "examples/loop.json", "--fast-forward"}))),
            R"({"turns":4,"odd":[1,1,3,5],"count":4})");
}

TEST(Examples, reminder_waits_hours_in_no_time) {
  Value output =
      output_of(fermata({"run", "examples/reminder.flow", "--fast-forward", "--set", "name=Ada"}));
  EXPECT_EQ(output.get("reminders").size(), 3u);
  EXPECT_EQ(output.get("reminders").items()[2], Value("3: drink some water, Ada"));
}

TEST(Examples, nested_splits_keep_their_order) {
  EXPECT_EQ(to_json(output_of(fermata({"run", "examples/nested.json"}))),
            R"([{"id":"A","total":25},{"id":"B","total":21},{"id":"C","total":0}])");
}

TEST(Examples, retry_takes_the_error_branch_after_the_last_attempt) {
  Finished finished = fermata({"run", "examples/retry.json", "--fast-forward"});
  EXPECT_EQ(to_json(output_of(finished)), R"({"source":"fallback","reason":"network"})");
  EXPECT_NE(finished.err.find("gave up after 3 attempts: network"), std::string::npos)
      << finished.err;
}

// J-52: the example is in force, a change of it too, and a mistake is not.
TEST(Examples, pools_are_read_watched_and_shown) {
  Scratch scratch;
  std::string file = scratch.path("pools.yaml");
  std::filesystem::copy_file("examples/pools.yaml", file);
  ServeProcess server({"--data", scratch.path("data"), "--pools-file", file});
  auto shows = [&](const std::string& text) {
    auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(40);
    std::string out;
    while (std::chrono::steady_clock::now() < deadline) {
      out = server.command({"pools"}).out;
      if (out.find(text) != std::string::npos) return true;
    }
    ADD_FAILURE() << text << " is not shown: " << out;
    return false;
  };
  EXPECT_TRUE(shows("pay-eu"));
  EXPECT_TRUE(shows("job.mail.send"));
  std::ofstream(file) << "version: 1\npools:\n  crane: {lease_ms: 5000}\n";
  EXPECT_TRUE(shows("crane"));
  std::ofstream(file) << "version: 1\npools:\n  crane: {lease_ms: 5}\n";
  EXPECT_TRUE(shows(":3:11: /pools/crane/lease_ms"));
  EXPECT_TRUE(shows("crane"));
  EXPECT_EQ(server.command({"pools", "drain", "crane"}).exit, 4);
  EXPECT_EQ(server.command({"pools", "--queues"}).exit, 0);
  EXPECT_EQ(server.command({"workers"}).exit, 0);
  EXPECT_EQ(server.command({"workers", "drain", "nobody"}).exit, 3);
}

TEST(Examples, demo_waits_calls_and_merges) {
  Scratch scratch;
  ServeProcess server({"--data", scratch.path("data"), "--demo", "examples/demo.json"});
  Finished finished =
      fermata({"run", "examples/demo.json", "--fast-forward", "--set", "server=" + server.url()});
  Value output = output_of(finished);
  EXPECT_EQ(output.get("orders"), Value(3));
  EXPECT_EQ(output.get("total"), Value(77));
  EXPECT_NE(finished.err.find("skipped   Review"), std::string::npos) << finished.err;
}

/// What the demo left under way goes on where the server is started without it.
TEST(Examples, demo_is_echoed_by_every_server_without_keys) {
  Scratch scratch;
  auto run_against = [](const ServeProcess& server) {
    return fermata(
        {"run", "examples/demo.json", "--fast-forward", "--set", "server=" + server.url()});
  };
  {
    ServeProcess local({"--data", scratch.path("data")});
    EXPECT_EQ(output_of(run_against(local)).get("total"), Value(77));
  }
  ASSERT_EQ(fermata({"keys", "create", "--role", "root", "--data", scratch.path("data")}).exit, 0);
  ServeProcess guarded({"--data", scratch.path("data")});
  Finished refused = run_against(guarded);
  EXPECT_EQ(refused.exit, 1) << refused.out;
  EXPECT_NE(refused.err.find("404"), std::string::npos) << refused.err;
}

}  // namespace
}  // namespace fermata::test
