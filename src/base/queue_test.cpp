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

TEST(BoundedQueue, takes_behind_what_was_taken_before) {
  BoundedQueue<int> queue(10);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(queue.push(i));
  std::vector<int> taken{7};
  queue.take(2, taken);
  EXPECT_EQ(taken, (std::vector<int>{7, 0, 1}));
}

TEST(BoundedQueue, waiting_for_a_wake_does_not_end_because_of_items) {
  BoundedQueue<int> queue(10);
  int item = 1;
  EXPECT_TRUE(queue.push(item));
  auto begin = std::chrono::steady_clock::now();
  queue.wait_for_wake(std::chrono::milliseconds(5));
  EXPECT_GE(std::chrono::steady_clock::now() - begin, std::chrono::milliseconds(5));
  queue.wake();
  queue.wait_for_wake(std::chrono::minutes(1));
}

}  // namespace
}  // namespace fermata
