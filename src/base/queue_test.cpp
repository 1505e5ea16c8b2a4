#include "base/queue.h"

#include <gtest/gtest.h>

#include <memory>
#include <thread>

namespace fermata {
namespace {

TEST(BoundedQueue, refuses_when_full_and_leaves_the_item) {
  BoundedQueue<std::unique_ptr<int>> queue(1);
  auto first = std::make_unique<int>(1);
  auto second = std::make_unique<int>(2);
  EXPECT_TRUE(queue.push(first));
  EXPECT_FALSE(queue.push(second));
  EXPECT_EQ(*second, 2);
  EXPECT_EQ(queue.size(), 1u);
}

TEST(BoundedQueue, gives_items_in_order_and_at_most_as_many_as_asked) {
  BoundedQueue<int> queue(10);
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(queue.push(i));
  EXPECT_EQ(queue.take(2), (std::vector<int>{0, 1}));
  EXPECT_EQ(queue.take(9), (std::vector<int>{2, 3, 4}));
  EXPECT_TRUE(queue.take(1).empty());
}

TEST(BoundedQueue, waiting_ends_with_a_push_or_a_wake) {
  BoundedQueue<int> queue(10);
  std::thread producer([&] {
    int item = 1;
    EXPECT_TRUE(queue.push(item));
  });
  while (queue.size() == 0) queue.wait_for(std::chrono::minutes(1));
  producer.join();
  EXPECT_EQ(queue.take(1), std::vector<int>{1});
  queue.wake();
  queue.wait_for(std::chrono::minutes(1));
  EXPECT_EQ(queue.size(), 0u);
}

}  // namespace
}  // namespace fermata
