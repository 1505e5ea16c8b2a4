#include <random>

#include "core/run/checkpoint.h"
#include "test/flow/script_runs.h"

/// Rows of the acceptance table of flow.md (section 15) that need more than a page of text: many
/// tasks, many timers, much fuel. Which test shows which row stands in docs/spec/flow.md.
namespace fermata::test {
namespace {

using Orders = std::map<std::string, std::string>;

struct Written {
  size_t history = 0;      ///< bytes, of all commits
  size_t checkpoints = 0;  ///< bytes, of all parks
  size_t activations = 0;
  Value output;
};

/// A `Task.all` of so many tasks that complete in random order.
Written all_of(int count) {
  ScriptRun run(
      define_script("const all = await Task.all(Array.from('x'.repeat(Inputs.n))"
                    ".map((x, i) => Task.run('number', { i })))\n"
                    "return all.reduce((a, b) => a + b, 0)"));
  run.folds = false;
  run.start(Value::object({{"n", count}}));
  Written out;
  out.checkpoints += encode_checkpoint(run.run).size();
  std::vector<int> order;
  for (int i = 1; i <= count; ++i) order.push_back(i);
  std::shuffle(order.begin(), order.end(), std::mt19937(7));
  for (int i : order) EXPECT_TRUE(run.settle("r." + std::to_string(i), "SUCCEEDED", Value(i)));
  for (const HistoryChunk& chunk : run.chunks) out.history += chunk.bytes.size();
  out.activations = run.count("FlowResumed");
  out.output = run.run.output;
  return out;
}

// Row 3, F-42
TEST(Acceptance, all_of_ten_thousand_writes_ten_times_what_a_thousand_do) {
  Written small = all_of(1'000), large = all_of(10'000);
  EXPECT_EQ(small.output, Value(500'500));
  EXPECT_EQ(large.output, Value(50'005'000));
  EXPECT_EQ(small.activations, 2u);
  EXPECT_EQ(large.activations, 2u);
  EXPECT_LT(large.history, small.history * 11);
  EXPECT_LT(large.checkpoints, small.checkpoints * 11);
}

// Row 4, F-30, F-31
TEST(Acceptance, failure_of_one_of_a_thousand_is_thrown_at_once) {
  for (bool cancel : {false, true}) {
    ScriptRun run(
        define_script("try { await Task.all(Array.from('x'.repeat(1000))"
                      ".map((x, i) => Task.run('number', { i })), Inputs.how) }\n"
                      "catch (e) { await Signal.next('go'); return e.key }"));
    run.folds = false;
    run.start(Value::object({{"how", Value::object({{"cancel", cancel}})}}));
    ASSERT_TRUE(run.settle("r.501", "FAILED"));
    size_t stopped = 0;
    for (const Post& post : run.posts) stopped += std::holds_alternative<StopJob>(post) ? 1 : 0;
    EXPECT_EQ(stopped, cancel ? 999u : 0u);
    EXPECT_EQ(run.settle("r.1", "SUCCEEDED", Value(1)), !cancel);
    ASSERT_TRUE(run.tell(SignalRun{"go", {}, "g"}));
    EXPECT_EQ(run.run.output, Value(500));
  }
}

// Row 13, F-33: what the index of timers says is a hint; the records decide.
TEST(Acceptance, ten_thousand_timers_fire_once_each_and_never_early) {
  ScriptRun run(
      define_script("const at = Array.from('x'.repeat(10000))"
                    ".map((x, i) => Task.delay(1 + (i * 7919) % 10000))\n"
                    "const all = await Task.all(at)\nreturn all.length"));
  run.folds = false;
  run.start();
  Instant begun = run.given.now;
  std::mt19937 dice(3);
  // An index without entries wakes nobody; one with wrong entries wakes at any time.
  for (int64_t passed = 0; passed < 10'000'000;) {
    int64_t next = (passed / 1'000 + 1) * 1'000;
    int64_t early = passed + static_cast<int64_t>(dice() % static_cast<uint64_t>(next - passed));
    size_t told = run.types.size();
    ASSERT_FALSE(run.wake((begun.ms + early) - run.given.now.ms)) << early;
    ASSERT_EQ(run.types.size(), told);
    ASSERT_TRUE(run.wake((begun.ms + next) - run.given.now.ms)) << next;
    // The last one wakes the script too.
    ASSERT_EQ(run.types[told], "TimerFired") << next;
    if (!run.run.finished()) ASSERT_EQ(run.types.size(), told + 1) << next;
    ASSERT_FALSE(run.wake(0)) << next;
    passed = next;
  }
  EXPECT_EQ(run.run.output, Value(10'000));
  EXPECT_EQ(run.count("TimerFired"), 10'000u);
}

// Row 15, F-51: the loop is cut after each slice, so nobody waits for more than one.
TEST(Acceptance, loop_without_end_gives_way_after_every_slice) {
  ScriptRun run(define_script("let n = 0\nwhile (true) { n = n + 1 }\n"));
  run.folds = false;
  run.start();
  const flow::FlowLimits limits;
  size_t turns = 1;
  while (!run.run.finished()) {
    EXPECT_LE(run.run.script->open->fuel_used, turns * limits.slice + 1'000);
    ASSERT_TRUE(has_ready_work(run.run));
    ASSERT_TRUE(run.wake(0));
    ASSERT_LT(++turns, 20u);
  }
  EXPECT_EQ(turns, limits.fuel / limits.slice);
  EXPECT_EQ(run.run.error.get("code"), Value("fuel_exhausted"));
  EXPECT_EQ(run.run.error.get("at").as_string().substr(0, 2), "2:");
}

// Row 17, F-51
TEST(Acceptance, growing_list_is_warned_of_and_then_stopped) {
  ScriptRun run(
      define_script("const all = []\n"
                    "for (let i = 0; i < 100; i++) {\n"
                    "  for (let k = 0; k < 22; k++) all.push(`${i}-${k}-` + 'x'.repeat(9000))\n"
                    "  await Signal.next('more')\n}"));
  run.folds = false;
  run.given.limits.flow.memory_bytes = 1 << 30;
  run.start();
  size_t parks = 0;
  size_t last = 0;
  while (!run.run.finished() && parks < 100) {
    last = run.run.script->snapshot.size();
    ASSERT_TRUE(run.tell(SignalRun{"more", {}, "s" + std::to_string(++parks)}));
  }
  EXPECT_EQ(run.run.error.get("code"), Value("snapshot_too_large"));
  EXPECT_EQ(run.count("FlowWarned"), 1u);
  EXPECT_GT(last, run.given.limits.flow.snapshot_warn_bytes);
  EXPECT_LE(last, run.given.limits.flow.snapshot_max_bytes);
}

// Row 21, F-20
TEST(Acceptance, a_hundred_fibers_start_together_and_go_on_one_by_one) {
  ScriptRun run(
      define_script("const items = Array.from('x'.repeat(100)).map((x, i) => i)\n"
                    "return await Promise.all(items.map(async x =>\n"
                    "  await Task.run('b', { a: await Task.run('a', { x }) })))"));
  run.folds = false;
  run.start();
  const Orders first = run.ordered();
  EXPECT_EQ(first.size(), 100u);
  size_t second = 0;
  for (auto at = first.rbegin(); at != first.rend(); ++at) {
    ASSERT_TRUE(run.settle(at->first, "SUCCEEDED"));
    second += run.ordered().size();
  }
  EXPECT_EQ(second, 100u);
}

}  // namespace
}  // namespace fermata::test
