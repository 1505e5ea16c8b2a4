#include "adapters/http/network_policy.h"

#include <gtest/gtest.h>

#include <string>

namespace fermata {
namespace {

std::string class_of(std::string_view address) {
  return std::string(name_of(NetworkPolicy{}.refusal(address)));
}

std::string mistake_in(std::string_view setting) {
  const auto policy = parse_network_policy(setting);
  if (policy) return "";
  EXPECT_EQ(policy.error().code, ErrorCode::invalid_setting);
  return policy.error().message;
}

// G-40
TEST(network_policy, deny_names_the_class_of_every_ipv4_address_that_is_not_public) {
  EXPECT_EQ(class_of("127.0.0.1"), "loopback");
  EXPECT_EQ(class_of("127.255.255.255"), "loopback");
  EXPECT_EQ(class_of("10.1.2.3"), "private");
  EXPECT_EQ(class_of("172.16.0.1"), "private");
  EXPECT_EQ(class_of("172.31.255.255"), "private");
  EXPECT_EQ(class_of("192.168.1.1"), "private");
  EXPECT_EQ(class_of("169.254.1.1"), "link-local");
  EXPECT_EQ(class_of("169.254.169.254"), "metadata");
  EXPECT_EQ(class_of("100.64.0.1"), "carrier-grade NAT");
  EXPECT_EQ(class_of("100.127.255.255"), "carrier-grade NAT");
  EXPECT_EQ(class_of("224.0.0.1"), "multicast");
  EXPECT_EQ(class_of("255.255.255.255"), "broadcast");
  EXPECT_EQ(class_of("0.0.0.0"), "unspecified");
  EXPECT_EQ(class_of("0.1.2.3"), "unspecified");
  EXPECT_EQ(class_of("240.0.0.1"), "reserved");
  EXPECT_EQ(class_of("198.18.0.1"), "reserved");
}

// G-40
TEST(network_policy, deny_names_the_class_of_every_ipv6_address_that_is_not_public) {
  EXPECT_EQ(class_of("::1"), "loopback");
  EXPECT_EQ(class_of("::"), "unspecified");
  EXPECT_EQ(class_of("fe80::1"), "link-local");
  EXPECT_EQ(class_of("fe80::1%eth0"), "link-local");
  EXPECT_EQ(class_of("fc00::1"), "unique-local");
  EXPECT_EQ(class_of("fd12:3456::1"), "unique-local");
  EXPECT_EQ(class_of("fd00:ec2::254"), "metadata");
  EXPECT_EQ(class_of("ff02::1"), "multicast");
  EXPECT_EQ(class_of("fec0::1"), "private");
  EXPECT_EQ(class_of("2001:db8::1"), "reserved");
  EXPECT_EQ(class_of("2001:0:4136:e378::1"), "reserved");
  EXPECT_EQ(class_of("64:ff9b:1::a00:1"), "reserved");
}

// G-40
TEST(network_policy, an_ipv4_address_inside_an_ipv6_one_is_judged_as_ipv4) {
  EXPECT_EQ(class_of("::ffff:127.0.0.1"), "loopback");
  EXPECT_EQ(class_of("::ffff:169.254.169.254"), "metadata");
  EXPECT_EQ(class_of("::10.0.0.1"), "private");
  EXPECT_EQ(class_of("::ffff:0:10.0.0.1"), "private");
  EXPECT_EQ(class_of("64:ff9b::10.0.0.1"), "private");
  EXPECT_EQ(class_of("2002:0a00:0001::"), "private");
  EXPECT_EQ(class_of("2002:7f00:0001::1"), "loopback");
  EXPECT_EQ(class_of("::ffff:93.184.216.34"), "public");
  EXPECT_EQ(class_of("64:ff9b::93.184.216.34"), "public");
}

TEST(network_policy, public_addresses_are_open_and_their_neighbours_are_not) {
  for (const char* address : {"93.184.216.34", "9.255.255.255", "11.0.0.0", "172.15.255.255",
                              "172.32.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255",
                              "128.0.0.0", "223.255.255.255", "2606:4700::1111", "2a00::1"})
    EXPECT_EQ(class_of(address), "public") << address;
  EXPECT_EQ(class_of("no address"), "unknown");
}

TEST(network_policy, allow_opens_everything) {
  const auto policy = parse_network_policy(" allow ");
  ASSERT_TRUE(policy);
  EXPECT_EQ(policy->refusal("127.0.0.1"), AddressClass::open);
  EXPECT_EQ(policy->refusal("fd00:ec2::254"), AddressClass::open);
}

// G-40
TEST(network_policy, a_list_opens_its_ranges_and_nothing_else) {
  const auto policy = parse_network_policy("10.0.0.0/8, fd12::/16 ,192.168.7.4/31");
  ASSERT_TRUE(policy);
  EXPECT_EQ(policy->allowed.size(), 3U);
  EXPECT_EQ(policy->refusal("10.255.0.1"), AddressClass::open);
  EXPECT_EQ(policy->refusal("::ffff:10.255.0.1"), AddressClass::open);
  EXPECT_EQ(policy->refusal("fd12:1::1"), AddressClass::open);
  EXPECT_EQ(policy->refusal("fd13::1"), AddressClass::unique_local);
  EXPECT_EQ(policy->refusal("192.168.7.5"), AddressClass::open);
  EXPECT_EQ(policy->refusal("192.168.7.6"), AddressClass::private_use);
  EXPECT_EQ(policy->refusal("127.0.0.1"), AddressClass::loopback);
  EXPECT_EQ(policy->refusal("93.184.216.34"), AddressClass::open);
}

TEST(network_policy, a_range_of_all_ipv6_does_not_open_mapped_ipv4) {
  const auto policy = parse_network_policy("::/0");
  ASSERT_TRUE(policy);
  EXPECT_EQ(policy->refusal("::1"), AddressClass::open);
  EXPECT_EQ(policy->refusal("::ffff:127.0.0.1"), AddressClass::loopback);
}

TEST(network_policy, mistakes_in_the_setting_say_what_to_write) {
  EXPECT_EQ(mistake_in("deny"), "");
  EXPECT_NE(mistake_in("").find("is empty"), std::string::npos);
  EXPECT_NE(mistake_in("10.0.0.0/8,,fd00::/8").find("empty entry"), std::string::npos);
  EXPECT_NE(mistake_in("10.0.0.0/8,").find("empty entry"), std::string::npos);
  EXPECT_NE(mistake_in("10.0.0.0/8, allow").find("`allow` stands alone"), std::string::npos);
  EXPECT_NE(mistake_in("Deny").find("`Deny` is not an IPv4"), std::string::npos);
  EXPECT_NE(mistake_in("10.0.0.5").find("write `10.0.0.5/32`"), std::string::npos);
  EXPECT_NE(mistake_in("fd00::1").find("write `fd00::1/128`"), std::string::npos);
  EXPECT_NE(mistake_in("10.0.0.1/8").find("write `10.0.0.0/8`"), std::string::npos);
  EXPECT_NE(mistake_in("10.0.0.0/33").find("from 0 to 32"), std::string::npos);
  EXPECT_NE(mistake_in("fd00::/129").find("from 0 to 128"), std::string::npos);
  EXPECT_NE(mistake_in("10.0.0.0/8x").find("from 0 to 32"), std::string::npos);
  EXPECT_NE(mistake_in("10.0.0.0/").find("from 0 to 32"), std::string::npos);
  EXPECT_NE(mistake_in("10.0.0.0/-1").find("from 0 to 32"), std::string::npos);
  EXPECT_NE(mistake_in("10.0.0/8").find("is not an IPv4"), std::string::npos);
  EXPECT_NE(mistake_in("::ffff:10.0.0.0/104").find("write it as IPv4"), std::string::npos);
}

TEST(network_policy, a_list_has_a_limit) {
  std::string list = "10.0.0.0/8";
  for (size_t i = 1; i < allowed_networks_max; ++i) list += ",10.0.0.0/8";
  EXPECT_EQ(mistake_in(list), "");
  EXPECT_NE(mistake_in(list + ",10.0.0.0/8").find("the most is 256"), std::string::npos);
}

}  // namespace
}  // namespace fermata
