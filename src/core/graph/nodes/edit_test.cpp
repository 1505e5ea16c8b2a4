#include <gtest/gtest.h>

#include "core/graph/nodes/node_fixture.h"

namespace fermata::graph {
namespace {

Value edited(std::string_view parameters, std::string_view in) {
  return json_of(NodeFixture("edit", parameters).with_json(in));
}

// G-52
TEST(Edit, sets_fields_and_keeps_the_others) {
  EXPECT_EQ(edited(R"({"assignments": [{"name": "total", "value": "{{ $json.n * 2 }}"},
                       {"name": "note", "value": "n is $json.n"}]})",
                   R"({"n": 4, "note": "old"})"),
            json(R"({"n": 4, "note": "n is 4", "total": 8})"));
}

// G-52
TEST(Edit, output_holds_nothing_but_json) {
  auto result =
      NodeFixture("set", R"({"assignments": [{"name": "a", "value": 1}]})").with_json("{}");
  EXPECT_EQ(output_of(result), Value::object());
  EXPECT_EQ(json_of(result), json(R"({"a": 1})"));
  EXPECT_EQ(result->route.kind, Route::Kind::all);
}

// G-52
TEST(Edit, keep_only_drops_what_is_not_assigned) {
  EXPECT_EQ(edited(R"({"mode": "keep_only", "assignments": [{"name": "id", "value": "$json.id"},
                       {"name": "who.name", "value": "$json.name"}]})",
                   R"({"id": 1, "name": "Ann", "secret": "x"})"),
            json(R"({"id": 1, "who": {"name": "Ann"}})"));
}

// G-52
TEST(Edit, array_is_edited_element_by_element) {
  EXPECT_EQ(edited(R"({"assignments": [{"name": "double", "value": "{{ $json.n * 2 }}"},
                       {"name": "all", "value": true}]})",
                   R"([{"n": 1}, {"n": 2}])"),
            json(R"([{"n": 1, "double": 2, "all": true}, {"n": 2, "double": 4, "all": true}])"));
  EXPECT_EQ(edited(R"({"assignments": [{"name": "a", "value": "$json.n"}]})", "[]"), json("[]"));
}

// G-52
TEST(Edit, keep_only_makes_objects_of_plain_elements) {
  EXPECT_EQ(edited(R"({"mode": "keep_only", "assignments": [{"name": "n", "value": "$json"}]})",
                   "[1, 2]"),
            json(R"([{"n": 1}, {"n": 2}])"));
}

// G-52
TEST(Edit, sees_other_roots_beside_its_element) {
  NodeFixture node("edit", R"({"assignments": [{"name": "by", "value": "$input.user"}]})");
  auto result = node.run(MapRoots{{"json", json("[{}, {}]")}, {"input", json(R"({"user": "u"})")}});
  EXPECT_EQ(json_of(result), json(R"([{"by": "u"}, {"by": "u"}])"));
}

// G-52
TEST(Edit, assignments_read_the_element_as_it_was) {
  EXPECT_EQ(edited(R"({"assignments": [{"name": "a", "value": "$json.b"},
                       {"name": "b", "value": "$json.a"}]})",
                   R"({"a": 1, "b": 2})"),
            json(R"({"a": 2, "b": 1})"));
}

// G-52
TEST(Edit, target_path_is_edited_in_place) {
  for (std::string_view name : {"target_path", "array_path"}) {
    std::string parameters = R"({")" + std::string(name) +
                             R"(": "order.lines", "assignments":
      [{"name": "sum", "value": "{{ $json.price * $json.count }}"}]})";
    EXPECT_EQ(edited(parameters, R"({"id": 1, "order": {"lines": [{"price": 2, "count": 3}]}})"),
              json(R"({"id": 1, "order": {"lines": [{"price": 2, "count": 3, "sum": 6}]}})"));
  }
}

// G-52
TEST(Edit, target_path_may_name_an_object) {
  EXPECT_EQ(edited(R"({"target_path": "a", "mode": "keep_only",
                       "assignments": [{"name": "x", "value": "$json.y"}]})",
                   R"({"a": {"y": 1}, "b": 2})"),
            json(R"({"a": {"x": 1}, "b": 2})"));
}

