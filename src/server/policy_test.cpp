#include "server/jobs_fixture.h"

namespace fermata::server {
namespace {

/// A server whose jobs are governed.
class Governed : public Jobs {
 protected:
  Answer put(const std::string& target, const Value& body, const std::string& headers = "") {
    return world.ask("PUT", "/api/v1" + target, to_json(body), headers);
  }
  static Value document(const std::string& rules, const std::string& fallback = "allow") {
    auto value = parse_json(R"({"version":1,"default_decision":")" + fallback + R"(","rules":[)" +
                            rules + "]}");
    EXPECT_TRUE(value);
    return value ? *value : Value();
  }
  void govern(const std::string& rules, const std::string& fallback = "allow") {
    Answer answer = put("/policy/base", document(rules, fallback));
    ASSERT_EQ(answer.status, 200) << answer.text;
  }
  Answer submit(const std::string& topic, Value more = Value::object()) {
    more.set("topic", topic);
    Answer answer = post("/jobs", more);
    EXPECT_EQ(answer.status, 201) << answer.text;
    return answer;
  }
};

// J-1, J-20, J-25
TEST_F(Governed, refusal_is_data_with_a_dead_letter_and_a_line_in_the_log) {
  govern(R"({"id":"no","match":{"topics":["pay.*"]},"decision":"deny","reason":"not here"})");
  Answer denied = submit("pay.refund");
  EXPECT_EQ(denied.body.get("state"), Value("DENIED"));
  EXPECT_EQ(denied.body.get("reason_code"), Value("safety_denied"));
  EXPECT_EQ(get("/dlq").body.get("items").size(), 1u);
  EXPECT_EQ(submit("mail").body.get("state"), Value("SCHEDULED"));
  Value log = get("/policy/decisions?decision=deny").body.get("items");
  ASSERT_EQ(log.size(), 1u);
  EXPECT_EQ(log.items()[0].get("rule_id"), Value("no"));
  EXPECT_EQ(log.items()[0].get("reason"), Value("not here"));
  EXPECT_EQ(log.items()[0].get("facts").get("topic"), Value("job.pay.refund"));
  std::string id = text(denied.body.get("id"));
  EXPECT_EQ(get("/jobs/" + id + "/decisions").body.get("items").size(), 1u);
  Value rules = get("/policy/rules").body;
  EXPECT_EQ(rules.get("items").items()[0].get("hits"), Value(1));
  EXPECT_EQ(rules.get("default_hits"), Value(1));
  const Value& lately = rules.get("items").items()[0].get("lately");
  EXPECT_EQ(lately.get("day"), Value(1));
  EXPECT_EQ(lately.get("days").size(), 30u);
  EXPECT_EQ(rules.get("default_lately").get("month"), Value(1));
}

// J-6
TEST_F(Governed, denied_job_is_submitted_as_its_rule_proposes) {
  govern(R"({"id":"no","match":{"topics":["pay.big"]},"decision":"deny","remediations":[
             {"id":"small","title":"Pay in parts","replacement_topic":"pay.small",
              "replacement_capability":"Parts","add_labels":{"parts":"2"},
              "remove_labels":["rush"]}]})");
  Value body = Value::object({{"labels", Value::object({{"rush", "1"}, {"kept", "1"}})},
                              {"input", 5},
                              {"priority", "batch"},
                              {"idempotency_key", "k"}});
  Answer denied = submit("pay.big", body);
  ASSERT_EQ(denied.body.get("state"), Value("DENIED"));
  std::string id = text(denied.body.get("id"));
  Value verdict = get("/jobs/" + id).body.get("verdict");
  ASSERT_EQ(verdict.get("remediations").size(), 1u);
  std::string path = "/jobs/" + id + "/remediate";
  EXPECT_EQ(post(path, Value::object()).status, 422);
  EXPECT_EQ(post(path, Value::object({{"remediation_id", "large"}})).code(), "value_not_found");
  EXPECT_EQ(post("/jobs/none/remediate", Value::object({{"remediation_id", "small"}})).code(),
            "job_not_found");
  Value small = Value::object({{"remediation_id", "small"}});
  Answer made = post(path, small);
  ASSERT_EQ(made.status, 201) << made.text;
  EXPECT_EQ(made.body.get("state"), Value("SCHEDULED"));
  EXPECT_EQ(post(path, small).body.get("id"), made.body.get("id")) << "one job however often";
  Value job = get("/jobs/" + text(made.body.get("id"))).body;
  EXPECT_EQ(job.get("parent_job_id"), Value(id));
  EXPECT_EQ(job.get("topic"), Value("job.pay.small"));
  EXPECT_EQ(job.get("capability"), Value("parts"));
  EXPECT_EQ(job.get("labels"), Value::object({{"kept", "1"}, {"parts", "2"}}));
  EXPECT_EQ(job.get("input"), Value(5));
  EXPECT_EQ(job.get("priority"), Value("batch"));
  EXPECT_EQ(job.get("idempotency_key"), made.body.get("id"));
  Value letter = get("/dlq?state=all&job_id=" + id).body.get("items").items()[0];
  EXPECT_EQ(letter.get("resolution"), Value("retried"));
  EXPECT_EQ(letter.get("retried_as"), made.body.get("id"));
  EXPECT_EQ(post("/jobs/" + text(made.body.get("id")) + "/remediate", small).code(), "wrong_state");
}

