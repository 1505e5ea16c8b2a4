#include "core/flow/flow_fixture.h"

namespace fermata::flow {
namespace {

constexpr std::string_view roots =
    R"({"A": {"x": 1, "n": null, "list": [10, 20], "name": "abc", "o": {"k": "v"}},
        "Sync & Combine": {"q": 2}})";

std::string missing_in(std::string_view text) {
  EvalError error = Evaluation{.roots = roots}.error(text);
  EXPECT_EQ(error.code, "unresolved_reference") << text << " " << error.message;
  return to_json(error.details.get("references"));
}

// G-15
TEST(Reference, a_missing_part_of_a_path_from_a_root_fails_and_is_named) {
  EXPECT_EQ(missing_in("$No.x"), R"([{"reference":"$No.x","missing":"$No"}])");
  EXPECT_EQ(missing_in("1 + $A.y.z"), R"([{"reference":"$A.y.z","missing":"$A.y"}])");
  EXPECT_EQ(missing_in("$A.list[2]"), R"([{"reference":"$A.list[2]","missing":"$A.list[2]"}])");
  EXPECT_EQ(missing_in("$A.list[0 - 1].b"),
            R"([{"reference":"$A.list[0 - 1].b","missing":"$A.list[0 - 1]"}])");
  EXPECT_EQ(missing_in("$A.n.x"), R"([{"reference":"$A.n.x","missing":"$A.n.x"}])");
  EXPECT_EQ(missing_in("$A.name.foo"), R"([{"reference":"$A.name.foo","missing":"$A.name.foo"}])");
  EXPECT_EQ(missing_in("$A.list['x']"),
            R"([{"reference":"$A.list['x']","missing":"$A.list['x']"}])");
  EXPECT_EQ(missing_in("$A.gone.map(x => x)"), R"([{"reference":"$A.gone","missing":"$A.gone"}])");
  EXPECT_EQ(missing_in("[1].map(x => $A.gone)"),
            R"([{"reference":"$A.gone","missing":"$A.gone"}])");
  EXPECT_EQ(missing_in("`a ${$A.gone}`"), R"([{"reference":"$A.gone","missing":"$A.gone"}])");
}

// G-15
TEST(Reference, a_null_value_is_not_missing) {
  EXPECT_EQ(evaluated("$A.n", roots), "null");
  EXPECT_EQ(evaluated("$A.n == null", roots), "true");
}

// G-15
TEST(Reference, the_left_operand_of_nullish_may_be_missing) {
  EXPECT_EQ(evaluated("$No.x ?? 1", roots), "1");
  EXPECT_EQ(evaluated("$A.y.z[3] ?? 1", roots), "1");
  EXPECT_EQ(evaluated("$A.n.x ?? 1", roots), "1");
  EXPECT_EQ(evaluated("$No ?? $A.gone ?? 3", roots), "3");
  EXPECT_EQ(evaluated("($A.x > 5 ? $A.p : $A.q) ?? 4", roots), "4");
  EXPECT_EQ(evaluated("$A.gone.trim() ?? 5", roots), "5");
}

// G-15
TEST(Reference, the_right_operand_of_nullish_may_not) {
  EXPECT_EQ(missing_in("$No ?? $A.gone"), R"([{"reference":"$A.gone","missing":"$A.gone"}])");
}

// G-15
TEST(Reference, the_first_argument_of_default_may_be_missing) {
  EXPECT_EQ(evaluated("default($No.x, 1)", roots), "1");
  EXPECT_EQ(evaluated("default($A.list[9], $A.x)", roots), "1");
  EXPECT_EQ(evaluated("default($A.x, 7)", roots), "1");
  EXPECT_EQ(missing_in("default($No.x, $No.y)"), R"([{"reference":"$No.y","missing":"$No"}])");
  EXPECT_EQ(mistake("default($A)").code, "expression_invalid");
}

// G-15
TEST(Reference, after_an_optional_access_a_missing_part_is_null) {
  EXPECT_EQ(evaluated("$A?.gone", roots), "null");
  EXPECT_EQ(evaluated("$A?.gone.deeper[1]", roots), "null");
  EXPECT_EQ(evaluated("$A.list?.[7]", roots), "null");
  EXPECT_EQ(evaluated("$No?.x", roots), "null");
  EXPECT_EQ(evaluated("$A.gone?.x", roots), "null");
  EXPECT_EQ(missing_in("$A.gone.b?.x"), R"([{"reference":"$A.gone.b?.x","missing":"$A.gone"}])");
}

// G-15
TEST(Reference, values_that_are_no_path_follow_the_rules_of_values) {
  EXPECT_EQ(evaluated("$A.list.map(x => ({v: x}).w)", roots), "[null,null]");
  EXPECT_EQ(evaluated("({a: $A.x}).b", roots), "null");
  EXPECT_EQ(evaluated("Object.keys($A).length", roots), "5");
}

TEST(Reference, members_of_lists_and_texts_belong_to_paths) {
  EXPECT_EQ(evaluated("$A.list.length + $A.name.length", roots), "5");
  EXPECT_EQ(evaluated("$A.name[0]", roots), "\"a\"");
  EXPECT_EQ(evaluated("$A['o'].k", roots), "\"v\"");
}

// G-13
TEST(Reference, any_name_can_be_written_in_brackets) {
  EXPECT_EQ(evaluated("$[\"Sync & Combine\"].q + $['A'].x", roots), "3");
}

// G-51
TEST(Reference, in_code_only_the_root_itself_must_exist) {
  EXPECT_EQ(run_code("return $A.gone", roots), "null");
  EXPECT_EQ(run_code("return $A.list[9]", roots), "null");
  EXPECT_EQ(run_code("return $No ?? 3", roots), "3");
  EXPECT_NE(run_code("return $A.gone.x", roots).find("TYPE_ERROR"), std::string::npos);
  EvalError error = Evaluation{.grammar = Grammar::fragment, .roots = roots}.error("return $No.x");
  EXPECT_EQ(error.code, "unresolved_reference");
  EXPECT_EQ(to_json(error.details), R"({"references":[{"reference":"$No.x","missing":"$No"}]})");
}

}  // namespace
}  // namespace fermata::flow
