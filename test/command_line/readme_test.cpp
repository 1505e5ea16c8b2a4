#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/wait.h>

#include <fstream>
#include <sstream>

#include "test/command_line/process.h"

namespace fermata::test {
namespace {

std::string content(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

/// The blocks of commands in the README, in their order.
std::vector<std::string> blocks() {
  const std::string page = content("README.md"), begin = "```sh\n", end = "```\n";
  std::vector<std::string> found;
  for (size_t at = 0; (at = page.find(begin, at)) != std::string::npos;) {
    at += begin.size();
    size_t stop = page.find(end, at);
    if (stop == std::string::npos) break;
    found.push_back(page.substr(at, stop - at));
    at = stop + end.size();
  }
  return found;
}

std::string block_with(const std::string& word) {
  for (const std::string& block : blocks())
    if (block.find(word) != std::string::npos) return block;
  ADD_FAILURE() << "no block of the README has " << word;
  return "";
}

/// Types a block into a shell: with the program under test, and against `server`.
Finished typed(const std::string& block, const ServeProcess& server) {
  Scratch scratch;
  std::string program = getenv("FERMATA_BINARY");
  std::string lines = replaced(block, "build/release/fermata", "\"" + program + "\"");
  lines = replaced(lines, "http://127.0.0.1:4747", server.url());
  std::string script = scratch.path("script"), out = scratch.path("out"), err = scratch.path("err");
  // What a block leaves in the background ends with it, as with the terminal of its reader.
  std::ofstream(script) << "set -e\ntrap 'kill $(jobs -p) 2>/dev/null || true' EXIT\n"
                        << "export FERMATA_SERVER=" << server.url() << "\n"
                        << replaced(lines, "curl ", "curl --silent --show-error --fail ");
  int status = system(("timeout 60 bash " + script + " >" + out + " 2>" + err).c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, content(out), content(err)};
}

TEST(Readme, examples_without_a_server_do_what_they_say) {
  ServeProcess server({"--store", "memory"});
  Finished graphs = typed(block_with("fermata run examples/hello.json"), server);
  EXPECT_EQ(graphs.exit, 0) << graphs.err;
  EXPECT_NE(graphs.out.find("Hello, Ada!"), std::string::npos) << graphs.out;
  Finished script = typed(block_with("examples/reminder.flow"), server);
  EXPECT_EQ(script.exit, 0) << script.err;
  EXPECT_NE(script.out.find("drink some water"), std::string::npos) << script.out;
}

TEST(Readme, examples_over_http_do_what_they_say) {
  ServeProcess server({"--store", "memory"});
  Finished started = typed(block_with("/workflows/hello/executions"), server);
  EXPECT_EQ(started.exit, 0) << started.err;
  EXPECT_NE(started.out.find("Hello, Ada!"), std::string::npos) << started.out;
}

TEST(Readme, shell_command_is_a_worker) {
  ServeProcess server({"--store", "memory"});
  Finished done = typed(block_with("fermata worker"), server);
  EXPECT_EQ(done.exit, 0) << done.err;
  EXPECT_NE(done.out.find(R"({"NAME":"ADA"})"), std::string::npos) << done.out;
}

}  // namespace
}  // namespace fermata::test