// G-15, G-52
TEST(Edit, target_path_that_leads_nowhere_fails) {
  NodeFixture node("edit", R"({"target_path": "a.b",
    "assignments": [{"name": "x", "value": 1}]})");
  for (std::string_view in : {"{}", R"({"a": 1})", R"({"a": [1]})", "null"}) {
    auto result = node.with_json(in);
    EXPECT_EQ(code_of(result), "unresolved_reference") << in;
    EXPECT_EQ(result.error().details,
              json(R"({"references": [{"reference": "$json.a.b", "missing": "a.b"}]})"));
  }
}

// G-52
TEST(Edit, target_path_must_be_readable) {
  for (std::string_view in : {R"("a..b")", "5"}) {
    auto result =
        NodeFixture("edit", R"({"target_path": "$json", "assignments": []})").with_json(in);
    EXPECT_EQ(code_of(result), "parameter_invalid") << in;
  }
}

// G-52
TEST(Edit, null_becomes_an_object) {
  constexpr std::string_view parameters = R"({"assignments": [{"name": "a", "value": 1}]})";
  EXPECT_EQ(edited(parameters, "null"), json(R"({"a": 1})"));
  EXPECT_EQ(json_of(NodeFixture("edit", parameters).run()), json(R"({"a": 1})"));
}

// G-52
TEST(Edit, name_through_a_plain_value_is_a_conflict) {
  NodeFixture node("edit", R"({"assignments": [{"name": "a.b", "value": 1}]})");
  for (std::string_view in : {R"({"a": 5})", R"({"a": [1]})", "5", R"("x")"}) {
    auto result = node.with_json(in);
    EXPECT_EQ(code_of(result), "path_conflict") << in;
    EXPECT_EQ(result.error().details, json(R"({"name": "a.b"})"));
  }
}

// G-52
TEST(Edit, failure_in_an_array_names_the_element) {
  NodeFixture node("edit", R"({"assignments": [{"name": "a.b", "value": "$json.n"}]})");
  auto conflict = node.with_json(R"([{"n": 1}, {"n": 2, "a": 3}])");
  EXPECT_EQ(code_of(conflict), "path_conflict");
  EXPECT_EQ(conflict.error().details, json(R"({"name": "a.b", "index": 1})"));
  auto missing = node.with_json(R"([{"n": 1}, {}])");
  EXPECT_EQ(code_of(missing), "unresolved_reference");
  EXPECT_EQ(missing.error().details.get("index"), Value(1));
}

// G-20, G-52
TEST(Edit, name_from_an_expression_must_be_a_name) {
  NodeFixture node("edit", R"({"assignments": [{"name": "$json", "value": 1}]})");
  EXPECT_EQ(code_of(node.with_json("5")), "parameter_invalid");
  EXPECT_EQ(code_of(node.with_json(R"("a..b")")), "parameter_invalid");
}

// G-52
TEST(Edit, each_element_draws_its_own_random_value) {
  Value result = edited(R"({"assignments": [{"name": "id", "value": "{{ Random.uuid() }}"},
                            {"name": "other", "value": "{{ Random.uuid() }}"}]})",
                        "[{}, {}]");
  ASSERT_TRUE(result.is_array()) << to_json(result);
  const Value& first = result.items()[0];
  EXPECT_NE(first.get("id"), result.items()[1].get("id"));
  EXPECT_NE(first.get("id"), first.get("other"));
}

TEST(Edit, shares_what_it_does_not_change) {
  Value in = json(R"([{"big": {"a": [1, 2, 3]}}])");
  NodeFixture node("edit", R"({"assignments": [{"name": "x", "value": 1}]})");
  Value out = json_of(node.run(MapRoots{{"json", in}}));
  ASSERT_TRUE(out.is_array());
  EXPECT_TRUE(out.items()[0].get("big").same_node(in.items()[0].get("big")));
  EXPECT_EQ(in, json(R"([{"big": {"a": [1, 2, 3]}}])"));
}

Value cast_to(std::string_view type, std::string_view value) {
  NodeFixture node("edit", R"({"assignments": [{"name": "x", "value": "$json.v", "type": ")" +
                               std::string(type) + R"("}]})");
  auto result = node.with_json(R"({"v": )" + std::string(value) + "}");
  return result ? json_of(result).get("x") : Value("failed: " + code_of(result));
}

// G-12, G-52
TEST(EditCast, string_is_the_text_form) {
  EXPECT_EQ(cast_to("string", "1.50"), Value("1.5"));
  EXPECT_EQ(cast_to("string", "null"), Value("null"));
  EXPECT_EQ(cast_to("string", R"({"a": [1]})"), Value(R"({"a":[1]})"));
  EXPECT_EQ(cast_to("string", R"("x")"), Value("x"));
}