// J-20, JT-12
TEST_F(Governed, throttled_job_is_asked_again_and_goes_on_when_the_window_has_moved) {
  govern(R"({"id":"few","match":{"topics":["mail"]},"decision":"throttle",
             "velocity":{"max_requests":1,"window_ms":8000}})");
  EXPECT_EQ(submit("mail").body.get("state"), Value("SCHEDULED"));
  Answer held = submit("mail");
  EXPECT_EQ(held.body.get("state"), Value("PENDING"));
  EXPECT_EQ(held.body.get("phase"), Value("throttled"));
  std::string id = text(held.body.get("id"));
  Value windows = get("/policy/velocity").body.get("items");
  ASSERT_EQ(windows.size(), 1u);
  EXPECT_EQ(windows.items()[0].get("jobs"), Value(1));
  world.advance(Duration{5'000});
  EXPECT_EQ(get("/jobs/" + id).body.get("state"), Value("PENDING"));
  world.advance(Duration{5'000});
  EXPECT_EQ(get("/jobs/" + id).body.get("state"), Value("SCHEDULED"));
}

// J-22
TEST_F(Governed, constraints_travel_to_the_worker_and_clip_the_run_timeout) {
  govern(R"({"id":"c","match":{},"decision":"allow_with_constraints","constraints":{
             "budgets":{"max_runtime_ms":1000,"max_concurrent_jobs":1},
             "sandbox":{"isolated":true}}})");
  std::string worker = enroll();
  submit("x");
  submit("x");
  Value jobs = claim(worker, 1).get("jobs");
  ASSERT_EQ(jobs.size(), 1u) << "one at a time";
  EXPECT_EQ(jobs.items()[0].get("run_timeout_ms"), Value(1000));
  EXPECT_EQ(jobs.items()[0].get("constraints").get("sandbox"), Value::object({{"isolated", true}}));
  EXPECT_EQ(report(worker, result_of(jobs.items()[0], "succeeded", Value::object())), "accepted");
  EXPECT_EQ(claim(worker, 2).get("jobs").size(), 1u);
}

// J-27
TEST_F(Governed, no_attempt_starts_under_a_policy_that_was_replaced) {
  govern("");
  Answer queued = submit("x");
  govern("", "deny");
  std::string worker = enroll();
  EXPECT_EQ(claim(worker, 1).get("jobs").size(), 0u);
  Value job = get("/jobs/" + text(queued.body.get("id"))).body;
  EXPECT_EQ(job.get("state"), Value("DENIED"));
  EXPECT_EQ(job.get("reason_code"), Value("policy_changed"));
}

// J-23
TEST_F(Governed, mistakes_are_listed_and_the_policy_in_force_is_untouched) {
  govern("", "deny");
  std::string snapshot = text(get("/policy").body.get("snapshot"));
  Answer wrong = put("/policy/base", document(R"({"id":"a","match":{},"decision":"alow"})"));
  EXPECT_EQ(wrong.status, 422);
  EXPECT_EQ(wrong.code(), "policy_invalid");
  EXPECT_EQ(text(get("/policy").body.get("snapshot")), snapshot);
  Value checked = post("/policy/validate", Value::object({{"candidate", document("{}")}})).body;
  EXPECT_EQ(checked.get("valid"), Value(false));
  EXPECT_GT(checked.get("errors").size(), 0u);
  EXPECT_EQ(post("/policy/validate", document("")).body.get("valid"), Value(true));
}

// J-24
TEST_F(Governed, earlier_policy_is_read_by_its_snapshot_and_put_into_force_again) {
  govern("", "deny");
  std::string strict = text(get("/policy").body.get("snapshot"));
  govern("", "allow");
  EXPECT_EQ(submit("x").body.get("state"), Value("SCHEDULED"));
  EXPECT_EQ(
      get("/policy?snapshot=" + strict).body.get("effective").get("base").get("default_decision"),
      Value("deny"));
  EXPECT_EQ(get("/policy?snapshot=nope").code(), "snapshot_not_found");
  Answer back = post("/policy/rollback", Value::object({{"snapshot", strict}}));
  ASSERT_EQ(back.status, 200) << back.text;
  EXPECT_EQ(submit("x").body.get("state"), Value("DENIED"));
  EXPECT_EQ(get("/policy/versions").body.get("items").size(), 3u);
}

// J-25
TEST_F(Governed, simulation_and_explanation_move_no_window) {
  govern(R"({"id":"few","match":{"topics":["mail"]},"decision":"throttle",
             "velocity":{"max_requests":1,"window_ms":8000}})");
  Value facts = Value::object({{"facts", Value::object({{"topic", "mail"}})}});
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(post("/policy/simulate", facts).body.get("decision"), Value("allow"));
  EXPECT_EQ(get("/policy/velocity").body.get("items").size(), 0u);
  Value why = post("/policy/explain", facts).body.get("rules");
  ASSERT_EQ(why.size(), 1u);
  EXPECT_EQ(why.items()[0].get("failed"), Value("velocity"));
  facts.set("candidate", document("", "deny"));
  EXPECT_EQ(post("/policy/simulate", facts).body.get("decision"), Value("deny"));
  facts.set("facts", Value::object({{"topic", "mail"}, {"tenant", "other"}}));
  EXPECT_EQ(post("/policy/simulate", facts).code(), "account_mismatch");
}

