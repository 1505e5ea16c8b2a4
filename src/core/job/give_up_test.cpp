#include "core/job/job_fixture.h"
#include "core/job/retry.h"

namespace fermata::job {
namespace {

constexpr int64_t fifty_attempts_ms = 1'351'000;
constexpr int64_t jitters_ms = 2'500;

int64_t wait_of(const JobFixture& at) { return (*at.job.give_up_at - at.given.now).ms; }

// J-53, JT-28
TEST(GivingUp, a_job_that_nobody_can_take_fails_after_fifty_attempts_by_one_timer) {
  JobFixture at;
  at.submit();
  EXPECT_GE(wait_of(at), fifty_attempts_ms);
  EXPECT_LE(wait_of(at), fifty_attempts_ms + jitters_ms);
  EXPECT_EQ(next_due(at.job, at.given.engine_started_at), at.job.give_up_at);
  at.wake();
  EXPECT_EQ(at.job.state, State::failed);
  EXPECT_EQ(at.job.reason_code, "no_workers");
  EXPECT_EQ(at.job.error.get("code").as_string(), "max_scheduling_retries");
  auto letters = at.records<DeadLetter>();
  ASSERT_EQ(letters.size(), 1u);
  EXPECT_EQ(letters[0].reason_code, "no_workers");
  EXPECT_EQ(at.effects<WithdrawJob>(), 1u);
}

TEST(GivingUp, jobs_of_runs_wait_for_ever_and_a_request_may_say_how_often) {
  JobFixture of_run;
  Request request = JobFixture::request();
  request.step.run = RunId("run-1");
  of_run.must(SubmitJob{AccountId("acme"), request, Source::run, "key"});
  EXPECT_FALSE(of_run.job.give_up_at);
  EXPECT_FALSE(next_due(of_run.job, of_run.given.engine_started_at));
  JobFixture patient;
  request = JobFixture::request();
  request.scheduling_attempts_max = 0;
  patient.submit(request);
  EXPECT_FALSE(patient.job.give_up_at);
  JobFixture hasty;
  request.scheduling_attempts_max = 2;
  hasty.submit(request);
  EXPECT_GE(wait_of(hasty), 1'000);
  EXPECT_LT(wait_of(hasty), 1'500);
}

TEST(GivingUp, waiting_for_a_slot_has_no_limit) {
  JobFixture at;
  at.submit();
  at.given.routing = Routing{.reason_code = "pool_overloaded", .fault = false};
  for (int i = 0; i < 3; ++i) {
    at.wake();
    ASSERT_EQ(at.job.state, State::scheduled);
    EXPECT_GE(wait_of(at), fifty_attempts_ms);
  }
  // The last worker went half way: what counts begins with that.
  at.pass(600'000);
  Instant gone = at.given.now;
  at.given.routing = Routing{.reason_code = "no_workers", .fault = true, .fault_since = gone};
  at.wake();
  ASSERT_EQ(at.job.state, State::scheduled);
  EXPECT_GE((*at.job.give_up_at - gone).ms, fifty_attempts_ms);
  EXPECT_LE((*at.job.give_up_at - gone).ms, fifty_attempts_ms + jitters_ms);
  at.wake();
  EXPECT_EQ(at.job.state, State::failed);
}

TEST(GivingUp, a_delivered_dispatch_begins_the_count_anew) {
  JobFixture at;
  at.submit();
  at.pass(1'000'000);
  at.place();
  at.must(LoseLease{at.job.last_fence});
  ASSERT_EQ(at.job.state, State::scheduled);
  EXPECT_GE(wait_of(at), fifty_attempts_ms);
  JobFixture undelivered;
  undelivered.submit();
  Instant before = *undelivered.job.give_up_at;
  undelivered.pass(1'000'000);
  undelivered.place();
  undelivered.must(MarkUndelivered{undelivered.job.last_fence});
  ASSERT_EQ(undelivered.job.state, State::scheduled);
  EXPECT_EQ(undelivered.job.give_up_at, before);
}

TEST(GivingUp, the_attempts_shown_follow_from_the_time_waited) {
  EXPECT_EQ(scheduling_attempts(0), 1u);
  EXPECT_EQ(scheduling_attempts(999), 1u);
  EXPECT_EQ(scheduling_attempts(1'000), 2u);
  EXPECT_EQ(scheduling_attempts(31'000), 6u);
  EXPECT_EQ(scheduling_attempts(fifty_attempts_ms - 1), 49u);
  EXPECT_EQ(scheduling_attempts(fifty_attempts_ms), 50u);
}

}  // namespace
}  // namespace fermata::job
