#include "server/rate_limits.h"

#include <gtest/gtest.h>

namespace fermata::server {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

TEST(RateLimits, a_burst_passes_and_the_rest_waits_for_refilling) {
  RateLimits limits({2, 4});
  steady_clock::time_point now{};
  AccountId a("a");
  for (int i = 0; i < 4; ++i) EXPECT_FALSE(limits.refuse(a, now));
  EXPECT_EQ(limits.refuse(a, now), 1);
  EXPECT_FALSE(limits.refuse(AccountId("b"), now));
  now += milliseconds(500);
  EXPECT_FALSE(limits.refuse(a, now));
  EXPECT_TRUE(limits.refuse(a, now));
  now += milliseconds(3'600'000);
  for (int i = 0; i < 4; ++i) EXPECT_FALSE(limits.refuse(a, now));
  EXPECT_TRUE(limits.refuse(a, now));
}

TEST(RateLimits, zero_means_no_limit) {
  RateLimits limits({0, 0});
  for (int i = 0; i < 1000; ++i) EXPECT_FALSE(limits.refuse(AccountId("a"), {}));
}

TEST(RateLimits, says_how_long_to_wait) {
  RateLimits limits({0.1, 1});
  EXPECT_FALSE(limits.refuse(AccountId("a"), {}));
  EXPECT_EQ(limits.refuse(AccountId("a"), {}), 10);
}

TEST(RateLimits, forgets_accounts_that_rest) {
  RateLimits limits({1000, 1});
  steady_clock::time_point now{};
  for (int i = 0; i < 30'000; ++i) {
    now += milliseconds(2);
    EXPECT_FALSE(limits.refuse(AccountId(std::to_string(i)), now));
  }
}

}  // namespace
}  // namespace fermata::server
