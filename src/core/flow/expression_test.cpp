#include "core/flow/expression.h"

#include "core/flow/flow_fixture.h"

namespace fermata::flow {
namespace {

struct Row {
  std::string_view text;
  std::string_view value;
};

void expect_all(std::initializer_list<Row> rows, std::string_view roots = "{}") {
  for (const Row& row : rows) EXPECT_EQ(evaluated(row.text, roots), row.value) << row.text;
}
void expect_failures(std::initializer_list<Row> rows, std::string_view roots = "{}") {
  for (const Row& row : rows) {
    std::string outcome = evaluated(row.text, roots);
    EXPECT_NE(outcome.find(row.value), std::string::npos) << row.text << " gave " << outcome;
  }
}

// G-14
TEST(Expression, literals_and_operators) {
  expect_all({{"12", "12"},
              {"'a' + \"b\"", "\"ab\""},
              {"[1, 'x', true, null, undefined]", "[1,\"x\",true,null,null]"},
              {"{a: 1, 'b c': 2, [`k${1}`]: 3, 4: 5}", R"({"a":1,"b c":2,"k1":3,"4":5})"},
              {"7 % 3", "1"},
              {"-7 % 3", "-1"},
              {"`a${1 + 1}b${[1, null, 2]}`", "\"a2b1,,2\""},
              {"[...[1, 2], ...'é😀']", "[1,2,\"é\",\"😀\"]"},
              {"{...{a: 1}, ...null, b: 2, a: 3}", R"({"a":3,"b":2})"},
              {"[1, 2].map((x, i) => x * 10 + i)", "[10,21]"},
              {"[{a: 1}].map(({a, b = 5}) => a + b)", "[6]"},
              {"[[1, 2]].map(([a, ...rest]) => rest)", "[[2]]"},
              {"((a, ...more) => more)(1, 2, 3)", "[2,3]"},
              {"Math.max(...[1, 5, 3])", "5"},
              {"'b' in {b: 1}", "true"},
              {"[1] instanceof Array", "true"},
              {"Error('x') instanceof Error", "true"},
              {"typeof 'x' + typeof [] + typeof null", "\"stringarraynull\""}});
}

// F-10
TEST(Expression, falsy_are_false_null_zero_nan_and_the_empty_string) {
  expect_all({{"[false, null, 0, -0, NaN, ''].filter(x => x)", "[]"},
              {"[[], {}, 'false', '0', 1].filter(x => x).length", "5"},
              {"!''", "true"},
              {"0 || 'x'", "\"x\""},
              {"0 && fail", "expression_invalid: unknown name `fail`"},
              {"'' ?? 'x'", "\"\""}});
}

// F-11
TEST(Expression, integers_keep_every_digit_until_they_are_calculated_with) {
  std::string_view roots = R"({"n": 9007199254740993, "d": 2.0})";
  expect_all({{"$n", "9007199254740993"},
              {"[$n]", "[9007199254740993]"},
              {"`${$n}`", "\"9007199254740993\""},
              {"$n == 9007199254740992", "false"},
              {"$n > 9007199254740992", "true"},
              {"$n + 0", "9007199254740992"},
              {"$d", "2"},
              {"4 / 2", "2"},
              {"0.1 + 0.2", "0.30000000000000004"},
              {"-0", "0"},
              {"'' + 1e21", "\"1e+21\""}},
             roots);
}

// F-12
TEST(Expression, strings_count_code_points_and_objects_keep_insertion_order) {
  expect_all({{"'é😀'.length", "2"},
              {"'é😀x'[1]", "\"😀\""},
              {"'aé😀'.slice(1)", "\"é😀\""},
              {"{b: 1, 2: 2, a: 3, 1: 4}", R"({"b":1,"2":2,"a":3,"1":4})"},
              {"{__proto__: 1}.__proto__", "1"},
              {"'z' < 'é'", "true"}});
}

// F-13
TEST(Expression, equality_converts_nothing_and_compares_deeply) {
  expect_all({{"1 == '1'", "false"},
              {"1 === 1.0", "true"},
              {"NaN == NaN", "false"},
              {"[1, {a: [2], b: 3}] == [1, {b: 3, a: [2]}]", "true"},
              {"{a: 1} == {a: 1, b: 2}", "false"},
              {"null == false", "false"},
              {"Error('x') == Error('x')", "true"},
              {"Error('x') != Error('y')", "true"},
              {"Math.max == Math.max", "true"},
              {"Object.is([], [])", "false"}});
  expect_all({{"$a == [1, {\"k\": null}]", "true"}}, R"({"a": [1, {"k": null}]})");
}

// F-14
TEST(Expression, operators_take_what_they_take) {
  expect_all({{"'a' + 1 + true + null + [1, [2, 3]] + {}", "\"a1truenull1,2,3[object Object]\""},
              {"'' + Error('m')", "\"Error: m\""},
              {"'' + Math.max", "\"[function max]\""},
              {"1 / 0 > 1e308", "true"},
              {"'a' < 'b'", "true"}});
  expect_failures({{"1 + null", "TYPE_ERROR"},
                   {"'2' * 2", "TYPE_ERROR"},
                   {"-'1'", "TYPE_ERROR"},
                   {"+'1'", "TYPE_ERROR"},
                   {"1 < '2'", "TYPE_ERROR"},
                   {"[] < []", "TYPE_ERROR"},
                   {"true + true", "TYPE_ERROR"}});
}

// F-15
TEST(Expression, reading_what_is_not_there) {
  expect_all({{"{a: 1}.b", "null"},
              {"[1][5]", "null"},
              {"[1][-1]", "null"},
              {"'ab'[7]", "null"},
              {"null?.a.b.c", "null"},
              {"null?.[1]", "null"},
              {"{}.f?.(1)", "null"},
              {"{a: null}.a?.b", "null"},
              {"{'1': 'x'}[1]", "\"x\""},
              {"Error('m').nothing", "null"}});
  expect_failures({{"[1].foo", "TYPE_ERROR"},
                   {"'x'.foo", "TYPE_ERROR"},
                   {"(5).foo", "TYPE_ERROR"},
                   {"null.a", "TYPE_ERROR"},
                   {"true.a", "TYPE_ERROR"},
                   {"(x => x).a", "TYPE_ERROR"},
                   {"[1]['0']", "TYPE_ERROR"},
                   {"[1][0.5]", "TYPE_ERROR"},
                   {"{}[null]", "TYPE_ERROR"},
                   {"(null?.a).b", "TYPE_ERROR"},
                   {"(1)(2)", "NOT_A_FUNCTION"},
                   {"({f: 1}).f()", "NOT_A_FUNCTION"}});
}

// F-17
TEST(Expression, a_result_must_be_json) {
  expect_failures({{"0 / 0", "NOT_JSON"},
                   {"[1, {a: 1 / 0}]", "\"/1/a\""},
                   {"x => x", "NOT_JSON"},
                   {"[Math.max]", "NOT_JSON"}});
  EXPECT_EQ(evaluated("Error('m', {code: 'C', details: [1]})"),
            R"({"code":"C","message":"m","details":[1]})");
}

TEST(Expression, constants_and_roots_are_shared_and_not_copied) {
  auto list = parse_json(R"({"big": {"list": [1, 2, 3, "a string too long to be inline"]}})");
  ASSERT_TRUE(list);
  struct Given final : Roots {
    Value value;
    std::optional<Value> root(std::string_view) const override { return value; }
  } roots;
  roots.value = *list;
  auto parsed = parse("$a.big", Grammar::expression);
  ASSERT_TRUE(parsed);
  auto value = evaluate(*parsed, roots, {});
  ASSERT_TRUE(value);
  EXPECT_TRUE(value->same_node(list->get("big")));
}

TEST(Expression, a_failure_names_the_place) {
  EvalError error = Evaluation{}.error("1 +\n  null.x");
  EXPECT_EQ(error.code, "expression_failed");
  EXPECT_EQ(error.line, 2);
  EXPECT_EQ(error.column, 8);
  EXPECT_EQ(error.details.get("code"), Value("TYPE_ERROR"));
  error = Evaluation{}.error("[1, 2].map(x =>\n x.y)");
  EXPECT_EQ(error.line, 2);
}

TEST(Expression, each_operand_is_evaluated_once_from_left_to_right) {
  EXPECT_EQ(run_code("const seen = []\nconst f = x => { seen.push(x); return x }\n"
                     "const o = {[f('k')]: f(1), b: f(2) + f(3)}\nf(4) && f(5)\nreturn seen"),
            R"(["k",1,2,3,4,5])");
}

}  // namespace
}  // namespace fermata::flow
