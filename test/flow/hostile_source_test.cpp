#include <gtest/gtest.h>

#include "base/json.h"
#include "core/flow/evaluate/evaluation.h"
#include "core/flow/script.h"

/// Sources that are made to hurt: each is answered with its code and place, and uses no more than
/// it may.
namespace fermata::flow {
namespace {

std::string many_variables(size_t count) {
  std::string out = "let v0";
  for (size_t i = 1; i < count; ++i) out += ",v" + std::to_string(i);
  return out;
}

Value evaluated(std::string source, uint64_t fuel = 10'000'000, uint64_t memory = 8 << 20) {
  EvaluationCase given;
  given.source = std::move(source);
  given.limits.fuel = fuel;
  given.limits.memory_bytes = memory;
  return evaluate_flow(given).value;
}

Value code_of(const Value& answer) { return answer.get("error").get("code"); }

// F-51: a call makes room for every variable of its function, whether it gets there or not.
TEST(HostileSources, calls_of_functions_with_many_variables_cost_memory) {
  std::string deep =
      "function f(n) { if (n >= 0) return f(n + 1)\n" + many_variables(5'000) + " }\nreturn f(0)";
  EXPECT_EQ(code_of(evaluated(deep)), Value("memory_exceeded"));
  std::string wide = "async function f(n) { await Task.run('x', n)\n" + many_variables(5'000) +
                     " }\nfor (let i = 0; i < 300; i++) f(i)\nawait Task.run('y')";
  EXPECT_EQ(code_of(evaluated(wide)), Value("memory_exceeded"));
}

// F-51
TEST(HostileSources, calls_of_functions_with_many_variables_cost_fuel) {
  auto fuel = [](size_t variables) {
    Value answer = evaluated("function f(n) { if (n >= 0) return 1\n" + many_variables(variables) +
                             " }\nlet s = 0\nfor (let i = 0; i < 100; i++) s += f(i)\nreturn s");
    EXPECT_EQ(answer.get("result"), Value(100));
    return answer.get("stats").get("fuel").as_integer();
  };
  EXPECT_EQ(fuel(3), fuel(60)) << "a few are part of the call";
  EXPECT_EQ(fuel(1'599), fuel(3) + 100 * 100) << "with the parameter, 16 for one";
}

// F-57
TEST(HostileSources, bytes_that_are_no_text_are_told_by_their_place) {
  CheckedScript checked = check_script("// ä\nreturn 'é\xff'");
  ASSERT_EQ(checked.errors.size(), 1u);
  EXPECT_EQ(checked.errors[0].line, 2);
  EXPECT_EQ(checked.errors[0].column, 10);
}

// F-57
TEST(HostileSources, endless_expressions_are_refused_with_what_to_do) {
  std::string sum = "return 1";
  for (int i = 0; i < 2'000; ++i) sum += "+1";
  CheckedScript checked = check_script(sum);
  ASSERT_FALSE(checked.errors.empty());
  EXPECT_EQ(checked.errors[0].code, "too-large");
  EXPECT_NE(checked.errors[0].message.find("1000 parts"), std::string::npos)
      << checked.errors[0].message;
}

// F-57: what the code cannot express is found by the checks, before anybody stores it.
TEST(HostileSources, that_have_too_many_parts_fail_the_checks) {
  std::string source = "return [";
  for (int i = 0; i < 70'000; ++i) source += "'s" + std::to_string(i) + "',";
  CheckedScript checked = check_script(source + "].length");
  ASSERT_EQ(checked.errors.size(), 1u);
  EXPECT_EQ(checked.errors[0].code, "too-large");
  EXPECT_FALSE(checked.program);
}

}  // namespace
}  // namespace fermata::flow