// G-27, G-52
TEST(EditCast, number_takes_numbers_and_numeric_text) {
  EXPECT_EQ(cast_to("number", R"("12.5")"), Value(12.5));
  EXPECT_EQ(cast_to("number", R"("9007199254740993")"), Value(9'007'199'254'740'993));
  EXPECT_EQ(cast_to("number", "7"), Value(7));
  for (std::string_view bad : {R"("x")", R"("")", "null", "true", "[1]"})
    EXPECT_EQ(cast_to("number", bad), Value("failed: cast_failed")) << bad;
}

// G-52
TEST(EditCast, boolean_takes_a_few_words) {
  for (std::string_view yes : {"true", R"("true")", R"("Yes")", R"("1")", "1", "1.0"})
    EXPECT_EQ(cast_to("boolean", yes), Value(true)) << yes;
  for (std::string_view no : {"false", R"("FALSE")", R"("no")", R"("0")", "0"})
    EXPECT_EQ(cast_to("boolean", no), Value(false)) << no;
  for (std::string_view bad : {R"("on")", R"("")", "null", "2", "[]"})
    EXPECT_EQ(cast_to("boolean", bad), Value("failed: cast_failed")) << bad;
}

// G-52
TEST(EditCast, json_parses_text_and_leaves_the_rest) {
  EXPECT_EQ(cast_to("json", R"("{\"a\": [1, 2]}")"), json(R"({"a": [1, 2]})"));
  EXPECT_EQ(cast_to("json", R"({"a": 1})"), json(R"({"a": 1})"));
  EXPECT_EQ(cast_to("json", R"("{oops")"), Value("failed: cast_failed"));
}

// G-52
TEST(EditCast, automatic_leaves_every_value) {
  for (std::string_view value : {"1", R"("1")", "null", "[true]"})
    EXPECT_EQ(cast_to("auto", value), json(value));
}

// G-52
TEST(EditCast, failure_tells_name_and_type) {
  NodeFixture node("edit", R"({"assignments": [{"name": "a.n", "value": "x", "type": "number"}]})");
  auto result = node.with_json("{}");
  EXPECT_EQ(code_of(result), "cast_failed");
  EXPECT_EQ(result.error().details, json(R"({"name": "a.n", "type": "number"})"));
  EXPECT_NE(result.error().message.find("\"x\""), std::string::npos) << result.error().message;
}

// G-52
TEST(EditCast, type_from_an_expression_must_be_known) {
  NodeFixture node("edit", R"({"assignments": [{"name": "a", "value": 1, "type": "$json.t"}]})");
  EXPECT_EQ(code_of(node.with_json(R"({"t": "date"})")), "parameter_invalid");
  EXPECT_EQ(json_of(node.with_json(R"({"t": "string"})")).get("a"), Value("1"));
}

// G-110
TEST(Edit, evaluations_of_all_elements_share_their_steps) {
  std::string elements = "[";
  for (int i = 0; i < 1'000; ++i)
    elements += (i ? ",{\"n\":" : "{\"n\":") + std::to_string(i) + "}";
  elements += "]";
  for (const char* value : {"{{ $json.n * 2 }}", "$json.n", "n is $json.n"}) {
    std::string parameters =
        std::string(R"({"assignments": [{"name": "m", "value": ")") + value + R"("}]})";
    NodeFixture edit("edit", parameters);
    ASSERT_TRUE(edit.with_json(elements)) << value;
    auto refused = edit.steps(1'000).with_json(elements);
    EXPECT_EQ(code_of(refused), "expression_limit") << value;
    EXPECT_NE(refused.error().message.find("graph_activation_steps_max"), std::string::npos);
    EXPECT_NE(refused.error().message.find("1000"), std::string::npos);
    EXPECT_TRUE(refused.error().details.get("index").is_integer());
  }
}

TEST(Edit, long_texts_for_many_elements_cost_by_their_bytes) {
  NodeFixture edit("edit", R"({"assignments": [{"name": "m", "value": "x $json.text"}]})");
  std::string text(64'000, 'x');
  std::string elements = R"([{"text": ")" + text + R"("}, {"text": ")" + text + R"("}])";
  EXPECT_TRUE(edit.steps(10'000).with_json(elements));
  EXPECT_EQ(code_of(edit.steps(6'000).with_json(elements)), "expression_limit");
}

}  // namespace
}  // namespace fermata::graph
