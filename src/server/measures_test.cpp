#include "server/measures.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "base/json.h"
#include "core/model/run.h"
#include "server/test_world.h"

/// What the server counts as it happens (U-21, U-32, U-36, U-37, U-56).
namespace fermata::server {
namespace {

constexpr Instant noon{1'768'219'200'000};  // 2026-01-12T12:00:00Z
constexpr Duration minute{60'000}, hour{3'600'000};

RunSummary run_at(Instant started, std::optional<Instant> ended = {},
                  RunStatus status = RunStatus::completed) {
  RunSummary run;
  run.account = AccountId("a");
  run.workflow = WorkflowId("w");
  run.started_at = started;
  run.completed_at = ended;
  run.status = ended ? status : RunStatus::waiting;
  return run;
}

TEST(LengthCountsTest, percentiles_are_right_to_a_fifth) {
  LengthCounts counts;
  EXPECT_FALSE(counts.percentile(0.5));
  for (int i = 1; i <= 1'000; ++i) counts.add(Duration{i});
  EXPECT_NEAR(static_cast<double>(counts.percentile(0.5)->ms), 500, 100);
  EXPECT_NEAR(static_cast<double>(counts.percentile(0.99)->ms), 990, 200);
  LengthCounts none;
  none.add(Duration{0});
  none.add(Duration{-5});
  EXPECT_EQ(none.percentile(1)->ms, 0);
}

TEST(MeasuresTest, starts_and_ends_stand_in_their_minutes) {
  Measures measures;
  measures.begin(noon);
  RunSummary run = run_at(noon + minute);
  measures.committed(run, true);
  measures.committed(run_at(noon + minute, noon + minute + minute), false);
  measures.committed(run_at(noon + minute, noon + minute + minute, RunStatus::failed), true);
  auto steps = measures.rates(AccountId("a"), noon + hour - Duration{1}, hour, minute);
  ASSERT_EQ(steps.size(), 60u);
  EXPECT_EQ(steps[0].start, noon);
  EXPECT_EQ(steps[1].counted.started, 2u);
  EXPECT_EQ(steps[2].counted.ended[0], 1u);
  EXPECT_EQ(steps[2].counted.failed(), 1u);
  EXPECT_EQ(measures.rates(AccountId("b"), noon, hour, minute).size(), 60u);
  auto day = measures.workflow(AccountId("a"), WorkflowId("w"), noon + hour);
  EXPECT_EQ(day.day.started, 2u);
  EXPECT_EQ(day.hours.size(), 24u);
  EXPECT_EQ(day.hours[22].counted.started, 2u);
  EXPECT_EQ(day.lengths.total(), 1u) << "of those that completed";
  EXPECT_EQ(*day.last_started, noon + minute);
}

TEST(MeasuresTest, what_was_before_is_remembered_once_and_a_day_is_kept) {
  Measures measures;
  measures.begin(noon);
  measures.remember(run_at(noon - minute, noon + minute));
  measures.remember(run_at(noon - Duration{25 * hour.ms}));
  measures.committed(run_at(noon - minute, noon + minute), false);
  uint64_t started = 0, completed = 0;
  for (const auto& step :
       measures.rates(AccountId("a"), noon + hour, Duration{24 * hour.ms}, hour)) {
    started += step.counted.started;
    completed += step.counted.ended[0];
  }
  EXPECT_EQ(started, 1u);
  EXPECT_EQ(completed, 1u);
  // A day later the minutes of today are gone.
  measures.committed(run_at(noon + Duration{26 * hour.ms}), true);
  auto old = measures.rates(AccountId("a"), noon + minute, hour, minute);
  for (const auto& step : old) EXPECT_EQ(step.counted.started, 0u);
}

TEST(MeasuresTest, failures_are_grouped_by_workflow_node_and_code) {
  Measures measures;
  measures.begin(noon);
  fermata::Run run;
  run.account = AccountId("a");
  run.workflow = WorkflowId("w");
  run.status = RunStatus::failed;
  run.completed_at = noon + minute;
  run.error = Value::object({{"code", "network"}, {"node", "charge"}});
  measures.settled(run);
  measures.settled(run);
  run.error = Value::object({{"code", "timeout"}});
  measures.settled(run);
  run.status = RunStatus::waiting;
  measures.settled(run);
  auto causes = measures.causes(AccountId("a"), noon);
  ASSERT_EQ(causes.size(), 2u);
  EXPECT_EQ(causes[0].node, "charge");
  EXPECT_EQ(causes[0].code, "network");
  EXPECT_EQ(causes[0].count, 2u);
  EXPECT_EQ(causes[0].last_at, noon + minute);
  EXPECT_TRUE(measures.causes(AccountId("a"), noon + Duration{2 * hour.ms}).empty());
}

TEST(MeasuresTest, rooms_are_bounded) {
  Measures measures;
  measures.begin(noon);
  for (size_t i = 0; i < Measures::workflows_max + 5; ++i) {
    RunSummary run = run_at(noon + Duration{static_cast<int64_t>(i) * hour.ms});
    run.workflow = WorkflowId("w" + std::to_string(i));
    measures.committed(run, true);
  }
  EXPECT_FALSE(measures.workflow(AccountId("a"), WorkflowId("w0"), noon).last_started);
  auto last = WorkflowId("w" + std::to_string(Measures::workflows_max + 4));
  EXPECT_TRUE(measures.workflow(AccountId("a"), last, noon).last_started);
}

class Measuring : public testing::Test {
 protected:
  Value get(const std::string& path) {
    auto answer = world.ask("GET", "/api/v1" + path);
    EXPECT_EQ(answer.status, 200) << path << answer.text;
    return answer.body;
  }
  void put(const std::string& id, std::string_view definition) {
    ASSERT_EQ(world.ask("PUT", "/api/v1/workflows/" + id, definition).status, 201);
  }
  TestWorld world;
};

// U-21, U-32, U-56
TEST_F(Measuring, overview_and_load_tell_what_happened_lately) {
  world.put_workflows();
  put("breaks", R"({"nodes": [{"id": "S", "type": "manual", "trigger": true},
      {"id": "stop", "type": "fail", "parameters": {"message": "no"}}],
      "edges": [{"id": "1", "src": "S", "dst": "stop"}]})");
  ASSERT_TRUE(world.wait_for(world.start("instant", R"({"input":{"n":1}})"), "completed"));
  ASSERT_TRUE(world.wait_for(world.start("breaks"), "failed"));
  Value overview = get("/overview?rates=1h");
  EXPECT_EQ(overview.get("rates").get("steps").size(), 60u);
  const Value now = overview.get("rates").get("steps").items()[59];
  EXPECT_EQ(now.get("started"), Value(2)) << to_json(overview);
  EXPECT_EQ(now.get("completed"), Value(1));
  EXPECT_EQ(now.get("failed"), Value(1));
  ASSERT_EQ(overview.get("failures").size(), 1u);
  EXPECT_EQ(overview.get("failures").items()[0].get("node"), Value("stop"));
  EXPECT_EQ(get("/overview?rates=24h").get("rates").get("steps").size(), 96u);
  EXPECT_TRUE(get("/overview").get("rates").is_null());
  EXPECT_EQ(world.ask("GET", "/api/v1/overview?rates=1y").status, 422);
  Value load = get("/workflows/breaks/load");
  EXPECT_EQ(load.get("measures").get("failed"), Value(1));
  EXPECT_EQ(load.get("nodes").get("stop").get("failed_7d"), Value(1)) << to_json(load);
  Value done = get("/workflows/instant/load");
  EXPECT_EQ(done.get("nodes").get("e").get("count"), Value(1)) << to_json(done);
  EXPECT_TRUE(done.get("measures").get("p95_ms").is_integer());
  const Value listed = get("/workflows?measures=true");
  for (const Value& item : listed.get("items").items())
    EXPECT_EQ(item.get("measures").get("hours").size(), 24u);
  EXPECT_TRUE(get("/workflows").get("items").items()[0].get("measures").is_null());
}

// U-36
TEST_F(Measuring, resumed_waits_are_counted_by_the_hour_and_lateness_is_kept) {
  put("naps", R"({"nodes": [{"id": "S", "type": "manual", "trigger": true},
      {"id": "nap", "type": "wait",
       "parameters": {"wait_type": "fixed_time", "duration": 30, "unit": "minutes"}}],
      "edges": [{"id": "1", "src": "S", "dst": "nap"}]})");
  std::string run = world.start("naps");
  ASSERT_TRUE(world.wait_for(run, "waiting"));
  EXPECT_EQ(get("/waits/stats").get("resumed").get("last_hour"), Value(0));
  world.advance(Duration{30 * 60'000});
  ASSERT_TRUE(world.wait_for(run, "completed"));
  Value resumed = get("/waits/stats").get("resumed");
  EXPECT_EQ(resumed.get("last_hour"), Value(1)) << to_json(resumed);
  EXPECT_EQ(resumed.get("hours").size(), 24u);
  EXPECT_EQ(get("/overview").get("lateness").get("count"), Value(1));
  EXPECT_EQ(get("/overview").get("lateness").get("p99_ms"), Value(0));
}

// U-37
TEST_F(Measuring, calendar_tells_deadlines_and_questions) {
  put("asks", R"({"nodes": [{"id": "S", "type": "manual", "trigger": true},
      {"id": "ask", "type": "approval", "parameters": {"title": "Pay", "timeout_ms": 7200000,
       "approve_edge_id": "yes"}}, {"id": "pay", "type": "noop"}],
      "edges": [{"id": "1", "src": "S", "dst": "ask"},
                {"id": "yes", "src": "ask", "dst": "pay"}]})");
  std::string run = world.start("asks", R"({"timeout_ms": 10800000})");
  for (int tries = 0; tries < 200 && get("/approvals").get("items").size() == 0; ++tries)
    usleep(5'000);
  auto sums = [&](const std::string& kinds) {
    std::map<std::string, int64_t> out;
    const Value shown = get("/calendar?from=2026-01-26T00:00:00Z&to=2026-01-27T00:00:00Z" + kinds);
    for (const Value& bucket : shown.get("buckets").items())
      for (const auto& member : bucket.get("by_kind").members())
        out[std::string(member.key.as_string())] += member.value.as_integer();
    return out;
  };
  EXPECT_EQ(sums("")["approval"], 1);
  EXPECT_EQ(sums("")["deadline"], 1);
  EXPECT_EQ(sums("&kinds=approval").count("deadline"), 0u);
  constexpr const char* job = R"({"topic": "x", "budget": {"deadline_ms": 18000000}})";
  ASSERT_EQ(world.ask("POST", "/api/v1/jobs", job).status, 201);
  EXPECT_EQ(sums("&kinds=deadline")["deadline"], 2);
  ASSERT_EQ(world.ask("POST", "/api/v1/executions/" + run + "/cancel").status, 200);
  EXPECT_EQ(sums("&kinds=approval")["approval"], 0);
  EXPECT_EQ(sums("&kinds=deadline")["deadline"], 1);
}

// U-37
TEST_F(Measuring, calendar_tells_when_a_job_is_tried_again) {
  auto post = [&](const std::string& path, const std::string& body) {
    auto answer = world.ask("POST", "/api/v1" + path, body);
    EXPECT_LT(answer.status, 300) << path << answer.text;
    return answer.body;
  };
  post("/jobs", R"({"topic": "x", "retry": {"max_attempts": 3, "backoff_ms": 600000}})");
  Value worker = post("/worker/register", R"({"worker_id": "w", "topics": ["*"]})");
  Value registration = worker.get("registration_id");
  Value claimed =
      post("/worker/claim",
           to_json(Value::object(
               {{"registration_id", registration}, {"seq", 1}, {"slots", 1}, {"wait_ms", 5'000}})));
  ASSERT_EQ(claimed.get("jobs").size(), 1u) << to_json(claimed);
  Value job = claimed.get("jobs").items()[0];
  Value result = Value::object({{"job_id", job.get("job_id")},
                                {"attempt", job.get("attempt")},
                                {"fence", job.get("fence")},
                                {"status", "failed_retryable"}});
  post("/worker/results", to_json(Value::object({{"registration_id", registration},
                                                 {"results", Value::array({result})}})));
  Value shown = get("/calendar?kinds=retry&from=2026-01-26T00:00:00Z&to=2026-01-27T00:00:00Z");
  ASSERT_EQ(shown.get("buckets").size(), 1u) << to_json(shown);
  EXPECT_EQ(shown.get("buckets").items()[0].get("by_kind").get("retry"), Value(1));
}

// U-49
TEST_F(Measuring, system_says_what_it_was_told_and_to_whom_it_may) {
  Value facts = get("/system");
  EXPECT_EQ(facts.get("version"), get("/overview").get("version"));
  EXPECT_TRUE(facts.get("configuration").is_array());
  std::string editor = "X-API-Key: " + world.add_key(Role::editor) + "\r\n";
  EXPECT_EQ(world.ask("GET", "/api/v1/system", "", editor).status, 403);
}

// U-35
TEST_F(Measuring, schema_of_a_scripts_input_stands_beside_it) {
  constexpr std::string_view source = "workflow greet(inputs) {\n  return inputs.name\n}\n";
  Value schema = Value::object({{"type", "object"}, {"required", Value::array({"name"})}});
  Value body = Value::object({{"language", "flow"}, {"source", source}, {"input_schema", schema}});
  put("greet", to_json(body));
  auto kept = [&] {
    return get("/workflows/greet").get("layout").get("fields").get("input_schema");
  };
  EXPECT_EQ(kept(), schema);
  // The bare source says nothing of it.
  ASSERT_EQ(world
                .ask("PUT", "/api/v1/workflows/greet",
                     "workflow greet(inputs) {\n  return inputs.name + 1\n}\n",
                     "Content-Type: text/x-flow\r\n")
                .status,
            200);
  EXPECT_EQ(kept(), schema);
  body.erase("input_schema");
  ASSERT_EQ(world.ask("PUT", "/api/v1/workflows/greet", to_json(body)).status, 200);
  EXPECT_TRUE(kept().is_null());
  body.set("input_schema", 7);
  EXPECT_EQ(world.ask("PUT", "/api/v1/workflows/greet", to_json(body)).status, 422);
}

}  // namespace
}  // namespace fermata::server
