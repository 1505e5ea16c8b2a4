#include <map>

#include "server/jobs_fixture.h"

namespace fermata::server {
namespace {

/// Jobs whose results are held against rules.
class JobOutputs : public Jobs {
 protected:
  void rules(std::string_view list, std::string_view settings = "{}") {
    auto document =
        parse_json(R"({"version":1,"default_decision":"allow","output_policy":)" +
                   std::string(settings) + R"(,"output_rules":)" + std::string(list) + "}");
    ASSERT_TRUE(document);
    Answer put = world.ask("PUT", "/api/v1/policy/base", to_json(*document));
    ASSERT_EQ(put.status, 200) << put.text;
  }
  /// A job that a worker has done; its id.
  std::string done_job(Value output, Value more = Value::object()) {
    if (registration.empty()) registration = enroll();
    Value job = claimed_job(registration, ++seq);
    more.set("output", std::move(output));
    EXPECT_EQ(report(registration, result_of(job, "succeeded", std::move(more))), "accepted");
    return text(job.get("job_id"));
  }
  Value job_in(const std::string& id, std::string_view state) {
    auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    Value body;
    while (std::chrono::steady_clock::now() < deadline) {
      body = get("/jobs/" + id).body;
      if (body.get("state") == Value(state) && body.get("phase") != Value("output_scan"))
        return body;
    }
    ADD_FAILURE() << "it is " << to_json(body);
    return body;
  }
  Answer as(const std::string& key, std::string_view method, const std::string& target,
            std::string_view body = "{}") {
    return world.ask(method, "/api/v1" + target, body, "Authorization: Bearer " + key + "\r\n");
  }

  std::string registration;
  int seq = 0;
};

constexpr const char* one_job =
    R"({"nodes":[{"id":"t","name":"T","type":"manual","trigger":true},
        {"id":"j","name":"J","type":"job","parameters":{"topic":"x"}}],
       "edges":[{"id":"1","src":"t","dst":"j"}],"result":"{{ $J.output }}"})";

constexpr std::string_view hush =
    R"([{"id":"hush","match":{"keywords":["hush"]},"decision":"quarantine","reason":"said it"}])";

// J-46, J-51: gated quarantine by a keyword, and its release.
TEST_F(JobOutputs, quarantined_output_is_seen_by_operators_and_released_by_others) {
  rules(hush);
  std::string id = done_job(Value::object({{"text", "Hush, now"}}));
  Value job = job_in(id, "OUTPUT_QUARANTINED");
  EXPECT_EQ(job.get("reason_code"), Value("output_quarantined"));
  EXPECT_EQ(job.get("output"), Value());
  EXPECT_EQ(job.get("output_withheld"), Value(true));
  EXPECT_EQ(job.get("output_policy").get("rule_id"), Value("hush"));
  EXPECT_EQ(job.get("output_policy").get("findings").items()[0].get("pointer"), Value("/text"));
  for (const char* view : {"", "/history", "/result", "/attempts"})
    EXPECT_EQ(get("/jobs/" + id + view).text.find("Hush"), std::string::npos) << view;

  std::string viewer = world.add_key(Role::viewer);
  EXPECT_EQ(as(viewer, "GET", "/jobs/" + id + "/output").status, 403);
  Answer held = get("/jobs/" + id + "/output");
  EXPECT_EQ(held.body.get("output"), Value::object({{"text", "Hush, now"}})) << held.text;
  EXPECT_NE(get("/audit?action=job.output_read").text.find(id), std::string::npos);
  Answer letters = get("/dlq?job_id=" + id);
  EXPECT_EQ(letters.body.get("items").items()[0].get("reason_code"), Value("output_quarantined"));

  std::string ann = world.add_key(Role::operator_);
  Answer released = as(ann, "POST", "/jobs/" + id + "/output/release", R"({"note":"harmless"})");
  EXPECT_EQ(released.status, 200) << released.text;
  EXPECT_EQ(released.body.get("state"), Value("SUCCEEDED"));
  EXPECT_EQ(get("/jobs/" + id + "/result").body.get("output"),
            Value::object({{"text", "Hush, now"}}));
  EXPECT_EQ(get("/dlq?state=resolved&job_id=" + id).body.get("items").items()[0].get("resolution"),
            Value("released"));
  EXPECT_EQ(as(ann, "POST", "/jobs/" + id + "/output/release").status, 409);
  EXPECT_EQ(get("/jobs/" + id + "/output").status, 404);
}

