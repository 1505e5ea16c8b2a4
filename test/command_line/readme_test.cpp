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

}  // namespace
}  // namespace fermata::test
