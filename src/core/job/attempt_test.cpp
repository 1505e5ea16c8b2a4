#include "core/job/job_fixture.h"
#include "core/job/retry.h"

namespace fermata::job {
namespace {

JobFixture with_retry(std::optional<RetryPolicy> retry) {
  JobFixture at;
  Request request = JobFixture::request();
  request.retry = std::move(retry);
  at.submit(request);
  return at;
}

/// Tries until the job ends; the number of attempts it took.
uint32_t attempts_until_the_end(JobFixture& at, const Report& report) {
  for (int i = 0; i < 50 && !at.job.finished(); ++i) {
    if (at.job.state == State::retrying) at.wake();
    at.place();
    at.say(report);
  }
  return at.job.attempt_count;
}

// J-13
TEST(JobCounting, a_failure_is_final_unless_a_retry_was_asked_for) {
  auto at = with_retry(std::nullopt);
  EXPECT_EQ(attempts_until_the_end(at, JobFixture::failure()), 1u);
  EXPECT_EQ(at.job.reason_code, "retries_exhausted");
  auto three = with_retry(RetryPolicy{.max_attempts = 3});
  EXPECT_EQ(attempts_until_the_end(three, JobFixture::failure()), 3u);
  EXPECT_EQ(three.job.tries, 3u);
}

// J-13
TEST(JobCounting, a_retryable_failure_is_tried_five_times_where_no_policy_was_given) {
  Report report = JobFixture::failure(AttemptOutcome::failed_retryable);
  auto at = with_retry(std::nullopt);
  EXPECT_EQ(attempts_until_the_end(at, report), 5u);
  auto two = with_retry(RetryPolicy{.max_attempts = 2});
  EXPECT_EQ(attempts_until_the_end(two, report), 2u);
}

TEST(JobCounting, a_list_of_codes_chooses_failures_but_not_those_a_worker_calls_retryable) {
  RetryPolicy only_network{.max_attempts = 4, .retry_on = {"network"}};
  auto other = with_retry(only_network);
  EXPECT_EQ(attempts_until_the_end(other, JobFixture::failure()), 1u);
  auto network = with_retry(only_network);
  EXPECT_EQ(attempts_until_the_end(network, JobFixture::failure(AttemptOutcome::failed, "network")),
            4u);
  auto asked = with_retry(only_network);
  EXPECT_EQ(
      attempts_until_the_end(asked, JobFixture::failure(AttemptOutcome::failed_retryable, "disk")),
      4u);
}

// J-13, J-22
TEST(JobCounting, a_constraint_caps_the_retries) {
  JobFixture at;
  Policy strict{"s1", [](const Job&, Instant) {
                  Verdict verdict;
                  verdict.kind = VerdictKind::allow_with_constraints;
                  verdict.constraints =
                      Value::object({{"budgets", Value::object({{"max_retries", 1}})}});
                  return std::optional(verdict);
                }};
  at.given.policy = &strict;
  Request request = JobFixture::request();
  request.retry = RetryPolicy{.max_attempts = 10};
  at.submit(request);
  EXPECT_EQ(attempts_until_the_end(at, JobFixture::failure()), 2u);
}

// J-13
TEST(JobCounting, run_timeouts_are_tries_and_end_in_timeout) {
  auto at = with_retry(RetryPolicy{.max_attempts = 2});
  at.place();
  at.start();
  at.wake();
  EXPECT_EQ(at.effects<RevokeLease>(), 1u);
  EXPECT_EQ(at.job.state, State::retrying);
  EXPECT_EQ(at.job.tries, 1u);
  at.wake();
  at.place();
  at.start();
  at.wake();
  EXPECT_EQ(at.job.state, State::timeout);
  EXPECT_EQ(at.job.reason_code, "run_timeout");
  EXPECT_EQ(at.records<DeadLetter>().size(), 1u);
}

// J-13
TEST(JobCounting, a_job_that_kills_its_workers_ends_with_the_fourth) {
  auto at = with_retry(std::nullopt);
  for (int i = 0; i < 3; ++i) {
    at.place();
    at.start();
    at.must(LoseLease{at.job.last_fence});
    // The first goes back at once, the others after a pause.
    EXPECT_EQ(at.job.state, i == 0 ? State::scheduled : State::retrying);
    if (at.job.state == State::retrying) {
      int64_t pause = (*at.job.not_before - at.given.now).ms;
      EXPECT_GE(pause, i == 1 ? 1'000 : 2'000);
      EXPECT_LT(pause, (i == 1 ? 1'000 : 2'000) + 500);
      at.wake();
    }
  }
  at.place();
  at.must(LoseLease{at.job.last_fence});
  EXPECT_EQ(at.job.state, State::failed);
  EXPECT_EQ(at.job.reason_code, "worker_lost");
  EXPECT_EQ(at.job.attempt_count, 4u);
  EXPECT_EQ(at.job.losses, 4u);
  EXPECT_EQ(at.job.tries, 0u);
  EXPECT_EQ(at.records<DeadLetter>().size(), 1u);
}

// J-13
TEST(JobCounting, start_timeouts_are_losses_and_end_in_timeout) {
  auto at = with_retry(std::nullopt);
  for (int i = 0; i < 4; ++i) {
    if (at.job.state == State::retrying) at.wake();
    at.place();
    at.wake();
  }
  EXPECT_EQ(at.job.state, State::timeout);
  EXPECT_EQ(at.job.reason_code, "start_timeout");
  EXPECT_EQ(at.job.losses, 4u);
  EXPECT_EQ(at.job.tries, 0u);
}

// J-13
TEST(JobCounting, declined_and_undelivered_count_for_neither) {
  auto at = with_retry(std::nullopt);
  for (int i = 0; i < 20; ++i) {
    at.place();
    at.must(DeclineJob{at.spoken(), "busy", 0});
    at.place();
    at.must(MarkUndelivered{at.job.last_fence});
  }
  EXPECT_EQ(at.job.tries, 0u);
  EXPECT_EQ(at.job.losses, 0u);
  EXPECT_EQ(at.job.state, State::scheduled);
}

TEST(JobCounting, a_decline_may_ask_for_a_pause) {
  auto at = with_retry(std::nullopt);
  at.place();
  at.must(DeclineJob{at.spoken(), "later", 90'000});
  EXPECT_EQ(at.job.state, State::retrying);
  EXPECT_EQ((*at.job.not_before - at.given.now).ms, 90'000);
  at.wake();
  EXPECT_EQ(at.job.state, State::scheduled);
}

TEST(JobCounting, a_lease_the_engine_took_away_is_no_loss) {
  auto at = with_retry(std::nullopt);
  for (int i = 0; i < 10; ++i) {
    at.place();
    at.must(LoseLease{at.job.last_fence, false, "drained"});
  }
  EXPECT_EQ(at.job.losses, 0u);
  EXPECT_EQ(at.job.attempts.back().outcome, AttemptOutcome::lost);
}

// G-23
TEST(JobCounting, the_pause_between_tries_doubles_up_to_its_maximum) {
  RetryPolicy policy{.max_attempts = 99, .backoff_ms = 100, .max_backoff_ms = 350, .jitter = 0};
  EXPECT_EQ(retry_delay_ms(policy, 1, 0.5), 100);
  EXPECT_EQ(retry_delay_ms(policy, 2, 0.5), 200);
  EXPECT_EQ(retry_delay_ms(policy, 3, 0.5), 350);
  EXPECT_EQ(retry_delay_ms(policy, 4'000'000'000, 0.5), 350);
  policy.jitter = 0.5;
  EXPECT_EQ(retry_delay_ms(policy, 1, 0.0), 50);
  EXPECT_NEAR(static_cast<double>(retry_delay_ms(policy, 1, 0.999)), 150, 1);
}

// J-54
TEST(JobCounting, backoff_doubles_from_a_second_to_thirty) {
  EXPECT_EQ(backoff_ms(0, 0), 1'000);
  EXPECT_EQ(backoff_ms(4, 499), 16'499);
  EXPECT_EQ(backoff_ms(5, 0), 30'000);
  EXPECT_EQ(backoff_ms(4'000'000'000, 499), 30'000);
}

TEST(JobCounting, a_pause_of_nothing_is_over_in_the_same_commit) {
  auto at = with_retry(RetryPolicy{.max_attempts = 2, .backoff_ms = 0});
  at.place();
  at.say(JobFixture::failure());
  EXPECT_EQ(at.job.state, State::scheduled);
  EXPECT_EQ(at.effects<OfferJob>(), 1u);
}

}  // namespace
}  // namespace fermata::job