TEST_F(JobOutputs, discarded_output_is_gone) {
  rules(hush);
  std::string id = done_job(Value("hush"));
  job_in(id, "OUTPUT_QUARANTINED");
  Answer gone = post("/jobs/" + id + "/output/discard", Value::object({{"reason", "no"}}));
  EXPECT_EQ(gone.status, 200) << gone.text;
  EXPECT_EQ(get("/jobs/" + id + "/output").status, 404);
  EXPECT_EQ(post("/jobs/" + id + "/output/release", Value::object()).status, 409);
}

TEST_F(JobOutputs, submitter_does_not_release_its_own_output) {
  rules(hush);
  std::string key = world.add_key(Role::operator_);
  registration = enroll();
  ASSERT_EQ(as(key, "POST", "/jobs", R"({"topic":"x","id":"own"})").status, 201);
  Value job = claim(registration, ++seq).get("jobs").items()[0];
  report(registration, result_of(job, "succeeded", Value::object({{"output", "hush"}})));
  job_in("own", "OUTPUT_QUARANTINED");
  EXPECT_EQ(as(key, "POST", "/jobs/own/output/release").status, 403);
  EXPECT_EQ(as(key, "POST", "/jobs/own/output/discard").status, 403);
}

// JT-22 over REST: a nested string and a card number as a JSON number.
TEST_F(JobOutputs, redacted_output_is_the_result) {
  rules(R"([{"id":"r","match":{"scanners":["secret","pii"]},"decision":"redact"}])");
  std::string id = done_job(
      *parse_json(R"({"a":[{"b":"key AKIAIOSFODNN7EXAMPLE"}],"card":4111111111111111,"n":1})"));
  Value job = job_in(id, "SUCCEEDED");
  EXPECT_EQ(job.get("output"),
            *parse_json(R"({"a":[{"b":"key [REDACTED]"}],"card":"[REDACTED]","n":1})"));
  EXPECT_EQ(job.get("output_policy").get("found"), Value(2));
  EXPECT_EQ(text(job.get("output_policy").get("original_sha256")).size(), 64u);
  EXPECT_EQ(get("/jobs/" + id + "/history").text.find("AKIA"), std::string::npos);
  EXPECT_EQ(get("/jobs/" + id + "/output").status, 404);
}

TEST_F(JobOutputs, original_that_is_kept_is_for_admins) {
  rules(R"([{"id":"r","match":{"keywords":["hush"]},"decision":"redact","keep_original":true}])");
  std::string id = done_job(Value("hush"));
  EXPECT_EQ(job_in(id, "SUCCEEDED").get("output"), Value("[REDACTED]"));
  EXPECT_EQ(as(world.add_key(Role::operator_), "GET", "/jobs/" + id + "/output").status, 403);
  EXPECT_EQ(as(world.add_key(Role::admin), "GET", "/jobs/" + id + "/output").body.get("output"),
            Value("hush"));
}

TEST_F(JobOutputs, artifacts_logs_and_errors_are_held_to_the_same_rules) {
  rules(R"([{"id":"r","match":{"keywords":["hush"]},"decision":"redact"}])");
  registration = enroll();
  Value job = claimed_job(registration, ++seq);
  std::string id = text(job.get("job_id"));
  std::string fence = to_json(job.get("fence"));
  Answer put = world.ask("PUT", "/api/v1/worker/jobs/" + id + "/artifacts/a.txt?fence=" + fence,
                         "say hush twice: hush");
  ASSERT_EQ(put.status, 201) << put.text;
  Value log = Value::object({{"registration_id", registration},
                             {"fence", job.get("fence")},
                             {"lines", Value::array({"it said hush", "fine"})}});
  EXPECT_EQ(post("/worker/jobs/" + id + "/logs", log).status, 200);
  EXPECT_EQ(get("/jobs/" + id + "/logs").body.get("items").items()[0].get("lines"),
            Value::array({"it said [REDACTED]", "fine"}));
  Value artifact = put.body;
  artifact.set("name", "a.txt");
  report(registration,
         result_of(job, "succeeded",
                   Value::object({{"output", 1}, {"artifacts", Value::array({artifact})}})));
  job_in(id, "SUCCEEDED");
  EXPECT_EQ(get("/jobs/" + id + "/artifacts/a.txt").text, "say [REDACTED] twice: [REDACTED]");
  EXPECT_EQ(world.ask("GET", "/api/v1/worker/blobs/" + text(artifact.get("sha256"))).status, 404);

  job = claimed_job(registration, ++seq);
  Value error = Value::object({{"code", "bad"}, {"message", "the word was hush"}});
  report(registration, result_of(job, "failed", Value::object({{"error", error}})));
  Value failed = job_in(text(job.get("job_id")), "FAILED");
  EXPECT_EQ(failed.get("error").get("message"), Value("the word was [REDACTED]"));
}

