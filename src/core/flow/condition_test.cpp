#include "core/flow/flow_fixture.h"
#include "core/flow/rules.h"

namespace fermata::flow {
namespace {

constexpr std::string_view roots =
    R"({"A": {"n": 5, "t": "5", "s": "active", "l": ["x", "y", 3], "o": {"k": 1}, "z": null,
              "f": false, "b": true, "e": ""}, "evil": "x or 1 == 1"})";

std::string told(std::string_view text) { return condition(text, roots); }

// G-16
TEST(Condition, words_join_comparisons) {
  EXPECT_EQ(told("$A.s == active and $A.n > 3"), "true");
  EXPECT_EQ(told("$A.s == off or $A.n > 3"), "true");
  EXPECT_EQ(told("not $A.s == active"), "false");
  EXPECT_EQ(told("not ($A.s == off and $A.n == 5)"), "true");
  EXPECT_EQ(told("$A.n == 1 or $A.n == 5 and $A.f"), "false");
  EXPECT_EQ(told("$A.n == 5 && !($A.n != 5) || $A.z"), "true");
}

// G-16
TEST(Condition, bare_words_are_strings) {
  EXPECT_EQ(told("$A.s == active"), "true");
  EXPECT_EQ(told("$A.s == \"active\""), "true");
  EXPECT_EQ(told("$A.s != new"), "true");
  EXPECT_EQ(told("$A.s == default"), "false");
  EXPECT_EQ(told("word"), "true");
  EXPECT_EQ(condition("$s == in-progress", R"({"s": "in-progress"})"), "true");
  EXPECT_EQ(condition("$s == Zürich and 3-1 == 2", R"({"s": "Zürich"})"), "true");
  EXPECT_EQ(told("$A.l.map((x, i) => i-1).length == 3"), "true");
  EXPECT_EQ(told("[3].map(x => x-y)").substr(0, 18), "expression_invalid");
  EXPECT_EQ(told("$A.l.filter(v => v == x).length == 1"), "true");
  EXPECT_EQ(told("$A.l.map(String) contains y"), "true");
  EXPECT_EQ(told("Math.max(1, $A.n) == 5"), "true");
}

// G-16
TEST(Condition, comparison_is_numeric_where_both_sides_are_numbers_or_numeric_text) {
  EXPECT_EQ(told("$A.n == $A.t"), "true");
  EXPECT_EQ(told("$A.t == 5.0"), "true");
  EXPECT_EQ(told("\"10\" > \"9\""), "true");
  EXPECT_EQ(told("\"1e1\" == 10"), "true");
  EXPECT_EQ(told("\"-0.5\" < 0"), "true");
  EXPECT_EQ(told("\"\" == 0"), "false");
  EXPECT_EQ(told("\" 5\" == 5"), "false");
  EXPECT_EQ(told("9007199254740993 == \"9007199254740992\""), "true");
  EXPECT_EQ(condition("$n == \"9007199254740993\"", R"({"n": 9007199254740993})"), "true");
  EXPECT_EQ(condition("$n == \"9007199254740992\"", R"({"n": 9007199254740993})"), "false");
}

// G-16
TEST(Condition, anything_else_is_compared_by_text_form) {
  EXPECT_EQ(told("$A.b == \"true\""), "true");
  EXPECT_EQ(told("$A.z == null"), "true");
  EXPECT_EQ(told("$A.z == \"null\""), "true");
  EXPECT_EQ(told("$A.o == '{\"k\":1}'"), "true");
  EXPECT_EQ(told("$A.o == {\"k\": 1}"), "true");
  EXPECT_EQ(told("$A.f != \"true\""), "true");
}

// G-16
TEST(Condition, ordering_needs_numbers) {
  EXPECT_NE(told("$A.s > 3").find("expression_failed"), std::string::npos);
  EXPECT_NE(told("a < b").find("ordering needs"), std::string::npos);
}

// G-16
TEST(Condition, contains_is_substring_or_membership) {
  EXPECT_EQ(told("$A.s contains tiv"), "true");
  EXPECT_EQ(told("$A.s contains \"x\""), "false");
  EXPECT_EQ(told("$A.l contains x"), "true");
  EXPECT_EQ(told("$A.l contains \"3\""), "true");
  EXPECT_EQ(told("$A.l contains z"), "false");
  EXPECT_EQ(told("x in $A.l"), "true");
}

// G-16
TEST(Condition, a_lone_value_is_its_truth) {
  for (std::string_view no : {"$A.f", "$A.z", "0", "\"\"", "$A.e", "null", "false"}) {
    EXPECT_EQ(told(no), "false") << no;
  }
  for (std::string_view yes : {"$A.b", "$A.n", "\"0\"", "$A.l", "$A.o", "[]"}) {
    EXPECT_EQ(told(yes), "true") << yes;
  }
}

