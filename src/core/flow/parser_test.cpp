#include "core/flow/flow_fixture.h"

namespace fermata::flow {
namespace {

// F-7
TEST(Parser, a_line_break_ends_a_statement_unless_the_next_line_continues_it) {
  EXPECT_EQ(run_code("let a = 1\nlet b = 2\nreturn a + b"), "3");
  EXPECT_EQ(run_code("let a = 1\n  + 2\nreturn a"), "3");
  EXPECT_EQ(run_code("let a = 5\n- 2\nreturn a"), "3");
  EXPECT_EQ(run_code("let a = [1, 2]\n  .map(x => x + 1)\n  .length\nreturn a"), "2");
  EXPECT_EQ(run_code("let a = true\n  ? 1\n  : 2\nreturn a"), "1");
  EXPECT_EQ(run_code("let a = [\n1,\n2\n]\nreturn a"), "[1,2]");
  EXPECT_EQ(run_code("let a = null\n ?? 4\nreturn a"), "4");
  EXPECT_EQ(run_code("let a = 1 \t \n \nlet b = 2  \n[a]\nreturn b"), "2");
  EXPECT_EQ(run_code("let a\na\n= 3\nreturn a"), "3");
}

// F-7
TEST(Parser, a_line_that_begins_with_a_bracket_is_a_new_statement) {
  EXPECT_EQ(run_code("let a = 1\n(2)\nreturn a"), "1");
  EXPECT_EQ(run_code("let a = [5]\n[0]\nreturn a"), "[5]");
  EXPECT_EQ(run_code("let a = 1\n`x`\nreturn a"), "1");
  EXPECT_EQ(run_code("let f = x => x\nreturn (f\n(2))"), "2");
}

// F-7
TEST(Parser, increments_at_the_start_of_a_line_belong_to_what_follows) {
  EXPECT_EQ(run_code("let a = 1, b = 1\na\n++b\nreturn [a, b]"), "[1,2]");
}

// F-7
TEST(Parser, jumps_end_at_the_line_break) {
  EXPECT_EQ(run_code("return\n5"), "null");
  EXPECT_EQ(mistake("throw\n5", Grammar::fragment).code, "expression_invalid");
  EXPECT_EQ(mistake("let f = x\n=> 1", Grammar::fragment).code, "expression_invalid");
}

// F-8
TEST(Parser, only_certain_words_may_follow_on_the_same_line) {
  EXPECT_EQ(run_code("let x = 1 let y = 2 return x + y"), "3");
  EXPECT_EQ(run_code("let x = 1; x; return x"), "1");
  EXPECT_NE(mistake("let x = 1 x = 2", Grammar::fragment).message.find("`;` or a new line"),
            std::string::npos);
}

// F-9
TEST(Parser, what_the_language_leaves_out_is_named) {
  for (std::string_view text : {"class A {}", "var x = 1", "this.x", "import x", "yield 1",
                                "with (x) {}", "a & b", "x => { return 1 }, 2"}) {
    EXPECT_EQ(mistake(text, Grammar::fragment).code, "expression_invalid") << text;
  }
  EXPECT_NE(mistake("var x = 1", Grammar::fragment).message.find("`var` is not part"),
            std::string::npos);
  EXPECT_EQ(mistake("(1, 2)").message, "there is no comma operator");
}

// F-9
TEST(Parser, a_brace_at_the_start_of_a_statement_is_a_block) {
  EXPECT_EQ(run_code("{ let a = 1 }\nreturn ({a: 2})"), R"({"a":2})");
}

TEST(Parser, precedence_follows_the_table) {
  EXPECT_EQ(evaluated("1 + 2 * 3 ** 2"), "19");
  EXPECT_EQ(evaluated("2 ** 3 ** 2"), "512");
  EXPECT_EQ(evaluated("(-2) ** 2"), "4");
  EXPECT_EQ(evaluated("10 - 4 - 3"), "3");
  EXPECT_EQ(evaluated("1 < 2 == true"), "true");
  EXPECT_EQ(evaluated("true || false && false"), "true");
  EXPECT_EQ(evaluated("null ?? false || 3"), "3");
  EXPECT_EQ(evaluated("!true ? 1 : false ? 2 : 3"), "3");
  EXPECT_EQ(evaluated("-[1][0] + 2"), "1");
  EXPECT_EQ(mistake("-2 ** 2").message, "put parentheses around the operand left of **");
}

TEST(Parser, reserved_words_are_property_names) {
  EXPECT_EQ(evaluated("{if: 1, class: {new: 2}}.class.new"), "2");
  EXPECT_EQ(run_code("const {default: d, in: i} = {default: 1, in: 2}\nreturn d + i"), "3");
}

// G-14
TEST(Parser, an_expression_takes_no_statement_assignment_or_effect) {
  for (std::string_view text : {"a = 1", "x => { return 1 }", "let a = 1", "1; 2", "await 1",
                                "function () {}", "delete $a.b", "$a.b++", "--$a", "{f() { }}",
                                "async x => x", "return 1", "Task.run('x')", ""}) {
    EXPECT_EQ(mistake(text).code, "expression_invalid") << text;
  }
}

// G-51
TEST(Parser, effects_in_code_are_not_pure_and_are_named) {
  struct Case {
    std::string_view text, found;
  };
  for (Case one : {Case{"return await 1", "`await`"}, Case{"async function f() {}", "`async`"},
                   Case{"let f = async () => 1", "`async`"}, Case{"Task.run('x')", "`Task`"},
                   Case{"Signal.next('x')", "`Signal`"}, Case{"Timer.delay(1)", "`Timer`"},
                   Case{"Workflow.run('x')", "`Workflow`"}, Case{"Log.info('x')", "`Log`"},
                   Case{"Approval.request({})", "`Approval`"}}) {
    SyntaxError error = mistake(one.text, Grammar::fragment);
    EXPECT_EQ(error.code, "code_not_pure") << one.text;
    EXPECT_NE(error.message.find(one.found), std::string::npos) << error.message;
  }
}

TEST(Parser, unknown_names_come_with_the_nearest_known_one) {
  EXPECT_EQ(mistake("Mth.max(1)").message, "unknown name `Mth`; did you mean `Math`?");
  EXPECT_EQ(mistake("Math.flor(1)").message, "unknown function `Math.flor`; did you mean `floor`?");
  EXPECT_EQ(mistake("$a.fliter(x => x)").message,
            "unknown function `fliter`; did you mean `filter`?");
  EXPECT_EQ(mistake("let total = 1\nreturn totl", Grammar::fragment).message,
            "unknown name `totl`; did you mean `total`?");
  EXPECT_EQ(mistake("qqqqqqqq").message, "unknown name `qqqqqqqq`");
  EXPECT_NE(mistake("fetch('x')").message.find("work outside"), std::string::npos);
}

TEST(Parser, mistakes_have_offset_line_and_column) {
  SyntaxError error = mistake("let a = 1\nlet é\n  b = ", Grammar::fragment);
  EXPECT_EQ(error.line, 2);
  EXPECT_EQ(error.column, 5);
  error = mistake("$a.b + Math.flor(1)");
  EXPECT_EQ(error.offset, 12u);
  EXPECT_EQ(error.column, 13);
}

// G-110
TEST(Parser, the_size_of_the_tree_is_limited) {
  std::string text = "1";
  for (int i = 0; i < 300; ++i) text += " + 1";
  EXPECT_TRUE(parse(text, Grammar::expression));
  auto refused = parse(text, Grammar::expression, {.tree_nodes_max = 500});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, "limit_exceeded");
  EXPECT_NE(refused.error().message.find("500"), std::string::npos);
  EXPECT_NE(refused.error().message.find("graph_expression_tree_nodes_max"), std::string::npos);
  EXPECT_TRUE(parse("return " + text, Grammar::fragment, {.tree_nodes_max = 500}));
}

TEST(Parser, deep_nesting_is_refused_and_not_a_crash) {
  for (std::string_view piece : {"(", "[", "!", "{a:", "x => ", "`${", "1 ? 2 : ", "1 ** "}) {
    std::string text;
    for (int i = 0; i < 20'000; ++i) text += piece;
    auto parsed = parse(text, Grammar::expression, {.tree_nodes_max = 1'000'000});
    EXPECT_FALSE(parsed) << piece;
  }
  std::string sum = "1";
  for (int i = 0; i < 20'000; ++i) sum += "+1";
  EXPECT_FALSE(parse(sum, Grammar::expression, {.tree_nodes_max = 1'000'000}));
  std::string blocks(20'000, '{');
  EXPECT_FALSE(parse(blocks, Grammar::fragment, {.tree_nodes_max = 1'000'000}));
}

TEST(Parser, roots_are_listed_once_in_order) {
  auto parsed = parse("$b.x + $a.y + $b.z + $[\"Sync & Combine\"].q", Grammar::expression);
  ASSERT_TRUE(parsed);
  EXPECT_EQ(parsed->roots(), (std::vector<std::string>{"b", "a", "Sync & Combine"}));
}

// G-13
TEST(Parser, inside_an_expression_a_dash_is_always_minus) {
  EXPECT_EQ(evaluated("$a-$b", R"({"a": 5, "b": 2})"), "3");
  EXPECT_EQ(evaluated("$a-1", R"({"a": 5})"), "4");
}

// F-18, F-19
TEST(Parser, declarations_are_held_to) {
  for (std::string_view text :
       {"x = 1", "const x = 1; x = 2", "let x = 1; let x = 2", "const x", "let {a}", "Math = 1",
        "$json = 1", "break", "continue", "for (;;) { break nowhere }", "function f(...a, b) {}",
        "let {...a, b} = {}", "1 = 2", "f() = 1", "a?.b = 1", "let x = {a = 1}", "try { }",
        "switch (1) { default: default: }"}) {
    EXPECT_EQ(mistake(text, Grammar::fragment).code, "expression_invalid") << text;
  }
}

}  // namespace
}  // namespace fermata::flow
