#include <gtest/gtest.h>

#include "core/graph/nodes/node_fixture.h"

namespace fermata::graph {
namespace {

constexpr std::string_view over_ten =
    R"({"expression": "$json.n > 10", "true_edge_id": "out_0", "false_edge_id": "out_1"})";

// G-41
TEST(Conditional, follows_the_edge_of_its_truth) {
  NodeFixture node("conditional", over_ten);
  auto over = node.with_json(R"({"n": 11})");
  EXPECT_EQ(output_of(over), json(R"({"result": true, "expression": "$json.n > 10"})"));
  EXPECT_EQ(node.edge(over->route), "out_0");
  EXPECT_FALSE(over->json);
  auto under = node.with_json(R"({"n": "9"})");
  EXPECT_EQ(output_of(under).get("result"), Value(false));
  EXPECT_EQ(node.edge(under->route), "out_1");
}

// G-41
TEST(Conditional, without_an_edge_for_its_truth_ends_the_token) {
  NodeFixture node("conditional", R"({"expression": "{{ 1 > 2 }}", "true_edge_id": "out_0"})");
  auto result = node.run();
  EXPECT_EQ(output_of(result), json(R"({"result": false, "expression": "{{ 1 > 2 }}"})"));
  EXPECT_EQ(node.edge(result->route), "");
}

// G-15, G-41
TEST(Conditional, over_something_missing_fails) {
  auto result = NodeFixture("conditional", over_ten).with_json("{}");
  EXPECT_EQ(code_of(result), "unresolved_reference");
  EXPECT_EQ(result.error().details.get("references").size(), 1u);
}

constexpr std::string_view three_ways = R"({"rules": [
    {"value": "$json.kind", "operator": "is equal to", "compare": "$json.wanted"},
    {"when": "$json.n > 100 or $json.kind contains z"},
    {"value": "$json.n", "operator": "<", "compare": 0}],
  "routes": ["out_0", "out_1", null, "out_2"]})";

// G-42
TEST(Switch, takes_the_first_rule_that_matches) {
  NodeFixture node("switch", three_ways);
  auto first = node.with_json(R"({"kind": "a", "wanted": "a", "n": 1000})");
  EXPECT_EQ(output_of(first), json(R"({"output_index": 0, "matched_rule":
    {"value": "$json.kind", "operator": "is equal to", "compare": "$json.wanted"}})"));
  EXPECT_EQ(node.edge(first->route), "out_0");
  auto second = node.with_json(R"({"kind": "fizz", "wanted": "a", "n": 1})");
  EXPECT_EQ(output_of(second).get("output_index"), Value(1));
  EXPECT_EQ(node.edge(second->route), "out_1");
}

// G-42
TEST(Switch, rule_whose_route_is_null_ends_the_token) {
  NodeFixture node("switch", three_ways);
  auto result = node.with_json(R"({"kind": "a", "wanted": "b", "n": -1})");
  EXPECT_EQ(output_of(result).get("output_index"), Value(2));
  EXPECT_EQ(node.edge(result->route), "");
}

// G-42
TEST(Switch, without_a_match_falls_back) {
  NodeFixture node("switch", three_ways);
  auto result = node.with_json(R"({"kind": "a", "wanted": "b", "n": 5})");
  EXPECT_EQ(output_of(result), json(R"({"output_index": 3, "fallback": true})"));
  EXPECT_EQ(node.edge(result->route), "out_2");
}

// G-42
TEST(Switch, without_a_match_and_without_a_fallback_ends_the_token) {
  NodeFixture node("switch", R"({"rules": [{"when": "false"}], "routes": ["out_0"]})");
  auto result = node.run();
  EXPECT_EQ(output_of(result), json(R"({"output_index": 1, "fallback": true})"));
  EXPECT_EQ(node.edge(result->route), "");
}

// G-16, G-42
TEST(Switch, may_ask_whether_something_exists) {
  NodeFixture node("switch", R"({"rules": [{"value": "$json.x", "operator": "exists"}],
    "routes": ["out_0", "out_1"]})");
  EXPECT_EQ(node.edge(node.with_json(R"({"x": 1})")->route), "out_0");
  EXPECT_EQ(node.edge(node.with_json("{}")->route), "out_1");
}

// G-15, G-42
TEST(Switch, comparing_something_missing_fails) {
  EXPECT_EQ(code_of(NodeFixture("switch", three_ways).with_json(R"({"kind": "a"})")),
            "unresolved_reference");
}

// G-42: rules behind the one that matches are not looked at.
TEST(Switch, does_not_evaluate_rules_behind_the_match) {
  NodeFixture node("switch", R"({"rules": [{"when": "true"}, {"when": "$json.none.at.all"}],
    "routes": ["out_0", "out_1"]})");
  EXPECT_EQ(node.edge(node.with_json("{}")->route), "out_0");
}

constexpr std::string_view three_turns =
    R"({"while": "$json.i < 3", "body_edge_id": "out_0", "done_edge_id": "out_1"})";

