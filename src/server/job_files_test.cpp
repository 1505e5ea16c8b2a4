#include <thread>

#include "base/hash.h"
#include "server/jobs_fixture.h"

namespace fermata::server {
namespace {

std::string get_line(const std::string& target, const std::string& headers = "") {
  return "GET " + target + " HTTP/1.1\r\nHost: 127.0.0.1\r\n" + headers + "\r\n";
}

class JobFiles : public Jobs {
 protected:
  std::string path_of(const Value& job) { return "/jobs/" + text(job.get("job_id")); }
  std::string worker_path(const Value& job) { return "/worker" + path_of(job); }
  Answer put(const std::string& target, const std::string& bytes, const std::string& headers = "") {
    return world.ask("PUT", "/api/v1" + target, bytes, headers);
  }
};

// J-1
TEST_F(JobFiles, submit_that_waits_is_answered_with_the_end) {
  std::string registration = enroll();
  std::thread worker([&] {
    TestClient hands(world.server().port());
    auto ask = [&](const std::string& target, const Value& body) {
      return *parse_json(hands.ask("POST", "/api/v1/worker" + target, to_json(body), "").body);
    };
    Value claimed = ask(
        "/claim",
        Value::object(
            {{"registration_id", registration}, {"seq", 1}, {"slots", 1}, {"wait_ms", 60'000}}));
    ASSERT_EQ(claimed.get("jobs").size(), 1u);
    Value result = result_of(claimed.get("jobs").items()[0], "succeeded",
                             Value::object({{"output", Value::object({{"n", 42}})}}));
    ask("/results", Value::object({{"registration_id", registration},
                                   {"results", Value::array({std::move(result)})}}));
  });
  Answer answer = post("/jobs?wait=30s", Value::object({{"topic", "x"}}));
  worker.join();
  ASSERT_EQ(answer.status, 201) << answer.text;
  EXPECT_EQ(answer.body.get("state"), Value("SUCCEEDED"));
  EXPECT_EQ(answer.body.get("output").get("n"), Value(42));
  EXPECT_TRUE(answer.headers.contains("location"));
}

TEST_F(JobFiles, submit_that_has_waited_long_enough_is_answered_with_a_receipt) {
  Answer answer = post("/jobs?wait=20ms", Value::object({{"topic", "x"}}));
  EXPECT_EQ(answer.status, 201) << answer.text;
  EXPECT_EQ(answer.body.get("state"), Value("SCHEDULED"));
  EXPECT_EQ(post("/jobs?wait=1h", Value::object({{"topic", "x"}})).status, 422);
  EXPECT_EQ(post("/jobs?wait=soon", Value::object({{"topic", "x"}})).status, 422);
}

TEST_F(JobFiles, submit_of_a_job_that_has_ended_waits_for_nothing) {
  std::string registration = enroll();
  Value named = Value::object({{"topic", "x"}, {"id", "mine"}});
  ASSERT_EQ(post("/jobs", named).status, 201);
  Value claimed = claim(registration, 1);
  report(registration, result_of(claimed.get("jobs").items()[0], "failed", Value::object({})));
  Answer answer = post("/jobs?wait=60s", named);
  EXPECT_EQ(answer.body.get("state"), Value("FAILED")) << answer.text;
}

// J-2: over 64 KiB both lie beside the record, and nobody notices.
TEST_F(JobFiles, large_input_and_output_pass_through_blobs) {
  std::string registration = enroll();
  std::string large(100'000, 'x');
  Answer submitted = post("/jobs", Value::object({{"topic", "x"}, {"input", Value(large)}}));
  ASSERT_EQ(submitted.status, 201) << submitted.text;
  Value claimed = claim(registration, 1);
  const Value& job = claimed.get("jobs").items()[0];
  EXPECT_EQ(job.find("input"), nullptr);
  std::string sha256 = text(job.get("input_blob").get("sha256"));
  Answer input = get("/worker/blobs/" + sha256);
  EXPECT_EQ(input.status, 200);
  EXPECT_EQ(input.headers.at("content-type"), "application/octet-stream");
  EXPECT_EQ(input.text, "\"" + large + "\"");

  Answer put_output = put("/worker/blobs", " { \"big\" : \"" + large + "\" } ");
  ASSERT_EQ(put_output.status, 201) << put_output.text;
  Value result = result_of(job, "succeeded", Value::object({{"output_blob", put_output.body}}));
  EXPECT_EQ(report(registration, result), "accepted");
  EXPECT_EQ(report(registration, result), "duplicate");
  std::string id = text(job.get("job_id"));
  EXPECT_EQ(get("/jobs/" + id + "/result").body.get("output").get("big"), Value(large));
  Answer shown = get("/jobs/" + id);
  EXPECT_EQ(shown.body.get("input_blob").get("sha256"), Value(sha256));
  std::string stored = text(shown.body.get("output_blob").get("sha256"));
  EXPECT_EQ(get("/jobs/" + id + "/blobs/" + stored).status, 200);
  EXPECT_EQ(get("/jobs/" + id + "/blobs/" + std::string(64, '0')).code(), "value_not_found");
}

// J-65
TEST_F(JobFiles, output_that_was_never_put_or_is_no_json_is_invalid) {
  std::string registration = enroll();
  Value job = claimed_job(registration);
  Value missing = Value::object({{"sha256", std::string(64, 'a')}, {"size", 3}});
  EXPECT_EQ(
      report(registration, result_of(job, "succeeded", Value::object({{"output_blob", missing}}))),
      "invalid");
  Value no_json = put("/worker/blobs", "{\"half\":").body;
  EXPECT_EQ(
      report(registration, result_of(job, "succeeded", Value::object({{"output_blob", no_json}}))),
      "invalid");
  Value artifacts =
      Value::array({Value::object({{"name", "a"}, {"sha256", std::string(64, 'b')}, {"size", 1}})});
  EXPECT_EQ(
      report(registration, result_of(job, "succeeded", Value::object({{"artifacts", artifacts}}))),
      "invalid");
  EXPECT_EQ(get(path_of(job) + "/attempts").body.get("items").items()[0].get("outcome"),
            Value("failed"))
      << "the third ends the attempt";
}

TEST(JobFilesOfSmallServers, output_blob_over_the_limit_fails_the_attempt) {
  TestWorld world([](ApiOptions& options) {
    options.job_limits.report.output_bytes_max = 1'000;
    options.job_limits.report.artifact_bytes_max = 5'000'000;
  });
  auto post = [&](const std::string& target, const std::string& body) {
    return world.ask("POST", "/api/v1" + target, body);
  };
  std::string registration(post("/worker/register", R"({"worker_id":"w","topics":["*"]})")
                               .body.get("registration_id")
                               .as_string());
  auto blob = world.ask("PUT", "/api/v1/worker/blobs", "\"" + std::string(2'000, 'x') + "\"");
  ASSERT_EQ(blob.status, 201) << blob.text;
  post("/jobs", R"({"topic":"x","id":"j"})");
  Value job =
      post("/worker/claim", to_json(Value::object({{"registration_id", registration}, {"seq", 1}})))
          .body.get("jobs")
          .items()[0];
  Value result = Value::object({{"job_id", "j"},
                                {"fence", job.get("fence")},
                                {"attempt", 1},
                                {"status", "succeeded"},
                                {"output_blob", blob.body}});
  post("/worker/results", to_json(Value::object({{"registration_id", registration},
                                                 {"results", Value::array({result})}})));
  EXPECT_EQ(world.ask("GET", "/api/v1/jobs/j").body.get("reason_code"), Value("result_too_large"));
  auto more_than_others = world.ask("PUT", "/api/v1/worker/blobs", std::string(4'500'000, 'x'));
  EXPECT_EQ(more_than_others.status, 201) << "an upload may be larger than a request";
  auto too_much = world.ask("PUT", "/api/v1/worker/blobs", std::string(5'000'001, 'x'));
  EXPECT_EQ(too_much.status, 413);
  EXPECT_NE(too_much.text.find("jobs_artifact_bytes_max"), std::string::npos) << too_much.text;
}

// J-2
TEST_F(JobFiles, artifact_is_put_by_its_worker_and_read_by_name) {
  std::string registration = enroll();
  Value job = claimed_job(registration);
  std::string bytes("zero \0 byte", 11);
  std::string fence = std::to_string(job.get("fence").as_integer());
  std::string target = worker_path(job) + "/artifacts/report%20one.pdf";
  Answer kept = put(target + "?fence=" + fence, bytes);
  ASSERT_EQ(kept.status, 201) << kept.text;
  EXPECT_EQ(kept.body.get("sha256"), Value(sha256_hex(bytes)));
  EXPECT_EQ(kept.body.get("size"), Value(bytes.size()));
  EXPECT_EQ(put(target + "?fence=99", bytes).code(), "wrong_state");
  EXPECT_EQ(put(target, bytes).status, 422);
  Value artifact = kept.body;
  artifact.set("name", "report one.pdf");
  EXPECT_EQ(
      report(registration,
             result_of(job, "succeeded", Value::object({{"artifacts", Value::array({artifact})}}))),
      "accepted");
  Answer read = get(path_of(job) + "/artifacts/report%20one.pdf");
  EXPECT_EQ(read.status, 200);
  EXPECT_EQ(read.text, bytes);
  EXPECT_EQ(read.headers.at("content-disposition"), "attachment");
  EXPECT_EQ(get(path_of(job) + "/artifacts/other").code(), "value_not_found");
  EXPECT_EQ(put(target + "?fence=" + fence, bytes).code(), "wrong_state") << "the attempt is over";
}

TEST_F(JobFiles, log_and_progress_of_an_attempt_are_shown) {
  std::string registration = enroll();
  Value job = claimed_job(registration);
  Value lease = Value::object({{"registration_id", registration}, {"fence", job.get("fence")}});
  Value progress = lease;
  progress.set("percent", 40);
  progress.set("message", "almost half");
  progress.set("partial", Value::object({{"pages", 4}}));
  EXPECT_EQ(post(worker_path(job) + "/progress", progress).body.get("answer"), Value("ok"));
  Value shown = get(path_of(job)).body.get("progress");
  EXPECT_EQ(shown.get("percent"), Value(40));
  EXPECT_EQ(shown.get("message"), Value("almost half"));
  EXPECT_EQ(shown.get("partial").get("pages"), Value(4));

  Value said = lease;
  said.set("lines", Value::array({"one", "two"}));
  Answer logged = post(worker_path(job) + "/logs", said);
  EXPECT_EQ(logged.body.get("answer"), Value("ok")) << logged.text;
  Value page = get(path_of(job) + "/logs").body;
  ASSERT_EQ(page.get("items").size(), 1u);
  EXPECT_EQ(page.get("items").items()[0].get("lines"), Value::array({"one", "two"}));
  EXPECT_EQ(page.get("items").items()[0].get("attempt"), Value(1));

  said.set("fence", 77);
  EXPECT_EQ(post(worker_path(job) + "/logs", said).body.get("answer"), Value("lost"));
  said.set("lines", "no list");
  EXPECT_EQ(post(worker_path(job) + "/logs", said).status, 422);
  post(path_of(job) + "/cancel", Value::object({}));
  said = lease;
  said.set("lines", Value::array({"too late"}));
  EXPECT_EQ(post(worker_path(job) + "/logs", said).body.get("answer"), Value("cancel"));
  EXPECT_EQ(get(path_of(job) + "/logs").body.get("items").size(), 1u);
}

// J-66
TEST_F(JobFiles, stream_brings_jobs_cancels_and_drains_as_they_come) {
  std::string registration = enroll();
  std::string target = "/api/v1/worker/stream?registration_id=" + registration;
  TestClient reader(world.server().port());
  reader.send(get_line(target));
  reader.read_until("retry: 1000");
  std::string id = text(post("/jobs", Value::object({{"topic", "x"}})).body.get("id"));
  std::string read = reader.read_until("\"topic\":\"job.x\"");
  EXPECT_NE(read.find("event: job\nid: 1\n"), std::string::npos) << read;
  ASSERT_EQ(post("/jobs/" + id + "/cancel", Value::object({})).status, 200);
  std::string cancel = reader.read_until("event: cancel");
  EXPECT_NE(cancel.find("event: cancel"), std::string::npos) << cancel;
  post("/workers/w/drain", Value::object({}));
  EXPECT_NE(reader.read_until("event: drain").find("event: drain"), std::string::npos);
}

// J-63
TEST_F(JobFiles, stream_that_broke_is_taken_up_where_it_was) {
  std::string registration = enroll();
  std::string target = "/api/v1/worker/stream?registration_id=" + registration;
  {
    TestClient reader(world.server().port());
    reader.send(get_line(target));
    reader.read_until("retry: 1000");
    post("/jobs", Value::object({{"topic", "x"}, {"id", "first"}}));
    EXPECT_NE(reader.read_until("first").find("first"), std::string::npos);
  }
  TestClient again(world.server().port());
  again.send(get_line(target, "Last-Event-ID: 0\r\n"));
  EXPECT_NE(again.read_until("\"first\"").find("\"first\""), std::string::npos)
      << "what came after the id it names";
  TestClient wrong(world.server().port());
  wrong.send(get_line(target, "Last-Event-ID: x\r\n"));
  EXPECT_EQ(wrong.receive().status, 400);
  wrong.send(get_line("/api/v1/worker/stream?registration_id=nobody"));
  EXPECT_EQ(wrong.receive().status, 404);
}

TEST_F(JobFiles, job_is_streamed_from_its_submit_to_its_end) {
  std::string registration = enroll();
  Value job = claimed_job(registration);
  std::string target = "/api/v1" + path_of(job) + "/stream";
  TestClient reader(world.server().port());
  reader.send(get_line(target));
  EXPECT_NE(reader.read_until("event: JobDispatched").find("event: JobSubmitted"),
            std::string::npos);
  report(registration, result_of(job, "succeeded", Value::object({})));
  EXPECT_NE(reader.read_until("0\r\n\r\n").find("event: JobSucceeded"), std::string::npos);
  reader.send(get_line(target, "Last-Event-ID: 99\r\n"));
  EXPECT_EQ(reader.receive().status, 204);
}

// J-5
TEST(JobQueueLimit, account_with_a_full_queue_gets_429) {
  TestWorld world([](ApiOptions& options) { options.job_limits.queued_max = 2; });
  auto submit = [&] { return world.ask("POST", "/api/v1/jobs", R"({"topic":"x"})"); };
  EXPECT_EQ(submit().status, 201);
  EXPECT_EQ(submit().status, 201);
  auto refused = submit();
  EXPECT_EQ(refused.status, 429);
  EXPECT_EQ(refused.code(), "queue_full");
  EXPECT_TRUE(refused.headers.contains("retry-after"));
}

// JT-45
TEST_F(JobFiles, bytes_and_logs_of_another_account_do_not_exist) {
  std::string registration = enroll();
  Value job = claimed_job(registration);
  Value blob = put("/worker/blobs", "secret").body;
  std::string viewer = "Authorization: Bearer " + world.add_key(Role::viewer, "other") + "\r\n";
  std::string hands = "Authorization: Bearer " + world.add_key(Role::worker, "other") + "\r\n";
  auto ask = [&](const std::string& target, const std::string& headers) {
    return world.ask("GET", "/api/v1" + target, "", headers);
  };
  EXPECT_EQ(ask("/worker/blobs/" + text(blob.get("sha256")), hands).code(), "value_not_found");
  for (const char* part : {"/logs", "/stream", "/artifacts/a", "/blobs/a", "/result"})
    EXPECT_EQ(ask(path_of(job) + part, viewer).code(), "job_not_found") << part;
  EXPECT_EQ(ask("/worker/stream?registration_id=" + registration, hands).code(),
            "registration_not_found");
  EXPECT_EQ(ask("/queues", viewer).body.size(), 0u);
  std::string fence = std::to_string(job.get("fence").as_integer());
  EXPECT_EQ(put(worker_path(job) + "/artifacts/a?fence=" + fence, "x", hands).code(),
            "wrong_state");
}

}  // namespace
}  // namespace fermata::server
