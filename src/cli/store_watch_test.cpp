#include "cli/store_watch.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace fermata::cli {
namespace {

struct HandClock final : Clock {
  Instant now() const override { return at; }
  Instant at{1'700'000'000'000};
};

class Watched : public testing::Test {
 protected:
  size_t lines() const { return static_cast<size_t>(std::count(text.begin(), text.end(), '\n')); }
  std::string text;
  HandClock clock;
  Log log{false, LogLevel::info, [this] { return clock.at; },
          [this](std::string_view line) { text += line; }};
  StoreWatch watch{log, clock};
  Error full{ErrorCode::io_failed, "the disk is full", {}};
};

TEST_F(Watched, trouble_is_told_at_once_then_now_and_then_and_when_it_is_over) {
  for (int i = 0; i < 1000; ++i) watch.failed(full);
  EXPECT_EQ(lines(), 1u) << text;
  EXPECT_NE(text.find("the disk is full"), std::string::npos) << text;
  clock.at = clock.at + StoreWatch::repeat_interval;
  watch.failed(full);
  EXPECT_EQ(lines(), 2u) << text;
  EXPECT_NE(text.find("failures=1001"), std::string::npos) << text;
  watch.recovered();
  EXPECT_EQ(lines(), 3u) << text;
  EXPECT_NE(text.find("again"), std::string::npos) << text;
  watch.failed(full);
  EXPECT_EQ(lines(), 4u) << "the next trouble is a new one: " << text;
}

TEST_F(Watched, clock_that_is_set_back_does_not_silence_it) {
  watch.failed(full);
  clock.at = clock.at - Duration{86'400'000};
  watch.failed(full);
  EXPECT_EQ(lines(), 2u) << text;
}

TEST_F(Watched, each_damage_is_told_once) {
  for (int round = 0; round < 3; ++round)
    for (int row : {3, 4})
      watch.damaged({ErrorCode::data_damaged, "run row " + std::to_string(row), {}});
  EXPECT_EQ(lines(), 2u) << text;
}

TEST_F(Watched, widespread_damage_does_not_flood_the_log) {
  for (size_t row = 0; row < StoreWatch::damages_max + 50; ++row)
    watch.damaged({ErrorCode::data_damaged, "run row " + std::to_string(row), {}});
  EXPECT_EQ(lines(), StoreWatch::damages_max);
}

}  // namespace
}  // namespace fermata::cli
