#include "adapters/memory/wheel_timers.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <tuple>

#include "base/random.h"

namespace fermata {
namespace {

std::vector<std::string> texts(const std::vector<DueRun>& runs) {
  std::vector<std::string> out;
  for (const DueRun& due : runs) out.push_back(due.run.text());
  return out;
}

TEST(WheelTimers, entry_is_given_back_with_the_lane_it_was_armed_in_last) {
  WheelTimers timers;
  timers.arm(RunId("a"), Instant{50}, 7);
  timers.arm(RunId("b"), Instant{50}, 7);
  timers.arm(RunId("b"), Instant{50}, 9);
  EXPECT_EQ(timers.due(Instant{50}, 9), (std::vector<DueRun>{{RunId("a"), 7}, {RunId("b"), 9}}));
}

TEST(WheelTimers, entries_of_one_instant_come_in_the_order_of_arming) {
  WheelTimers timers;
  int64_t at = 1'700'000'000'000;
  // Armed from ever nearer, so they first stand on different levels.
  for (int64_t distance : {int64_t{1} << 40, int64_t{1} << 30, int64_t{100'000}, int64_t{5'000},
                           int64_t{70}, int64_t{1}}) {
    EXPECT_TRUE(timers.due(Instant{at - distance}, 10).empty());
    timers.arm(RunId("at " + std::to_string(distance)), Instant{at});
  }
  EXPECT_EQ(texts(timers.due(Instant{at}, 100)),
            (std::vector<std::string>{"at 1099511627776", "at 1073741824", "at 100000", "at 5000",
                                      "at 70", "at 1"}));
}

TEST(WheelTimers, arming_with_the_same_time_keeps_the_place) {
  WheelTimers timers;
  for (const char* run : {"a", "b", "a"}) timers.arm(RunId(run), Instant{50});
  EXPECT_EQ(texts(timers.due(Instant{50}, 9)), (std::vector<std::string>{"a", "b"}));
  for (const char* run : {"a", "b"}) timers.arm(RunId(run), Instant{60});
  timers.arm(RunId("a"), Instant{61});
  timers.arm(RunId("a"), Instant{60});
  EXPECT_EQ(texts(timers.due(Instant{60}, 9)), (std::vector<std::string>{"b", "a"}));
}

TEST(WheelTimers, late_entries_of_one_instant_come_in_the_order_of_arming) {
  WheelTimers timers;
  EXPECT_TRUE(timers.due(Instant{1'000}, 9).empty());
  for (const char* run : {"c", "a", "b"}) timers.arm(RunId(run), Instant{0});
  EXPECT_EQ(timers.next_due(), Instant{0});
  EXPECT_EQ(texts(timers.due(Instant{1'000}, 2)), (std::vector<std::string>{"c", "a"}));
  EXPECT_EQ(texts(timers.due(Instant{1'000}, 2)), (std::vector<std::string>{"b"}));
}

TEST(WheelTimers, next_due_is_exact_when_near) {
  WheelTimers timers;
  int64_t now = 1'700'000'000'000 / 64 * 64;
  EXPECT_TRUE(timers.due(Instant{now}, 9).empty());
  timers.arm(RunId("a"), Instant{now + 63});
  EXPECT_EQ(timers.next_due(), Instant{now + 63});
}

TEST(WheelTimers, order_agrees_with_a_sorted_set) {
  Random random(11);
  WheelTimers timers;
  std::map<std::string, std::pair<int64_t, int>> model;
  int64_t now = 0;
  for (int step = 0; step < 30'000; ++step) {
    std::string run = std::to_string(random.below(200));
    if (random.chance(0.7)) {
      int64_t at = now - 8 + static_cast<int64_t>(random.below(uint64_t{1} << random.below(20)));
      if (!model.contains(run) || model[run].first != at) model[run] = {at, step};
      timers.arm(RunId(run), Instant{at});
      continue;
    }
    now += static_cast<int64_t>(random.below(uint64_t{1} << random.below(16)));
    size_t most = random.below(20);
    std::set<std::tuple<int64_t, int, std::string>> due;
    for (const auto& [id, entry] : model) {
      if (entry.first <= now) due.insert({entry.first, entry.second, id});
    }
    std::vector<std::string> expected;
    for (const auto& entry : due) {
      if (expected.size() < most) expected.push_back(std::get<2>(entry));
    }
    ASSERT_EQ(texts(timers.due(Instant{now}, most)), expected);
    for (const std::string& id : expected) model.erase(id);
  }
}

}  // namespace
}  // namespace fermata
