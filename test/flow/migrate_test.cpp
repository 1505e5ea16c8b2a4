#include <gtest/gtest.h>

#include "base/json.h"
#include "core/flow/compile_script.h"
#include "core/flow/durable/activate.h"
#include "core/flow/durable/migrate.h"

/// Scripts that go on in another version of their source (F-56).
namespace fermata::flow {
namespace {

class Moving {
 public:
  explicit Moving(const std::string& source)
      : script_(compiled(source)), execution(begin_flow("r", Value::object({{"n", 5}}), {})) {
    go_on();
  }

  MigrationReport move(const std::string& source, const Value& map = {}) {
    Expression target = compiled(source);
    auto report = migrate(execution, {script_, target, map});
    EXPECT_TRUE(report);
    if (report && report->ok()) script_ = target;
    return report ? *report : MigrationReport{};
  }

  void settle(uint32_t number, Value result) {
    std::vector<Outgoing> out;
    EXPECT_EQ(take(execution, SettleAwaitable{number, AwaitableStatus::completed, result}, {}, out),
              Taken::done);
    go_on();
  }

  Execution& run() { return execution; }

 private:
  static Expression compiled(const std::string& source) {
    CompiledScript made = compile_script(source);
    EXPECT_TRUE(made.script) << source;
    return made.script;
  }
  void go_on() {
    std::vector<Outgoing> out;
    while (wants_activation(execution)) {
      auto done = activate(execution, script_, {}, out);
      ASSERT_TRUE(done) << done.error().message;
    }
  }

  Expression script_;

 public:
  Execution execution;
};

using Names = std::vector<std::string>;

TEST(Migrate, variables_go_by_name_and_the_rest_of_the_new_source_runs) {
  Moving run(
      "workflow w(inputs) {\n  const a = 1\n  let b = [2]\n"
      "  const got = await Task.run('x', {})\n  return a + got\n}");
  auto report = run.move(
      "workflow w(inputs) {\n  // fixed\n  let c\n  let b = [9]\n  const a = 1\n"
      "  const got = await Task.run('x', {})\n"
      "  return [a, b, c, got, inputs.n]\n}");
  ASSERT_TRUE(report.ok()) << to_json(report.to_value());
  const MovedFrame& frame = report.frames.back();
  EXPECT_EQ(frame.function, "w");
  EXPECT_EQ(frame.from, "w:4:15");
  EXPECT_EQ(frame.to, "w:6:15");
  EXPECT_EQ(frame.by, "text");
  EXPECT_EQ(frame.added, Names{"c"});
  run.settle(1, Value(7));
  EXPECT_EQ(to_json(run.run().output), "[1,[2],null,7,5]");
}

TEST(Migrate, an_await_that_is_gone_is_a_problem_with_its_place_and_nothing_changes) {
  Moving run("const a = 1\nconst got = await Task.run('x', {})\nreturn a + got");
  std::string before = run.run().snapshot;
  auto report = run.move("return 1");
  ASSERT_EQ(report.problems.size(), 1u);
  EXPECT_EQ(report.problems[0].code, "point_gone");
  EXPECT_EQ(report.problems[0].line, 2);
  EXPECT_EQ(run.run().snapshot, before);
  run.settle(1, Value(7));
  EXPECT_EQ(run.run().output, Value(8));
}

TEST(Migrate, a_map_names_the_await_that_stands_for_another) {
  const char* target = "const a = 1\nconst got = await Task.run('y', {})\nreturn [a, got]";
  Moving run("const a = 1\nconst got = await Task.run('x', {})\nreturn a + got");
  EXPECT_FALSE(run.move(target).ok());
  EXPECT_EQ(run.move(target, Value::object({{"main:2:13", "main:9:1"}})).problems[0].code,
            "point_unknown");
  auto report = run.move(target, Value::object({{"main:2:13", "main:2:13"}}));
  ASSERT_TRUE(report.ok()) << to_json(report.to_value());
  EXPECT_EQ(report.frames[0].by, "map");
  run.settle(1, Value(7));
  EXPECT_EQ(to_json(run.run().output), "[1,7]");
}

TEST(Migrate, a_point_with_other_values_around_it_is_refused) {
  Moving run("return 1 + await Task.run('x', {})");
  EXPECT_EQ(run.move("return await Task.run('x', {})").problems[0].code, "layout_changed");
  Moving guarded("try { await Task.run('x', {}) } finally { Log.info('done') }\nreturn 1");
  EXPECT_EQ(guarded.move("await Task.run('x', {})\nreturn 1").problems[0].code, "layout_changed");
}

TEST(Migrate, helpers_fibers_and_closures_move_along) {
  Moving run(
      "workflow w(inputs) {\n  let sum = 0\n  const add = x => { sum += x; return sum }\n"
      "  const work = async k => add(await Task.run('x', { k }))\n"
      "  await Task.all([1, 2].map(work))\n  return sum\n}");
  auto report = run.move(
      "function twice(x) { return 2 * x }\nworkflow w(inputs) {\n  let sum = 0\n"
      "  const add = x => { sum += twice(x); return sum }\n"
      "  const work = async k => add(await Task.run('x', { k }))\n"
      "  await Task.all([1, 2].map(work))\n  return [sum, twice(1)]\n}");
  ASSERT_TRUE(report.ok()) << to_json(report.to_value());
  // Each fiber has a number, and its task the next one.
  run.settle(2, Value(10));
  run.settle(4, Value(20));
  EXPECT_EQ(to_json(run.run().output), "[60,2]");
}

TEST(Migrate, a_function_that_is_still_held_must_exist) {
  Moving run("const f = function gone() { return 1 }\nawait Task.run('x', {})\nreturn f()");
  auto report = run.move("const f = null\nawait Task.run('x', {})\nreturn f");
  ASSERT_FALSE(report.ok());
  EXPECT_EQ(report.problems[0].code, "function_gone");
}

TEST(Migrate, a_script_that_has_not_begun_begins_in_the_new_version) {
  Execution execution = begin_flow("r", {}, {});
  Expression from = compile_script("return 1").script;
  Expression to = compile_script("return 2").script;
  auto report = migrate(execution, {from, to, {}});
  ASSERT_TRUE(report);
  EXPECT_TRUE(report->ok());
  EXPECT_TRUE(report->frames.empty());
}

}  // namespace
}  // namespace fermata::flow
