#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/json.h"
#include "test/command_line/process.h"

namespace fermata::test {
namespace {

std::string only_line(const Finished& finished) {
  EXPECT_EQ(finished.exit, 0) << finished.err;
  return finished.out.substr(0, finished.out.find('\n'));
}

//
TEST(Serve, run_goes_on_after_a_kill_and_ends_once) {
  Scratch scratch;
  std::string id;
  {
    ServeProcess server({"--data", scratch.path("data")});
    id = only_line(server.command({"start", "examples/loop.json", "--set", "until=4"}));
    server.kill_hard();
  }
  ServeProcess server({"--data", scratch.path("data")});
  EXPECT_EQ(server.command({"watch", id}).exit, 0);
  Finished history = server.command({"history", id, "--json"});
  size_t ends = 0;
  for (size_t at = 0; (at = history.out.find("\"RunCompleted\"", at)) != std::string::npos; ++at)
    ++ends;
  EXPECT_EQ(ends, 1u) << history.out;
  EXPECT_EQ(server.stop(), 0);
  Finished verified = fermata({"verify", "--data", scratch.path("data")});
  EXPECT_EQ(verified.exit, 0) << verified.out << verified.err;
}

//
TEST(Serve, term_signal_ends_it_cleanly) {
  Scratch scratch;
  ServeProcess server({"--data", scratch.path("data")});
  EXPECT_EQ(server.stop(), 0);
  EXPECT_NE(server.log().find("Stopped"), std::string::npos) << server.log();
}

//
TEST(Serve, local_mode_is_said_in_the_log) {
  ServeProcess server({"--store", "memory"});
  EXPECT_NE(server.log().find("Local mode"), std::string::npos) << server.log();
}

//
TEST(Serve, open_address_without_keys_is_refused) {
  Finished refused = fermata({"serve", "--listen", "0.0.0.0:0", "--store", "memory"});
  EXPECT_EQ(refused.exit, 2) << refused.err;
  EXPECT_NE(refused.err.find("--insecure"), std::string::npos) << refused.err;
}

TEST(Serve, second_server_on_one_directory_is_told_so) {
  Scratch scratch;
  ServeProcess server({"--data", scratch.path("data")});
  Finished second = fermata({"serve", "--listen", "127.0.0.1:0", "--data", scratch.path("data")});
  EXPECT_EQ(second.exit, 5);
  EXPECT_NE(second.err.find("--data"), std::string::npos) << second.err;
  EXPECT_EQ(server.command({"ps"}).exit, 0);
}

TEST(Serve, port_in_use_is_told) {
  ServeProcess server({"--store", "memory"});
  Finished second = fermata({"serve", "--store", "memory", "--listen", server.url().substr(7)});
  EXPECT_EQ(second.exit, 5);
  EXPECT_NE(second.err.find("--listen"), std::string::npos) << second.err;
}

TEST(Serve, directory_that_cannot_be_written_is_told) {
  Finished refused = fermata({"serve", "--listen", "127.0.0.1:0", "--data", "/dev/null/data"});
  EXPECT_EQ(refused.exit, 5) << refused.err;
  EXPECT_NE(refused.err.find("/dev/null"), std::string::npos) << refused.err;
}

TEST(Serve, damaged_data_is_refused_and_left_alone) {
  Scratch scratch;
  {
    ServeProcess server({"--data", scratch.path("data")});
    only_line(server.command({"start", "examples/hello.json"}));
    EXPECT_EQ(server.stop(), 0);
  }
  std::filesystem::path database;
  for (const auto& file : std::filesystem::directory_iterator(scratch.path("data")))
    if (file.is_regular_file() && file.file_size() > 4096) database = file.path();
  ASSERT_FALSE(database.empty());
  std::fstream(database, std::ios::in | std::ios::out | std::ios::binary) << "not a database";
  auto size = std::filesystem::file_size(database);
  Finished refused = fermata({"serve", "--listen", "127.0.0.1:0", "--data", scratch.path("data")});
  EXPECT_EQ(refused.exit, 5) << refused.err;
  EXPECT_EQ(std::filesystem::file_size(database), size);
  EXPECT_EQ(fermata({"verify", "--data", scratch.path("data")}).exit, 5);
}

//
TEST(Serve, unknown_settings_are_refused_wherever_they_stand) {
  Scratch scratch;
  std::string file = scratch.path("fermata.toml");
  std::ofstream(file) << "listn = \"x\"\n";
  Finished refused = fermata({"serve", "--config", file});
  EXPECT_EQ(refused.exit, 2);
  EXPECT_NE(refused.err.find("listen"), std::string::npos) << refused.err;
  EXPECT_EQ(fermata({"serve", "--print-config"}, {"FERMATA_STOR=x"}).exit, 2);
  EXPECT_EQ(fermata({"serve", "--lsten", "x"}).exit, 2);
}

//
TEST(Serve, json_log_is_json_on_every_line) {
  ServeProcess server({"--store", "memory", "--log", "json"});
  EXPECT_EQ(server.stop(), 0);
  std::istringstream lines(server.log());
  size_t count = 0;
  for (std::string line; std::getline(lines, line); ++count) EXPECT_TRUE(parse_json(line)) << line;
  EXPECT_GT(count, 2u);
}

}  // namespace
}  // namespace fermata::test
