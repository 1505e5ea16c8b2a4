#include "core/trial/trial.h"

#include <gtest/gtest.h>

#include "base/json.h"
#include "core/graph/check.h"
#include "core/run/script_definition.h"
#include "core/trial/tally.h"

namespace fermata::trial {
namespace {

constexpr int64_t hour = 3'600'000;

Plan plan_of(const std::string& document) {
  auto parsed = parse_json(document);
  EXPECT_TRUE(parsed);
  auto checked = graph::check_definition(*parsed);
  EXPECT_TRUE(checked.errors.empty()) << document;
  for (const Finding& finding : checked.errors) ADD_FAILURE() << finding.message;
  Plan plan;
  plan.account = AccountId("a");
  plan.workflow = WorkflowId("w");
  plan.definition = checked.definition;
  plan.input = Value::object();
  plan.start = *parse_rfc3339("2026-01-26T00:00:00Z");
  plan.horizon = Duration{365 * 24 * hour};
  plan.promises = {{"ends", Promise::Kind::ends}, {"completes", Promise::Kind::completes}};
  return plan;
}

Plan plan_of_script(const std::string& source) {
  auto checked = flow::check_script(source);
  EXPECT_TRUE(checked.errors.empty()) << source;
  Plan plan = plan_of(R"({"nodes":[{"id":"t","name":"T","type":"manual","trigger":true}],
                          "edges":[]})");
  plan.definition = make_script_definition(flow::make_definition(std::move(checked)));
  return plan;
}

/// A call whose answer races a wait of five seconds; whoever comes second fails the run.
constexpr const char* racing =
    R"({"nodes":[{"id":"t","name":"Start","type":"manual","trigger":true},
        {"id":"c","name":"Call","type":"http","parameters":{"url":"https://example.org"}},
        {"id":"w","name":"Wait","type":"wait","parameters":{"amount":5,"unit":"seconds"}},
        {"id":"m","name":"First","type":"merge",
         "parameters":{"wait_mode":"wait_for_any","cancel_losers":true}}],
       "edges":[{"id":"1","src":"t","dst":"c"},{"id":"2","src":"t","dst":"w"},
        {"id":"3","src":"c","dst":"m"},{"id":"4","src":"w","dst":"m"}]})";

constexpr const char* waiting =
    R"({"nodes":[{"id":"t","name":"Start","type":"manual","trigger":true},
        {"id":"s","name":"Reply","type":"wait_for_signal","parameters":{"name":"reply"}}],
       "edges":[{"id":"1","src":"t","dst":"s"}]})";

TEST(trial, same_seed_gives_the_same_history_and_another_seed_another) {
  Plan plan = plan_of(racing);
  plan.calls = {{"*", {.latency_max_ms = 10'000}}};
  Trial first(plan, 7), again(plan, 7), other(plan, 8);
  ASSERT_TRUE(first.live());
  ASSERT_TRUE(again.live());
  ASSERT_TRUE(other.live());
  EXPECT_EQ(first.end(), End::ended);
  EXPECT_EQ(first.history(), again.history());
  EXPECT_NE(first.history(), other.history());
}

TEST(trial, wait_of_months_takes_virtual_time_alone) {
  Plan plan = plan_of(
      R"({"nodes":[{"id":"t","name":"Start","type":"manual","trigger":true},
          {"id":"w","name":"Wait","type":"wait","parameters":{"amount":90,"unit":"days"}}],
         "edges":[{"id":"1","src":"t","dst":"w"}]})");
  Trial trial(plan, 1);
  ASSERT_TRUE(trial.live());
  ASSERT_EQ(trial.end(), End::ended);
  EXPECT_EQ(trial.run().completed_at->ms - trial.run().started_at.ms, 90 * 24 * hour);
  ASSERT_EQ(trial.fired().size(), 1u);
  plan.horizon = Duration{30 * 24 * hour};
  Trial shorter(plan, 1);
  ASSERT_TRUE(shorter.live());
  EXPECT_EQ(shorter.end(), End::open);
}

TEST(trial, late_timers_come_late_and_never_early) {
  Plan plan = plan_of(
      R"({"nodes":[{"id":"t","name":"Start","type":"manual","trigger":true},
          {"id":"w","name":"Wait","type":"wait","parameters":{"amount":1,"unit":"hours"}}],
         "edges":[{"id":"1","src":"t","dst":"w"}]})");
  plan.faults.late_ms_max = 60'000;
  bool some_late = false;
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    Trial trial(plan, seed);
    ASSERT_TRUE(trial.live());
    int64_t length = trial.run().completed_at->ms - trial.run().started_at.ms;
    EXPECT_GE(length, hour);
    EXPECT_LE(length, hour + 60'000);
    some_late = some_late || length > hour;
  }
  EXPECT_TRUE(some_late);
}

