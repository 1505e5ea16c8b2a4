#include "host/breaker.h"

#include <gtest/gtest.h>

#include "adapters/memory/memory_counters.h"
#include "adapters/memory/virtual_clock.h"

namespace fermata {
namespace {

using breaker::Pass;
using breaker::State;

struct BreakerTest : testing::Test {
  VirtualClock clock{Instant{1'000'000}};
  MemoryCounters counters{clock};
  Breaker one{counters, "cb:safety:"};

  void pass(int64_t ms) { clock.set(clock.now() + Duration{ms}); }
  void fail(Breaker& of, int times) {
    for (int i = 0; i < times; ++i) {
      auto admitted = of.admit();
      ASSERT_TRUE(admitted);
      of.failed(*admitted);
    }
  }
  void open() {
    fail(one, 3);
    ASSERT_EQ(one.state(), State::open);
  }
};

// J-31
TEST_F(BreakerTest, three_failures_in_a_row_open_it_for_thirty_seconds) {
  fail(one, 2);
  EXPECT_EQ(one.state(), State::closed);
  EXPECT_FALSE(one.succeeded(*one.admit()));
  fail(one, 2);
  EXPECT_EQ(one.state(), State::closed);
  fail(one, 1);
  EXPECT_EQ(one.state(), State::open);
  EXPECT_FALSE(one.admit());
  pass(29'999);
  EXPECT_EQ(one.state(), State::open);
  pass(1);
  EXPECT_EQ(one.state(), State::half_open);
}

// J-31, JT-16
TEST_F(BreakerTest, half_open_gives_three_tickets_and_two_successes_close_it) {
  open();
  pass(30'000);
  auto first = one.admit();
  auto second = one.admit();
  auto third = one.admit();
  ASSERT_TRUE(first && second && third);
  EXPECT_TRUE(first->probe);
  EXPECT_FALSE(one.admit());
  EXPECT_FALSE(one.succeeded(*first));
  EXPECT_EQ(one.state(), State::half_open);
  EXPECT_FALSE(one.admit());
  EXPECT_TRUE(one.succeeded(*second));
  EXPECT_EQ(one.state(), State::closed);
  // The third comes too late to matter, however it ends.
  one.failed(*third);
  EXPECT_EQ(one.state(), State::closed);
  EXPECT_FALSE(one.admit()->probe);
}

// J-31, JT-16
TEST_F(BreakerTest, a_probe_that_fails_opens_it_again_once) {
  open();
  pass(30'000);
  auto first = one.admit();
  auto second = one.admit();
  auto third = one.admit();
  EXPECT_FALSE(one.succeeded(*first));
  one.failed(*second);
  EXPECT_EQ(one.state(), State::open);
  EXPECT_EQ(one.look().episode, 2);
  one.failed(*third);
  EXPECT_FALSE(one.succeeded(*third));
  EXPECT_EQ(one.look().episode, 2);
  pass(29'999);
  EXPECT_EQ(one.state(), State::open);
}

// J-31, JT-16
TEST_F(BreakerTest, probes_without_an_outcome_for_ten_seconds_open_it_again) {
  open();
  pass(30'000);
  ASSERT_TRUE(one.admit());
  pass(9'999);
  EXPECT_EQ(one.state(), State::half_open);
  EXPECT_EQ(changes_at(one.look()), clock.now() + Duration{1});
  pass(1);
  EXPECT_EQ(one.state(), State::open);
  EXPECT_EQ(one.look().episode, 2);
}

TEST_F(BreakerTest, half_open_waits_for_its_first_probe_as_long_as_it_takes) {
  open();
  pass(30'000 + 600'000);
  EXPECT_EQ(one.state(), State::half_open);
  EXPECT_TRUE(one.admit());
}

// J-32, JT-16
TEST_F(BreakerTest, replicas_that_share_counters_share_the_breaker) {
  Breaker two(counters, "cb:safety:");
  Breaker three(counters, "cb:safety:");
  Breaker output(counters, "cb:safety:output:");
  fail(one, 1);
  fail(two, 1);
  fail(three, 1);
  for (Breaker* each : {&one, &two, &three}) EXPECT_EQ(each->state(), State::open);
  EXPECT_EQ(output.state(), State::closed);
  pass(30'000);
  std::vector<Pass> probes;
  for (int request = 0; request < 100; ++request)
    for (Breaker* each : {&one, &two, &three})
      if (auto admitted = each->admit()) probes.push_back(*admitted);
  ASSERT_EQ(probes.size(), 3u);
  EXPECT_FALSE(one.succeeded(probes[0]));
  EXPECT_TRUE(three.succeeded(probes[1]));
  for (Breaker* each : {&one, &two, &three}) EXPECT_EQ(each->state(), State::closed);
}

// JT-16: one of three replicas takes the tickets and dies
TEST_F(BreakerTest, replica_that_dies_probing_is_waited_for_ten_seconds) {
  Breaker two(counters, "cb:safety:");
  open();
  pass(30'000);
  {
    Breaker dying(counters, "cb:safety:");
    for (int i = 0; i < 3; ++i) ASSERT_TRUE(dying.admit());
  }
  for (Breaker* each : {&one, &two}) EXPECT_FALSE(each->admit());
  pass(9'999);
  for (Breaker* each : {&one, &two}) EXPECT_EQ(each->state(), State::half_open);
  pass(1);
  for (Breaker* each : {&one, &two}) {
    EXPECT_EQ(each->state(), State::open);
    EXPECT_EQ(each->look().episode, 2) << "opened again once for all";
  }
  pass(30'000);
  auto next = two.admit();
  ASSERT_TRUE(next);
  EXPECT_TRUE(next->probe);
}

TEST_F(BreakerTest, a_failure_that_began_before_the_episode_is_not_counted_to_it) {
  std::vector<Pass> calls;
  for (int i = 0; i < 6; ++i) calls.push_back(*one.admit());
  for (const Pass& call : calls) one.failed(call);
  EXPECT_EQ(one.look().episode, 1);
  EXPECT_EQ(one.state(), State::open);
  EXPECT_FALSE(one.succeeded(calls[0]));
  EXPECT_EQ(one.state(), State::open);
}

TEST_F(BreakerTest, people_close_it_and_it_opens_again_like_any_other) {
  open();
  EXPECT_TRUE(one.reset());
  EXPECT_EQ(one.state(), State::closed);
  EXPECT_FALSE(one.reset());
  open();
  EXPECT_EQ(one.look().episode, 2);
}

TEST_F(BreakerTest, counters_that_have_ended_leave_a_closed_breaker_that_can_open) {
  open();
  one.reset();
  pass(2 * 3'600'000);
  EXPECT_EQ(one.look().episode, 0);
  EXPECT_EQ(one.state(), State::closed);
  open();
}

TEST_F(BreakerTest, a_clock_that_is_set_back_does_not_keep_it_open) {
  open();
  pass(-600'000);
  EXPECT_EQ(one.state(), State::open);
  pass(30'000);
  EXPECT_EQ(one.state(), State::half_open);
}

}  // namespace
}  // namespace fermata
