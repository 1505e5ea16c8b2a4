#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>

#include "base/json.h"
#include "test/command_line/process.h"

namespace fermata::test {
namespace {

bool await(const std::function<bool()>& holds) {
  auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (std::chrono::steady_clock::now() < deadline) {
    if (holds()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return false;
}

std::string started(const ServeProcess& server, const std::string& file) {
  Finished done = server.command({"start", file});
  EXPECT_EQ(done.exit, 0) << done.err;
  return done.out.substr(0, done.out.find('\n'));
}

/// A server whose clock stands at that date, and which tidies up all the time.
std::vector<std::string> at(const std::string& date, const std::string& data) {
  return {"--data", data, "--clock", "virtual:" + date + "T00:00:00Z", "--retention-interval-ms",
          "50"};
}

// A-14, C-20: what was kept long enough goes by itself, and what is left is sound.
TEST(Retention, ended_runs_and_audit_lines_go_after_their_time) {
  Scratch scratch;
  std::string data = scratch.path("data");
  std::string waiting = scratch.path("waiting.json");
  std::ofstream(waiting) << R"({"nodes":[{"id":"t","type":"manual","trigger":true},
    {"id":"s","type":"wait_for_signal","parameters":{"name":"go"}}],
    "edges":[{"id":"1","src":"t","dst":"s"}]})";
  std::string old, lives;
  {
    ServeProcess server(at("2026-01-01", data));
    old = started(server, "examples/hello.json");
    lives = started(server, waiting);
    EXPECT_EQ(server.command({"show", old}).exit, 0);
    EXPECT_EQ(server.stop(), 0);
  }
  {
    ServeProcess server(at("2026-01-29", data));
    std::string fresh = started(server, "examples/hello.json");
    EXPECT_EQ(server.command({"show", old}).exit, 0) << "28 days are not 30";
    EXPECT_EQ(server.command({"show", fresh}).exit, 0);
    EXPECT_EQ(server.stop(), 0);
  }
  {
    ServeProcess server(at("2026-02-02", data));
    EXPECT_TRUE(await([&] { return server.command({"show", old}).exit == 3; }));
    EXPECT_EQ(server.command({"show", lives}).exit, 0);
    EXPECT_EQ(server.stop(), 0);
  }
  {
    ServeProcess server(at("2026-05-15", data));
    // The lines of January are more than 90 days old.
    EXPECT_TRUE(await([&] {
      Finished verified = fermata({"verify", "--data", data, "--json"});
      auto told = parse_json(verified.out);
      return verified.exit == 0 && told && told->get("audit_lines") == Value(0);
    }));
    EXPECT_EQ(server.command({"signal", lives, "go"}).exit, 0)
        << "a live run is as old as it likes";
    EXPECT_EQ(server.stop(), 0);
  }
  Finished verified = fermata({"verify", "--data", data});
  EXPECT_EQ(verified.exit, 0) << verified.out << verified.err;
}

TEST(Retention, compacting_gives_room_back_and_keeps_everything) {
  Scratch scratch;
  std::string data = scratch.path("data");
  std::string id;
  {
    ServeProcess server(at("2026-01-01", data));
    for (int i = 0; i < 3; ++i)
      EXPECT_EQ(server
                    .command({"start", "examples/hello.json", "--set",
                              "name=" + std::string(90'000, 'x')})
                    .exit,
                0);
    EXPECT_EQ(server.stop(), 0);
  }
  {
    ServeProcess server(at("2026-02-15", data));
    id = started(server, "examples/hello.json");
    EXPECT_TRUE(await([&] {
      Finished listed = server.command({"ps", "--json"});
      auto told = parse_json(listed.out);
      return told && (told->is_array() ? told->size() : told->get("items").size()) == 1;
    }));
    Finished refused = fermata({"compact", "--data", data});
    EXPECT_EQ(refused.exit, 5) << "a server uses it";
    EXPECT_EQ(server.stop(), 0);
  }
  auto before = std::filesystem::file_size(data + "/fermata.db");
  Finished compacted = fermata({"compact", "--data", data});
  ASSERT_EQ(compacted.exit, 0) << compacted.err;
  EXPECT_LT(std::filesystem::file_size(data + "/fermata.db") + 200'000, before) << compacted.out;
  Finished verified = fermata({"verify", "--data", data});
  EXPECT_EQ(verified.exit, 0) << verified.out << verified.err;
  ServeProcess server(at("2026-02-15", data));
  EXPECT_EQ(server.command({"show", id}).exit, 0);
  EXPECT_EQ(server.command({"start", "examples/hello.json"}).exit, 0);
}

}  // namespace
}  // namespace fermata::test
