#include "core/callback/settle.h"

#include <gtest/gtest.h>

namespace fermata::callback {
namespace {

CallAnswer status(int number, std::string retry_after = "") {
  CallAnswer answer;
  answer.status = number;
  if (!retry_after.empty()) answer.headers = {{"retry-after", std::move(retry_after)}};
  return answer;
}

Delivery fresh() {
  Delivery delivery;
  delivery.created_at = Instant{0};
  delivery.next_at = Instant{0};
  delivery.give_up_at = Instant{int64_t{72} * 3'600'000};
  return delivery;
}

// W-74
TEST(SettledDelivery, waits_three_times_longer_each_time_up_to_an_hour) {
  EXPECT_EQ(delay_after(1, 0.5).ms, 5'000);
  EXPECT_EQ(delay_after(2, 0.5).ms, 15'000);
  EXPECT_EQ(delay_after(3, 0.5).ms, 45'000);
  EXPECT_EQ(delay_after(7, 0.5).ms, 3'600'000);
  EXPECT_EQ(delay_after(4'000'000'000u, 0.5).ms, 3'600'000);
  EXPECT_EQ(delay_after(1, 0).ms, 4'500);
  EXPECT_LE(delay_after(1, 0.999999).ms, 5'500);
}

// W-74
TEST(SettledDelivery, is_done_gone_or_tried_again) {
  EXPECT_EQ(settled(fresh(), status(204), Instant{7}, 0).state, DeliveryState::done);
  EXPECT_EQ(settled(fresh(), status(410), Instant{7}, 0).state, DeliveryState::gone);
  for (int code : {301, 400, 404, 429, 500}) {
    Delivery next = settled(fresh(), status(code), Instant{1'000}, 0.5);
    EXPECT_EQ(next.state, DeliveryState::pending) << code;
    EXPECT_EQ(next.next_at, Instant{6'000}) << code;
    EXPECT_EQ(next.attempts, 1u);
  }
  CallAnswer refused;
  refused.error = "network";
  Delivery next = settled(fresh(), refused, Instant{1'000}, 0.5);
  EXPECT_EQ(next.latest.back().error, "network");
}

// W-74
TEST(SettledDelivery, obeys_the_receiver_for_an_hour_at_most) {
  EXPECT_EQ(settled(fresh(), status(503, "120"), Instant{0}, 0).next_at, Instant{120'000});
  EXPECT_EQ(settled(fresh(), status(503, "99999999"), Instant{0}, 0).next_at, Instant{3'600'000});
  Instant now = *parse_rfc3339("1994-11-06T08:49:00Z");
  Delivery later = fresh();
  later.give_up_at = now + Duration{3'600'000};
  EXPECT_EQ(settled(later, status(503, "Sun, 06 Nov 1994 08:49:37 GMT"), now, 0).next_at,
            now + Duration{37'000});
  EXPECT_EQ(settled(fresh(), status(503, "soon"), Instant{0}, 0.5).next_at, Instant{5'000});
}

// W-74, W-33
TEST(SettledDelivery, is_given_up_and_begins_anew_when_it_is_sent_again) {
  Delivery delivery = fresh();
  Instant now{0};
  while (delivery.state == DeliveryState::pending) {
    now = *delivery.next_at;
    delivery = settled(std::move(delivery), status(500), now, 0.5);
  }
  EXPECT_EQ(delivery.state, DeliveryState::dead);
  EXPECT_EQ(delivery.note, "callback_failed");
  EXPECT_LE(now, delivery.give_up_at);
  EXPECT_GT(now + Duration{3'600'000}, delivery.give_up_at);
  EXPECT_EQ(delivery.latest.size(), attempts_shown_max);
  Delivery again = renewed(delivery, Instant{now.ms + 1});
  EXPECT_EQ(again.state, DeliveryState::pending);
  EXPECT_EQ(again.give_up_at, Instant{now.ms + 1} + Duration{int64_t{72} * 3'600'000});
}

}  // namespace
}  // namespace fermata::callback
