#include "server/policy_hits.h"

#include <gtest/gtest.h>

namespace fermata::server {
namespace {

constexpr Instant noon{1'768'219'200'000};  // 2026-01-12T12:00:00Z
constexpr Duration hour{3'600'000}, day{24 * 3'600'000};

job::PolicyDecision decided(Instant at, const std::string& rule = "no") {
  job::PolicyDecision out;
  out.account = AccountId("a");
  out.bundle = "b";
  out.rule_id = rule;
  out.at = at;
  return out;
}

// U-44
TEST(PolicyHitsTest, are_counted_by_the_day_and_by_the_hour) {
  PolicyHits hits;
  hits.begin(noon - day - day);
  hits.judged(decided(noon - hour));
  hits.judged(decided(noon - hour));
  hits.judged(decided(noon - Duration{30 * 3'600'000}));
  hits.judged(decided(noon, "other"));
  auto seen = hits.hits(AccountId("a"), noon);
  ASSERT_EQ(seen.size(), 2u);
  const auto& no = seen.at({"b", "no"});
  EXPECT_EQ(no.day, 2u);
  EXPECT_EQ(no.month, 3u);
  ASSERT_EQ(no.days.size(), 30u);
  EXPECT_EQ(no.days[29], 2u);
  EXPECT_EQ(no.days[28], 1u);
  EXPECT_TRUE(hits.hits(AccountId("b"), noon).empty());
}

TEST(PolicyHitsTest, forget_what_is_older_than_they_keep) {
  PolicyHits hits;
  hits.begin(noon - Duration{40 * 24 * 3'600'000ll});
  hits.judged(decided(noon - Duration{35 * 24 * 3'600'000ll}));
  EXPECT_EQ(hits.hits(AccountId("a"), noon).at({"b", "no"}).month, 0u);
  hits.judged(decided(noon));
  EXPECT_EQ(hits.hits(AccountId("a"), noon).at({"b", "no"}).month, 1u);
}

TEST(PolicyHitsTest, what_was_before_is_remembered_once) {
  PolicyHits hits;
  hits.begin(noon);
  hits.judged(decided(noon + hour));
  hits.remember(decided(noon + hour));
  hits.remember(decided(noon - day));
  hits.remember_until(noon - day);
  EXPECT_EQ(hits.hits(AccountId("a"), noon + hour).at({"b", "no"}).month, 2u);
  EXPECT_EQ(hits.since(), noon - day);
}

TEST(PolicyHitsTest, room_is_bounded_and_who_was_quiet_longest_goes) {
  PolicyHits hits;
  hits.begin(noon);
  hits.judged(decided(noon, "first"));
  for (size_t i = 0; i < PolicyHits::rules_max; ++i)
    hits.judged(decided(noon + day, "rule " + std::to_string(i)));
  auto seen = hits.hits(AccountId("a"), noon + day);
  EXPECT_EQ(seen.size(), PolicyHits::rules_max);
  EXPECT_FALSE(seen.contains({"b", "first"}));
}

}  // namespace
}  // namespace fermata::server
