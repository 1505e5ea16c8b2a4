#include "core/breaker/breaker.h"

#include <gtest/gtest.h>

namespace fermata::breaker {
namespace {

constexpr Instant later{5'000};

Counts of_episode(std::optional<Counter> open, std::optional<Counter> probes,
                  std::optional<Counter> ok) {
  return {.failures = 3, .episode = 2, .closed = 1, .open = open, .probes = probes, .ok = ok};
}

// J-32
TEST(BreakerState, follows_from_the_counters_alone) {
  EXPECT_EQ(state_of({}), State::closed);
  EXPECT_EQ(state_of({.failures = 2}), State::closed);
  EXPECT_EQ(state_of({.episode = 2, .closed = 2}), State::closed);
  EXPECT_EQ(state_of(of_episode(Counter{1, later}, {}, {})), State::open);
  EXPECT_EQ(state_of(of_episode({}, {}, {})), State::half_open);
  EXPECT_EQ(state_of(of_episode({}, Counter{1}, Counter{0, later})), State::half_open);
  EXPECT_EQ(state_of(of_episode({}, Counter{3}, Counter{2, later})), State::closed);
}

TEST(BreakerState, is_silent_only_after_a_ticket_without_an_outcome) {
  EXPECT_FALSE(is_silent({}));
  EXPECT_FALSE(is_silent(of_episode({}, {}, {})));
  EXPECT_FALSE(is_silent(of_episode({}, Counter{1}, Counter{1, later})));
  EXPECT_TRUE(is_silent(of_episode({}, Counter{1}, {})));
  EXPECT_FALSE(is_silent(of_episode(Counter{1, later}, Counter{1}, {})));
}

TEST(BreakerState, tells_when_time_alone_changes_it) {
  EXPECT_EQ(changes_at({}), std::nullopt);
  EXPECT_EQ(changes_at(of_episode(Counter{1, later}, {}, {})), later);
  EXPECT_EQ(changes_at(of_episode({}, {}, {})), std::nullopt);
  EXPECT_EQ(changes_at(of_episode({}, Counter{1}, Counter{0, later})), later);
}

TEST(BreakerState, bumps_are_ordered_so_that_nobody_sees_a_state_in_between) {
  Counts counts = of_episode({}, {}, {});
  EXPECT_EQ(opening(counts)[0], (Bump{"open:3", 1, open_for}));
  EXPECT_EQ(opening(counts)[1], (Bump{"episode", 1}));
  EXPECT_EQ(ticket(counts)[0], (Bump{"ok:2", 0, silence_max}));
  EXPECT_EQ(ticket(counts)[1], (Bump{"probes:2", 1}));
  std::vector<Bump> closed = {{"failures", -3, Duration{0}}, {"closed", 1}, {"episode", 0}};
  EXPECT_EQ(closing(counts), closed);
  EXPECT_TRUE(closing({}).empty());
}

}  // namespace
}  // namespace fermata::breaker
