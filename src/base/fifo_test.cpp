#include "base/fifo.h"

#include <gtest/gtest.h>

#include <deque>

#include "base/random.h"

namespace fermata {
namespace {

TEST(Fifo, behaves_as_a_deque_does) {
  Random dice(1);
  Fifo<uint64_t> fifo;
  std::deque<uint64_t> expected;
  for (uint64_t i = 0; i < 20'000; ++i) {
    // Long stretches of growing and of shrinking.
    bool push = dice.below(10) < (i / 500 % 2 == 0 ? 7 : 3);
    if (push) {
      fifo.push_back(i);
      expected.push_back(i);
    } else if (!expected.empty()) {
      ASSERT_EQ(fifo.front(), expected.front());
      fifo.pop_front();
      expected.pop_front();
    }
    ASSERT_EQ(fifo.empty(), expected.empty());
    ASSERT_EQ(fifo.size(), expected.size());
    if (i % 50 == 0) {
      ASSERT_TRUE(std::equal(fifo.begin(), fifo.end(), expected.begin(), expected.end()));
    }
  }
}

TEST(Fifo, begins_anew_after_clear_and_assign) {
  Fifo<int> fifo;
  for (int i = 0; i < 5; ++i) fifo.push_back(i);
  fifo.pop_front();
  fifo.clear();
  EXPECT_TRUE(fifo.empty());
  std::vector<int> items{7, 8};
  fifo.assign(items.begin(), items.end());
  EXPECT_EQ(fifo.front(), 7);
  fifo.pop_front();
  EXPECT_EQ(fifo.front(), 8);
}

}  // namespace
}  // namespace fermata
