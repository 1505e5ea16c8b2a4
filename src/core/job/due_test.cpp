#include "core/job/job_fixture.h"

namespace fermata::job {
namespace {

// J-80
TEST(JobDue, one_due_time_at_a_time_the_earliest) {
  JobFixture at;
  Request request = JobFixture::request();
  request.budget = Budget{.deadline_ms = 1'000'000};
  request.queue_timeout_ms = 50'000;
  request.run_timeout_ms = 20'000;
  request.start_timeout_ms = 5'000;
  Instant start = at.given.now;
  at.submit(request);
  EXPECT_EQ(summarize(at.job, start).next_due, start + Duration{50'000});
  at.place();
  EXPECT_EQ(summarize(at.job, start).next_due, start + Duration{5'000});
  at.start();
  EXPECT_EQ(summarize(at.job, start).next_due, start + Duration{20'000});
  at.say(JobFixture::success());
  EXPECT_FALSE(summarize(at.job, start).next_due);
}

TEST(JobDue, nothing_is_done_before_it_is_due) {
  JobFixture at;
  at.submit();
  EXPECT_EQ(at.refused(WakeJob{}), ErrorCode::nothing_due);
  at.place();
  at.pass(29'999);
  EXPECT_EQ(at.refused(WakeJob{}), ErrorCode::nothing_due);
  at.pass(1);
  at.must(WakeJob{});
  EXPECT_EQ(at.refused(WakeJob{}), ErrorCode::nothing_due);
}

TEST(JobDue, a_limit_of_nought_is_none) {
  JobFixture at;
  Request request = JobFixture::request();
  request.run_timeout_ms = 0;
  request.start_timeout_ms = 0;
  at.submit(request);
  at.place();
  EXPECT_FALSE(next_due(at.job, at.given.engine_started_at));
}

TEST(JobDue, limits_come_from_the_request_then_topic_or_pool_then_the_setting) {
  JobFixture at;
  at.submit();
  PlaceJob place = JobFixture::place_at();
  place.run_timeout_ms = 7'000;
  at.must(place);
  EXPECT_EQ((*at.job.attempts.back().run_until - at.given.now).ms, 7'000);
  EXPECT_EQ((*at.job.attempts.back().start_until - at.given.now).ms, 30'000);
}

// J-22
TEST(JobDue, a_constraint_clips_the_run_timeout) {
  JobFixture at;
  Policy strict{"s1", [](const Job&, Instant) {
                  Verdict verdict;
                  verdict.constraints =
                      Value::object({{"budgets", Value::object({{"max_runtime_ms", 3'000}})}});
                  return std::optional(verdict);
                }};
  at.given.policy = &strict;
  Request request = JobFixture::request();
  request.run_timeout_ms = 0;
  at.submit(request);
  at.place();
  EXPECT_EQ((*at.job.attempts.back().run_until - at.given.now).ms, 3'000);
}

// JT-11
TEST(JobDue, the_deadline_ends_a_job_that_waits_for_its_retry) {
  JobFixture at;
  Request request = JobFixture::request();
  request.budget = Budget{.deadline_ms = 60'000};
  request.retry = RetryPolicy{.max_attempts = 9, .backoff_ms = 60'000, .jitter = 0};
  Instant start = at.given.now;
  at.submit(request);
  at.pass(10'000);
  at.place();
  at.say(JobFixture::failure());
  EXPECT_EQ(at.job.not_before, start + Duration{70'000});
  EXPECT_EQ(next_due(at.job, start), start + Duration{60'000});
  at.wake();
  EXPECT_EQ(at.job.state, State::timeout);
  EXPECT_EQ(at.job.reason_code, "deadline_exceeded");
  EXPECT_EQ(at.job.ended_at, start + Duration{60'000});
}

// J-14
TEST(JobDue, the_deadline_revokes_the_lease_and_tells_the_worker) {
  JobFixture at;
  Request request = JobFixture::request();
  request.budget = Budget{.deadline_ms = 1'000};
  at.submit(request);
  at.place();
  at.start();
  Spoken who = at.spoken();
  at.wake();
  EXPECT_EQ(at.job.state, State::timeout);
  EXPECT_EQ(at.effects<RevokeLease>(), 1u);
  EXPECT_EQ(at.job.attempts.back().outcome, AttemptOutcome::timeout);
  EXPECT_EQ(at.say(who, JobFixture::success()), Answer::terminal);
  EXPECT_EQ(at.job.state, State::timeout);
}

TEST(JobDue, a_deadline_that_has_passed_is_met_instead_of_a_dispatch) {
  JobFixture at;
  Request request = JobFixture::request();
  request.budget = Budget{.deadline_ms = 1'000};
  at.submit(request);
  at.pass(2'000);
  at.place();
  EXPECT_EQ(at.job.state, State::timeout);
  EXPECT_EQ(at.job.attempt_count, 0u);
}

TEST(JobDue, the_queue_gives_a_job_up_after_its_time_and_counts_every_stay_anew) {
  JobFixture at;
  Request request = JobFixture::request();
  request.queue_timeout_ms = 10'000;
  at.submit(request);
  at.pass(9'000);
  at.place();
  at.must(LoseLease{at.job.last_fence});
  EXPECT_EQ((*at.job.queue_until - at.given.now).ms, 10'000);
  at.wake();
  EXPECT_EQ(at.job.state, State::timeout);
  EXPECT_EQ(at.job.reason_code, "queue_timeout");
  EXPECT_EQ(at.effects<WithdrawJob>(), 1u);
}

// J-61
TEST(JobDue, after_a_restart_workers_have_one_lease_to_speak_up_and_deadlines_do_not_wait) {
  JobFixture at;
  Request request = JobFixture::request();
  request.run_timeout_ms = 5'000;
  request.budget = Budget{.deadline_ms = 3'600'000};
  at.submit(request);
  at.place();
  at.start();
  at.pass(600'000);
  at.given.engine_started_at = at.given.now;
  EXPECT_EQ(at.refused(WakeJob{}), ErrorCode::nothing_due);
  EXPECT_EQ(next_due(at.job, at.given.now), at.given.now + Duration{30'000});
  JobFixture spoke = at;
  EXPECT_EQ(spoke.say(JobFixture::success()), Answer::accepted);
  at.wake();
  EXPECT_EQ(at.job.state, State::timeout);
  EXPECT_EQ(at.job.reason_code, "run_timeout");
}

TEST(JobDue, the_deadline_does_not_wait_for_a_restarted_engine) {
  JobFixture at;
  Request request = JobFixture::request();
  request.budget = Budget{.deadline_ms = 10'000};
  at.submit(request);
  at.place();
  at.pass(600'000);
  at.given.engine_started_at = at.given.now;
  at.must(WakeJob{});
  EXPECT_EQ(at.job.reason_code, "deadline_exceeded");
}

TEST(JobDue, a_clock_set_back_moves_no_history_back) {
  JobFixture at;
  at.submit();
  at.pass(-86'400'000);
  at.place();
  EXPECT_GE(at.job.attempts.back().dispatched_at, at.job.submitted_at);
  at.say(JobFixture::success());
  EXPECT_EQ(at.job.state, State::succeeded);
}

// J-14
TEST(JobDue, cancelling_twice_is_answered_with_the_end) {
  JobFixture at;
  at.submit();
  at.must(CancelJob{"first"});
  EXPECT_EQ(at.effects<WithdrawJob>(), 1u);
  at.must(CancelJob{"second"});
  EXPECT_EQ(at.last.answer, Answer::terminal);
  EXPECT_TRUE(at.last.events.empty());
  EXPECT_EQ(at.job.reason, "first");
}

// J-14, JT-7: whichever commit comes first stands.
TEST(JobDue, cancel_and_success_race_on_one_version) {
  for (bool cancel_first : {true, false}) {
    JobFixture at;
    at.submit();
    at.place();
    Spoken who = at.spoken();
    if (cancel_first) at.must(CancelJob{"stop"});
    Answer answer = at.say(who, JobFixture::success());
    EXPECT_EQ(answer, cancel_first ? Answer::terminal : Answer::accepted);
    at.must(CancelJob{"stop"});
    EXPECT_EQ(at.last.answer, Answer::terminal);
    EXPECT_EQ(at.job.state, cancel_first ? State::cancelled : State::succeeded);
  }
}

}  // namespace
}  // namespace fermata::job
