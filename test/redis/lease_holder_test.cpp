#include "ports/lease_holder.h"

#include <gtest/gtest.h>

#include "adapters/memory/memory_leases.h"
#include "adapters/memory/virtual_clock.h"

namespace fermata {
namespace {

/// Leases that can be out of reach.
class Reachable final : public Leases {
 public:
  explicit Reachable(Leases& inner) : inner_(inner) {}
  using Leases::give_back;
  using Leases::renew;
  using Leases::take;
  std::vector<LeaseAnswer> take(std::span<const LeaseWanted> wanted) override {
    return away ? std::vector<LeaseAnswer>(wanted.size()) : inner_.take(wanted);
  }
  std::vector<LeaseAnswer> renew(std::span<const LeaseHeld> held) override {
    ++renewals;
    return away ? std::vector<LeaseAnswer>(held.size()) : inner_.renew(held);
  }
  void give_back(std::span<const LeaseHeld> held) override {
    ++returns;
    inner_.give_back(held);
  }
  bool away = false;
  int renewals = 0, returns = 0;

 private:
  Leases& inner_;
};

struct LeaseHolderTest : testing::Test {
  bool turn(int64_t after_ms) {
    clock.advance(Duration{after_ms});
    return holder.turn(clock.now());
  }
  VirtualClock clock{Instant{1'000'000}};
  MemoryLeases::Book book;
  MemoryLeases mine{clock, book}, others{clock, book};
  Reachable leases{mine};
  LeaseHolder holder{leases, "wf:delay:poller", Duration{9'000}};
};

// C-91
TEST_F(LeaseHolderTest, renews_after_a_third_of_the_time_and_not_before) {
  EXPECT_TRUE(turn(0));
  EXPECT_TRUE(turn(2'999));
  EXPECT_EQ(leases.renewals, 0);
  EXPECT_TRUE(turn(1));
  EXPECT_EQ(leases.renewals, 1);
  for (int i = 0; i < 10; ++i) EXPECT_TRUE(turn(3'000));
  EXPECT_EQ(others.take("wf:delay:poller", Duration{9'000}).state, LeaseState::busy);
}

// C-91
TEST_F(LeaseHolderTest, begins_nothing_after_three_failures_and_does_not_give_back) {
  EXPECT_TRUE(turn(0));
  leases.away = true;
  EXPECT_TRUE(turn(3'000));
  EXPECT_TRUE(turn(3'000));
  EXPECT_FALSE(turn(3'000));
  EXPECT_EQ(leases.renewals, 3);
  holder.give_back();
  EXPECT_EQ(leases.returns, 0);
}

// C-91
TEST_F(LeaseHolderTest, one_success_makes_up_for_failures) {
  EXPECT_TRUE(turn(0));
  uint64_t fence = holder.fence();
  for (int round = 0; round < 5; ++round) {
    leases.away = true;
    EXPECT_TRUE(turn(3'000));
    leases.away = false;
    EXPECT_TRUE(turn(3'000));
  }
  EXPECT_EQ(holder.fence(), fence);
}

// C-91, C-215
TEST_F(LeaseHolderTest, takes_it_anew_with_a_higher_fence_when_its_time_is_over) {
  EXPECT_TRUE(turn(0));
  uint64_t before = holder.fence();
  leases.away = true;
  for (int i = 0; i < 3; ++i) (void)turn(3'000);
  EXPECT_FALSE(holder.may_begin());
  leases.away = false;
  EXPECT_TRUE(turn(1));
  EXPECT_GT(holder.fence(), before);
}

// C-91
TEST_F(LeaseHolderTest, loses_it_to_whoever_came_after_its_end) {
  EXPECT_TRUE(turn(0));
  clock.advance(Duration{9'000});
  EXPECT_EQ(others.take("wf:delay:poller", Duration{9'000}).state, LeaseState::held);
  EXPECT_FALSE(turn(0));
  EXPECT_FALSE(turn(3'000));
  EXPECT_TRUE(turn(6'000));
}

// C-91
TEST_F(LeaseHolderTest, end_that_was_asked_for_frees_it_at_once) {
  EXPECT_TRUE(turn(0));
  holder.give_back();
  EXPECT_EQ(others.take("wf:delay:poller", Duration{9'000}).state, LeaseState::held);
}

}  // namespace
}  // namespace fermata
