#include <gtest/gtest.h>

#include <chrono>
#include <set>

#include "adapters/system/system_clock.h"
#include "adapters/system/system_entropy.h"

namespace fermata {
namespace {

TEST(SystemClock, tells_milliseconds_since_the_epoch) {
  auto now_ms = [] {
    return std::chrono::duration_cast<std::chrono::milliseconds>(
               std::chrono::system_clock::now().time_since_epoch())
        .count();
  };
  int64_t before = now_ms();
  int64_t told = SystemClock().now().ms;
  EXPECT_LE(before, told);
  EXPECT_LE(told, now_ms());
}

TEST(SystemEntropy, does_not_repeat_across_refills) {
  SystemEntropy entropy;
  std::set<uint64_t> seen;
  for (int i = 0; i < 2000; ++i) EXPECT_TRUE(seen.insert(entropy.next()).second);
}

}  // namespace
}  // namespace fermata
