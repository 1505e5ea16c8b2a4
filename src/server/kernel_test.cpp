#include <gtest/gtest.h>

#include "adapters/memory/memory_kernel.h"
#include "base/json.h"
#include "server/test_world.h"

/// What users see of a policy kernel.
namespace fermata::server {
namespace {

struct KernelApi : testing::Test {
  TestWorld world{[](ApiOptions& options) { options.policy.mode = PolicyMode::kernel; }};

  Value submit(const std::string& id) {
    auto answer =
        world.ask("POST", "/api/v1/jobs", R"({"id":")" + id + R"(","topic":"pay","input":1})");
    EXPECT_EQ(answer.status, 201) << answer.text;
    return answer.body;
  }
  Value job(const std::string& id) { return world.ask("GET", "/api/v1/jobs/" + id).body; }
  /// Asks until the field says so; the engine answers in its own time.
  bool becomes(const std::string& id, std::string_view field, const std::string& wanted) {
    auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (std::chrono::steady_clock::now() < deadline)
      if (job(id).get(field) == Value(wanted)) return true;
    return false;
  }
  Value breaker() { return world.ask("GET", "/api/v1/breakers").body.get("items").items()[0]; }
  bool metric(const std::string& line) {
    return world.ask("GET", "/metrics").text.find(line + "\n") != std::string::npos;
  }
};

// J-1, J-31
TEST_F(KernelApi, job_is_answered_at_once_and_judged_later) {
  world.kernel().say(job::VerdictKind::allow);
  EXPECT_EQ(submit("j0").get("state"), Value("PENDING"));
  EXPECT_TRUE(becomes("j0", "state", "SCHEDULED"));
  EXPECT_EQ(job("j0").get("verdict").get("source"), Value("kernel"));
  EXPECT_EQ(job("j0").get("verdict").get("kernel_snapshot"), Value("k1"));
  EXPECT_EQ(breaker().get("state"), Value("CLOSED"));
  EXPECT_EQ(breaker().get("snapshot"), Value("k1"));
  Value status = world.ask("GET", "/api/v1/policy").body;
  EXPECT_EQ(status.get("judged_by"), Value("kernel"));
  EXPECT_EQ(status.get("fail_mode"), Value("closed"));
}

// J-90, J-91
TEST_F(KernelApi, metrics_tell_of_the_kernel_and_its_breaker) {
  for (int i = 0; i < 3; ++i) {
    submit("j" + std::to_string(i));
    EXPECT_TRUE(becomes("j" + std::to_string(i), "phase", "policy_unavailable"));
  }
  EXPECT_EQ(breaker().get("state"), Value("OPEN"));
  EXPECT_TRUE(metric(R"(fermata_safety_unavailable_total{topic="job.pay"} 3)"));
  EXPECT_TRUE(metric(R"(fermata_breaker_state{kernel="safety",state="OPEN"} 1)"));
  EXPECT_TRUE(metric(R"(fermata_breaker_state{kernel="safety",state="CLOSED"} 0)"));
  EXPECT_TRUE(metric(R"(fermata_breaker_probes_total{kernel="safety"} 0)"));
  world.kernel().say(job::VerdictKind::allow);
  world.advance(Duration{60'000});
  EXPECT_TRUE(becomes("j0", "state", "SCHEDULED"));
  EXPECT_TRUE(becomes("j2", "state", "SCHEDULED"));
  EXPECT_EQ(breaker().get("state"), Value("CLOSED"));
  EXPECT_FALSE(metric(R"(fermata_breaker_probes_total{kernel="safety"} 0)"));
  EXPECT_TRUE(metric(R"(fermata_policy_decisions_total{decision="allow",source="kernel"} 3)"));
}

TEST_F(KernelApi, breaker_is_reset_by_name) {
  for (int i = 0; i < 3; ++i) {
    submit("j" + std::to_string(i));
    EXPECT_TRUE(becomes("j" + std::to_string(i), "phase", "policy_unavailable"));
  }
  EXPECT_EQ(world.ask("POST", "/api/v1/breakers/other/reset").code(), "breaker_not_found");
  world.kernel().say(job::VerdictKind::deny);
  auto reset = world.ask("POST", "/api/v1/breakers/safety/reset");
  EXPECT_EQ(reset.status, 200);
  EXPECT_EQ(reset.body.get("state"), Value("CLOSED"));
  EXPECT_TRUE(becomes("j0", "state", "DENIED"));
}

// JT-39, J-75: a rollback while the kernel is away
TEST_F(KernelApi, rollback_goes_on_without_the_kernel_and_before_all_other_jobs) {
  world.kernel().say(job::VerdictKind::allow);
  auto post = [&](const std::string& path, const std::string& body) {
    auto answer = world.ask("POST", "/api/v1" + path, body);
    EXPECT_LT(answer.status, 300) << path << answer.text;
    return answer.body;
  };
  const std::string worker =
      std::string(post("/worker/register", R"({"worker_id":"w","topics":["*"],"max_parallel":8})")
                      .get("registration_id")
                      .as_string());
  int seq = 0;
  auto claim = [&](int slots) {
    return post("/worker/claim", R"({"registration_id":")" + worker + R"(","seq":)" +
                                     std::to_string(++seq) + R"(,"wait_ms":0,"slots":)" +
                                     std::to_string(slots) + "}")
        .get("jobs");
  };
  auto report = [&](const Value& job, const std::string& status) {
    Value result = Value::object({{"job_id", job.get("job_id")},
                                  {"attempt", job.get("attempt")},
                                  {"fence", job.get("fence")},
                                  {"status", status}});
    post(
        "/worker/results",
        to_json(Value::object({{"registration_id", worker}, {"results", Value::array({result})}})));
  };
  for (const char* id : {"one", "two", "fatal"}) {
    post("/jobs", R"({"id":")" + std::string(id) +
                      R"(","topic":"do","saga_id":"s","compensation":{"topic":"undo"}})");
    ASSERT_TRUE(becomes(id, "state", "SCHEDULED"));
  }
  std::map<std::string, Value> given;
  const Value claimed = claim(3);
  for (const Value& one : claimed.items())
    given.emplace(std::string(one.get("job_id").as_string()), one);
  ASSERT_EQ(given.size(), 3u);
  report(given["one"], "succeeded");
  report(given["two"], "succeeded");
  for (int i = 0; i < 5; ++i) {
    submit("other" + std::to_string(i));
    ASSERT_TRUE(becomes("other" + std::to_string(i), "state", "SCHEDULED"));
  }
  world.kernel().go_down();
  submit("late");
  ASSERT_TRUE(becomes("late", "phase", "policy_unavailable"));
  report(given["fatal"], "failed_fatal");
  for (int i = 0; i < 2; ++i) {
    auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    auto undoing = [&] {
      Value entries = world.ask("GET", "/api/v1/executions/s/saga").body.get("entries");
      if (entries.size() != 2) return false;
      Value undo = entries.items()[static_cast<size_t>(1 - i)].get("comp_job_id");
      return undo.is_string() &&
             job(std::string(undo.as_string())).get("state") == Value("SCHEDULED");
    };
    while (!undoing() && std::chrono::steady_clock::now() < deadline) {
    }
    Value next = claim(1);
    ASSERT_EQ(next.size(), 1u);
    EXPECT_EQ(next.items()[0].get("topic"), Value("job.undo"));
    EXPECT_EQ(next.items()[0].get("is_compensation"), Value(true));
    report(next.items()[0], "succeeded");
  }
  EXPECT_EQ(world.ask("GET", "/api/v1/executions/s/saga").body.get("status"), Value("rolled_back"));
  EXPECT_EQ(job("late").get("state"), Value("PENDING"));
  EXPECT_NE(world.ask("GET", "/api/v1/audit").text.find("job.policy_bypassed"), std::string::npos);
}

TEST(OpenKernelApi, job_that_ran_without_a_verdict_is_counted) {
  TestWorld world([](ApiOptions& options) {
    options.policy.mode = PolicyMode::kernel;
    options.policy.fail_mode = job::FailMode::open;
  });
  world.ask("POST", "/api/v1/jobs", R"({"id":"j0","topic":"pay","input":1})");
  auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  Value job;
  while (job.get("state") != Value("SCHEDULED") && std::chrono::steady_clock::now() < deadline)
    job = world.ask("GET", "/api/v1/jobs/j0").body;
  EXPECT_EQ(job.get("labels").get("safety_bypassed"), Value("true"));
  std::string metrics = world.ask("GET", "/metrics").text;
  EXPECT_NE(metrics.find("fermata_input_fail_open_total{topic=\"job.pay\"} 1\n"),
            std::string::npos);
  EXPECT_NE(metrics.find("fermata_policy_decisions_total{decision=\"allow\",source=\"fail_open\"}"),
            std::string::npos);
}

TEST(NoKernelApi, server_without_a_kernel_has_no_breakers) {
  TestWorld world;
  EXPECT_EQ(world.ask("GET", "/api/v1/breakers").body.get("items").size(), 0u);
  EXPECT_EQ(world.ask("POST", "/api/v1/breakers/safety/reset").status, 404);
}

}  // namespace
}  // namespace fermata::server
