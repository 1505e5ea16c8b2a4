#include <gtest/gtest.h>

#include "adapters/rabbitmq/backoff.h"
#include "adapters/rabbitmq/rabbit_topology.h"

namespace fermata {
namespace {

// C-4
TEST(RabbitAddresses, are_nodes_of_one_cluster_separated_by_commas) {
  auto read = rabbit_addresses("amqp://ann:pw@h1,amqps://h2:5000/v");
  ASSERT_TRUE(read);
  ASSERT_EQ(read->size(), 2u);
  EXPECT_EQ((*read)[0].host, "h1");
  EXPECT_EQ((*read)[1].port, 5000);
  EXPECT_FALSE(rabbit_addresses("amqp://h1,"));
  EXPECT_FALSE(rabbit_addresses(""));
}

// C-4
TEST(RabbitAddress, is_read_from_its_url) {
  auto full = rabbit_address("amqps://an%40n:p%2Fw@broker.test:5999/team%2Fa");
  ASSERT_TRUE(full);
  EXPECT_TRUE(full->tls);
  EXPECT_EQ(full->host, "broker.test");
  EXPECT_EQ(full->port, 5999);
  EXPECT_EQ(full->user, "an@n");
  EXPECT_EQ(full->password, "p/w");
  EXPECT_EQ(full->vhost, "team/a");
  auto bare = rabbit_address("amqp://[::1]");
  ASSERT_TRUE(bare);
  EXPECT_EQ(bare->host, "::1");
  EXPECT_EQ(bare->port, 5672);
  EXPECT_EQ(bare->user, "guest");
  EXPECT_EQ(bare->vhost, "/");
  EXPECT_EQ(bare->shown(), "amqp://[::1]:5672");
}

// C-4
TEST(RabbitAddress, password_is_shown_nowhere) {
  auto full = rabbit_address("amqp://ann:secret@broker.test/orders");
  ASSERT_TRUE(full);
  EXPECT_EQ(full->shown(), "amqp://broker.test:5672/orders");
  for (const char* url : {"redis://ann:secret@h", "amqp://ann:secret@", "amqp://ann:secret@h:x",
                          "amqp://ann:secret@h/a/b", "amqp://ann:secret@[::1"}) {
    auto refused = rabbit_address(url);
    ASSERT_FALSE(refused) << url;
    EXPECT_EQ(refused.error().code, ErrorCode::invalid_setting);
    EXPECT_EQ(refused.error().message.find("secret"), std::string::npos);
  }
}

// C-6
TEST(RabbitVersion, is_new_enough_from_3_10_on) {
  for (const char* version : {"3.10.8", "3.10", "3.13.7", "4.0.1"})
    EXPECT_TRUE(is_new_enough(version)) << version;
  for (const char* version : {"3.9.13", "2.8", "", "x", "3"})
    EXPECT_FALSE(is_new_enough(version)) << version;
}

// C-53
TEST(RabbitTopology, delay_is_the_longest_class_within_it) {
  EXPECT_EQ(rabbit_retry_class({0}), 1'000);
  EXPECT_EQ(rabbit_retry_class({5'000}), 5'000);
  EXPECT_EQ(rabbit_retry_class({59'999}), 15'000);
  EXPECT_EQ(rabbit_retry_class({600'000}), 60'000);
}

// C-7
TEST(Backoff, doubles_to_ten_seconds_and_begins_again) {
  Backoff backoff(7);
  int64_t whole = Backoff::first_ms;
  for (int i = 0; i < 12; ++i) {
    int64_t pause = backoff.next_ms();
    EXPECT_LE(pause, whole);
    EXPECT_GE(pause, whole * 3 / 4);
    whole = std::min(whole * 2, Backoff::longest_ms);
  }
  EXPECT_EQ(whole, Backoff::longest_ms);
  backoff.reset();
  EXPECT_LE(backoff.next_ms(), Backoff::first_ms);
}

}  // namespace
}  // namespace fermata
