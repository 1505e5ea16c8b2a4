#include <gtest/gtest.h>

#include "core/graph/nodes/node_fixture.h"

namespace fermata::graph {
namespace {

Value kept(std::string_view rules, std::string_view in) {
  return json_of(NodeFixture("filter", rules).with_json(in));
}

constexpr std::string_view people =
    R"([{"name": "Ann", "age": 41}, {"name": "Bob", "age": 17}, {"name": "Cid"}])";

// G-53
TEST(Filter, keeps_elements_for_which_all_rules_hold) {
  NodeFixture node("filter", R"({"rules": [{"field": "age", "operator": ">", "value": 10},
    {"field": "name", "operator": "is not equal to", "value": "Bob"}]})");
  auto result = node.with_json(people);
  EXPECT_EQ(json_of(result), json(R"([{"name": "Ann", "age": 41}])"));
  EXPECT_EQ(output_of(result), json(R"({"count": 1, "original_count": 3})"));
}

// G-53
TEST(Filter, keeps_elements_for_which_any_rule_holds) {
  EXPECT_EQ(
      kept(R"({"match_mode": "any", "rules": [{"field": "age", "operator": "<", "value": "18"},
                     {"field": "$item.name", "operator": "==", "value": "Cid"}]})",
           people),
      json(R"([{"name": "Bob", "age": 17}, {"name": "Cid"}])"));
}

// G-53
TEST(Filter, without_rules_all_keeps_everything_and_any_nothing) {
  EXPECT_EQ(kept(R"({"rules": []})", "[1, 2]"), json("[1, 2]"));
  EXPECT_EQ(kept(R"({"rules": [], "match_mode": "any"})", "[1, 2]"), json("[]"));
}

// G-53
TEST(Filter, where_judges_the_item) {
  EXPECT_EQ(kept(R"({"where": "$item.n > 1 and $index < 3"})",
                 R"([{"n": 1}, {"n": 2}, {"n": 3}, {"n": 4}])"),
            json(R"([{"n": 2}, {"n": 3}])"));
}

// G-53
TEST(Filter, where_still_sees_the_whole_json) {
  EXPECT_EQ(kept(R"({"input_array": "$json.list", "where": "$item >= $json.least"})",
                 R"({"list": [1, 5, 9], "least": 5})"),
            json("[5, 9]"));
}

// G-53: `$item` in a rule means the element, as it does in its field; a split's own item has its
// name.
TEST(Filter, value_of_a_rule_may_come_from_the_element) {
  NodeFixture node("filter", R"({"rules": [{"field": "a", "operator": "<", "value": "$item.b"},
    {"field": "a", "operator": "!=", "value": "$input.not"}]})");
  auto result = node.run(MapRoots{{"json", json(R"([{"a": 1, "b": 2}, {"a": 2, "b": 1},
    {"a": 0, "b": 1}])")},
                                  {"item", Value("of a split")},
                                  {"input", json(R"({"not": 0})")}});
  EXPECT_EQ(json_of(result), json(R"([{"a": 1, "b": 2}])"));
}

// G-16, G-53
TEST(Filter, missing_and_null_fields_have_no_order_and_contain_nothing) {
  constexpr std::string_view in = R"([{"n": 5}, {"n": null}, {}])";
  EXPECT_EQ(kept(R"({"rules": [{"field": "n", "operator": "<", "value": 9}]})", in),
            json(R"([{"n": 5}])"));
  EXPECT_EQ(kept(R"({"rules": [{"field": "n", "operator": "contains", "value": "ul"}]})", in),
            json("[]"));
  EXPECT_EQ(kept(R"({"rules": [{"field": "n", "operator": "!=", "value": 5}]})", in),
            json(R"([{"n": null}, {}])"));
  EXPECT_EQ(kept(R"({"rules": [{"field": "n", "operator": "exists"}]})", in),
            json(R"([{"n": 5}])"));
}

// G-53
TEST(Filter, ordering_things_without_order_fails) {
  NodeFixture node("filter", R"({"rules": [{"field": "n", "operator": ">", "value": 1}]})");
  auto result = node.with_json(R"([{"n": 5}, {"n": "many"}])");
  EXPECT_EQ(code_of(result), "not_comparable");
  EXPECT_EQ(result.error().details, json(R"({"field": "n", "operator": ">", "index": 1})"));
}

// G-15, G-53
TEST(Filter, where_over_something_missing_names_the_element) {
  auto result = NodeFixture("filter", R"({"where": "$item.n > 1"})").with_json(R"([{"n": 1}, {}])");
  EXPECT_EQ(code_of(result), "unresolved_reference");
  EXPECT_EQ(result.error().details.get("index"), Value(1));
}

TEST(Filter, that_drops_nothing_shares_the_array) {
  Value in = json(R"([{"a": 1}, {"a": 2}])");
  NodeFixture node("filter", R"({"rules": [{"field": "a", "operator": "exists"}]})");
  EXPECT_TRUE(json_of(node.run(MapRoots{{"json", in}})).same_node(in));
}

// G-53
TEST(ListNodes, take_nothing_but_arrays) {
  for (std::string_view in : {"{}", R"("x")", "null", "5"}) {
    EXPECT_EQ(code_of(NodeFixture("filter", R"({"rules": []})").with_json(in)), "not_an_array");
    EXPECT_EQ(code_of(NodeFixture("sort", R"({"rules": [{"field": "a"}]})").with_json(in)),
              "not_an_array");
    EXPECT_EQ(code_of(NodeFixture("limit", R"({"count": 1})").with_json(in)), "not_an_array");
  }
}

// G-53
TEST(Limit, keeps_the_first_elements) {
  NodeFixture node("limit", R"({"count": 2})");
  auto result = node.with_json("[1, 2, 3]");
  EXPECT_EQ(json_of(result), json("[1, 2]"));
  EXPECT_EQ(output_of(result), json(R"({"count": 2, "original_count": 3})"));
  EXPECT_EQ(json_of(node.with_json("[1]")), json("[1]"));
  EXPECT_EQ(json_of(NodeFixture("limit", R"({"count": 0})").with_json("[1]")), json("[]"));
}

// G-27, G-53
TEST(Limit, count_may_be_numeric_text_from_a_reference) {
  NodeFixture node("limit", R"({"input_array": [1, 2, 3], "count": "$json"})");
  EXPECT_EQ(json_of(node.with_json(R"("2")")), json("[1, 2]"));
  for (std::string_view bad : {"-1", "1.5", R"("x")", "null"})
    EXPECT_EQ(code_of(node.with_json(bad)), "parameter_invalid") << bad;
}

// G-110
TEST(Filter, conditions_of_all_elements_share_their_steps) {
  Value elements = Value::array();
  for (int i = 0; i < 1'000; ++i) elements.push(i);
  MapRoots roots{{"json", elements}};
  for (const char* parameters :
       {R"({"where": "{{ $item % 2 == 0 }}"})",
        R"({"rules": [{"field": "", "operator": "==", "value": "{{ $index % 3 }}"}]})"}) {
    NodeFixture filter("filter", parameters);
    ASSERT_TRUE(filter.run(roots)) << parameters;
    auto refused = filter.steps(1'000).run(roots);
    EXPECT_EQ(code_of(refused), "expression_limit") << parameters;
    EXPECT_NE(refused.error().message.find("graph_activation_steps_max"), std::string::npos);
  }
}

}  // namespace
}  // namespace fermata::graph