// G-43
TEST(Loop, goes_into_its_body_while_its_condition_holds) {
  NodeFixture node("loop", three_turns);
  auto turn = node.visit(2).with_json(R"({"i": 2})");
  EXPECT_EQ(output_of(turn), json(R"({"index": 2, "done": false})"));
  EXPECT_EQ(node.edge(turn->route), "out_0");
  auto end = node.visit(3).with_json(R"({"i": 3})");
  EXPECT_EQ(output_of(end), json(R"({"index": 3, "done": true})"));
  EXPECT_EQ(node.edge(end->route), "out_1");
}

// G-6, G-43: a plain number is the engine's to hold, a reference only the node can read.
TEST(Loop, holds_a_limit_that_comes_from_the_data) {
  NodeFixture node("loop", R"({"while": "true", "max_visits": "$json.most",
    "body_edge_id": "out_0", "done_edge_id": "out_1"})");
  EXPECT_EQ(node.edge(node.visit(4).with_json(R"({"most": "5"})")->route), "out_0");
  auto beyond = node.visit(5).with_json(R"({"most": "5"})");
  EXPECT_EQ(code_of(beyond), "visit_limit");
  EXPECT_EQ(beyond.error().details, json(R"({"limit": 5, "setting": "max_visits"})"));
  for (std::string_view bad : {R"({"most": 0})", R"({"most": "x"})", R"({"most": 100001})"})
    EXPECT_EQ(code_of(node.with_json(bad)), "parameter_invalid") << bad;
}

// G-50
TEST(Fail, fails_with_its_code_message_and_details) {
  NodeFixture node("fail", R"({"code": "no_stock", "message": "only $json.n left",
    "details": {"n": "$json.n"}})");
  auto result = node.with_json(R"({"n": 2})");
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, "no_stock");
  EXPECT_EQ(result.error().message, "only 2 left");
  EXPECT_EQ(result.error().details, json(R"({"n": 2})"));
}

// G-50
TEST(Fail, has_a_code_of_its_own_when_none_is_given) {
  for (std::string_view parameters : {"{}", R"({"code": ""})"}) {
    auto result = NodeFixture("fail", parameters).run();
    EXPECT_EQ(code_of(result), "failed_by_node");
    EXPECT_FALSE(result.error().message.empty());
    EXPECT_TRUE(result.error().details.is_null());
  }
}

// G-12, G-50
TEST(Fail, message_that_is_no_text_is_shown_in_text_form) {
  auto result = NodeFixture("fail", R"({"message": "$json"})").with_json(R"({"a": [1, 2]})");
  EXPECT_EQ(result.error().message, R"({"a":[1,2]})");
}

// G-50
TEST(Noop, gives_an_empty_object_and_leaves_json_alone) {
  auto result = NodeFixture("noop", "{}").run();
  EXPECT_EQ(output_of(result), Value::object());
  EXPECT_FALSE(result->json);
  EXPECT_EQ(result->route.kind, Route::Kind::all);
}

// G-54
TEST(Log, gives_what_it_logs) {
  NodeFixture node("log", R"({"message": "order $json.id", "level": "warn"})");
  auto result = node.at("2026-03-01T10:00:00Z").with_json(R"({"id": 7})");
  EXPECT_EQ(output_of(result), json(R"({"message": "order 7", "level": "warn",
    "logged_at": "2026-03-01T10:00:00.000Z"})"));
  EXPECT_FALSE(result->json);
}

// G-12, G-54
TEST(Log, message_may_be_any_value) {
  auto result = NodeFixture("log", R"({"message": {"n": "$json.n"}})").with_json(R"({"n": 1})");
  EXPECT_EQ(output_of(result).get("level"), Value("info"));
  EXPECT_EQ(output_of(result).get("message"), Value(R"({"n":1})"));
}

// G-54
TEST(Log, refuses_a_level_it_does_not_know) {
  NodeFixture node("log", R"({"message": "x", "level": "$json"})");
  EXPECT_EQ(output_of(node.with_json(R"("debug")")).get("level"), Value("debug"));
  auto result = node.with_json(R"("loud")");
  EXPECT_EQ(code_of(result), "parameter_invalid");
  EXPECT_EQ(result.error().details, json(R"({"parameter": "level"})"));
}

// G-51
TEST(Code, gives_what_it_returns) {
  NodeFixture node("code", R"({"source": "let s = 0\nfor (const n of $json) s += n\nreturn {s}"})");
  auto result = node.with_json("[1, 2, 3]");
  EXPECT_EQ(json_of(result), json(R"({"s": 6})"));
  EXPECT_EQ(output_of(result), Value::object());
}

// G-51
TEST(Code, that_returns_nothing_gives_null) {
  auto result = NodeFixture("code", R"({"source": "let a = 1"})").run();
  ASSERT_TRUE(result);
  ASSERT_TRUE(result->json);
  EXPECT_TRUE(result->json->is_null());
}

// G-51
TEST(Code, that_throws_fails_where_it_stands) {
  NodeFixture node("code", R"({"source": "let a = null\nreturn a.b.c"})");
  auto result = node.run();
  EXPECT_EQ(code_of(result), "code_failed");
  EXPECT_EQ(result.error().details.get("line"), Value(2));
  EXPECT_TRUE(result.error().details.get("column").is_integer());
}

// G-51, G-110
TEST(Code, that_does_not_end_meets_its_limit) {
  EXPECT_EQ(code_of(NodeFixture("code", R"({"source": "while (true) {}"})").run()), "code_limit");
}

}  // namespace
}  // namespace fermata::graph
