#include "core/flow/flow_fixture.h"

namespace fermata::flow {
namespace {

void expect_limit(const EvalError& error, std::string_view code, std::string_view setting,
                  std::string_view value) {
  EXPECT_EQ(error.code, code) << error.message;
  EXPECT_NE(error.message.find(setting), std::string::npos) << error.message;
  EXPECT_NE(error.message.find(value), std::string::npos) << error.message;
  EXPECT_GT(error.line, 0);
}

// G-110
TEST(Limits, an_expression_takes_so_many_steps) {
  std::string list = "[";
  for (int i = 0; i < 2'000; ++i) list += "1,";
  list.back() = ']';
  std::string roots = "{\"a\": " + list + "}";
  Evaluation expression{.roots = roots};
  EXPECT_EQ(expression("$a.map(x => x).length"), "2000");
  expect_limit(expression.error("$a.map(x => $a.map(y => y)).length"), "expression_limit",
               "graph_expression_steps_max", "10000");
  expect_limit(expression.error("$a.toSorted((x, y) => y - x)"), "expression_limit",
               "graph_expression_steps_max", "10000");
  EXPECT_EQ(expression.error("$a.map(x => $a == $a)").code, "expression_limit");
}

// G-110
TEST(Limits, code_takes_so_many_steps) {
  Evaluation code{.grammar = Grammar::fragment, .limits = {.steps_max = 5'000}};
  expect_limit(code.error("while (true) {}"), "code_limit", "graph_code_steps_max", "5000");
  expect_limit(code.error("try { for (;;) { } } catch (e) { } finally { }"), "code_limit",
               "graph_code_steps_max", "5000");
}

// G-110
TEST(Limits, an_expression_makes_texts_of_so_many_bytes) {
  Evaluation expression{.roots = R"({"s": "0123456789"})", .limits = {.text_bytes_max = 1'000}};
  for (std::string_view text :
       {"$s.repeat(1e15)", "$s.repeat(101)", "$s.padStart(2000)", "$s.padEnd(1e15, 'xyz')",
        "$s.repeat(50) + $s.repeat(51)", "`${$s.repeat(50)}${$s.repeat(51)}`",
        "$s.repeat(100).replaceAll('0', 'xxxxxxxxxxx')", "[$s.repeat(99), $s, 'x'].join('')",
        "JSON.stringify([$s.repeat(100)])", "'' + [$s.repeat(99), $s]",
        "$s.repeat(99).concat($s, 1)"}) {
    EvalError error = expression.error(text);
    expect_limit(error, "expression_limit", "graph_expression_text_bytes_max", "1000");
  }
}

// G-110
TEST(Limits, code_uses_so_much_memory) {
  Evaluation code{.grammar = Grammar::fragment,
                  .limits = {.steps_max = 100'000'000, .memory_bytes_max = 1 << 20}};
  for (std::string_view text :
       {"const a = []; for (;;) a.push([1])", "const o = {}; for (let i = 0;; i++) o['k' + i] = i",
        "let s = 'x'; for (;;) s += s", "'x'.repeat(1e9)",
        "let f = null; for (;;) { const g = f; f = () => g }",
        "let a = [1]; for (;;) a = a.concat(a)", "let a = [1]; for (;;) a = [a, a]; return a",
        "for (let a = [];;) a = [...a, ...'abcdefgh']"}) {
    expect_limit(code.error(text), "code_limit", "graph_code_memory_bytes_max", "1048576");
  }
}

// F-51
TEST(Limits, searching_costs_what_is_compared) {
  std::string roots = "{\"a\": \"" + std::string(50'000, 'a') + "\", \"b\": \"" +
                      std::string(20'000, 'a') + "b\", \"s\": \"" + std::string(50'000, ' ') +
                      "\"}";
  Evaluation code{.grammar = Grammar::fragment, .roots = roots};
  for (std::string_view text :
       {"return $a.includes($b)", "return $a.indexOf($b)", "return $a.lastIndexOf('b' + $b)",
        "return $a.split($b)", "return $a.replaceAll($b, '')", "return $a.replace($b, '')"}) {
    std::string outcome = code(text);
    bool cheap = text.find("lastIndexOf") != std::string_view::npos;
    EXPECT_EQ(outcome.starts_with("code_limit"), !cheap) << text << " " << outcome;
  }
  EXPECT_TRUE(code("for (let i = 0; i < 2000; i++) $s.trim()").starts_with("code_limit"));
}

// F-51
TEST(Limits, comparing_copying_and_deleting_cost_what_they_handle) {
  std::string setup =
      "const a = 'a'.repeat(100000), b = 'a'.repeat(100001), o = {}\n"
      "for (let i = 0; i < 1000; i++) o['k' + i] = i\n";
  Evaluation code{.grammar = Grammar::fragment, .limits = {.steps_max = 200'000}};
  EXPECT_EQ(code(setup + "return a < b"), "true");
  for (std::string_view body : {"a < b", "a >= b", "Object.clone(o)", "delete o.k; o.k = 1"}) {
    std::string loop = "for (let i = 0; i < 1000; i++) { " + std::string(body) + " }";
    EXPECT_TRUE(code(setup + loop).starts_with("code_limit")) << body;
  }
}

TEST(Limits, a_result_that_multiplies_shared_parts_is_metered) {
  Evaluation code{.grammar = Grammar::fragment};
  EXPECT_EQ(code.error("let a = [1]; for (let i = 0; i < 40; i++) a = [a, a]; return a").code,
            "code_limit");
}

TEST(Limits, what_a_kept_prefix_holds_on_to_counts) {
  Evaluation code{.grammar = Grammar::fragment,
                  .limits = {.steps_max = 100'000'000, .memory_bytes_max = 1 << 20}};
  EXPECT_EQ(code.error("const all = []; for (;;) { const p = 'x' + 'y'; p + 'z'.repeat(50000)\n"
                       "all.push(p) }")
                .code,
            "code_limit");
}

TEST(Limits, what_was_taken_out_of_an_array_counts_no_longer) {
  Evaluation code{.grammar = Grammar::fragment, .limits = {.memory_bytes_max = 100'000}};
  EXPECT_EQ(code("const q = [0]; for (let i = 0; i < 20000; i++) { q.push(i); q.shift() }\n"
                 "return q.length"),
            "1");
}

TEST(Limits, garbage_does_not_count) {
  Evaluation code{.grammar = Grammar::fragment, .limits = {.memory_bytes_max = 200'000}};
  EXPECT_EQ(code("let s; for (let i = 0; i < 20000; i++) s = ['garbage of some length', {i}]\n"
                 "return s[1].i"),
            "19999");
  EXPECT_EQ(code("let s = ''; for (let i = 0; i < 20000; i++) s += 'x'; return s.length"), "20000");
  EXPECT_EQ(
      code("const keep = {}; for (let i = 0; i < 9000; i++) { keep['k' + i % 10] = 'v' + i }\n"
           "return keep.k9"),
      "\"v8999\"");
}

// F-51
TEST(Limits, calls_nest_so_deep_without_using_the_host_stack) {
  EvalError error = Evaluation{.grammar = Grammar::fragment}.error("const f = () => f(); f()");
  EXPECT_EQ(error.code, "code_limit");
  EXPECT_NE(error.message.find("500"), std::string::npos);
  EXPECT_EQ(run_code("const f = n => n == 0 ? 0 : 1 + f(n - 1); return f(400)"), "400");
  EXPECT_EQ(run_code("const f = n => n == 0 ? 0 : [n].map(x => f(x - 1))[0]; return f(150)"), "0");
}

TEST(Limits, deep_data_is_refused_and_not_a_crash) {
  std::string deep = "let a = []; for (let i = 0; i < 5000; i++) a = [a]; ";
  for (std::string_view use :
       {"return a", "return a == a.slice()", "return '' + a", "return JSON.stringify(a)",
        "return Object.clone(a)", "return a.flat(1e9).length >= 0 && Object.equals(a, [a])"}) {
    std::string outcome = run_code(deep + std::string(use));
    EXPECT_TRUE(outcome.starts_with("code_failed") || outcome == "true") << use << " " << outcome;
  }
}

// F-52
TEST(Limits, metering_is_exact) {
  auto parsed = parse("[1, 2, 3].map(x => x + 1).join('-')", Grammar::expression);
  ASSERT_TRUE(parsed);
  auto fits = [&](uint64_t steps) {
    EvalGiven given;
    given.limits.steps_max = steps;
    return static_cast<bool>(evaluate(*parsed, JsonRoots(), given));
  };
  uint64_t needed = 1;
  while (!fits(needed)) ++needed;
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(fits(needed));
    EXPECT_FALSE(fits(needed - 1));
  }
  EXPECT_LT(needed, 60u);
}

// G-110
TEST(Limits, evaluations_that_share_a_pool_use_it_up_together) {
  auto parsed = parse("[1, 2, 3].map(x => x + 1).length", Grammar::expression);
  ASSERT_TRUE(parsed);
  StepPool pool{100, 100};
  EvalGiven given;
  given.pool = &pool;
  int evaluated = 0;
  Result<Value, EvalError> last = Value();
  while ((last = evaluate(*parsed, JsonRoots(), given))) ASSERT_LT(++evaluated, 100);
  EXPECT_GT(evaluated, 1);
  EXPECT_EQ(pool.left, 0u);
  expect_limit(last.error(), "expression_limit", "graph_activation_steps_max", "100");
  // What one evaluation alone may not do is told as before, and leaves the pool to the others.
  pool = {100, 100};
  given.limits.steps_max = 5;
  last = evaluate(*parsed, JsonRoots(), given);
  ASSERT_FALSE(last);
  expect_limit(last.error(), "expression_limit", "graph_expression_steps_max", "5");
  EXPECT_EQ(pool.left, 100 - 5 - StepPool::evaluation_steps);
}

}  // namespace
}  // namespace fermata::flow
