#include "server/http/address.h"

#include <gtest/gtest.h>

namespace fermata::http {
namespace {

TEST(Address, reads_host_and_port) {
  auto v4 = parse_listen_address("127.0.0.1:4747");
  ASSERT_TRUE(v4);
  EXPECT_EQ(v4->host, "127.0.0.1");
  EXPECT_EQ(v4->port, 4747);
  auto v6 = parse_listen_address("[::1]:80");
  ASSERT_TRUE(v6);
  EXPECT_EQ(v6->host, "::1");
  EXPECT_EQ(to_text(*v6), "[::1]:80");
  for (std::string_view bad : {"", "4747", ":4747", "a:", "a:x", "a:70000", "::1:80", "a:-1"}) {
    auto parsed = parse_listen_address(bad);
    ASSERT_FALSE(parsed) << bad;
    EXPECT_EQ(parsed.error().code, ErrorCode::invalid_setting);
  }
}

TEST(Address, knows_what_only_this_machine_can_reach) {
  for (std::string_view host : {"localhost", "LOCALHOST", "127.0.0.1", "127.1.2.3", "::1"})
    EXPECT_TRUE(is_loopback_host(host)) << host;
  for (std::string_view host : {"", "127.evil.test", "127.0.0.1.evil.test", "0.0.0.0",
                                "example.com", "127.0.0.", "localhost.evil.test"})
    EXPECT_FALSE(is_loopback_host(host)) << host;
}

TEST(Address, finds_the_host_in_an_authority) {
  EXPECT_EQ(host_of_authority("a:1"), "a");
  EXPECT_EQ(host_of_authority("a"), "a");
  EXPECT_EQ(host_of_authority("[::1]:80"), "::1");
  EXPECT_EQ(host_of_authority("[::1"), "");
}

}  // namespace
}  // namespace fermata::http