// J-46: optimistic release, and what a late scan makes of it.
TEST_F(JobOutputs, optimistic_output_is_withdrawn_by_a_late_scan) {
  rules(hush, R"({"release":"optimistic"})");
  std::string id = done_job(Value("hush"));
  Value job = job_in(id, "OUTPUT_QUARANTINED");
  EXPECT_EQ(job.get("reason_code"), Value("output_quarantined_async"));
  EXPECT_EQ(job.get("output_policy").get("withdrawn"), Value(true));
  id = done_job(Value("nothing"));
  EXPECT_EQ(job_in(id, "SUCCEEDED").get("reason_code"), Value());
}

TEST_F(JobOutputs, rule_on_size_refuses_without_reading) {
  rules(R"([{"id":"big","match":{"output_size_gt":20},"decision":"deny"}])");
  EXPECT_EQ(job_in(done_job(Value(std::string(30, 'x'))), "OUTPUT_QUARANTINED").get("output"),
            Value());
  EXPECT_EQ(job_in(done_job(Value("x")), "SUCCEEDED").get("output"), Value("x"));
}

// J-49: a file with a bad expression changes nothing.
TEST_F(JobOutputs, bad_expression_is_refused_with_its_place) {
  Answer put = world.ask("PUT", "/api/v1/policy/base",
                         R"({"version":1,"default_decision":"allow","output_rules":[
                            {"id":"a","match":{"patterns":["(a"]},"decision":"deny"}]})");
  EXPECT_EQ(put.status, 422) << put.text;
  EXPECT_NE(put.text.find("/output_rules/0/match/patterns/0"), std::string::npos);
}

