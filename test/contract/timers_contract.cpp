#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <memory>

#include "adapters/memory/virtual_clock.h"
#include "adapters/memory/wheel_timers.h"
#include "adapters/redis/redis_timers.h"
#include "base/random.h"
#include "test/support/redis_process.h"

namespace fermata {
namespace {

struct TimersKind {
  std::string name;
  std::function<std::unique_ptr<Timers>()> make;
};

/// Timers of a Redis that never answers. One that does may repeat what was taken back meanwhile,
/// as the port allows: test/redis looks at it.
class LonelyRedisTimers final : public Timers {
 public:
  LonelyRedisTimers() {
    RedisOptions redis;
    redis.address = *read_redis_address(redis_.url());
    RedisTimersOptions options;
    options.near = Duration{0};
    options.late = Duration{int64_t{1} << 50};
    timers_ = std::make_unique<RedisTimers>(redis, options, clock_);
  }
  using Timers::arm;
  void arm(const RunId& run, Instant due, TimerLane lane) override { timers_->arm(run, due, lane); }
  void disarm(const RunId& run) override { timers_->disarm(run); }
  std::vector<DueRun> due(Instant now, size_t most) override {
    clock_.set(now);
    return timers_->due(now, most);
  }
  std::optional<Instant> next_due() const override { return timers_->next_due(); }
  size_t size() const override { return timers_->size(); }

