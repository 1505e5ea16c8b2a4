#include <sstream>
#include <vector>

#include "test/command_line/typed.h"

namespace fermata::test {
namespace {

Finished typed_block(const std::string& word, const ServeProcess& server) {
  return typed(replaced(block_with("README.md", word), "http://127.0.0.1:4747", server.url()),
               server);
}

TEST(Readme, examples_without_a_server_do_what_they_say) {
  ServeProcess server({"--store", "memory"});
  Finished graphs = typed_block("fermata run examples/hello.json", server);
  EXPECT_EQ(graphs.exit, 0) << graphs.err;
  EXPECT_NE(graphs.out.find("Hello, Ada!"), std::string::npos) << graphs.out;
  Finished script = typed_block("examples/reminder.flow", server);
  EXPECT_EQ(script.exit, 0) << script.err;
  EXPECT_NE(script.out.find("drink some water"), std::string::npos) << script.out;
}

TEST(Readme, examples_over_http_do_what_they_say) {
  ServeProcess server({"--store", "memory"});
  Finished started = typed_block("/workflows/hello/executions", server);
  EXPECT_EQ(started.exit, 0) << started.err;
  EXPECT_NE(started.out.find("Hello, Ada!"), std::string::npos) << started.out;
}

TEST(Readme, shell_command_is_a_worker) {
  ServeProcess server({"--store", "memory"});
  Finished done = typed_block("fermata worker", server);
  EXPECT_EQ(done.exit, 0) << done.err;
  EXPECT_NE(done.out.find(R"({"NAME":"ADA"})"), std::string::npos) << done.out;
}

std::string between(const std::string& text, const std::string& before, const std::string& after) {
  size_t at = text.find(before);
  if (at == std::string::npos) return "";
  at += before.size();
  return text.substr(at, text.find(after, at) - at);
}

size_t times_in(const std::string& text, const std::string& word) {
  size_t count = 0;
  for (size_t at = 0; (at = text.find(word, at)) != std::string::npos; at += word.size()) ++count;
  return count;
}

TEST(Readme, run_of_the_demo_outlives_the_kill_of_its_server) {
  Scratch scratch;
  const std::vector<std::string> words = {"--data", scratch.path("data"), "--demo",
                                          "examples/demo.json"};
  std::istringstream block(block_with("README.md", "kill -9"));
  std::vector<std::string> lines;
  for (std::string line; std::getline(block, line);) lines.push_back(line);
  ASSERT_EQ(lines.size(), 5u) << "watch, kill, start, watch, history";

  ServeProcess first(words);
  std::string run, process = between(first.log(), "process=", "\n");
  for (int i = 0; i < 500 && run.empty(); ++i) {
    // The id is the first word of its line.
    std::string list = first.command({"ps"}).out;
    size_t line = list.rfind('\n', list.find("demo@1"));
    if (line != std::string::npos) run = between(list.substr(line), "\n", " ");
  }
  ASSERT_FALSE(run.empty() || process.empty()) << first.log();
  auto type = [&](std::string line, const ServeProcess& server) {
    return typed(replaced(replaced(std::move(line), "RUN_ID", run), "SERVER_PID", process), server);
  };
  bool waits = false;
  for (int i = 0; i < 500 && !waits; ++i)
    waits = first.command({"show", run}).out.find("waiting") != std::string::npos;
  ASSERT_TRUE(waits) << first.command({"show", run}).out;
  EXPECT_EQ(type(lines[1], first).exit, 0);
  EXPECT_NE(type(lines[0], first).exit, 0) << "nobody answers";

  ASSERT_EQ(lines[2].substr(0, 9), "./dev run");
  ServeProcess second(words);
  Finished watched = type(lines[3], second);
  EXPECT_EQ(watched.exit, 0) << watched.out << watched.err;
  std::string history = type(lines[4], second).out;
  EXPECT_EQ(times_in(history, "WaitResumed"), 1u) << history;
  EXPECT_EQ(times_in(history, "RunCompleted"), 1u) << history;
}

}  // namespace
}  // namespace fermata::test
