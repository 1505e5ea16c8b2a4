#include <gtest/gtest.h>

#include <map>

#include "base/json.h"
#include "core/flow/evaluate/evaluation.h"
#include "sim/model/flow_script.h"

/// What a script may hold does not depend on where it was interrupted (F-51, scenario 35).
namespace fermata::test {
namespace {

using flow::EvaluationCase;

std::string evaluated(EvaluationCase given, bool crash) {
  given.crash = crash;
  given.states = true;
  return to_json(flow::evaluate_flow(given).value);
}

EvaluationCase case_of(std::string source, size_t memory, uint64_t slice) {
  EvaluationCase out;
  out.source = std::move(source);
  out.limits.memory_bytes = memory;
  out.limits.slice = slice;
  return out;
}

void add_steps(EvaluationCase& out, size_t count, const Value& result) {
  for (size_t i = 0; i < count; ++i) out.steps.push_back(Value::object({{"resume", result}}));
}

TEST(MemoryOfScripts, equal_texts_count_the_same_after_crashes) {
  const char* endings[] = {
      "a.push('x'.repeat(1000))",
      "a.push('x'.repeat(1000) + a.length)",
      "a.push({ k: 'x'.repeat(500), n: ['y'.repeat(100)] })",
      "s += 'abc'; a.push(s)",
      "s = s + s.length; if (s.length > 3000) { a.push(s); s = 'x' }",
      "a.push(s + 'yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy'); if (a.length > 300) a = []",
      "a.push(() => s + a.length); for (const c of 'some text') a.push(c + c)",
      "for (const k in { one: 1, two: 2, three: 3 }) a.push(k + k)",
      "a.push(JSON.parse('{\"k\": [\"vvvvvvvvvvvvvvvvvvvvvvvv\", {}]}').k)",
  };
  for (const char* ending : endings) {
    std::string source =
        "let a = []\nlet s = 'start'\nwhile (true) { " + std::string(ending) + " }";
    for (size_t memory : {20'000, 300'000}) {
      EvaluationCase given = case_of(source, memory, 3'000);
      given.limits.fuel = 400'000;
      std::string plain = evaluated(given, false);
      EXPECT_EQ(evaluated(given, true), plain) << source;
      EXPECT_NE(plain.find("\"failed\""), std::string::npos) << source;
    }
  }
}

TEST(MemoryOfScripts, results_count_the_same_after_crashes) {
  Value result =
      Value::object({{"used", Value::array({"a", "b"})}, {"rest", std::string(3'000, 'r')}});
  const char* uses[] = {"kept.push(r.used)", "kept.push(r.used[0] + 'c')",
                        "kept.push(r.rest + 'x')", "r.used.push('z'); kept.push(r.used)",
                        "kept.push({ ...r })"};
  for (const char* use : uses) {
    std::string source = "const kept = []\nfor (;;) {\n  const r = await Task.run('t')\n  " +
                         std::string(use) + "\n}";
    EvaluationCase given = case_of(source, 40'000, 1'000);
    add_steps(given, 60, result);
    EXPECT_EQ(evaluated(given, true), evaluated(given, false)) << source;
  }
}

TEST(MemoryOfScripts, random_scripts_end_at_the_same_place) {
  size_t exceeded = 0;
  for (uint64_t seed = 1; seed <= 300; ++seed) {
    sim::model::ScriptShape shape;
    shape.workflow = seed % 2 == 0;
    shape.statements_max = 30;
    Random dice(seed);
    std::string source =
        "const _all = []\nfor (let i = 0; i < 20; i++) _all.push(['text', i, `t${i}`])\n" +
        sim::model::ScriptWriter(seed, shape).write();
    if (shape.workflow) source = sim::model::ScriptWriter(seed, shape).write();
    EvaluationCase given = case_of(source, 1'500 + dice.below(12'000), 20 + dice.below(2'000));
    given.limits.fuel = 200'000;
    given.inputs = Value::object({{"n", 3}, {"s", "x"}});
    add_steps(given, 20, Value::array({1, "two"}));
    std::string plain = evaluated(given, false);
    ASSERT_EQ(evaluated(given, true), plain) << "seed " << seed << "\n" << source;
    exceeded += plain.find("memory_exceeded") != std::string::npos ? 1 : 0;
  }
  EXPECT_GT(exceeded, 20u);
}

// So near to the limit every instruction would look for garbage.
TEST(MemoryOfScripts, little_room_is_not_searched_for_ever) {
  EvaluationCase given = case_of(
      "const a = []\nfor (let i = 0; i < Inputs; i++) a.push([i])\n"
      "let n = 0\nwhile (true) { n += [n].length }",
      256 << 10, 10'000'000);
  given.limits.fuel = 100'000;
  std::map<std::string, size_t> ends;
  for (int count = 1'500; count <= 4'000; count += 50) {
    given.inputs = Value(count);
    Value error = flow::evaluate_flow(given).value.get("error");
    ++ends[std::string(error.get("code").as_string())];
  }
  EXPECT_GT(ends["memory_exceeded"], 5u);
  EXPECT_GT(ends["fuel_exhausted"], 5u);
}

}  // namespace
}  // namespace fermata::test
