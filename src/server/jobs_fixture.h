#pragma once
#include <gtest/gtest.h>
#include <unistd.h>

#include <string>

#include "base/json.h"
#include "server/test_world.h"

namespace fermata::server {

/// A server with what tests of jobs say to it.
class Jobs : public testing::Test {
 protected:
  using Answer = TestWorld::Answer;
  Answer post(const std::string& target, const Value& body, const std::string& headers = "") {
    return world.ask("POST", "/api/v1" + target, to_json(body), headers);
  }
  Answer get(const std::string& target) { return world.ask("GET", "/api/v1" + target); }

  std::string enroll(const std::string& name = "w", const Value& topics = Value::array({"*"})) {
    Answer answer =
        post("/worker/register",
             Value::object({{"worker_id", name}, {"topics", topics}, {"max_parallel", 8}}));
    EXPECT_EQ(answer.status, 200) << answer.text;
    EXPECT_EQ(answer.body.get("lease_ms"), Value(30'000));
    EXPECT_EQ(answer.body.get("heartbeat_ms"), Value(10'000));
    return text(answer.body.get("registration_id"));
  }
  Value claim(const std::string& registration, int seq, int wait_ms = 0) {
    Answer answer = post(
        "/worker/claim",
        Value::object(
            {{"registration_id", registration}, {"seq", seq}, {"slots", 4}, {"wait_ms", wait_ms}}));
    EXPECT_EQ(answer.status, 200) << answer.text;
    return answer.body;
  }
  static Value result_of(const Value& job, const std::string& status, Value more) {
    more.set("job_id", job.get("job_id"));
    more.set("attempt", job.get("attempt"));
    more.set("fence", job.get("fence"));
    more.set("status", status);
    return more;
  }
  std::string report(const std::string& registration, Value result) {
    Answer answer =
        post("/worker/results", Value::object({{"registration_id", registration},
                                               {"results", Value::array({std::move(result)})}}));
    EXPECT_EQ(answer.status, 200) << answer.text;
    return text(answer.body.get("results").items()[0].get("answer"));
  }
  static std::string text(const Value& value) {
    return value.is_string() ? std::string(value.as_string()) : "";
  }

  /// A bulk operation once it is over.
  Value ended(const Answer& begun) {
    EXPECT_EQ(begun.status, 202) << begun.text;
    std::string path = "/bulk/" + text(begun.body.get("bulk_id"));
    Value shown = get(path).body;
    for (int tries = 0; tries < 400 && shown.get("state") == Value("running"); ++tries) {
      usleep(5'000);
      shown = get(path).body;
    }
    return shown;
  }

  /// One job, submitted and claimed; how the worker sees it.
  Value claimed_job(const std::string& registration, int seq = 1) {
    Answer submitted = post("/jobs", Value::object({{"topic", "x"}}));
    EXPECT_EQ(submitted.status, 201) << submitted.text;
    Value claimed = claim(registration, seq);
    EXPECT_EQ(claimed.get("jobs").size(), 1u);
    return claimed.get("jobs").size() == 1 ? claimed.get("jobs").items()[0] : Value();
  }

  TestWorld world;
};

}  // namespace fermata::server
