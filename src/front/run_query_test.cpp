#include "front/run_query.h"

#include <gtest/gtest.h>

#include "base/json.h"

namespace fermata::front {
namespace {

TEST(RunQuery, reads_every_filter) {
  auto filter = read_run_filter({{"status", "failed,timed_out"},
                                 {"status", "running"},
                                 {"workflow_id", "w"},
                                 {"label", "team:a:b"},
                                 {"contact_id", "c"},
                                 {"parent", "p"},
                                 {"from", "2026-01-01T00:00:00Z"},
                                 {"to", "2026-01-02T00:00:00Z"},
                                 {"q", "text"},
                                 {"limit", "5"}},
                                AccountId("a"));
  ASSERT_TRUE(filter);
  EXPECT_EQ(filter->statuses.size(), 3u);
  EXPECT_EQ(filter->account, AccountId("a"));
  EXPECT_EQ(filter->label_key, "team");
  EXPECT_EQ(filter->label_value, "a:b");
  EXPECT_EQ(filter->parent, RunId("p"));
  EXPECT_LT(*filter->from, *filter->to);
}

TEST(RunQuery, orders_are_by_the_start_alone) {
  EXPECT_EQ(*read_run_order({}), RunOrder::newest_first);
  EXPECT_EQ(*read_run_order({{"sort", "-started_at"}}), RunOrder::newest_first);
  EXPECT_EQ(*read_run_order({{"sort", "started_at"}}), RunOrder::oldest_first);
  auto other = read_run_order({{"sort", "duration"}});
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().code, ErrorCode::invalid_query);
  EXPECT_EQ(other.error().findings[0].path, "sort");
}

TEST(RunQuery, a_json_filter_reads_the_same_but_refuses_what_it_does_not_know) {
  Value json = *parse_json(R"({"status":["failed","paused"],"label":"x"})");
  auto filter = read_run_filter(json, AccountId("a"));
  ASSERT_TRUE(filter);
  EXPECT_EQ(filter->statuses.size(), 2u);
  auto unknown = read_run_filter(*parse_json(R"({"state":"x","q":1})"), AccountId("a"));
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().code, ErrorCode::invalid_field);
  EXPECT_EQ(unknown.error().findings.size(), 2u);
}

TEST(RunQuery, an_empty_filter_is_no_filter_but_a_mistake) {
  for (const char* name :
       {"status", "workflow_id", "label", "contact_id", "parent", "from", "to", "q"}) {
    EXPECT_FALSE(read_run_filter(NamedValues{{name, ""}}, AccountId("a"))) << name;
    EXPECT_FALSE(read_run_filter(Value::object({{name, ""}}), AccountId("a"))) << name;
  }
  EXPECT_FALSE(read_run_filter(NamedValues{{"label", "team:"}}, AccountId("a")));
  EXPECT_FALSE(read_run_filter(NamedValues{{"label", ":blue"}}, AccountId("a")));
  EXPECT_FALSE(read_run_filter(Value::object({{"status", Value::array()}}), AccountId("a")));
  EXPECT_TRUE(read_run_filter(NamedValues{{"limit", ""}}, AccountId("a")));
}

TEST(RunQuery, paging_has_limits) {  // A-3
  EXPECT_EQ(read_paging({})->limit, 50u);
  EXPECT_EQ(read_paging({{"limit", "1000"}, {"cursor", "c"}})->cursor, "c");
  for (const char* bad : {"0", "1001", "-1", "x", "", "5x"})
    EXPECT_FALSE(read_paging({{"limit", bad}})) << bad;
}

TEST(RunQuery, paging_takes_an_offset_or_a_cursor) {  // A-3
  EXPECT_EQ(read_paging({{"offset", "40"}})->offset, 40u);
  EXPECT_EQ(read_paging({})->offset, std::nullopt);
  EXPECT_FALSE(read_paging({{"offset", "1"}, {"cursor", "c"}}));
  for (const char* bad : {"-1", "x", "", "100001"})
    EXPECT_FALSE(read_paging({{"offset", bad}})) << bad;
}

TEST(RunQuery, flags_are_written_in_a_few_ways) {
  EXPECT_TRUE(*read_flag({{"dry_run", ""}}, "dry_run"));
  EXPECT_TRUE(*read_flag({{"dry_run", "true"}}, "dry_run"));
  EXPECT_FALSE(*read_flag({{"dry_run", "0"}}, "dry_run"));
  EXPECT_FALSE(*read_flag({}, "dry_run"));
  EXPECT_FALSE(read_flag({{"dry_run", "yes"}}, "dry_run"));
}

}  // namespace
}  // namespace fermata::front