// J-26
TEST_F(Governed, rehearsal_compares_and_writes_nothing) {
  govern("");
  submit("pay");
  submit("mail");
  Answer told = post("/policy/rehearse",
                     Value::object({{"candidate", document(R"({"id":"no","match":{"topics":["pay"]},
                                                "decision":"deny"})")}}));
  ASSERT_EQ(told.status, 200) << told.text;
  EXPECT_EQ(told.body.get("total"), Value(2));
  EXPECT_EQ(told.body.get("stricter"), Value(1));
  EXPECT_EQ(told.body.get("changes").items()[0].get("would_be"), Value("deny"));
  EXPECT_EQ(told.body.get("pending_affected").size(), 1u);
  EXPECT_EQ(get("/policy/decisions").body.get("items").size(), 2u);
  EXPECT_EQ(post("/policy/rehearse", Value::object()).status, 422);
  Value typo = Value::object({{"candidate", document("")}, {"form", "2026-01-01T00:00:00Z"}});
  EXPECT_EQ(post("/policy/rehearse", typo).code(), "unknown_field");
  Value wrong = Value::object({{"candidate", document("")}, {"filter", "pay"}});
  EXPECT_EQ(post("/policy/rehearse", wrong).status, 422);
  Value asked = Value::object({{"facts", Value::object({{"topic", "pay"}})}, {"canidate", 1}});
  EXPECT_EQ(post("/policy/simulate", asked).code(), "unknown_field");
  EXPECT_EQ(post("/policy/explain", Value::object()).status, 422);
}

// J-21
TEST_F(Governed, bundles_are_written_on_the_revision_that_was_read) {
  Value bundle = *parse_json(R"({"version":1,"rules":[
      {"id":"no","match":{"topics":["mail"]},"decision":"deny"}]})");
  Answer made = put("/policy/bundles/own", bundle, "If-None-Match: *\r\n");
  ASSERT_EQ(made.status, 200) << made.text;
  EXPECT_EQ(submit("mail").body.get("state"), Value("DENIED"));
  EXPECT_EQ(put("/policy/bundles/own", bundle, "If-Match: \"99\"\r\n").status, 412);
  Value twice = Value::object({{"id", "own"}, {"document", bundle}});
  Value both = Value::object({{"bundles", Value::array({twice, twice})}});
  Answer refused = post("/policy/publish", Value::object({{"candidate", both}}));
  EXPECT_EQ(refused.body.get("errors").items()[0].get("path"), Value("/candidate/bundles/1/id"))
      << refused.text;
  EXPECT_EQ(get("/policy/bundles").body.get("items").size(), 1u);
  EXPECT_EQ(world.ask("DELETE", "/api/v1/policy/bundles/own").status, 204);
  EXPECT_EQ(submit("mail").body.get("state"), Value("SCHEDULED"));
  Answer invariants = put("/policy/invariants", *parse_json(R"({"version":1,"rules":[
      {"id":"never","match":{"topics":["mail"]},"decision":"deny"}]})"));
  ASSERT_EQ(invariants.status, 200) << invariants.text;
  EXPECT_EQ(submit("mail").body.get("state"), Value("DENIED"));
  EXPECT_EQ(world.ask("DELETE", "/api/v1/policy/invariants").status, 204);
  EXPECT_EQ(world.ask("POST", "/api/v1/policy/reload").code(), "policy_invalid");
}

