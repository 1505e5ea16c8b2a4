#include "server/jobs_fixture.h"

namespace fermata::server {
namespace {

constexpr std::string_view script = R"(workflow w(inputs) {
  try {
    return await Task.run("charge", {amount: inputs.amount}, inputs.options)
  } catch (e) {
    return {code: e.code, message: e.message, cause: e.cause, attempts: e.attempts, task: e.task}
  }
}
)";

/// A script that orders one task, and a worker that does it.
class TaskOutcomes : public Jobs {
 protected:
  void SetUp() override {
    auto made = world.ask("PUT", "/api/v1/workflows/w", script, "Content-Type: text/x-flow\r\n");
    ASSERT_EQ(made.status, 201) << made.text;
    registration_ = enroll();
  }
  std::string begin(Value options = Value::object()) {
    Value input = Value::object({{"amount", 5}, {"options", std::move(options)}});
    return world.start("w", to_json(Value::object({{"input", std::move(input)}})));
  }
  Value next_job() {
    Value claimed = claim(registration_, ++seq_, 10'000);
    EXPECT_EQ(claimed.get("jobs").size(), 1u);
    return claimed.get("jobs").size() == 1 ? claimed.get("jobs").items()[0] : Value();
  }
  void say(const Value& job, const std::string& status, Value more = Value::object()) {
    EXPECT_EQ(report(registration_, result_of(job, status, std::move(more))), "accepted");
  }
  Value output_of(const std::string& run) {
    EXPECT_TRUE(world.wait_for(run, "completed"));
    return get("/executions/" + run).body.get("output");
  }
  static Value broken(const std::string& code) {
    return Value::object({{"error", Value::object({{"code", code},
                                                   {"message", "no cover"},
                                                   {"details", Value::object({{"n", 1}})}})}});
  }

  std::string registration_;
  int seq_ = 0;
};

// F-27
TEST_F(TaskOutcomes, task_is_a_job_with_its_options) {
  std::string run = begin(Value::object({{"priority", "batch"},
                                         {"labels", Value::object({{"team", "red"}})},
                                         {"timeout_ms", 60'000},
                                         {"deadline_ms", 3'600'000}}));
  Value job = next_job();
  EXPECT_EQ(job.get("topic"), Value("job.charge"));
  EXPECT_EQ(job.get("input").get("amount"), Value(5));
  EXPECT_EQ(job.get("priority"), Value("batch"));
  EXPECT_EQ(job.get("labels").get("team"), Value("red"));
  EXPECT_EQ(job.get("run_timeout_ms"), Value(60'000));
  EXPECT_FALSE(job.get("deadline_at").is_null());
  EXPECT_EQ(job.get("run_id"), Value(run));
  EXPECT_EQ(job.get("idempotency_key"), job.get("job_id")) << "the same on every attempt";
  say(job, "succeeded", Value::object({{"output", Value::object({{"paid", true}})}}));
  EXPECT_EQ(output_of(run).get("paid"), Value(true));
}

// F-28: of attempts a script hears nothing until the job is final.
TEST_F(TaskOutcomes, script_hears_of_the_last_attempt_only) {
  std::string run = begin(Value::object(
      {{"retry", Value::object({{"max_attempts", 2}, {"backoff_ms", 0}, {"jitter", 0}})}}));
  Value first = next_job();
  say(first, "failed", broken("bank"));
  EXPECT_EQ(get("/executions/" + run).body.get("status"), Value("waiting"));
  Value second = next_job();
  EXPECT_EQ(second.get("attempt"), Value(2));
  EXPECT_EQ(second.get("idempotency_key"), first.get("idempotency_key"));
  say(second, "failed", broken("bank"));
  Value caught = output_of(run);
  EXPECT_EQ(caught.get("code"), Value("TASK_FAILED"));
  EXPECT_EQ(caught.get("message"), Value("no cover"));
  EXPECT_EQ(caught.get("cause").get("code"), Value("bank"));
  EXPECT_EQ(caught.get("cause").get("details").get("n"), Value(1));
  EXPECT_EQ(caught.get("attempts"), Value(2));
  EXPECT_EQ(caught.get("task"), Value("charge"));
  EXPECT_EQ(get("/dlq").body.get("items").size(), 0u) << "the script has handled it";
  EXPECT_EQ(get("/dlq?state=resolved").body.get("items").size(), 1u);
}

// F-28
TEST_F(TaskOutcomes, cancelled_job_is_told_as_such) {
  std::string run = begin();
  Value job = next_job();
  ASSERT_EQ(post("/jobs/" + text(job.get("job_id")) + "/cancel", Value::object({})).status, 200);
  EXPECT_EQ(output_of(run).get("code"), Value("CANCELLED"));
}

// F-28
TEST_F(TaskOutcomes, task_that_policy_denies_is_told_as_such) {
  Value rule = Value::object({{"id", "no"},
                              {"match", Value::object({{"topics", Value::array({"charge"})}})},
                              {"decision", "deny"},
                              {"reason", "not here"}});
  Value policy = Value::object(
      {{"version", 1}, {"default_decision", "allow"}, {"rules", Value::array({rule})}});
  Answer governed = world.ask("PUT", "/api/v1/policy/base", to_json(policy));
  ASSERT_LT(governed.status, 300) << governed.text;
  Value caught = output_of(begin());
  EXPECT_EQ(caught.get("code"), Value("TASK_DENIED"));
  EXPECT_EQ(caught.get("message"), Value("the task was not allowed"));
  EXPECT_EQ(caught.get("task"), Value("charge"));
}

// F-28, J-51: a script hears nothing of an output that is held back until people have decided.
TEST_F(TaskOutcomes, output_that_is_held_back_is_told_when_people_have_looked_at_it) {
  const std::string rules =
      R"({"version":1,"default_decision":"allow","output_rules":[
        {"id":"hush","match":{"keywords":["hush"]},"decision":"quarantine"},
        {"id":"card","match":{"scanners":["pii"]},"decision":"redact"}]})";
  ASSERT_LT(world.ask("PUT", "/api/v1/policy/base", rules).status, 300);
  auto held = [&](const std::string& run) {
    EXPECT_TRUE(world.wait_for(run, "waiting"));
    Value job = next_job();
    say(job, "succeeded", Value::object({{"output", Value::object({{"said", "hush"}})}}));
    std::string id = text(job.get("job_id"));
    for (int tries = 0; tries < 4'000; ++tries)
      if (get("/jobs/" + id).body.get("state") == Value("OUTPUT_QUARANTINED")) break;
    EXPECT_EQ(get("/jobs/" + id).body.get("state"), Value("OUTPUT_QUARANTINED"));
    EXPECT_EQ(get("/executions/" + run).body.get("output"), Value());
    return id;
  };
  std::string released = begin();
  std::string job = held(released);
  ASSERT_EQ(post("/jobs/" + job + "/output/release", Value::object()).status, 200);
  EXPECT_EQ(output_of(released).get("said"), Value("hush"));
  std::string left = begin();
  held(left);
  world.advance(Duration{86'400'001});
  Value caught = output_of(left);
  EXPECT_EQ(caught.get("code"), Value("TASK_QUARANTINED"));
  EXPECT_EQ(caught.get("task"), Value("charge"));
  std::string redacted = begin();
  registration_ = enroll();
  seq_ = 0;
  say(next_job(), "succeeded",
      Value::object({{"output", Value::object({{"card", "4111 1111 1111 1111"}})}}));
  EXPECT_EQ(output_of(redacted).get("card"), Value("[REDACTED]"));
}

// F-28
TEST_F(TaskOutcomes, fatal_failure_cannot_be_caught) {
  std::string run = begin();
  say(next_job(), "failed_fatal", broken("fraud"));
  EXPECT_TRUE(world.wait_for(run, "failed"));
  EXPECT_EQ(get("/dlq").body.get("items").size(), 1u) << "nobody has handled it";
}

// F-28, row 36: nobody takes the task, and meanwhile the run says so.
TEST_F(TaskOutcomes, nobody_takes_the_task_until_its_deadline) {
  world.ask("PUT", "/api/v1/workflows/n",
            "workflow n() {\n"
            "  try { return await Task.run('nobody', {}, { deadline_ms: 60000 }) }\n"
            "  catch (e) { return e.code }\n}\n",
            "Content-Type: text/x-flow\r\n");
  ASSERT_EQ(post("/worker/register",
                 Value::object({{"worker_id", "other"}, {"topics", Value::array({"something"})}}))
                .status,
            200);
  // The worker of the fixture takes everything, so this one runs without it.
  post("/workers/w/drain", Value::object());
  std::string run = world.start("n");
  Value shown;
  for (int tries = 0; tries < 400; ++tries) {
    shown = get("/executions/" + run).body;
    if (shown.get("waiting").size() == 1 &&
        shown.get("waiting").items()[0].get("what").find("state"))
      break;
    usleep(5'000);
  }
  ASSERT_EQ(shown.get("waiting").size(), 1u) << to_json(shown);
  Value what = shown.get("waiting").items()[0].get("what");
  EXPECT_EQ(what.get("name"), Value("nobody"));
  EXPECT_EQ(what.get("state"), Value("SCHEDULED")) << to_json(what);
  EXPECT_EQ(what.get("reason"), Value("no worker has taken it yet"));
  world.advance(Duration{60'000});
  EXPECT_EQ(output_of(run), Value("TASK_TIMED_OUT"));
}

}  // namespace
}  // namespace fermata::server
