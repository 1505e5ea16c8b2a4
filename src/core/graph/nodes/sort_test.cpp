#include <gtest/gtest.h>

#include "core/graph/nodes/node_fixture.h"
#include "core/graph/nodes/sort_key.h"

namespace fermata::graph {
namespace {

Value sorted(std::string_view rules, std::string_view in) {
  return json_of(NodeFixture("sort", R"({"rules": )" + std::string(rules) + "}").with_json(in));
}

// G-53
TEST(Sort, orders_by_its_rules_one_after_the_other) {
  NodeFixture node("sort", R"({"rules": [{"field": "team"}, {"field": "points",
    "direction": "desc"}]})");
  auto result = node.with_json(R"([{"team": "b", "points": 1}, {"team": "a", "points": 2},
    {"team": "a", "points": 10}])");
  EXPECT_EQ(json_of(result), json(R"([{"team": "a", "points": 10}, {"team": "a", "points": 2},
    {"team": "b", "points": 1}])"));
  EXPECT_EQ(output_of(result), json(R"({"count": 3, "original_count": 3})"));
}

// G-53
TEST(Sort, equal_elements_keep_their_order_in_both_directions) {
  constexpr std::string_view in =
      R"([{"n": 1, "i": 0}, {"n": 0, "i": 1}, {"n": 1, "i": 2}, {"n": 0, "i": 3}])";
  EXPECT_EQ(sorted(R"([{"field": "n"}])", in),
            json(R"([{"n": 0, "i": 1}, {"n": 0, "i": 3}, {"n": 1, "i": 0}, {"n": 1, "i": 2}])"));
  EXPECT_EQ(sorted(R"([{"field": "n", "direction": "desc"}])", in),
            json(R"([{"n": 1, "i": 0}, {"n": 1, "i": 2}, {"n": 0, "i": 1}, {"n": 0, "i": 3}])"));
}

// G-53
TEST(Sort, missing_is_last_in_both_directions) {
  constexpr std::string_view in = R"([{"i": 0}, {"n": 2}, {"n": null}, {"n": 1}])";
  EXPECT_EQ(sorted(R"([{"field": "$json.n"}])", in),
            json(R"([{"n": 1}, {"n": 2}, {"i": 0}, {"n": null}])"));
  EXPECT_EQ(sorted(R"([{"field": "n", "direction": "desc"}])", in),
            json(R"([{"n": 2}, {"n": 1}, {"i": 0}, {"n": null}])"));
}

// G-53
TEST(Sort, finds_out_what_it_compares) {
  EXPECT_EQ(sorted(R"([{"field": "$item"}])", R"(["10", 9, "8.5"])"), json(R"(["8.5", 9, "10"])"));
  EXPECT_EQ(sorted(R"([{"field": "$item"}])", R"(["b", "10", "a"])"), json(R"(["10", "a", "b"])"));
  EXPECT_EQ(sorted(R"([{"field": "$item"}])", "[true, false]"), json("[false, true]"));
  EXPECT_EQ(sorted(R"([{"field": "$item"}])", R"(["z", "é", "😀", "ｚ"])"),
            json(R"(["z", "é", "ｚ", "😀"])"));
}

// G-53
TEST(Sort, text_compares_text_forms) {
  EXPECT_EQ(sorted(R"([{"field": "v", "type": "text"}])", R"([{"v": 9}, {"v": 10}, {"v": "1a"}])"),
            json(R"([{"v": 10}, {"v": "1a"}, {"v": 9}])"));
}

// G-53
TEST(Sort, numbers_of_any_size_are_told_apart) {
  EXPECT_EQ(sorted(R"([{"field": "$item", "type": "number"}])",
                   "[9007199254740993, 9007199254740992.0, 9007199254740991, 1e300, -1e300]"),
            json("[-1e300, 9007199254740991, 9007199254740992.0, 9007199254740993, 1e300]"));
}

// G-53
TEST(Sort, dates_compare_as_instants) {
  EXPECT_EQ(
      sorted(
          R"([{"field": "$item", "type": "date"}])",
          R"(["2026-03-01T12:00:00+02:00", "2026-03-01 09:00", "Sun, 01 Mar 2026 08:00:00 GMT"])"),
      json(R"(["Sun, 01 Mar 2026 08:00:00 GMT", "2026-03-01 09:00",
                     "2026-03-01T12:00:00+02:00"])"));
}

// G-53
TEST(Sort, mixtures_are_not_comparable) {
  NodeFixture node("sort", R"({"rules": [{"field": "n"}]})");
  for (std::string_view in : {R"([{"n": 1}, {"n": "x"}])", R"([{"n": "x"}, {"n": true}])",
                              R"([{"n": 1}, {"n": {}}])", R"([{"n": 1}, {"n": [1]}])"}) {
    auto result = node.with_json(in);
    EXPECT_EQ(code_of(result), "not_comparable") << in;
    EXPECT_EQ(result.error().details, json(R"({"field": "n", "index": 1})")) << in;
  }
}

// G-53
TEST(Sort, values_against_their_declared_type_are_not_comparable) {
  NodeFixture number("sort", R"({"rules": [{"field": "n", "type": "number"}]})");
  EXPECT_EQ(code_of(number.with_json(R"([{"n": "x"}])")), "not_comparable");
  NodeFixture date("sort", R"({"rules": [{"field": "n", "type": "date"}]})");
  EXPECT_EQ(code_of(date.with_json(R"([{"n": "2026-13-01"}])")), "not_comparable");
  EXPECT_EQ(code_of(date.with_json(R"([{"n": 5}])")), "not_comparable");
}

// G-53
TEST(Sort, direction_may_come_from_an_expression) {
  NodeFixture node("sort", R"({"input_array": [1, 3, 2],
    "rules": [{"field": "$item", "direction": "$json"}]})");
  EXPECT_EQ(json_of(node.with_json(R"("desc")")), json("[3, 2, 1]"));
  EXPECT_EQ(code_of(node.with_json(R"("down")")), "parameter_invalid");
}

TEST(SortKeys, of_integers_and_other_numbers_compare_exactly) {
  auto less = [](const Value& a, const Value& b) {
    return compare_sort_keys(a, b) < 0 && compare_sort_keys(b, a) > 0;
  };
  EXPECT_TRUE(less(Value(1), Value(1.5)));
  EXPECT_TRUE(less(Value(1.5), Value(2)));
  EXPECT_TRUE(less(Value(-1.5), Value(-1)));
  EXPECT_TRUE(less(Value(INT64_MAX), Value(0x1p63)));
  EXPECT_FALSE(less(Value(INT64_MIN), Value(-0x1p63)));
  EXPECT_TRUE(less(Value(9'007'199'254'740'992.0), Value(9'007'199'254'740'993)));
}

}  // namespace
}  // namespace fermata::graph
