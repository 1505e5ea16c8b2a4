#include "server/jobs_fixture.h"

namespace fermata::server {
namespace {

constexpr std::string_view booking = R"({
  "nodes": [
    {"id": "start", "type": "manual", "trigger": true},
    {"id": "hotel", "name": "Hotel", "type": "job", "parameters": {"topic": "hotel.book",
      "compensation": {"topic": "hotel.cancel",
                       "input": {"booking": "$Hotel.output.id", "guest": "$input.guest"}}}},
    {"id": "flight", "name": "Flight", "type": "job", "parameters": {"topic": "flight.book",
      "compensation": {"topic": "flight.cancel"}}},
    {"id": "pay", "name": "Pay", "type": "job", "parameters": {"topic": "pay"}}],
  "edges": [{"id": "e1", "src": "start", "dst": "hotel"},
            {"id": "e2", "src": "hotel", "dst": "flight"},
            {"id": "e3", "src": "flight", "dst": "pay"}]})";

/// A booking of three steps, and one worker for all of them.
class Sagas : public Jobs {
 protected:
  void SetUp() override {
    auto made = world.ask("PUT", "/api/v1/workflows/trip", booking);
    ASSERT_EQ(made.status, 201) << made.text;
    worker_ = enroll();
  }
  std::string begin() { return world.start("trip", R"({"input":{"guest":"ann"}})"); }
  Value next_job() {
    Value claimed = claim(worker_, ++seq_, 10'000);
    EXPECT_EQ(claimed.get("jobs").size(), 1u);
    return claimed.get("jobs").size() == 1 ? claimed.get("jobs").items()[0] : Value();
  }
  void say(const Value& job, const std::string& status, Value more = Value::object()) {
    EXPECT_EQ(report(worker_, result_of(job, status, std::move(more))), "accepted");
  }
  Value done(const std::string& topic, int64_t id) {
    Value job = next_job();
    EXPECT_EQ(job.get("topic"), Value(topic));
    say(job, "succeeded", Value::object({{"output", Value::object({{"id", id}})}}));
    return job;
  }
  void break_down() {
    say(next_job(), "failed_fatal",
        Value::object({{"error", Value::object({{"code", "broke"}, {"message", "no money"}})}}));
  }
  Value saga_of(const std::string& run) { return get("/executions/" + run + "/saga").body; }

  std::string worker_;
  int seq_ = 0;
};

// J-70, J-71, J-72, J-73, J-77, JT-35
TEST_F(Sagas, fatal_failure_undoes_what_was_done_last_first) {
  std::string run = begin();
  done("job.hotel.book", 7);
  done("job.flight.book", 8);
  Value open = saga_of(run);
  EXPECT_EQ(open.get("status"), Value("open"));
  ASSERT_EQ(open.get("entries").size(), 2u);
  EXPECT_EQ(open.get("entries").items()[0].get("step_id"), Value("flight"));
  break_down();
  Value flight = next_job();
  EXPECT_EQ(flight.get("topic"), Value("job.flight.cancel"));
  EXPECT_EQ(flight.get("is_compensation"), Value(true));
  EXPECT_EQ(flight.get("priority"), Value("critical"));
  EXPECT_EQ(flight.get("labels").get("saga_run_id"), Value(run));
  EXPECT_EQ(flight.get("env").get("saga_compensation"), Value("true"));
  EXPECT_EQ(flight.get("input").get("output").get("id"), Value(8));
  Value undoing = get("/executions/" + run).body;
  EXPECT_EQ(undoing.get("status"), Value("running"));
  EXPECT_EQ(undoing.get("waiting").items()[0].get("kind"), Value("undo"));
  EXPECT_EQ(get("/sagas?status=rolling_back").body.get("items").size(), 1u);
  EXPECT_EQ(post("/executions/" + run + "/pause", Value::object()).code(), "run_rolling_back");
  say(flight, "succeeded");
  Value hotel = next_job();
  EXPECT_EQ(hotel.get("topic"), Value("job.hotel.cancel"));
  EXPECT_EQ(hotel.get("input"), Value::object({{"booking", 7}, {"guest", "ann"}}));
  say(hotel, "succeeded");
  ASSERT_TRUE(world.wait_for(run, "failed"));
  Value ended = get("/executions/" + run).body;
  EXPECT_EQ(ended.get("exit_reason"), Value("rolled_back"));
  EXPECT_EQ(ended.get("error").get("message"), Value("no money"));
  Value saga = saga_of(run);
  EXPECT_EQ(saga.get("status"), Value("rolled_back"));
  EXPECT_EQ(saga.get("trigger"), Value("failed_fatal"));
  for (const Value& entry : saga.get("entries").items())
    EXPECT_EQ(entry.get("status"), Value("done"));
  EXPECT_EQ(post("/executions/" + run + "/retry", Value::object()).code(), "run_rolled_back");
  std::string metrics = world.ask("GET", "/metrics").text;
  for (const char* line :
       {"fermata_saga_recorded_total 2", "fermata_saga_rollback_triggered_total 1",
        "fermata_saga_compensation_dispatched_total 2", "fermata_saga_active 0",
        "fermata_saga_rollback_duration_count 1"})
    EXPECT_NE(metrics.find(line), std::string::npos) << line;
}

// J-75, JT-37
TEST_F(Sagas, compensation_that_fails_is_parked_until_somebody_decides) {
  std::string run = begin();
  done("job.hotel.book", 7);
  done("job.flight.book", 8);
  break_down();
  say(next_job(), "failed");
  Value parked = saga_of(run);
  EXPECT_EQ(parked.get("status"), Value("parked"));
  EXPECT_EQ(parked.get("entries").items()[0].get("reason_code"), Value("compensation_failed"));
  EXPECT_EQ(get("/executions/" + run).body.get("status"), Value("waiting"));
  EXPECT_EQ(get("/dlq?reason_code=compensation_failed").body.get("items").size(), 1u);
  EXPECT_NE(world.ask("GET", "/metrics").text.find("fermata_saga_parked 1"), std::string::npos);
  EXPECT_EQ(post("/executions/" + run + "/saga/1/retry", Value::object()).code(),
            "undo_not_parked");
  EXPECT_EQ(post("/executions/" + run + "/saga/9/retry", Value::object()).code(), "undo_not_found");
  Answer again = post("/executions/" + run + "/saga/2/retry", Value::object());
  EXPECT_EQ(again.status, 200) << again.text;
  EXPECT_EQ(get("/dlq?reason_code=compensation_failed").body.get("items").size(), 0u);
  say(next_job(), "failed");
  EXPECT_EQ(post("/executions/" + run + "/saga/2/skip", Value::object()).status, 422);
  Answer skipped =
      post("/executions/" + run + "/saga/2/skip", Value::object({{"reason", "by hand"}}));
  EXPECT_EQ(skipped.status, 200) << skipped.text;
  say(next_job(), "succeeded");
  ASSERT_TRUE(world.wait_for(run, "failed"));
  Value entries = saga_of(run).get("entries");
  EXPECT_EQ(entries.items()[0].get("status"), Value("skipped"));
  EXPECT_EQ(entries.items()[0].get("attempts"), Value(2));
  EXPECT_EQ(entries.items()[1].get("status"), Value("done"));
}

// J-73
TEST_F(Sagas, ended_execution_is_undone_by_one_of_its_own) {
  std::string run = begin();
  done("job.hotel.book", 7);
  done("job.flight.book", 8);
  done("job.pay", 9);
  ASSERT_TRUE(world.wait_for(run, "completed"));
  EXPECT_EQ(saga_of(run).get("status"), Value("closed"));
  Answer made = post("/executions/" + run + "/rollback", Value::object({{"reason", "changed"}}));
  ASSERT_EQ(made.status, 201) << made.text;
  std::string undo = text(made.body.get("id"));
  EXPECT_EQ(text(post("/executions/" + run + "/rollback", Value::object()).body.get("id")), undo);
  say(next_job(), "succeeded");
  say(next_job(), "succeeded");
  ASSERT_TRUE(world.wait_for(undo, "completed"));
  EXPECT_EQ(saga_of(undo).get("status"), Value("rolled_back"));
  EXPECT_EQ(saga_of(run).get("undone_by"), Value(undo));
}

// J-73, J-74, JT-38
TEST_F(Sagas, cancel_undoes_also_what_succeeds_too_late) {
  std::string run = begin();
  done("job.hotel.book", 7);
  Value flight = next_job();
  Answer cancelled = post("/executions/" + run + "/cancel", Value::object({{"rollback", true}}));
  EXPECT_EQ(cancelled.status, 200) << cancelled.text;
  EXPECT_EQ(saga_of(run).get("stopping").size(), 1u);
  EXPECT_EQ(report(worker_, result_of(flight, "succeeded",
                                      Value::object({{"output", Value::object({{"id", 8}})}}))),
            "terminal");
  Value undo = next_job();
  EXPECT_EQ(undo.get("topic"), Value("job.flight.cancel"));
  say(undo, "succeeded");
  say(next_job(), "succeeded");
  ASSERT_TRUE(world.wait_for(run, "cancelled"));
  Value saga = saga_of(run);
  EXPECT_EQ(saga.get("trigger"), Value("cancel"));
  EXPECT_EQ(saga.get("entries").items()[0].get("late"), Value(true));
}

// J-73
TEST_F(Sagas, worker_that_does_not_let_go_is_waited_for_until_its_lease_has_run_out) {
  std::string run = begin();
  done("job.hotel.book", 7);
  next_job();
  post("/executions/" + run + "/rollback", Value::object());
  EXPECT_EQ(saga_of(run).get("entries").items()[0].get("status"), Value("recorded"));
  world.advance(Duration{31'000});
  EXPECT_EQ(saga_of(run).get("entries").items()[0].get("status"), Value("submitted"));
}

// J-76
TEST_F(Sagas, jobs_outside_an_execution_share_one) {
  auto submit = [&](const std::string& topic) {
    Answer answer =
        post("/jobs", Value::object({{"topic", topic},
                                     {"saga_id", "order-1"},
                                     {"compensation", Value::object({{"topic", "undo"}})}}));
    EXPECT_EQ(answer.status, 201) << answer.text;
  };
  submit("a");
  EXPECT_EQ(saga_of("order-1").get("open_jobs").size(), 1u);
  EXPECT_EQ(post("/executions/order-1/saga/close", Value::object()).code(), "wrong_state");
  done("job.a", 1);
  submit("b");
  break_down();
  Value undo = next_job();
  EXPECT_EQ(undo.get("topic"), Value("job.undo"));
  say(undo, "succeeded");
  ASSERT_TRUE(world.wait_for("order-1", "failed"));
  Answer late = post("/jobs", Value::object({{"topic", "c"}, {"saga_id", "order-1"}}));
  EXPECT_EQ(get("/jobs/" + text(late.body.get("id"))).body.get("state"), Value("CANCELLED"));
}

// J-76
TEST_F(Sagas, saga_of_jobs_is_closed_or_ends_when_nobody_joins) {
  post("/jobs", Value::object({{"topic", "a"}, {"saga_id", "one"}}));
  done("job.a", 1);
  EXPECT_EQ(post("/executions/one/saga/close", Value::object()).status, 200);
  EXPECT_TRUE(world.wait_for("one", "completed"));
  post("/jobs", Value::object({{"topic", "a"}, {"saga_id", "two"}}));
  done("job.a", 1);
  world.advance(Duration{int64_t{8} * 86'400'000});
  EXPECT_TRUE(world.wait_for("two", "completed"));
}

}  // namespace
}  // namespace fermata::server