// JT-25: the run waits for people and goes on with the held bytes.
TEST_F(JobOutputs, run_waits_for_the_review_and_goes_on) {
  rules(hush);
  registration = enroll();
  ASSERT_EQ(world.ask("PUT", "/api/v1/workflows/w", one_job).status, 201);
  std::string run = world.start("w");
  Value job = claim(registration, ++seq, 5'000).get("jobs").items()[0];
  report(registration, result_of(job, "succeeded", Value::object({{"output", "hush"}})));
  std::string id = text(job.get("job_id"));
  job_in(id, "OUTPUT_QUARANTINED");
  EXPECT_EQ(get("/executions/" + run).body.get("status"), Value("running"));
  ASSERT_EQ(post("/jobs/" + id + "/output/release", Value::object()).status, 200);
  EXPECT_TRUE(world.wait_for(run, "completed"));
  EXPECT_EQ(get("/executions/" + run).body.get("output"), Value("hush"));
  EXPECT_EQ(get("/jobs/" + id).body.get("attempt"), Value(1));
}

TEST_F(JobOutputs, run_fails_when_nobody_looks_in_time) {
  rules(hush);
  registration = enroll();
  ASSERT_EQ(world.ask("PUT", "/api/v1/workflows/w", one_job).status, 201);
  std::string run = world.start("w");
  Value job = claim(registration, ++seq, 5'000).get("jobs").items()[0];
  report(registration, result_of(job, "succeeded", Value::object({{"output", "hush"}})));
  job_in(text(job.get("job_id")), "OUTPUT_QUARANTINED");
  world.advance(Duration{86'400'001});
  ASSERT_TRUE(world.wait_for(run, "failed"));
  EXPECT_EQ(get("/executions/" + run).body.get("error").get("code"), Value("job_quarantined"));
}

// JT-38: the work was done, whatever may be read of it.
TEST_F(JobOutputs, quarantined_work_is_undone_with_its_run) {
  rules(hush);
  registration = enroll();
  constexpr const char* two_jobs =
      R"({"nodes":[{"id":"t","name":"T","type":"manual","trigger":true},
          {"id":"a","name":"A","type":"job","parameters":{"topic":"a",
            "compensation":{"topic":"undo.a"}}},
          {"id":"b","name":"B","type":"job","parameters":{"topic":"b"}}],
         "edges":[{"id":"1","src":"t","dst":"a"},{"id":"2","src":"t","dst":"b"}]})";
  ASSERT_EQ(world.ask("PUT", "/api/v1/workflows/two", two_jobs).status, 201);
  std::string run = world.start("two");
  std::map<std::string, Value> jobs;
  while (jobs.size() < 2) {
    Value claimed = claim(registration, ++seq, 5'000).get("jobs");
    ASSERT_GT(claimed.size(), 0u);
    for (const Value& job : claimed.items()) jobs[text(job.get("topic"))] = job;
  }
  report(registration, result_of(jobs["job.a"], "succeeded", Value::object({{"output", "hush"}})));
  job_in(text(jobs["job.a"].get("job_id")), "OUTPUT_QUARANTINED");
  Value error = Value::object({{"code", "broke"}, {"message", "no"}});
  report(registration, result_of(jobs["job.b"], "failed_fatal", Value::object({{"error", error}})));
  Value undo = claim(registration, ++seq, 5'000).get("jobs");
  ASSERT_EQ(undo.size(), 1u);
  EXPECT_EQ(undo.items()[0].get("topic"), Value("job.undo.a"));
  EXPECT_EQ(undo.items()[0].get("input").get("output"), Value());
  EXPECT_EQ(undo.items()[0].get("input").get("output_withheld"), Value(true));
  report(registration, result_of(undo.items()[0], "succeeded", Value::object()));
  EXPECT_TRUE(world.wait_for(run, "failed"));
}

// J-20: a rule on the content of inputs.
TEST_F(JobOutputs, input_is_read_for_rules_that_ask) {
  Answer put = world.ask("PUT", "/api/v1/policy/base", R"({"version":1,"default_decision":"allow",
      "rules":[{"id":"hush","match":{"keywords":["hush"]},"decision":"deny"}]})");
  ASSERT_EQ(put.status, 200) << put.text;
  for (auto [input, state] : {std::pair("say hush", "DENIED"), std::pair("say it", "SCHEDULED")}) {
    Answer made = post("/jobs", Value::object({{"topic", "x"}, {"input", input}}));
    ASSERT_EQ(made.status, 201) << made.text;
    job_in(text(made.body.get("id")), state);
  }
  Answer large = post(
      "/jobs", Value::object({{"topic", "x"}, {"input", std::string(100'000, 'x') + " hush"}}));
  EXPECT_EQ(job_in(text(large.body.get("id")), "DENIED").get("verdict").get("rule_id"),
            Value("hush"));
}

// J-90, J-91
TEST_F(JobOutputs, metrics_tell_what_became_of_results) {
  rules(R"([{"id":"q","match":{"keywords":["hush"]},"decision":"quarantine"},
            {"id":"r","match":{"keywords":["black"]},"decision":"redact"}])");
  job_in(done_job(Value("hush")), "OUTPUT_QUARANTINED");
  job_in(done_job(Value("black")), "SUCCEEDED");
  std::string shown = world.ask("GET", "/metrics").text;
  for (std::string_view line :
       {R"(fermata_output_policy_checked_total{topic="job.x"} 2)",
        R"(fermata_output_policy_quarantined_total{topic="job.x"} 1)",
        R"(fermata_output_redacted_total{topic="job.x"} 1)", "fermata_output_held 1",
        R"(fermata_output_fail_mode{mode="closed"} 1)",
        R"(fermata_output_fail_mode{mode="open"} 0)",
        R"(fermata_output_check_latency_count{topic="job.x",phase="metadata"} 2)",
        R"(fermata_output_check_latency_count{topic="job.x",phase="content"} 2)",
        R"(fermata_jobs_completed_total{topic="job.x",status="OUTPUT_QUARANTINED"} 1)",
        R"(fermata_dlq_open{reason_code="output_quarantined"} 1)"})
    EXPECT_NE(shown.find(line), std::string::npos) << line << "\n" << shown;
}

}  // namespace
}  // namespace fermata::server
