#include "cli/forward_clock.h"

#include <gtest/gtest.h>

namespace fermata::cli {
namespace {

class SetClock final : public Clock {
 public:
  explicit SetClock(const int64_t& ms) : ms_(ms) {}
  Instant now() const override { return {ms_}; }

 private:
  const int64_t& ms_;
};

// C-103
TEST(ForwardClock, never_runs_backwards) {
  int64_t ms = 1'000;
  ForwardClock clock(std::make_unique<SetClock>(ms));
  EXPECT_EQ(clock.now().ms, 1'000);
  ms = 400;
  EXPECT_EQ(clock.now().ms, 1'000) << "it stands still";
  ms = 999;
  EXPECT_EQ(clock.now().ms, 1'000);
  ms = 1'001;
  EXPECT_EQ(clock.now().ms, 1'001);
}

TEST(ForwardClock, may_be_wrong_on_purpose) {
  int64_t ms = 1'000;
  ForwardClock clock(std::make_unique<SetClock>(ms), Duration{-300});
  EXPECT_EQ(clock.now().ms, 700);
}

}  // namespace
}  // namespace fermata::cli
