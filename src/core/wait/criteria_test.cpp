#include "core/wait/criteria.h"

#include <gtest/gtest.h>

#include "base/json.h"

namespace fermata {
namespace {

bool meets(std::string_view criteria, std::string_view data) {
  Value parsed = *parse_json(criteria);
  EXPECT_EQ(criteria_mistake(parsed), std::nullopt) << criteria;
  return meets_criteria(parsed, *parse_json(data));
}

// W-55
TEST(Criteria, all_conditions_must_hold) {
  EXPECT_TRUE(meets(R"({"a":1,"b.c":"x"})", R"({"a":1,"b":{"c":"x"}})"));
  EXPECT_FALSE(meets(R"({"a":1,"b.c":"y"})", R"({"a":1,"b":{"c":"x"}})"));
  EXPECT_TRUE(meets(R"({"n":{"gt":1,"lte":3}})", R"({"n":3})"));
  EXPECT_FALSE(meets(R"({"n":{"gt":1,"lt":3}})", R"({"n":3})"));
}

// W-55
TEST(Criteria, nothing_is_converted) {
  EXPECT_FALSE(meets(R"({"n":"1"})", R"({"n":1})"));
  EXPECT_FALSE(meets(R"({"n":{"gt":"0"}})", R"({"n":1})"));
  EXPECT_TRUE(meets(R"({"n":1})", R"({"n":1.0})"));
}

// W-55
TEST(Criteria, a_missing_field_fails_all_but_three) {
  for (std::string_view one :
       {R"({"x":{"eq":1}})", R"({"x":{"gt":1}})", R"({"x":{"in":[1]}})", R"({"x":{"contains":1}})",
        R"({"x":{"exists":true}})", R"({"x":1})"}) {
    EXPECT_FALSE(meets(one, "{}")) << one;
  }
  for (std::string_view one :
       {R"({"x":{"exists":false}})", R"({"x":{"ne":1}})", R"({"x":{"not_in":[1]}})"}) {
    EXPECT_TRUE(meets(one, "{}")) << one;
  }
}

// W-55
TEST(Criteria, one_of_any_suffices) {
  EXPECT_TRUE(meets(R"({"any":[{"a":1},{"a":2}],"b":3})", R"({"a":2,"b":3})"));
  EXPECT_FALSE(meets(R"({"any":[{"a":1},{"a":2}],"b":3})", R"({"a":3,"b":3})"));
}

TEST(Criteria, texts_and_lists) {
  EXPECT_TRUE(meets(R"({"t":{"prefix":"ab","suffix":"yz"}})", R"({"t":"abxyz"})"));
  EXPECT_TRUE(meets(R"({"t":{"contains":"x"}})", R"({"t":"abxyz"})"));
  EXPECT_TRUE(meets(R"({"t":{"contains":2}})", R"({"t":[1,2]})"));
  EXPECT_TRUE(meets(R"({"t[1]":2})", R"({"t":[1,2]})"));
  EXPECT_TRUE(meets(R"({"o":{"eq":{"a":1}}})", R"({"o":{"a":1}})"));
}

TEST(Criteria, mistakes_are_named) {
  EXPECT_TRUE(criteria_mistake(*parse_json("[]")));
  EXPECT_TRUE(criteria_mistake(*parse_json(R"({"a":{"in":1}})")));
  EXPECT_TRUE(criteria_mistake(*parse_json(R"({"any":[{"any":[]}]})")));
  EXPECT_TRUE(criteria_mistake(*parse_json(R"({"a[":1})")));
  for (const char* wrong : {R"({"a":{"like":1}})", R"({"a":{"gt":1,"lke":2}})", R"({"a":{}})",
                            R"({"any":5})", R"({"any":[]})"})
    EXPECT_TRUE(criteria_mistake(*parse_json(wrong))) << wrong;
  EXPECT_FALSE(criteria_mistake(*parse_json(R"({"a":{"eq":{"like":1}}})")));
  Value many = Value::object();
  for (int i = 0; i < 21; ++i) many.set("k" + std::to_string(i), i);
  EXPECT_EQ(criteria_mistake(many), "more than 20 conditions");
}

}  // namespace
}  // namespace fermata
