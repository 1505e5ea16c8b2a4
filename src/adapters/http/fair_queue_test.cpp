#include "adapters/http/fair_queue.h"

#include <gtest/gtest.h>

namespace fermata::http {
namespace {

const AccountId busy{"busy"};
const AccountId calm{"calm"};

TEST(fair_queue, an_account_is_served_in_order_up_to_its_limit) {
  FairQueue queue({.per_account_max = 2, .total_max = 10});
  for (uint64_t n = 1; n <= 4; ++n) queue.push(busy, n);
  EXPECT_EQ(queue.start(), 1U);
  EXPECT_EQ(queue.start(), 2U);
  EXPECT_EQ(queue.start(), std::nullopt);
  queue.finish(busy);
  EXPECT_EQ(queue.start(), 3U);
  EXPECT_EQ(queue.start(), std::nullopt);
  EXPECT_EQ(queue.waiting(), 1U);
  EXPECT_EQ(queue.running(), 2U);
}

TEST(fair_queue, accounts_take_turns_under_the_total_limit) {
  FairQueue queue({.per_account_max = 10, .total_max = 3});
  for (uint64_t n = 1; n <= 5; ++n) queue.push(busy, n);
  for (uint64_t n = 6; n <= 7; ++n) queue.push(calm, n);
  EXPECT_EQ(queue.start(), 1U);
  EXPECT_EQ(queue.start(), 6U);
  EXPECT_EQ(queue.start(), 2U);
  EXPECT_EQ(queue.start(), std::nullopt);
  queue.finish(busy);
  EXPECT_EQ(queue.start(), 7U);
}

TEST(fair_queue, an_account_at_its_limit_does_not_hold_up_another) {
  FairQueue queue({.per_account_max = 1, .total_max = 10});
  queue.push(busy, 1);
  queue.push(busy, 2);
  queue.push(calm, 3);
  EXPECT_EQ(queue.start(), 1U);
  EXPECT_EQ(queue.start(), 3U);
  EXPECT_EQ(queue.start(), std::nullopt);
}

TEST(fair_queue, what_is_taken_back_never_starts) {
  FairQueue queue({.per_account_max = 1, .total_max = 10});
  queue.push(busy, 1);
  queue.push(busy, 2);
  EXPECT_TRUE(queue.remove(busy, 1));
  EXPECT_FALSE(queue.remove(busy, 1));
  EXPECT_FALSE(queue.remove(calm, 2));
  EXPECT_EQ(queue.start(), 2U);
  EXPECT_FALSE(queue.remove(busy, 2));
}

TEST(fair_queue, nothing_is_kept_of_accounts_that_are_done) {
  FairQueue queue({.per_account_max = 1, .total_max = 10});
  queue.push(busy, 1);
  queue.push(calm, 2);
  EXPECT_TRUE(queue.remove(calm, 2));
  EXPECT_EQ(queue.start(), 1U);
  EXPECT_EQ(queue.start(), std::nullopt);
  queue.finish(busy);
  EXPECT_EQ(queue.accounts(), 0U);
  EXPECT_EQ(queue.waiting(), 0U);
  EXPECT_EQ(queue.running(), 0U);
}

}  // namespace
}  // namespace fermata::http
