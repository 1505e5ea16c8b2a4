#include <gtest/gtest.h>

#include "base/json.h"
#include "test/command_line/process.h"

namespace fermata::test {
namespace {

// W-25, W-26, W-27, A-20
TEST(ContactsCommand, lists_puts_opts_out_and_deletes) {
  Scratch scratch;
  ServeProcess server{{"--data", scratch.path("data")}};
  Finished put = server.command({"contacts", "put", "c-17", R"({"phone":"+1 212 555 0100"})"});
  ASSERT_EQ(put.exit, 0) << put.err;
  EXPECT_NE(server.command({"contacts"}).out.find("+1 212 555 0100"), std::string::npos);
  EXPECT_NE(server.command({"contacts", "--phone", "0012125550100"}).out.find("c-17"),
            std::string::npos);
  Finished out = server.command({"contacts", "opt-out", "c-17", "--reason", "STOP"});
  EXPECT_EQ(parse_json(out.out)->get("opted_out"), Value(true)) << out.out;
  EXPECT_NE(server.command({"contacts", "show", "c-17"}).out.find("STOP"), std::string::npos);
  EXPECT_EQ(server.command({"contacts", "opt-in", "c-17"}).exit, 0);
  EXPECT_EQ(server.command({"contacts", "delete", "c-17"}).exit, 0);
  EXPECT_EQ(server.command({"contacts", "show", "c-17"}).exit, 3);
  EXPECT_EQ(server.command({"contacts", "eat", "c-17"}).exit, 2);
}

}  // namespace
}  // namespace fermata::test
