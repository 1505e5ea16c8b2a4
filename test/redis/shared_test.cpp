#include "adapters/redis/redis_counters.h"
#include "adapters/redis/redis_leases.h"
#include "adapters/system/system_clock.h"
#include "host/breaker.h"
#include "test/redis/fixture.h"

/// Counters and leases that processes share.
namespace fermata {
namespace {

using test::eventually;
using test::Gate;

struct SharedTest : test::RedisTest {
  std::unique_ptr<RedisCounters> counters() {
    auto made =
        std::make_unique<RedisCounters>(options(), clock, std::make_unique<MemoryCounters>(clock));
    EXPECT_TRUE(eventually([&] { return !made->is_away(); }));
    return made;
  }
  static int64_t value(Counters& counters, const std::string& key) {
    auto read = counters.read(std::span(&key, 1)).front();
    return read ? read->value : 0;
  }
  SystemClock clock;
};

// J-32, C-31
TEST_F(SharedTest, counters_have_the_names_that_others_know) {
  auto one = counters();
  one->add("cb:safety:failures", 2, Duration{60'000});
  EXPECT_EQ(ask({"GET", "cordum:cb:safety:failures"}).text, "2");
  int64_t rest_ms = count({"PTTL", "cordum:cb:safety:failures"});
  EXPECT_GT(rest_ms, 30'000);
  EXPECT_LE(rest_ms, 60'000);
}

// J-32
TEST_F(SharedTest, replicas_share_a_breaker) {
  auto one = counters(), other = counters();
  Breaker here(*one, "cb:safety:"), there(*other, "cb:safety:");
  for (int i = 0; i < breaker::failures_to_open; ++i) {
    Breaker& who = i % 2 == 0 ? here : there;
    auto pass = who.admit();
    ASSERT_TRUE(pass);
    who.failed(*pass);
  }
  EXPECT_EQ(here.state(), breaker::State::open);
  EXPECT_EQ(there.state(), breaker::State::open);
  EXPECT_FALSE(there.admit());
  EXPECT_EQ(ask({"EXISTS", "cordum:cb:safety:open:1"}).integer, 1);
  EXPECT_TRUE(here.reset());
  EXPECT_EQ(there.state(), breaker::State::closed);
}

// J-32, C-93
TEST_F(SharedTest, counters_go_on_in_memory_while_redis_is_away) {
  auto one = counters();
  EXPECT_EQ(one->add("a", 3, Duration{600'000}), 3);
  gate.refuse();
  auto began = std::chrono::steady_clock::now();
  EXPECT_EQ(one->add("a", 1, Duration{600'000}), 4);
  EXPECT_TRUE(one->is_away());
  EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(2));
  EXPECT_EQ(value(*one, "a"), 4);
  gate.pass();
  EXPECT_TRUE(eventually([&] { return !one->is_away(); }));
  // What was counted meanwhile is not carried over: it was of this process alone.
  EXPECT_EQ(value(*one, "a"), 3);
}

// C-212
TEST_F(SharedTest, redis_that_answers_slowly_keeps_a_turn_waiting_once) {
  auto one = counters();
  gate.delay(std::chrono::milliseconds(600));
  auto began = std::chrono::steady_clock::now();
  for (int i = 1; i <= 5'000; ++i) EXPECT_EQ(one->add("a", 1, Duration{600'000}), i);
  EXPECT_TRUE(one->is_away());
  // One call after the other would have taken minutes.
  EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(5));
}

// C-90
TEST_F(SharedTest, leases_have_the_names_and_values_that_others_know) {
  RedisLeases leases(options(), clock, "replica-1");
  EXPECT_EQ(leases.take("scheduler:job:7", Duration{60'000}).state, LeaseState::lost);
  LeaseAnswer taken = leases.take("scheduler:job:7", Duration{60'000});
  ASSERT_EQ(taken.state, LeaseState::held);
  EXPECT_EQ(ask({"GET", "cordum:scheduler:job:7"}).text,
            std::to_string(taken.fence) + ":replica-1");
  LeaseAnswer shard = leases.take("shard:12", Duration{15'000});
  EXPECT_EQ(ask({"GET", "fermata:shard:12"}).text, std::to_string(shard.fence) + ":replica-1");
  EXPECT_EQ(ask({"GET", "fermata:fence"}).text, std::to_string(shard.fence));
  std::string index = ask({"GET", "fermata:index"}).text;
  EXPECT_EQ(index, "fermata:" + std::to_string(shard.fence >> RedisIndex::fence_bits));
}

// C-90
TEST_F(SharedTest, flush_is_noticed_and_fences_grow_across_it) {
  RedisLeases one(options(), clock, "one"), other(options(), clock, "other");
  uint64_t before = 0;
  for (int round = 0; round < 3; ++round) {
    EXPECT_EQ(one.take("a", Duration{60'000}).state, LeaseState::lost);
    LeaseAnswer taken = one.take("a", Duration{60'000});
    ASSERT_EQ(taken.state, LeaseState::held);
    EXPECT_GT(taken.fence, before);
    before = taken.fence;
    ask({"FLUSHALL"});
    EXPECT_EQ(one.renew({"a", taken.fence, Duration{60'000}}).state, LeaseState::lost);
    LeaseAnswer next = other.take("a", Duration{60'000});
    ASSERT_EQ(next.state, LeaseState::held);
    EXPECT_GT(next.fence, before);
    before = next.fence;
    EXPECT_EQ(one.renew({"a", taken.fence, Duration{60'000}}).state, LeaseState::gone);
    ask({"FLUSHALL"});
  }
  EXPECT_EQ(one.lost().at("a"), 6u);
}

// C-90
TEST_F(SharedTest, index_of_another_cluster_counts_as_lost) {
  ask({"SET", "fermata:index", "another:9"});
  ask({"SET", "fermata:fence", "5"});
  RedisLeases leases(options(), clock, "one");
  EXPECT_EQ(leases.take("a", Duration{60'000}).state, LeaseState::lost);
  EXPECT_EQ(leases.take("a", Duration{60'000}).state, LeaseState::held);
  EXPECT_TRUE(ask({"GET", "fermata:index"}).text.starts_with("fermata:"));
}

// C-215
TEST_F(SharedTest, holder_that_was_stopped_beyond_its_time_finds_a_higher_fence) {
  RedisLeases stopped(options(), clock, "stopped"), next(options(), clock, "next");
  (void)stopped.take("first", Duration{1});
  LeaseAnswer before = stopped.take("a", Duration{100});
  ASSERT_EQ(before.state, LeaseState::held);
  LeaseAnswer after;
  EXPECT_TRUE(eventually([&] {
    after = next.take("a", Duration{60'000});
    return after.state == LeaseState::held;
  }));
  EXPECT_GT(after.fence, before.fence);
  EXPECT_EQ(stopped.renew({"a", before.fence, Duration{60'000}}).state, LeaseState::gone);
  stopped.give_back({"a", before.fence, Duration{60'000}});
  EXPECT_EQ(next.renew({"a", after.fence, Duration{60'000}}).state, LeaseState::held);
}

// C-93
TEST_F(SharedTest, leases_come_from_the_store_after_two_seconds_and_never_before) {
  MemoryLeases::Book store;
  RedisLeases leases(options(), clock, "one", std::make_unique<MemoryLeases>(clock, store));
  (void)leases.take("first", Duration{1});
  gate.refuse();
  auto began = std::chrono::steady_clock::now();
  LeaseAnswer taken;
  EXPECT_TRUE(eventually([&] {
    taken = leases.take("a", Duration{60'000});
    if (taken.state != LeaseState::held) EXPECT_EQ(taken.state, LeaseState::unavailable);
    return taken.state == LeaseState::held;
  }));
  EXPECT_GE(std::chrono::steady_clock::now() - began, std::chrono::milliseconds(1'990));
  EXPECT_EQ(leases.take("a", Duration{60'000}).state, LeaseState::busy);
  EXPECT_EQ(leases.renew({"a", taken.fence, Duration{60'000}}).state, LeaseState::held);
  gate.pass();
  EXPECT_TRUE(eventually([&] {
    return leases.renew({"a", taken.fence, Duration{60'000}}).state == LeaseState::gone;
  }));
  EXPECT_EQ(leases.take("a", Duration{60'000}).state, LeaseState::held);
}

}  // namespace
}  // namespace fermata
