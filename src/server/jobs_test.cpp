#include <gtest/gtest.h>

#include <thread>

#include "server/jobs_fixture.h"

namespace fermata::server {
namespace {

// J-1, J-12, JT-1
TEST_F(Jobs, submitted_job_is_claimed_done_and_shown) {
  Answer submitted = post(
      "/jobs", Value::object({{"topic", "mail.send"}, {"input", Value::object({{"to", "ada"}})}}));
  ASSERT_EQ(submitted.status, 201) << submitted.text;
  EXPECT_EQ(submitted.body.get("state"), Value("SCHEDULED"));
  std::string id = text(submitted.body.get("id"));
  EXPECT_EQ(submitted.headers.at("location"), "/api/v1/jobs/" + id);
  EXPECT_EQ(get("/jobs?state=scheduled&topic=mail.*").body.get("items").size(), 1u);
  EXPECT_EQ(get("/queues").status, 200);

  std::string registration = enroll();
  Value claimed = claim(registration, 1);
  ASSERT_EQ(claimed.get("jobs").size(), 1u);
  const Value& job = claimed.get("jobs").items()[0];
  EXPECT_EQ(job.get("topic"), Value("job.mail.send"));
  EXPECT_EQ(job.get("input").get("to"), Value("ada"));
  EXPECT_EQ(job.get("idempotency_key"), Value(id));
  EXPECT_EQ(claim(registration, 1), claimed) << "the same seq gives the same answer";
  EXPECT_EQ(get("/jobs/" + id).body.get("state"), Value("DISPATCHED"));

  Value result = result_of(job, "succeeded", Value::object({{"output", Value(42)}}));
  EXPECT_EQ(report(registration, result), "accepted");
  EXPECT_EQ(report(registration, result), "duplicate");
  Answer shown = get("/jobs/" + id);
  EXPECT_EQ(shown.body.get("state"), Value("SUCCEEDED"));
  EXPECT_EQ(get("/jobs/" + id + "/result").body.get("output"), Value(42));
  EXPECT_EQ(get("/jobs/" + id + "/attempts").body.get("items").size(), 1u);
  EXPECT_GE(get("/jobs/" + id + "/history").body.get("items").size(), 3u);
  EXPECT_EQ(get("/jobs/stats").body.get("states").get("SUCCEEDED"), Value(1));
}

// J-64: whoever waits is given the job as soon as it is there.
TEST_F(Jobs, waiting_claim_is_answered_by_a_submit) {
  std::string registration = enroll();
  std::thread submitter([&] {
    TestClient other(world.server().port());
    EXPECT_EQ(other.ask("POST", "/api/v1/jobs", R"({"topic":"x"})", "").status, 201);
  });
  Value claimed = claim(registration, 1, 60'000);
  submitter.join();
  EXPECT_EQ(claimed.get("jobs").size(), 1u);
}

TEST_F(Jobs, wrong_fields_are_told_with_their_paths) {
  Answer answer = post("/jobs", Value::object({{"topic", ""}, {"priority", "soon"}, {"x", 1}}));
  EXPECT_EQ(answer.status, 422) << answer.text;
  EXPECT_GE(answer.body.get("errors").size(), 3u);
  EXPECT_EQ(get("/jobs?state=happy").status, 422);
  EXPECT_EQ(get("/jobs?topic=").status, 422);
  EXPECT_EQ(get("/jobs/none").code(), "job_not_found");
  EXPECT_EQ(post("/jobs/none/cancel", Value::object({})).code(), "job_not_found");
  EXPECT_EQ(
      post("/jobs", Value::object({{"topic", "x"}, {"labels", Value::object({{"saga_x", "1"}})}}))
          .status,
      422);
}

// JT-43
TEST_F(Jobs, same_idempotency_key_makes_one_job) {
  Value body = Value::object({{"topic", "x"}, {"input", 1}});
  Answer first = post("/jobs", body, "Idempotency-Key: k1\r\n");
  Answer again = post("/jobs", body, "Idempotency-Key: k1\r\n");
  ASSERT_EQ(first.status, 201) << first.text;
  EXPECT_EQ(again.status, 201);
  EXPECT_EQ(first.body.get("id"), again.body.get("id"));
  body.set("input", 2);
  EXPECT_EQ(post("/jobs", body, "Idempotency-Key: k1\r\n").status, 409);
  EXPECT_EQ(get("/jobs").body.get("items").size(), 1u);
}

TEST_F(Jobs, batch_answers_each_job_for_itself) {
  Answer answer = post("/jobs/batch",
                       Value::object({{"jobs", Value::array({Value::object({{"topic", "a"}}),
                                                             Value::object({{"topic", 7}}),
                                                             Value::object({{"topic", "b"}})})}}));
  ASSERT_EQ(answer.status, 200) << answer.text;
  const Value& items = answer.body.get("items");
  ASSERT_EQ(items.size(), 3u);
  EXPECT_EQ(items.items()[0].get("state"), Value("SCHEDULED"));
  EXPECT_EQ(items.items()[1].get("error").get("errors").items()[0].get("path"),
            Value("/jobs/1/topic"));
  EXPECT_EQ(items.items()[2].get("state"), Value("SCHEDULED"));
  EXPECT_EQ(post("/jobs/batch", Value::object({{"jobs", Value::array()}})).status, 422);
}

// J-14, J-66
TEST_F(Jobs, cancelled_job_is_told_to_its_worker) {
  std::string id = text(post("/jobs", Value::object({{"topic", "x"}})).body.get("id"));
  std::string registration = enroll();
  Value job = claim(registration, 1).get("jobs").items()[0];
  Answer cancelled = post("/jobs/" + id + "/cancel", Value::object({{"reason", "enough"}}));
  EXPECT_EQ(cancelled.body.get("state"), Value("CANCELLED"));
  EXPECT_EQ(post("/jobs/" + id + "/cancel", Value::object({})).body.get("already_terminal"),
            Value(true));
  Answer beat =
      post("/worker/heartbeat",
           Value::object({{"registration_id", registration},
                          {"last_seq", 1},
                          {"leases", Value::array({Value::object(
                                         {{"job_id", id}, {"fence", job.get("fence")}})})}}));
  ASSERT_EQ(beat.status, 200) << beat.text;
  EXPECT_EQ(beat.body.get("cancels").items()[0].get("job_id"), Value(id));
  EXPECT_EQ(report(registration, result_of(job, "cancelled", Value::object({}))), "terminal");
}

// J-65, JT-34
TEST_F(Jobs, unreadable_result_is_invalid_and_the_third_fails_the_attempt) {
  std::string id = text(post("/jobs", Value::object({{"topic", "x"}})).body.get("id"));
  std::string registration = enroll();
  Value job = claim(registration, 1).get("jobs").items()[0];
  Value bad = result_of(job, "wonderful", Value::object({}));
  EXPECT_EQ(report(registration, bad), "invalid");
  EXPECT_EQ(report(registration, bad), "invalid");
  EXPECT_EQ(get("/jobs/" + id).body.get("state"), Value("DISPATCHED"));
  EXPECT_EQ(report(registration, bad), "invalid");
  EXPECT_EQ(get("/jobs/" + id).body.get("state"), Value("FAILED"));
}

// J-65, JT-34
TEST_F(Jobs, hostile_reports_harm_neither_their_neighbours_nor_the_server) {
  std::string registration = enroll();
  std::vector<Value> jobs;
  for (int i = 0; i < 4; ++i) {
    post("/jobs", Value::object({{"topic", "x"}, {"id", "j" + std::to_string(i)}}));
    jobs.push_back(claim(registration, i + 1).get("jobs").items()[0]);
  }
  Value typed = result_of(jobs[0], "failed", Value::object({{"execution_ms", "long"}}));
  typed.set("attempt", Value::array({1}));
  Value unknown = result_of(jobs[1], "wonderful", Value::object());
  unknown.set("attempt", 7);
  Value unfenced = result_of(jobs[3], "succeeded", Value::object());
  unfenced.erase("fence");
  Value good = result_of(jobs[2], "succeeded", Value::object({{"output", 1}}));
  Value body = Value::object({{"registration_id", registration},
                              {"results", Value::array({typed, unknown, good, unfenced})}});
  for (int time = 0; time < 3; ++time) {
    Answer answer = post("/worker/results", body);
    ASSERT_EQ(answer.status, 200) << answer.text;
    const Value answers = answer.body.get("results");
    for (size_t i : {0, 1, 3})
      EXPECT_EQ(answers.items()[i].get("answer"), Value("invalid")) << answer.text;
    EXPECT_EQ(answers.items()[2].get("answer"), Value(time == 0 ? "accepted" : "duplicate"));
  }
  EXPECT_EQ(get("/jobs/j2").body.get("output"), Value(1));
  for (const char* id : {"j0", "j1"}) {
    Value job = get("/jobs/" + std::string(id)).body;
    EXPECT_EQ(job.get("state"), Value("FAILED")) << to_json(job);
    EXPECT_EQ(job.get("error").get("code"), Value("invalid_result"));
  }
  EXPECT_EQ(get("/jobs/j3").body.get("state"), Value("DISPATCHED"))
      << "without a fence it is nobody's";

  // A body that is refused unread ends its connection.
  auto raw = [&](const std::string& text) {
    return TestClient(world.server().port()).ask("POST", "/api/v1/worker/results", text).status;
  };
  std::string whole = to_json(body);
  EXPECT_EQ(raw(whole.substr(0, whole.size() / 2)), 400);
  EXPECT_EQ(raw(std::string(10'000, '[') + std::string(10'000, ']')), 400);
  EXPECT_EQ(raw("{\"results\":\"" + std::string(5 << 20, 'x') + "\"}"), 413);
  EXPECT_EQ(get("/jobs/j3").body.get("state"), Value("DISPATCHED"));
  EXPECT_EQ(report(registration, result_of(jobs[3], "succeeded", Value::object())), "accepted");
}

TEST_F(Jobs, declined_job_goes_back_without_a_try) {
  std::string id = text(post("/jobs", Value::object({{"topic", "x"}})).body.get("id"));
  std::string registration = enroll();
  Value job = claim(registration, 1).get("jobs").items()[0];
  Answer declined = post(
      "/worker/jobs/" + id + "/decline",
      Value::object(
          {{"registration_id", registration}, {"fence", job.get("fence")}, {"reason", "too hot"}}));
  EXPECT_EQ(declined.body.get("answer"), Value("accepted")) << declined.text;
  Answer shown = get("/jobs/" + id);
  EXPECT_EQ(shown.body.get("tries"), Value(0)) << shown.text;
}

TEST_F(Jobs, renewal_says_whether_the_lease_holds) {
  std::string id = text(post("/jobs", Value::object({{"topic", "x"}})).body.get("id"));
  std::string registration = enroll();
  Value job = claim(registration, 1).get("jobs").items()[0];
  Value body = Value::object({{"registration_id", registration}, {"fence", job.get("fence")}});
  EXPECT_EQ(post("/worker/jobs/" + id + "/renew", body).body.get("answer"), Value("ok"));
  body.set("fence", 99);
  EXPECT_EQ(post("/worker/jobs/" + id + "/renew", body).body.get("answer"), Value("lost"));
  EXPECT_EQ(get("/jobs/" + id).body.get("state"), Value("RUNNING"));
}

// JT-8
TEST_F(Jobs, worker_that_registers_again_fences_its_former_life) {
  std::string first = enroll("w");
  std::string second = enroll("w");
  Answer old = post("/worker/heartbeat", Value::object({{"registration_id", first}}));
  EXPECT_EQ(old.code(), "registration_replaced") << old.text;
  EXPECT_EQ(post("/worker/heartbeat", Value::object({{"registration_id", "nobody"}})).code(),
            "registration_not_found");
  EXPECT_EQ(world.ask("DELETE", "/api/v1/worker/registrations/" + second).status, 204);
  EXPECT_EQ(get("/workers").body.get("items").size(), 0u);
}

TEST_F(Jobs, drained_worker_gets_nothing_until_it_is_undrained) {
  std::string registration = enroll("w");
  EXPECT_EQ(post("/workers/w/drain", Value::object({})).status, 200);
  post("/jobs", Value::object({{"topic", "x"}}));
  Value claimed = claim(registration, 1);
  EXPECT_EQ(claimed.get("jobs").size(), 0u);
  EXPECT_EQ(claimed.get("drain"), Value(true));
  EXPECT_EQ(post("/workers/w/undrain", Value::object({})).status, 200);
  EXPECT_EQ(claim(registration, 2).get("jobs").size(), 1u);
  EXPECT_EQ(get("/workers/w").body.get("worker_id"), Value("w"));
  EXPECT_EQ(get("/workers/else").status, 404);
}

TEST_F(Jobs, jobs_of_a_worker_are_listed_by_its_name) {
  std::string registration = enroll("w");
  enroll("idle");
  std::string eu =
      text(post("/jobs", Value::object({{"topic", "x"}, {"labels", Value::object({{"at", "eu"}})}}))
               .body.get("id"));
  EXPECT_EQ(claim(registration, 1).get("jobs").size(), 1u);
  std::string us =
      text(post("/jobs", Value::object({{"topic", "y"}, {"labels", Value::object({{"at", "us"}})}}))
               .body.get("id"));
  EXPECT_EQ(claim(registration, 2).get("jobs").size(), 1u);
  auto ids = [&](const std::string& path) {
    std::vector<std::string> found;
    Answer answer = get(path);
    EXPECT_EQ(answer.status, 200) << answer.text;
    for (const Value& item : answer.body.get("items").items())
      found.push_back(text(item.get("id")));
    return found;
  };
  using Ids = std::vector<std::string>;
  EXPECT_EQ(ids("/workers/w/jobs"), (Ids{us, eu}));
  EXPECT_EQ(ids("/workers/w/jobs?topic=x"), Ids{eu});
  EXPECT_EQ(get("/workers/w/jobs?worker_id=idle").status, 422) << "the path says whose";
  EXPECT_EQ(ids("/workers/idle/jobs"), Ids{});
  EXPECT_EQ(get("/workers/else/jobs").status, 404);
  EXPECT_EQ(ids("/workers/w/jobs?label=at:us"), Ids{us});
}

// JT-45 and the role `worker`
TEST_F(Jobs, keys_of_another_account_see_nothing) {
  std::string id = text(post("/jobs", Value::object({{"topic", "x"}})).body.get("id"));
  std::string registration = enroll();
  std::string other = "Authorization: Bearer " + world.add_key(Role::operator_, "other") + "\r\n";
  std::string hands = "Authorization: Bearer " + world.add_key(Role::worker, "other") + "\r\n";
  auto ask = [&](const char* method, const std::string& target, const std::string& headers,
                 const std::string& body = "") {
    return world.ask(method, "/api/v1" + target, body, headers);
  };
  EXPECT_EQ(ask("GET", "/jobs/" + id, other).status, 404);
  EXPECT_EQ(ask("GET", "/jobs", other).body.get("items").size(), 0u);
  EXPECT_EQ(ask("POST", "/jobs/" + id + "/cancel", other, "{}").status, 404);
  EXPECT_EQ(ask("GET", "/workers", other).body.get("items").size(), 0u);
  EXPECT_EQ(ask("GET", "/jobs", hands).status, 403) << "a worker's key does a worker's work";
  EXPECT_EQ(ask("POST", "/worker/claim", other, "{}").status, 403);
  std::string claim_body =
      to_json(Value::object({{"registration_id", registration}, {"seq", 1}, {"slots", 1}}));
  EXPECT_EQ(ask("POST", "/worker/claim", hands, claim_body).code(), "registration_not_found");
  Value named = Value::object({{"registration_id", registration}});
  Value leased = Value::object({{"registration_id", registration}, {"fence", 1}});
  Value declined = leased;
  declined.set("reason", "busy");
  Value results = Value::object(
      {{"registration_id", registration},
       {"results",
        Value::array({Value::object(
            {{"job_id", id}, {"attempt", 1}, {"fence", 1}, {"status", "succeeded"}})})}});
  for (const auto& [route, body] : {std::pair{std::string("/worker/heartbeat"), named},
                                    {"/worker/jobs/" + id + "/renew", leased},
                                    {"/worker/jobs/" + id + "/decline", declined},
                                    {"/worker/results", results}})
    EXPECT_EQ(ask("POST", route, hands, to_json(body)).code(), "registration_not_found") << route;
  EXPECT_EQ(ask("DELETE", "/worker/registrations/" + registration, hands).code(),
            "registration_not_found");
  Answer theirs = ask("POST", "/worker/register", hands, R"({"worker_id":"w","topics":["*"]})");
  ASSERT_EQ(theirs.status, 200) << theirs.text;
  Value claim_theirs = Value::object(
      {{"registration_id", theirs.body.get("registration_id")}, {"seq", 1}, {"slots", 1}});
  EXPECT_EQ(ask("POST", "/worker/claim", hands, to_json(claim_theirs)).body.get("jobs").size(), 0u);
}

TEST_F(Jobs, job_node_of_a_run_is_done_by_a_worker) {
  const char* workflow =
      R"({"nodes":[{"id":"t","name":"T","type":"manual","trigger":true},
          {"id":"j","name":"J","type":"job",
           "parameters":{"topic":"double","input":{"n":"{{ $input.n }}"}}}],
         "edges":[{"id":"1","src":"t","dst":"j"}],"result":"{{ $J.output }}"})";
  ASSERT_EQ(world.ask("PUT", "/api/v1/workflows/doubling", workflow).status, 201);
  std::string run = world.start("doubling", R"({"input":{"n":21}})");
  std::string registration = enroll();
  Value jobs = claim(registration, 1, 10'000).get("jobs");
  ASSERT_EQ(jobs.size(), 1u);
  EXPECT_EQ(jobs.items()[0].get("run_id"), Value(run));
  EXPECT_EQ(jobs.items()[0].get("input").get("n"), Value(21));
  EXPECT_EQ(report(registration,
                   result_of(jobs.items()[0], "succeeded", Value::object({{"output", Value(42)}}))),
            "accepted");
  ASSERT_TRUE(world.wait_for(run, "completed"));
  EXPECT_EQ(get("/executions/" + run).body.get("output"), Value(42));
  EXPECT_EQ(get("/jobs?run_id=" + run).body.get("items").size(), 1u);
}

// G-26
TEST_F(Jobs, node_of_a_served_type_is_done_by_a_worker) {
  const char* workflow =
      R"({"nodes":[{"id":"t","name":"T","type":"manual","trigger":true},
          {"id":"a","name":"A","type":"agent","parameters":{"prompt":"say $input.word"}}],
         "edges":[{"id":"1","src":"t","dst":"a"}],"result":"{{ $A.output }}"})";
  auto put = world.ask("PUT", "/api/v1/workflows/asking", workflow);
  ASSERT_EQ(put.status, 201);
  ASSERT_EQ(put.body.get("warnings").size(), 1u);
  EXPECT_EQ(put.body.get("warnings").items()[0].get("code"), Value("served_by_worker"));
  std::string run = world.start("asking", R"({"input":{"word":"hi"}})");
  std::string registration = enroll();
  Value jobs = claim(registration, 1, 10'000).get("jobs");
  ASSERT_EQ(jobs.size(), 1u);
  EXPECT_EQ(jobs.items()[0].get("topic"), Value("job.agent"));
  EXPECT_EQ(jobs.items()[0].get("input").get("prompt"), Value("say hi"));
  EXPECT_EQ(report(registration,
                   result_of(jobs.items()[0], "succeeded", Value::object({{"output", "hi"}}))),
            "accepted");
  ASSERT_TRUE(world.wait_for(run, "completed"));
  EXPECT_EQ(get("/executions/" + run).body.get("output"), Value("hi"));
}

}  // namespace
}  // namespace fermata::server