// G-16
TEST(Condition, inside_double_braces_comparison_is_strict) {
  EXPECT_EQ(told("{{ $A.n == \"5\" }}"), "false");
  EXPECT_EQ(told("{{ $A.n == 5 }}"), "true");
  EXPECT_EQ(told("  {{ $A.n }}  "), "true");
  EXPECT_EQ(told("{{ $A.n }} == \"5\" and {{ {a: {b: 1}}.a.b }} == 1"), "true");
  EXPECT_EQ(told("{{ active }}").substr(0, 18), "expression_invalid");
}

// G-15, G-16
TEST(Condition, missing_parts_fail_here_too) {
  EXPECT_EQ(told("$A.gone == 1").substr(0, 20), "unresolved_reference");
  EXPECT_EQ(told("$A.gone ?? 1 == 1"), "true");
  EXPECT_EQ(told("$A?.gone == null"), "true");
}

// G-16, scenario 28
TEST(Condition, values_are_never_read_as_logic) {
  EXPECT_EQ(told("$evil == y"), "false");
  EXPECT_EQ(told("$evil == \"x or 1 == 1\""), "true");
}

// G-13
TEST(Condition, node_names_with_dashes_are_names) {
  std::vector<std::string> names{"my-node"};
  auto parsed = parse("$my-node.x == 1", Grammar::condition, {.names = &names});
  ASSERT_TRUE(parsed);
  EXPECT_EQ(parsed->roots(), std::vector<std::string>{"my-node"});
}

TEST(Condition, mistakes_are_told) {
  for (std::string_view text :
       {"", "  ", "$A.n ==", "and", "$A.s == two words", "($A.n", "{{ 1 }"}) {
    EXPECT_EQ(mistake(text, Grammar::condition).code, "expression_invalid") << text;
  }
}

std::string by_rule(std::string_view left, std::string_view name, std::string_view right) {
  EXPECT_TRUE(is_rule_operator(name)) << name;
  auto outcome = compare_by_rule(*parse_json(left), name, *parse_json(right));
  if (!outcome) return outcome.error().code;
  return *outcome ? "true" : "false";
}

// G-16, G-42, G-53
TEST(Rule, operators_compare_like_conditions) {
  EXPECT_EQ(by_rule("5", "==", "\"5\""), "true");
  EXPECT_EQ(by_rule("5", "is equal to", "\"5.0\""), "true");
  EXPECT_EQ(by_rule("\"a\"", "!=", "\"b\""), "true");
  EXPECT_EQ(by_rule("\"a\"", "is not equal to", "\"a\""), "false");
  EXPECT_EQ(by_rule("5", ">", "4"), "true");
  EXPECT_EQ(by_rule("5", "is greater than", "\"5\""), "false");
  EXPECT_EQ(by_rule("5", "is greater than or equal to", "\"5\""), "true");
  EXPECT_EQ(by_rule("5", ">=", "6"), "false");
  EXPECT_EQ(by_rule("5", "<", "6"), "true");
  EXPECT_EQ(by_rule("5", "is less than", "5"), "false");
  EXPECT_EQ(by_rule("5", "<=", "5"), "true");
  EXPECT_EQ(by_rule("5", "is less than or equal to", "4"), "false");
  EXPECT_EQ(by_rule("[1, \"b\"]", "contains", "\"b\""), "true");
  EXPECT_EQ(by_rule("\"abc\"", "contains", "\"bc\""), "true");
  EXPECT_EQ(by_rule("\"b\"", "in", "[\"a\", \"b\"]"), "true");
  EXPECT_EQ(by_rule("\"abc\"", "starts_with", "\"ab\""), "true");
  EXPECT_EQ(by_rule("\"abc\"", "ends_with", "\"ab\""), "false");
  EXPECT_EQ(by_rule("120", "starts_with", "12"), "true");
  EXPECT_EQ(by_rule("0", "exists", "null"), "true");
  EXPECT_EQ(by_rule("null", "exists", "null"), "false");
}

// G-16
TEST(Rule, ordering_of_what_is_no_number_fails) {
  EXPECT_EQ(by_rule("\"a\"", ">", "1"), "expression_failed");
  auto outcome = compare_by_rule(Value("a"), "<", Value(1));
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().details.get("reason"), Value("not_comparable"));
}

TEST(Rule, unknown_operators_are_recognised) {
  for (std::string_view name : {"=", "like", "", "is", "===", "Contains"}) {
    EXPECT_FALSE(is_rule_operator(name)) << name;
  }
}

}  // namespace
}  // namespace fermata::flow
