#include "front/wait_query.h"

#include <gtest/gtest.h>

namespace fermata::front {
namespace {

const Instant now{1'000'000};

std::string wrong(const NamedValues& query) {
  auto filter = read_wait_filter(query, AccountId("acme"), now);
  return filter ? "" : filter.error().findings.at(0).path;
}

// W-17
TEST(WaitQuery, names_and_words_become_a_filter) {
  auto filter = read_wait_filter(NamedValues{{"status", "pending,error"},
                                             {"source", "flow"},
                                             {"on_hold", "true"},
                                             {"wait_type", "for_event"},
                                             {"due_from", "1970-01-01T00:00:01Z"},
                                             {"limit", "5"}},
                                 AccountId("acme"), now);
  ASSERT_TRUE(filter);
  EXPECT_EQ(filter->account, AccountId("acme"));
  EXPECT_EQ(filter->statuses,
            (std::vector{WaitStatus::scheduled, WaitStatus::waiting, WaitStatus::error}));
  EXPECT_EQ(filter->source, WaitSource::flow);
  EXPECT_EQ(filter->on_hold, true);
  EXPECT_EQ(filter->due_from, Instant{1'000});
}

// W-19, W-86
TEST(WaitQuery, overdue_waits_are_those_due_before_now) {
  auto filter = read_wait_filter(NamedValues{{"overdue", "true"}}, AccountId("acme"), now);
  ASSERT_TRUE(filter);
  EXPECT_EQ(filter->due_to, now);
  EXPECT_TRUE(filter->unheld) << "what somebody holds is not late";
  EXPECT_EQ(filter->statuses.size(), 2u);
}

TEST(WaitQuery, what_is_no_filter_is_refused_by_name) {
  EXPECT_EQ(wrong({{"status", "late"}}), "status");
  EXPECT_EQ(wrong({{"source", "sea"}}), "source");
  EXPECT_EQ(wrong({{"on_hold", "maybe"}}), "on_hold");
  EXPECT_EQ(wrong({{"wait_type", "nap"}}), "wait_type");
  EXPECT_EQ(wrong({{"due_to", "noon"}}), "due_to");
  EXPECT_EQ(wrong({{"contact_id", ""}}), "contact_id");
}

// W-3
TEST(WaitQuery, occurrence_is_a_number_or_all) {
  std::string all = "all", two = "2", none = "0", word = "two";
  EXPECT_TRUE(read_occurrence(&all, true)->all);
  EXPECT_FALSE(read_occurrence(&all, false));
  EXPECT_EQ(read_occurrence(&two, true)->number, 2u);
  EXPECT_FALSE(read_occurrence(&none, true));
  EXPECT_FALSE(read_occurrence(&word, true));
  EXPECT_FALSE(read_occurrence(nullptr, true)->number);
}

}  // namespace
}  // namespace fermata::front
