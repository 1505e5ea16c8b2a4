#include "server/jobs_fixture.h"

namespace fermata::server {
namespace {

/// A server with pools, and workers in them.
class PoolRoutes : public Jobs {
 protected:
  Answer put(const std::string& target, const Value& body, const std::string& headers = "") {
    return world.ask("PUT", "/api/v1" + target, to_json(body), headers);
  }
  Answer erase(const std::string& target) { return world.ask("DELETE", "/api/v1" + target); }
  std::string enroll_in(const std::string& pool, const std::string& name) {
    Answer answer = post("/worker/register", Value::object({{"worker_id", name},
                                                            {"pool", pool},
                                                            {"topics", Value::array({"*"})},
                                                            {"max_parallel", 8}}));
    EXPECT_EQ(answer.status, 200) << answer.text;
    return text(answer.body.get("registration_id"));
  }
  std::string submit(const std::string& topic) {
    Answer answer = post("/jobs", Value::object({{"topic", topic}}));
    EXPECT_EQ(answer.status, 201) << answer.text;
    return text(answer.body.get("id"));
  }
  Value pool(const std::string& name) {
    Answer answer = get("/pools");
    for (const Value& one : answer.body.get("items").items())
      if (one.get("name") == Value(name)) return one;
    return {};
  }
};

// J-52
TEST_F(PoolRoutes, jobs_go_where_their_topic_is_mapped) {
  ASSERT_EQ(put("/pools/mail", Value::object({{"lease_ms", 9'000}})).status, 200);
  ASSERT_EQ(put("/pools/mail/topics/mail.*", Value()).status, 200);
  std::string in_mail = enroll_in("mail", "m");
  std::string elsewhere = enroll_in("default", "d");
  std::string id = submit("mail.send");
  EXPECT_EQ(claim(elsewhere, 1).get("jobs").size(), 0u);
  Value claimed = claim(in_mail, 1);
  ASSERT_EQ(claimed.get("jobs").size(), 1u);
  EXPECT_EQ(claimed.get("jobs").items()[0].get("lease_ms"), Value(9'000));
  Value shown = pool("mail");
  EXPECT_EQ(shown.get("managed_by"), Value("api"));
  EXPECT_EQ(shown.get("workers"), Value(1));
  EXPECT_EQ(shown.get("leases"), Value(1));
  EXPECT_EQ(shown.get("topics"), Value::array({"job.mail.*"}));
  EXPECT_EQ(get("/jobs/" + id + "/placement").body.get("pool"), Value("mail"));
  EXPECT_EQ(erase("/pools/mail").code(), "wrong_state");
  EXPECT_EQ(erase("/pools/mail/topics/mail.*").status, 204);
  EXPECT_EQ(erase("/pools/mail/topics/mail.*").status, 404);
  EXPECT_EQ(erase("/pools/mail").status, 204);
  EXPECT_EQ(erase("/pools/mail").status, 404);
}

TEST_F(PoolRoutes, mistakes_are_told_with_their_paths_and_stale_writes_refused) {
  Answer wrong = put("/pools/p", Value::object({{"lease_ms", 1}, {"color", "red"}}));
  EXPECT_EQ(wrong.status, 422) << wrong.text;
  EXPECT_EQ(wrong.body.get("errors").size(), 2u);
  EXPECT_EQ(put("/pools/p/topics/x", Value()).status, 404);
  ASSERT_EQ(put("/pools/p", Value::object(), "If-None-Match: *\r\n").status, 200);
  EXPECT_EQ(put("/pools/p", Value::object(), "If-Match: \"9\"\r\n").status, 412);
  EXPECT_EQ(put("/pools/p/topics/a%20b", Value()).status, 422);
  EXPECT_EQ(put("/limits", Value::object({{"accounts", 3}})).status, 422);
  EXPECT_EQ(post("/pools/p/drain", Value::object({{"timeout_ms", -1}})).status, 422);
}

// J-53, J-55: why a job waits and what would help.
TEST_F(PoolRoutes, placement_says_who_could_take_it_or_what_keeps_it) {
  std::string id = submit("x");
  Value placement = get("/jobs/" + id + "/placement").body;
  EXPECT_EQ(placement.get("reason_code"), Value("no_workers"));
  EXPECT_EQ(placement.get("phase"), Value("no_workers"));
  EXPECT_TRUE(placement.get("cure").is_string());
  EXPECT_EQ(get("/jobs/" + id).body.get("reason_code"), Value("no_workers"));
  EXPECT_EQ(placement.get("scheduling_attempts"), Value(1));
  world.advance(Duration{31'000});
  EXPECT_EQ(get("/jobs/" + id + "/placement").body.get("scheduling_attempts"), Value(6));
  enroll("w");
  placement = get("/jobs/" + id + "/placement").body;
  EXPECT_EQ(placement.get("reason_code"), Value("pool_overloaded"));
  ASSERT_EQ(placement.get("candidates").size(), 1u);
  const Value& worker = placement.get("candidates").items()[0];
  EXPECT_EQ(worker.get("worker_id"), Value("w"));
  EXPECT_EQ(worker.get("score"), Value(0));
  EXPECT_EQ(worker.get("free_slots"), Value(8));
  Value queues = get("/queues").body;
  ASSERT_EQ(queues.size(), 1u);
  EXPECT_EQ(queues.items()[0].get("pool"), Value("default"));
  EXPECT_EQ(queues.items()[0].get("depth"), Value(1));
  EXPECT_EQ(get("/jobs/none/placement").code(), "job_not_found");
}

// J-53, JT-28
TEST_F(PoolRoutes, a_job_that_nobody_can_take_fails_at_the_fiftieth_attempt) {
  std::string id = submit("x");
  world.advance(Duration{1'350'000});
  EXPECT_EQ(get("/jobs/" + id).body.get("state"), Value("SCHEDULED"));
  world.advance(Duration{4'000});
  Answer shown = get("/jobs/" + id);
  EXPECT_EQ(shown.body.get("state"), Value("FAILED"));
  EXPECT_EQ(shown.body.get("reason_code"), Value("no_workers"));
  EXPECT_EQ(shown.body.get("error").get("code"), Value("max_scheduling_retries"));
  EXPECT_EQ(get("/dlq").body.get("items").size(), 1u);
}

// J-53, JT-28
TEST_F(PoolRoutes, who_comes_late_gets_the_job_at_once) {
  std::string id = submit("x");
  world.advance(Duration{900'000});
  Value job = claim(enroll("w"), 1);
  ASSERT_EQ(job.get("jobs").size(), 1u);
  EXPECT_EQ(job.get("jobs").items()[0].get("job_id"), Value(id));
}

// J-56
TEST_F(PoolRoutes, limits_are_kept_shown_and_raised) {
  ASSERT_EQ(put("/limits", *parse_json(R"({"accounts":{"default":{"max_concurrent":1}}})")).status,
            200);
  std::string registration = enroll("w");
  submit("x");
  std::string second = submit("x");
  Value claimed = claim(registration, 1);
  ASSERT_EQ(claimed.get("jobs").size(), 1u);
  EXPECT_EQ(get("/jobs/" + second + "/placement").body.get("reason_code"), Value("tenant_limit"));
  Value limits = get("/limits").body;
  EXPECT_EQ(limits.get("account").get("max_concurrent"), Value(1));
  EXPECT_EQ(limits.get("account").get("leases"), Value(1));
  EXPECT_EQ(limits.get("managed_by"), Value("api"));
  std::string metrics = world.ask("GET", "/metrics").text;
  EXPECT_NE(metrics.find(R"(depth{pool="default",priority="interactive",phase="limited"} 1)"),
            std::string::npos);
  ASSERT_EQ(put("/limits", *parse_json(R"({"accounts":{"default":{"max_concurrent":2}}})")).status,
            200);
  EXPECT_EQ(claim(registration, 2).get("jobs").size(), 1u);
}

// J-57
TEST_F(PoolRoutes, what_results_cost_is_counted_until_the_day_turns) {
  ASSERT_EQ(put("/limits",
                *parse_json(R"({"accounts":{"default":{"budget":{"per_day_cost_micros":50}}}})"))
                .status,
            200);
  std::string registration = enroll("w");
  Value job = claimed_job(registration);
  Value usage = Value::object({{"cost_micros", 60}, {"input_tokens", 7}});
  ASSERT_EQ(report(registration, result_of(job, "succeeded", Value::object({{"usage", usage}}))),
            "accepted");
  std::string next = submit("x");
  EXPECT_EQ(claim(registration, 2).get("jobs").size(), 0u);
  EXPECT_EQ(get("/jobs/" + next + "/placement").body.get("reason_code"), Value("budget_exhausted"));
  EXPECT_EQ(get("/limits").body.get("account").get("spent_today").get("cost_micros"), Value(60));
  world.advance(Duration{86'400'000});
  Answer late = get("/jobs/" + next);
  EXPECT_EQ(late.body.get("state"), Value("FAILED")) << "its worker has been gone for a day";
}

// J-58
TEST_F(PoolRoutes, a_drained_pool_gives_back_what_it_holds_when_its_time_is_over) {
  ASSERT_EQ(put("/pools/p", Value::object({{"lease_ms", 3'600'000}})).status, 200);
  std::string registration = enroll_in("p", "w");
  std::string id = submit("x");
  ASSERT_EQ(claim(registration, 1).get("jobs").size(), 1u);
  ASSERT_EQ(post("/pools/p/drain", Value::object({{"timeout_ms", 5'000}})).status, 200);
  EXPECT_EQ(pool("p").get("status"), Value("draining"));
  world.advance(Duration{4'000});
  EXPECT_EQ(get("/jobs/" + id).body.get("state"), Value("DISPATCHED"));
  world.advance(Duration{2'000});
  Answer shown = get("/jobs/" + id);
  EXPECT_EQ(shown.body.get("state"), Value("SCHEDULED"));
  EXPECT_EQ(shown.body.get("losses"), Value(0));
  ASSERT_EQ(post("/pools/p/activate", Value()).status, 200);
  EXPECT_EQ(claim(registration, 2).get("jobs").size(), 1u);
}

}  // namespace
}  // namespace fermata::server