// J-40, J-41, J-42, JT-20
TEST(GovernedByPeople, job_is_released_by_other_people_who_name_its_hash) {
  TestWorld world([](ApiOptions& options) { options.access.mode = AccessMode::keys; });
  auto as = [&](Role role) { return "Authorization: Bearer " + world.add_key(role) + "\r\n"; };
  std::string submitter = as(Role::operator_);
  std::string ann = as(Role::operator_);
  auto policy = world.ask("PUT", "/api/v1/policy/base",
                          R"({"version":1,"default_decision":"allow","rules":[
                              {"id":"ask","match":{"topics":["pay"]},
                               "decision":"require_approval","approval":{"count":2}}]})",
                          as(Role::root));
  ASSERT_EQ(policy.status, 200) << policy.text;
  auto asked = world.ask("POST", "/api/v1/jobs", R"({"topic":"pay"})", submitter);
  ASSERT_EQ(asked.body.get("state"), Value("APPROVAL_REQUIRED")) << asked.text;
  std::string job = "/api/v1/jobs/" + std::string(asked.body.get("id").as_string());
  std::string yes = to_json(Value::object({{"hash", asked.body.get("request_hash")}}));
  auto approve = [&](const std::string& vote, const std::string& who) {
    return world.ask("POST", job + "/approve", vote, who);
  };
  EXPECT_EQ(approve(yes, submitter).code(), "approval_by_submitter");
  EXPECT_EQ(approve(yes, as(Role::viewer)).status, 403);
  EXPECT_EQ(approve(R"({"hash":"other"})", ann).code(), "approval_stale_request");
  EXPECT_EQ(approve("{}", ann).status, 422);
  EXPECT_EQ(approve(yes, ann).body.get("state"), Value("APPROVAL_REQUIRED"));
  EXPECT_EQ(approve(yes, ann).code(), "approval_already_voted");
  EXPECT_EQ(approve(yes, as(Role::admin)).body.get("state"), Value("SCHEDULED"));
  EXPECT_EQ(world.ask("POST", job + "/reject", yes, ann).code(), "approval_not_pending");
}

