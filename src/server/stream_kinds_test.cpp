#include <gtest/gtest.h>

#include "server/jobs_fixture.h"

/// What the stream of an account tells of beside executions (U-55, U-56).
namespace fermata::server {
namespace {

class StreamKinds : public Jobs {
 protected:
  std::unique_ptr<TestClient> listen(const std::string& query) {
    auto reader = std::make_unique<TestClient>(world.server().port());
    reader->send("GET /api/v1/stream?" + query + " HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n");
    std::string head = reader->read_until("event: version");
    EXPECT_NE(head.find("200"), std::string::npos) << head;
    reader->read_until("\n\n");
    return reader;
  }
};

TEST_F(StreamKinds, begin_with_the_version_and_tell_counts) {
  auto reader = listen("kinds=counts");
  std::string counts = reader->read_until("\"dead_letters\"");
  EXPECT_NE(counts.find("event: counts"), std::string::npos) << counts;
  reader->read_until("\n\n");
  world.put_workflows();
  world.start("waiting");
  std::string next = reader->read_until("\"waiting\":1");
  EXPECT_NE(next.find("event: counts"), std::string::npos) << next;
}

TEST_F(StreamKinds, tell_waits_jobs_workers_and_dead_letters) {
  world.put_workflows();
  auto reader = listen("kinds=waits,jobs,workers,dlq");
  std::string run = world.start("waiting");
  std::string wait = reader->read_until(run);
  EXPECT_NE(wait.find("event: wait"), std::string::npos) << wait;
  enroll("crane");
  std::string worker = reader->read_until("\"id\":\"crane\"");
  EXPECT_NE(worker.find("event: worker"), std::string::npos) << worker;
  Answer job = post("/jobs", Value::object({{"topic", "mail"}}));
  std::string told = reader->read_until(text(job.body.get("id")));
  EXPECT_NE(told.find("event: job"), std::string::npos) << told;
}

TEST_F(StreamKinds, tell_schedules_bulk_operations_and_simulations) {
  world.put_workflows();
  std::string run = world.start("waiting");
  auto reader = listen("kinds=schedules,bulk,simulations");
  Answer made =
      post("/schedules",
           Value::object({{"id", "hourly"}, {"workflow_id", "instant"}, {"cron", "0 * * * *"}}));
  ASSERT_EQ(made.status, 201) << made.text;
  std::string schedule = reader->read_until("\"id\":\"hourly\"");
  EXPECT_NE(schedule.find("event: schedule"), std::string::npos) << schedule;
  Answer begun =
      post("/executions/bulk", Value::object({{"action", "cancel"}, {"ids", Value::array({run})}}));
  ASSERT_EQ(begun.status, 202) << begun.text;
  std::string bulk = reader->read_until(text(begun.body.get("bulk_id")));
  EXPECT_NE(bulk.find("event: bulk"), std::string::npos) << bulk;
  Answer trial = post("/simulations", Value::object({{"workflow_id", "instant"}, {"seeds", 3}}));
  ASSERT_EQ(trial.status, 202) << trial.text;
  std::string ended = reader->read_until("\"state\":\"done\",\"seeds\":3");
  EXPECT_NE(ended.find("event: simulation"), std::string::npos) << ended;
}

TEST_F(StreamKinds, of_one_execution_tell_of_no_other) {
  world.put_workflows();
  std::string mine = world.start("waiting");
  auto reader = listen("kinds=runs,waits&execution=" + mine);
  std::string other = world.start("waiting");
  world.ask("POST", "/api/v1/executions/" + mine + "/signals/go");
  std::string told = reader->read_until("\"completed\"");
  EXPECT_EQ(told.find(other), std::string::npos) << told;
}

TEST_F(StreamKinds, that_are_not_known_are_refused) {
  Answer answer = get("/stream?kinds=runs,tea");
  EXPECT_EQ(answer.status, 422);
  EXPECT_NE(answer.text.find("simulations"), std::string::npos) << answer.text;
}

// U-48
TEST_F(StreamKinds, what_people_do_with_workers_is_in_the_audit) {
  enroll("crane");
  ASSERT_EQ(post("/workers/crane/drain", Value::object({})).status, 200);
  ASSERT_EQ(post("/workers/crane/undrain", Value::object({})).status, 200);
  ASSERT_EQ(post("/workers/crane/revoke", Value::object({})).status, 200);
  world.advance(Duration{2'000});
  Value lines = get("/audit?subject=crane").body.get("items");
  ASSERT_EQ(lines.size(), 3u) << to_json(lines);
  EXPECT_EQ(lines.items()[0].get("action"), Value("worker.revoke"));
  EXPECT_EQ(lines.items()[2].get("action"), Value("worker.drain"));
}

}  // namespace
}  // namespace fermata::server