TEST(trial, signal_that_nobody_sends_leaves_the_run_stuck) {
  Plan plan = plan_of(waiting);
  Trial alone(plan, 1);
  ASSERT_TRUE(alone.live());
  EXPECT_EQ(alone.end(), End::stuck);
  plan.signals = {{"reply",
                   {.latency_min_ms = hour,
                    .latency_max_ms = hour,
                    .answer = Value::object({{"said", "yes"}})}}};
  Trial answered(plan, 1);
  ASSERT_TRUE(answered.live());
  ASSERT_EQ(answered.end(), End::ended);
  EXPECT_EQ(answered.run().completed_at->ms - answered.run().started_at.ms, hour);
  plan.signals[0].manner.failure = 1;
  Trial missing(plan, 1);
  ASSERT_TRUE(missing.live());
  EXPECT_EQ(missing.end(), End::stuck);
}

TEST(trial, jobs_and_people_answer_as_the_plan_has_it) {
  Plan plan = plan_of_script(
      "workflow main(input) {\n"
      "  let made = await Task.run(\"bake\", {});\n"
      "  let told = await Signal.next(\"fetch\");\n"
      "  return {made: made, told: told};\n}\n");
  plan.jobs = {
      {"bake", {.latency_min_ms = 1'000, .latency_max_ms = 2'000, .answer = Value("bread")}}};
  plan.signals = {{"fetch", {.answer = Value("thanks")}}};
  Trial trial(plan, 3);
  ASSERT_TRUE(trial.live());
  ASSERT_EQ(trial.end(), End::ended) << to_json(trial.run().error);
  EXPECT_EQ(trial.run().status, RunStatus::completed) << to_json(trial.run().error);
  EXPECT_EQ(trial.run().output.get("made"), Value("bread")) << to_json(trial.run().output);
  plan.jobs[0].manner.failure = 1;
  Trial failing(plan, 3);
  ASSERT_TRUE(failing.live());
  EXPECT_EQ(failing.run().status, RunStatus::failed);
}

TEST(trial, call_that_is_slower_than_its_time_out_times_out) {
  Plan plan = plan_of(
      R"({"nodes":[{"id":"t","name":"Start","type":"manual","trigger":true},
          {"id":"c","name":"Call","type":"http","timeout_ms":1000,
           "parameters":{"url":"https://example.org"}}],
         "edges":[{"id":"1","src":"t","dst":"c"}]})");
  plan.calls = {{"Call", {.latency_min_ms = 5'000, .latency_max_ms = 5'000}}};
  Trial trial(plan, 1);
  ASSERT_TRUE(trial.live());
  EXPECT_EQ(trial.run().status, RunStatus::failed);
  EXPECT_EQ(trial.run().completed_at->ms - trial.run().started_at.ms, 1'000);
}

TEST(trial, loop_without_end_is_cut) {
  Plan plan = plan_of_script("while (true) { await Task.delay(\"1s\") }\n");
  plan.commands_max = 100;
  Trial trial(plan, 1);
  ASSERT_TRUE(trial.live());
  EXPECT_EQ(trial.end(), End::cut);
}

TEST(tally, broken_promise_names_the_seeds_that_break_it) {
  Plan plan = plan_of(racing);
  plan.calls = {{"Call", {.latency_max_ms = 5'100}}};
  auto condition = flow::parse("$length_ms < 5000", flow::Grammar::condition);
  ASSERT_TRUE(condition);
  plan.promises.push_back({"soon", Promise::Kind::condition, *condition});
  Tally tally(plan);
  for (uint64_t seed = 1; seed <= 200; ++seed) ASSERT_TRUE(tally.count(seed));
  Value told = tally.value();
  const Value& soon = told.get("promises").items()[2];
  int64_t broken = soon.get("broken").as_integer();
  EXPECT_GT(broken, 0);
  EXPECT_LT(broken, 100) << "a race that is lost now and then";
  EXPECT_EQ(told.get("promises").items()[0].get("broken"), Value(0));
  for (const Value& seed : soon.get("seeds").items()) {
    Trial trial(plan, static_cast<uint64_t>(seed.as_integer()));
    ASSERT_TRUE(trial.live());
    EXPECT_FALSE(holds(plan.promises[2], plan, trial));
  }
  EXPECT_EQ(told.get("outcomes").items()[0].get("count"), Value(200));
  EXPECT_EQ(told.get("length_ms").get("most"), told.get("slowest").get("length_ms"));
  EXPECT_FALSE(told.get("nodes").items()[0].get("never").as_bool());
}

TEST(tally, node_that_no_seed_comes_to_is_named) {
  Plan plan = plan_of(
      R"({"nodes":[{"id":"t","name":"Start","type":"manual","trigger":true},
          {"id":"i","name":"If","type":"conditional","parameters":{"expression":"false",
           "true_edge_id":"2","false_edge_id":"3"}},
          {"id":"a","name":"Never","type":"noop"},{"id":"b","name":"Always","type":"noop"}],
         "edges":[{"id":"1","src":"t","dst":"i"},{"id":"2","src":"i","dst":"a"},
          {"id":"3","src":"i","dst":"b"}]})");
  Tally tally(plan);
  ASSERT_TRUE(tally.count(1));
  Value nodes = tally.value().get("nodes");
  EXPECT_TRUE(nodes.items()[2].get("never").as_bool());
  EXPECT_FALSE(nodes.items()[3].get("never").as_bool());
}

}  // namespace
}  // namespace fermata::trial