// J-40, J-41, J-44
TEST_F(Governed, approvals_of_jobs_stand_beside_those_of_executions) {
  govern(R"({"id":"ask","match":{"topics":["pay"]},"decision":"require_approval",
             "reason":"people decide"})");
  std::string id = text(submit("pay", Value::object({{"input", 5}})).body.get("id"));
  Value listed = get("/approvals?kind=job").body.get("items");
  ASSERT_EQ(listed.size(), 1u);
  EXPECT_EQ(get("/approvals").body.get("items").size(), 1u);
  EXPECT_EQ(get("/approvals?kind=run").body.get("items").size(), 0u);
  Value asked = listed.items()[0];
  EXPECT_EQ(asked.get("id"), Value(id));
  EXPECT_EQ(asked.get("kind"), Value("job"));
  EXPECT_EQ(asked.get("payload"), Value(5));
  EXPECT_EQ(asked.get("rule_id"), Value("ask"));
  EXPECT_EQ(asked.get("message"), Value("people decide"));
  EXPECT_GT(asked.get("time_left_ms").as_integer(), 0);
  EXPECT_EQ(get("/approvals/" + id).body.get("hash"), asked.get("hash"));
  EXPECT_EQ(post("/approvals/" + id + "/approve", Value::object({{"hash", "other"}})).code(),
            "approval_stale_request");
  EXPECT_EQ(
      post("/approvals/" + id + "/reject", Value::object({{"hash", asked.get("hash")}})).status,
      422)
      << "who rejects says why";
  Answer done = post("/approvals/" + id + "/approve", Value::object({{"hash", asked.get("hash")}}));
  EXPECT_EQ(done.status, 200) << done.text;
  EXPECT_EQ(done.body.get("status"), Value("approved"));
  EXPECT_EQ(get("/jobs/" + id).body.get("state"), Value("SCHEDULED"));
  EXPECT_EQ(get("/approvals").body.get("items").size(), 0u);
}

// J-42
TEST(GovernedByPeople, who_started_an_execution_approves_none_of_its_jobs) {
  TestWorld world([](ApiOptions& options) { options.access.mode = AccessMode::keys; });
  auto as = [&](Role role) { return "Authorization: Bearer " + world.add_key(role) + "\r\n"; };
  std::string root = as(Role::root);
  std::string starter = as(Role::operator_);
  auto policy = world.ask("PUT", "/api/v1/policy/base",
                          R"({"version":1,"default_decision":"allow","rules":[
                              {"id":"ask","match":{"topics":["pay"]},
                               "decision":"require_approval"}]})",
                          root);
  ASSERT_EQ(policy.status, 200) << policy.text;
  auto made = world.ask("PUT", "/api/v1/workflows/w",
                        R"({"nodes":[{"id":"s","type":"manual","trigger":true},
                              {"id":"p","type":"job","parameters":{"topic":"pay"}}],
                            "edges":[{"id":"e","src":"s","dst":"p"}]})",
                        root);
  ASSERT_EQ(made.status, 201) << made.text;
  auto begun = world.ask("POST", "/api/v1/workflows/w/executions", "{}", starter);
  ASSERT_EQ(begun.status, 201) << begun.text;
  Value items = world.ask("GET", "/api/v1/approvals", "", root).body.get("items");
  ASSERT_EQ(items.size(), 1u);
  const Value& asked = items.items()[0];
  EXPECT_EQ(asked.get("execution_id"), begun.body.get("id"));
  std::string path = "/api/v1/approvals/" + std::string(asked.get("id").as_string()) + "/approve";
  std::string yes = to_json(Value::object({{"hash", asked.get("hash")}}));
  EXPECT_EQ(world.ask("POST", path, yes, starter).code(), "approval_by_submitter");
  auto approved = world.ask("POST", path, yes, as(Role::operator_));
  EXPECT_EQ(approved.body.get("status"), Value("approved")) << approved.text;
}

}  // namespace
}  // namespace fermata::server