 private:
  test::RedisProcess redis_;  ///< of which only the address is used
  VirtualClock clock_;
  std::unique_ptr<RedisTimers> timers_;
};

class TimersContract : public testing::TestWithParam<TimersKind> {
 protected:
  TimersContract() : timers_(GetParam().make()) {}
  void arm(const std::string& run, int64_t due) { timers_->arm(RunId(run), Instant{due}); }
  std::vector<std::string> due(int64_t now, size_t most = 1000) {
    std::vector<std::string> out;
    for (const DueRun& due : timers_->due(Instant{now}, most)) out.push_back(due.run.text());
    return out;
  }
  using Runs = std::vector<std::string>;
  std::unique_ptr<Timers> timers_;
};

TEST_P(TimersContract, nothing_is_due_when_empty) {
  EXPECT_EQ(due(1'000'000), Runs{});
  EXPECT_EQ(timers_->next_due(), std::nullopt);
  EXPECT_EQ(timers_->size(), 0u);
}

TEST_P(TimersContract, entry_is_taken_once_when_its_time_has_come) {
  arm("a", 1000);
  EXPECT_EQ(due(999), Runs{});
  EXPECT_EQ(due(1000), Runs{"a"});
  EXPECT_EQ(due(1000), Runs{});
  EXPECT_EQ(timers_->size(), 0u);
}

TEST_P(TimersContract, earliest_comes_first) {
  arm("c", 300'000);
  arm("a", 10);
  arm("d", 90'000'000);
  arm("b", 4'000);
  EXPECT_EQ(due(100'000'000), (Runs{"a", "b", "c", "d"}));
}

TEST_P(TimersContract, arming_again_moves_the_entry) {
  arm("a", 10);
  arm("a", 2'000);
  EXPECT_EQ(timers_->size(), 1u);
  EXPECT_EQ(due(1'999), Runs{});
  arm("a", 500);
  EXPECT_EQ(due(1'999), Runs{"a"});
}

TEST_P(TimersContract, disarmed_entry_never_comes) {
  arm("a", 10);
  arm("b", 10);
  timers_->disarm(RunId("a"));
  timers_->disarm(RunId("a"));
  timers_->disarm(RunId("nobody"));
  EXPECT_EQ(timers_->size(), 1u);
  EXPECT_EQ(due(1'000), Runs{"b"});
}

TEST_P(TimersContract, no_more_than_asked_for_are_taken) {
  for (int i = 0; i < 10; ++i) arm(std::to_string(i), i < 5 ? 7 : 70'000);
  EXPECT_EQ(due(100'000, 3).size(), 3u);
  EXPECT_EQ(due(100'000, 4).size(), 4u);
  EXPECT_EQ(due(100'000, 4).size(), 3u);
}

TEST_P(TimersContract, due_time_in_the_past_is_due_at_once) {
  arm("now", 5'000);
  EXPECT_EQ(due(5'000), Runs{"now"});
  arm("b", 4'000);
  arm("a", -1);
  EXPECT_EQ(due(5'000), (Runs{"a", "b"}));
}

TEST_P(TimersContract, clock_that_goes_back_takes_nothing_too_early) {
  EXPECT_EQ(due(1'000'000), Runs{});
  arm("a", 600'000);
  arm("b", 2'000'000);
  EXPECT_EQ(due(500'000), Runs{});
  EXPECT_EQ(due(600'000), Runs{"a"});
  EXPECT_EQ(due(2'000'000), Runs{"b"});
}

TEST_P(TimersContract, times_at_both_ends_of_the_calendar_are_kept_in_order) {
  arm("last", INT64_MAX);
  arm("first", INT64_MIN);
  arm("late", int64_t{1} << 50);
  arm("later", (int64_t{1} << 62) + 5);
  arm("soon", 1'700'000'000'000);
  EXPECT_EQ(due(0), Runs{"first"});
  EXPECT_EQ(due(1'700'000'000'000), Runs{"soon"});
  EXPECT_EQ(due((int64_t{1} << 50) - 1), Runs{});
  EXPECT_EQ(due(int64_t{1} << 50), Runs{"late"});
  EXPECT_EQ(due(INT64_MAX), (Runs{"later", "last"}));
}

TEST_P(TimersContract, sleeping_until_next_due_reaches_every_entry_soon) {
  int64_t times[] = {3, 64, 65, 4'096, 100'000, 1'700'000'000'123, (int64_t{1} << 50) + 77};
  for (int64_t at : times) arm(std::to_string(at), at);
  Runs seen;
  int wakes = 0;
  while (auto next = timers_->next_due()) {
    ASSERT_LT(++wakes, 100);
    for (std::string& run : due(next->ms)) {
      EXPECT_EQ(std::stoll(run), next->ms);
      seen.push_back(std::move(run));
    }
  }
  EXPECT_EQ(seen.size(), std::size(times));
}

// A model that keeps every entry in a sorted map, and the adapter, do the same things at random.
TEST_P(TimersContract, agrees_with_a_sorted_map) {
  Random random(7);
  std::map<std::string, int64_t> model;
  int64_t now = 1'700'000'000'000;
  for (int step = 0; step < 20'000; ++step) {
    std::string run = std::to_string(random.below(300));
    switch (random.below(6)) {
      case 0:
      case 1:
      case 2: {
        auto reach = static_cast<int64_t>(uint64_t{1} << random.below(40));
        int64_t at = now + static_cast<int64_t>(random.below(static_cast<uint64_t>(reach))) - 50;
        arm(run, at);
        model[run] = at;
        break;
      }
      case 3:
        timers_->disarm(RunId(run));
        model.erase(run);
        break;
      default: {
        now += static_cast<int64_t>(random.below(uint64_t{1} << random.below(30))) - 20;
        size_t most = random.chance(0.5) ? 1000 : random.below(5);
        auto due_by_now = std::count_if(model.begin(), model.end(),
                                        [&](const auto& entry) { return entry.second <= now; });
        Runs taken = due(now, most);
        ASSERT_EQ(taken.size(), std::min(most, static_cast<size_t>(due_by_now)));
        int64_t before = INT64_MIN;
        for (const std::string& one : taken) {
          ASSERT_TRUE(model.contains(one));
          ASSERT_LE(model[one], now);
          ASSERT_GE(model[one], before);
          before = model[one];
          model.erase(one);
        }
        for (const auto& [left, at] : model) ASSERT_TRUE(at >= before) << left;
      }
    }
    ASSERT_EQ(timers_->size(), model.size());
    ASSERT_EQ(timers_->next_due().has_value(), !model.empty());
    for (const auto& [left, at] : model) ASSERT_LE(timers_->next_due()->ms, at) << left;
  }
}

INSTANTIATE_TEST_SUITE_P(
    adapters, TimersContract,
    testing::Values(TimersKind{"wheel", [] { return std::make_unique<WheelTimers>(); }},
                    TimersKind{"redis_that_is_away",
                               [] { return std::make_unique<LonelyRedisTimers>(); }}),
    [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace fermata
