#include "adapters/redis/redis_checks.h"
#include "test/redis/fixture.h"

namespace fermata {
namespace {

using test::eventually;
using test::Gate;
using LinkTest = test::RedisTest;
using std::chrono::milliseconds;

constexpr RedisScript echo_script{"return ARGV[1]"};

TEST(RedisAddressTest, is_read_with_all_its_parts) {
  auto plain = read_redis_address("redis://host");
  ASSERT_TRUE(plain);
  EXPECT_EQ(plain->places, (std::vector<RedisAddress::Place>{{"host", 6379}}));
  EXPECT_EQ(plain->database, 0);
  auto whole = read_redis_address("redis://me:p%40ss@10.0.0.1:7000/3");
  ASSERT_TRUE(whole);
  EXPECT_EQ(whole->places, (std::vector<RedisAddress::Place>{{"10.0.0.1", 7000}}));
  EXPECT_EQ(whole->user, "me");
  EXPECT_EQ(whole->password, "p@ss");
  EXPECT_EQ(whole->database, 3);
  EXPECT_EQ(whole->shown, "redis://(hidden)@10.0.0.1:7000/3");
  EXPECT_EQ(read_redis_address("redis://[::1]:7000")->places.front().first, "::1");
}

// C-30
TEST(RedisAddressTest, sentinels_are_read_with_the_name_they_know) {
  auto address = read_redis_address("redis+sentinel://:secret@h1,h2:5000/main");
  ASSERT_TRUE(address);
  EXPECT_EQ(address->places, (std::vector<RedisAddress::Place>{{"h1", 26379}, {"h2", 5000}}));
  EXPECT_EQ(address->master, "main");
}

// C-4, C-6
TEST(RedisAddressTest, what_is_wrong_is_told_without_the_password) {
  for (const char* url :
       {"rediss://:geheim@host", "http://:geheim@host", "redis://:geheim@", "redis://:geheim@h:0",
        "redis://:geheim@h:99999", "redis://:geheim@h/db", "redis://:geheim@h1,h2",
        "redis+sentinel://:geheim@h1", "redis://:geheim@[::1"}) {
    auto address = read_redis_address(url);
    ASSERT_FALSE(address) << url;
    EXPECT_EQ(address.error().code, ErrorCode::invalid_setting);
    EXPECT_EQ(address.error().message.find("geheim"), std::string::npos) << address.error().message;
  }
  EXPECT_NE(read_redis_address("rediss://h").error().message.find("TLS"), std::string::npos);
}

// C-30
TEST_F(LinkTest, script_that_redis_has_forgotten_is_loaded_again) {
  RedisLink link(options());
  EXPECT_EQ(link.call(echo_script, {{}, {"one"}})->text, "one");
  ask({"SCRIPT", "FLUSH"});
  EXPECT_EQ(link.call(echo_script, {{}, {"two"}})->text, "two");
  std::vector<RedisArguments> many;
  for (int i = 0; i < 100; ++i) many.push_back({{}, {std::to_string(i)}});
  ask({"SCRIPT", "FLUSH"});
  auto replies = link.call(echo_script, many);
  ASSERT_TRUE(replies) << replies.error().message;
  for (size_t i = 0; i < many.size(); ++i) EXPECT_EQ((*replies)[i].text, std::to_string(i));
}

// C-7
TEST_F(LinkTest, connection_that_was_cut_is_made_again) {
  RedisLink link(options());
  ASSERT_TRUE(link.connect());
  EXPECT_FALSE(link.is_away());
  gate.cut();
  EXPECT_FALSE(link.run({"PING"}));
  EXPECT_TRUE(link.is_away());
  EXPECT_TRUE(eventually([&] { return static_cast<bool>(link.run({"PING"})); }));
  EXPECT_FALSE(link.is_away());
}

// C-30
TEST_F(LinkTest, answer_that_does_not_come_is_a_failure_after_the_time_limit) {
  RedisLink link(options());
  ASSERT_TRUE(link.connect());
  gate.swallow(Gate::Way::back);
  auto began = std::chrono::steady_clock::now();
  auto reply = link.run({"PING"});
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().code, ErrorCode::io_failed);
  EXPECT_GE(std::chrono::steady_clock::now() - began, milliseconds(490));
}

// C-30
TEST_F(LinkTest, while_it_is_away_nothing_waits_for_it) {
  RedisLink link(options());
  ASSERT_TRUE(link.connect());
  gate.refuse();
  EXPECT_FALSE(link.run({"PING"}));
  size_t tries = 0;
  auto began = std::chrono::steady_clock::now();
  // Five failures in a row open the breaker: what is asked until then reaches the network five
  // times.
  EXPECT_TRUE(eventually([&] {
    tries += link.may_try();
    (void)static_cast<bool>(link.run({"PING"}));
    return tries >= 4 && !link.may_try();
  }));
  for (int i = 0; i < 10'000; ++i) EXPECT_FALSE(link.run({"PING"}));
  EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(15));
  EXPECT_FALSE(link.may_try());
  gate.pass();
  EXPECT_TRUE(eventually([&] { return static_cast<bool>(link.run({"PING"})); }));
}

TEST_F(LinkTest, trouble_is_told_once_and_when_it_is_over) {
  std::vector<std::string> told;
  RedisOptions made = options();
  made.on_trouble = [&](const std::string& text) { told.push_back(text); };
  RedisLink link(made);
  ASSERT_TRUE(link.connect());
  EXPECT_TRUE(told.empty());
  gate.refuse();
  EXPECT_FALSE(link.run({"PING"}));
  EXPECT_TRUE(eventually([&] { return link.may_try() && !link.run({"PING"}); }));
  gate.pass();
  EXPECT_TRUE(eventually([&] { return static_cast<bool>(link.run({"PING"})); }));
  ASSERT_EQ(told.size(), 2u);
  EXPECT_NE(told[0], "");
  EXPECT_EQ(told[1], "");
}

struct Refused {
  std::vector<std::string> server;
  std::string prefix;
  std::string found;
  bool allowed;
};

// C-6
TEST(RedisChecks, redis_that_is_not_safe_is_refused_with_what_was_found_why_and_the_remedy) {
  const Refused refused[] = {
      {{"--appendonly", "no"}, "", "aof_enabled:0", true},
      {{"--appendonly", "yes", "--maxmemory", "100mb", "--maxmemory-policy", "allkeys-lru"},
       "",
       "maxmemory_policy:allkeys-lru",
       true},
      {{"--appendonly", "yes", "--replicaof", "127.0.0.1", "1"}, "", "role:slave", false},
      {{"--appendonly", "yes", "--cluster-enabled", "yes"}, "", "redis_mode:cluster", false}};
  for (const Refused& each : refused) {
    test::RedisProcess redis(each.server);
    ASSERT_TRUE(redis.start()) << each.found;
    RedisOptions options;
    options.address = *read_redis_address(redis.url());
    auto connected = RedisLink(options).connect();
    ASSERT_FALSE(connected) << each.found;
    EXPECT_EQ(connected.error().code, ErrorCode::invalid_setting);
    const std::string& text = connected.error().message;
    EXPECT_NE(text.find(each.found), std::string::npos) << text;
    EXPECT_EQ(text.find("redis.checks = warn allows") != std::string::npos, each.allowed) << text;
    options.unsafe_allowed = true;
    EXPECT_EQ(static_cast<bool>(RedisLink(options).connect()), each.allowed) << each.found;
  }
}

// C-6, C-31
TEST(RedisChecks, cluster_is_used_with_a_tag_in_the_prefix) {
  test::RedisProcess redis({"--appendonly", "yes", "--cluster-enabled", "yes"});
  ASSERT_TRUE(redis.start());
  RedisOptions options;
  options.address = *read_redis_address(redis.url());
  options.prefix = "{fermata}:";
  RedisLink link(options);
  EXPECT_TRUE(link.connect());
  EXPECT_EQ(link.key("scheduler:timers"), "{fermata}:scheduler:timers");
}

// C-4
TEST(RedisChecks, password_is_used_and_one_that_is_wrong_is_not_shown) {
  test::RedisProcess redis({"--appendonly", "yes", "--requirepass", "geheim"});
  ASSERT_TRUE(redis.start());
  std::string place = "127.0.0.1:" + std::to_string(redis.port());
  RedisOptions options;
  options.address = *read_redis_address("redis://:geheim@" + place);
  EXPECT_TRUE(RedisLink(options).connect());
  options.address = *read_redis_address("redis://:erraten@" + place);
  auto refused = RedisLink(options).connect();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message.find("erraten"), std::string::npos);
}

}  // namespace
}  // namespace fermata
