#include "test/partition/jobs_fixture.h"

namespace fermata {
namespace {

// J-67, JT-33: after a restart the worker goes on under its registration.
TEST_F(JobsTest, registrations_survive_a_restart) {
  enroll("w");
  settle();
  ASSERT_EQ(store.memory.registrations()->size(), 1u);
  restart();
  ASSERT_TRUE(host().recover());
  submit("j1");
  claim("w", 1);
  settle();
  EXPECT_EQ(delivered.size(), 1u);
  with([](Workers& workers) { EXPECT_TRUE(workers.dismiss(RegistrationId("reg-w"))); });
  settle();
  EXPECT_EQ(store.memory.registrations()->size(), 0u);
}

TEST_F(JobsTest, roll_that_was_not_written_is_written_later) {
  store.fails_once_with = CommitOutcome::unavailable;
  enroll("w");
  settle();
  EXPECT_EQ(store.memory.registrations()->size(), 0u);
  clock.set(clock.now() + Duration{5'000});
  settle();
  EXPECT_EQ(store.memory.registrations()->size(), 1u);
}

// J-15, J-82
TEST_F(JobsTest, job_that_fails_leaves_one_dead_letter_in_its_last_commit) {
  enroll("w");
  claim("w", 1);
  submit("j1");
  settle();
  ASSERT_EQ(delivered.size(), 1u);
  report("w", delivered[0], job::AttemptOutcome::failed);
  settle();
  auto page = store.memory.dead_letters({}, 10, "");
  ASSERT_EQ(page->items.size(), 1u);
  EXPECT_EQ(page->items[0].letter.job, JobId("j1"));
  EXPECT_EQ(page->items[0].letter.reason_code, "retries_exhausted");
}

TEST_F(JobsTest, failure_that_fails_its_run_stays_open) {
  enroll("w");
  claim("w", 1);
  start("r1");
  settle();
  ASSERT_EQ(delivered.size(), 1u);
  report("w", delivered[0], job::AttemptOutcome::failed);
  settle();
  EXPECT_EQ(stored("r1").summary.status, RunStatus::failed);
  EXPECT_EQ(store.memory.dead_letters({}, 10, "")->items.size(), 1u);
}

// J-82
TEST_F(JobsTest, failure_that_its_run_handles_is_resolved_in_the_same_commit) {
  auto checked = graph::check_definition(*parse_json(
      R"({"nodes":[{"id":"t","type":"manual","trigger":true},
                   {"id":"j","type":"job","error":{"type":"ignore"},"parameters":{"topic":"pay"}},
                   {"id":"n","type":"noop"}],
          "edges":[{"id":"1","src":"t","dst":"j"},{"id":"2","src":"j","dst":"n"}]})"));
  ASSERT_TRUE(checked.definition) << checked.errors[0].message;
  definitions.only = checked.definition;
  enroll("w");
  claim("w", 1);
  start("r1");
  settle();
  ASSERT_EQ(delivered.size(), 1u);
  report("w", delivered[0], job::AttemptOutcome::failed);
  settle();
  EXPECT_EQ(stored("r1").summary.status, RunStatus::completed);
  EXPECT_EQ(store.memory.dead_letters({}, 10, "")->items.size(), 0u);
  auto all = store.memory.dead_letters({.open = std::nullopt}, 10, "");
  ASSERT_EQ(all->items.size(), 1u);
  EXPECT_EQ(all->items[0].resolution, Resolution::run_handled);
  EXPECT_EQ(all->items[0].resolved_by, "execution r1");
}

// J-2
TEST_F(JobsTest, large_input_lies_in_a_blob_and_large_output_reaches_the_run) {
  settings.jobs.request.inline_bytes_max = 64;
  job::SubmitJob body;
  body.account = AccountId("acme");
  body.request.topic = "job.pay";
  body.request.input = job::Payload::of(Value(std::string(1'000, 'x')));
  order("j1", std::move(body));
  enroll("w");
  claim("w", 1);
  settle();
  ASSERT_EQ(delivered.size(), 1u);
  std::string sha256(delivered[0].get("input_blob").get("sha256").as_string());
  EXPECT_EQ(*store.memory.blob(AccountId("acme"), sha256), "\"" + std::string(1'000, 'x') + "\"");
  report("w", delivered[0]);
  claim("w", 2);
  start("r1");
  settle();
  ASSERT_EQ(delivered[0].get("run_id"), Value("r1"));
  report("w", delivered[0], job::AttemptOutcome::succeeded, Value(std::string(500, 'y')));
  settle();
  EXPECT_EQ(stored("r1").summary.status, RunStatus::completed);
}

/// Has the host forget that a job waits, as a defect would.
class ForgetfulTest : public JobsTest {
 protected:
  void forget(const std::string& id) {
    with(
        [id](Workers& workers) { const_cast<fleet::Fleet&>(workers.fleet()).withdraw(JobId(id)); });
    settle();
  }
};

// J-81
TEST_F(ForgetfulTest, orphan_is_found_by_the_second_sweep_and_goes_on) {
  submit("j1");
  settle();
  forget("j1");
  enroll("w");
  claim("w", 1, 60'000);
  settle();
  EXPECT_TRUE(delivered.empty());
  for (int sweep = 0; sweep < 2; ++sweep) {
    EXPECT_TRUE(delivered.empty());
    clock.set(clock.now() + Duration{settings.sweep_interval_ms});
    with([](Workers& workers) { EXPECT_TRUE(workers.heartbeat(RegistrationId("reg-w"), {})); });
    settle();
  }
  EXPECT_EQ(delivered.size(), 1u);
  EXPECT_EQ(told.replayed, std::vector<std::string>{"j1"});
}

TEST_F(JobsTest, sweep_finds_nothing_where_nothing_is_lost) {
  enroll("w");
  claim("w", 1, 60'000);
  submit("j1");
  for (int i = 2; i < 6; ++i) submit("j" + std::to_string(i));
  settle();
  for (int sweep = 0; sweep < 4; ++sweep) {
    clock.set(clock.now() + Duration{settings.sweep_interval_ms});
    settle();
  }
  EXPECT_EQ(told.replayed, std::vector<std::string>{});
}

}  // namespace
}  // namespace fermata
