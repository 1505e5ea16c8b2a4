#include "core/job/job_fixture.h"

namespace fermata::job {
namespace {

std::vector<std::string> types(const std::vector<HistoryChunk>& history) {
  std::vector<std::string> names;
  for (const HistoryChunk& chunk : history) {
    auto events = decode_history(chunk);
    for (const Event& event : *events) names.emplace_back(type_name(event.body));
  }
  return names;
}

// J-1, J-95: no verdict has to be waited for, so submit and claim are one commit, the result
// another.
TEST(JobLife, without_a_policy_it_is_in_the_queue_in_the_commit_of_its_submit) {
  JobFixture at;
  at.submit();
  EXPECT_EQ(at.job.state, State::scheduled);
  EXPECT_EQ(at.job.phase, Phase::ready);
  EXPECT_EQ(at.job.verdict->snapshot, "none");
  EXPECT_EQ(at.effects<OfferJob>(), 1u);
  EXPECT_EQ(at.version, 1u);
  EXPECT_EQ(types(at.history), (std::vector<std::string>{"JobSubmitted", "JobAllowed"}));
}

TEST(JobLife, a_worker_takes_it_and_its_success_ends_it) {
  JobFixture at;
  at.submit();
  at.place();
  EXPECT_EQ(at.job.state, State::dispatched);
  at.start();
  EXPECT_EQ(at.job.state, State::running);
  EXPECT_EQ(at.job.phase, Phase::executing);
  EXPECT_EQ(at.say(JobFixture::success()), Answer::accepted);
  EXPECT_EQ(at.job.state, State::succeeded);
  EXPECT_EQ(at.job.output.value, Value::object({{"ok", true}}));
  EXPECT_EQ(at.job.attempts.back().outcome, AttemptOutcome::succeeded);
  EXPECT_EQ(at.job.attempts.back().execution_ms, 12);
  EXPECT_EQ(at.effects<FreeLease>(), 1u);
  EXPECT_TRUE(at.records<DeadLetter>().empty());
  EXPECT_FALSE(next_due(at.job, at.given.engine_started_at));
}

// J-15
TEST(JobLife, a_terminal_commit_holds_state_error_dead_letter_audit_and_the_word_to_the_run) {
  JobFixture at;
  Request request = JobFixture::request();
  request.step = {RunId("run-1"), WorkflowId("flow"), DefinitionHash("h"), "charge", 3};
  at.submit(request);
  at.place();
  at.say(JobFixture::failure());
  EXPECT_EQ(at.job.state, State::failed);
  auto letters = at.records<DeadLetter>();
  ASSERT_EQ(letters.size(), 1u);
  EXPECT_EQ(letters[0].status, State::failed);
  EXPECT_EQ(letters[0].last_state, State::dispatched);
  EXPECT_EQ(letters[0].reason_code, "retries_exhausted");
  EXPECT_EQ(letters[0].error.get("code"), Value("boom"));
  EXPECT_EQ(letters[0].run.text(), "run-1");
  auto told = at.records<JobEnded>();
  ASSERT_EQ(told.size(), 1u);
  EXPECT_EQ(told[0].state, State::failed);
  EXPECT_FALSE(told[0].work_done);
  EXPECT_FALSE(told[0].fatal);
  auto audit = at.records<AuditLine>();
  ASSERT_EQ(audit.size(), 1u);
  EXPECT_EQ(audit[0].action, "job.end");
  EXPECT_EQ(audit[0].subject, "job-1");
}

// J-16
TEST(JobLife, a_run_hears_of_the_end_once_and_of_attempts_never) {
  JobFixture at;
  Request request = JobFixture::request();
  request.step.run = RunId("run-1");
  request.retry = RetryPolicy{.max_attempts = 2};
  at.submit(request);
  EXPECT_TRUE(at.records<JobEnded>().empty());
  at.place();
  at.say(JobFixture::failure());
  EXPECT_EQ(at.job.state, State::retrying);
  EXPECT_TRUE(at.records<JobEnded>().empty());
  at.wake();
  at.place();
  at.say(JobFixture::success());
  auto told = at.records<JobEnded>();
  ASSERT_EQ(told.size(), 1u);
  EXPECT_TRUE(told[0].work_done);
  EXPECT_EQ(told[0].output.value.get("ok"), Value(true));
  EXPECT_EQ(told[0].attempts, 2u);
  at.say(JobFixture::success());
  EXPECT_TRUE(at.records<JobEnded>().empty());
}

// J-71
TEST(JobLife, work_counts_as_done_from_the_dispatch_on_when_its_compensation_says_so) {
  JobFixture at;
  Request request = JobFixture::request();
  request.step.run = RunId("run-1");
  request.compensation = Compensation{.topic = "job.undo", .when = CompensateWhen::dispatched};
  at.submit(request);
  at.place();
  at.say(JobFixture::failure());
  ASSERT_EQ(at.records<JobEnded>().size(), 1u);
  EXPECT_TRUE(at.records<JobEnded>()[0].work_done);
}

TEST(JobLife, work_a_worker_never_got_is_not_done) {
  JobFixture at;
  Request request = JobFixture::request();
  request.step.run = RunId("run-1");
  request.compensation = Compensation{.topic = "job.undo", .when = CompensateWhen::dispatched};
  at.submit(request);
  at.place();
  at.must(MarkUndelivered{at.job.last_fence});
  at.place();
  at.must(DeclineJob{at.spoken(), "not today", 0});
  at.must(CancelJob{"enough"});
  ASSERT_EQ(at.records<JobEnded>().size(), 1u);
  EXPECT_FALSE(at.records<JobEnded>()[0].work_done);
}

TEST(JobLife, a_fatal_failure_ends_it_whatever_its_retry_policy_says) {
  JobFixture at;
  Request request = JobFixture::request();
  request.step.run = RunId("run-1");
  request.retry = RetryPolicy{.max_attempts = 10};
  at.submit(request);
  at.place();
  at.say(JobFixture::failure(AttemptOutcome::failed_fatal));
  EXPECT_EQ(at.job.state, State::failed);
  EXPECT_EQ(at.job.reason_code, "failed_fatal");
  ASSERT_EQ(at.records<JobEnded>().size(), 1u);
  EXPECT_TRUE(at.records<JobEnded>()[0].fatal);
  EXPECT_EQ(at.records<DeadLetter>().size(), 1u);
}

TEST(JobLife, a_worker_that_cancels_by_itself_cancels_the_job) {
  JobFixture at;
  at.submit();
  at.place();
  EXPECT_EQ(at.say(JobFixture::failure(AttemptOutcome::cancelled)), Answer::accepted);
  EXPECT_EQ(at.job.state, State::cancelled);
  EXPECT_EQ(at.job.attempts.back().outcome, AttemptOutcome::cancelled);
}

// J-11
TEST(JobLife, fences_are_the_version_of_their_commit_and_grow_strictly) {
  JobFixture at;
  at.submit();
  at.place();
  EXPECT_EQ(at.job.last_fence, 2u);
  at.must(LoseLease{2});
  at.place();
  EXPECT_EQ(at.job.last_fence, 4u);
  // Two dispatches in one commit still differ.
  at.must(LoseLease{4, false});
  at.version = 3;
  at.place();
  EXPECT_EQ(at.job.last_fence, 5u);
}

TEST(JobLife, a_restored_store_cannot_give_a_fence_again) {
  JobFixture at;
  at.given.epoch = 3;
  at.submit();
  at.place();
  EXPECT_EQ(at.job.last_fence, (uint64_t{3} << 32) + 2);
}

TEST(JobLife, the_last_hundred_attempts_are_kept) {
  JobFixture at;
  at.submit();
  for (int i = 0; i < 130; ++i) {
    at.place();
    at.must(MarkUndelivered{at.job.last_fence});
  }
  EXPECT_EQ(at.job.attempts.size(), attempts_kept_max);
  EXPECT_EQ(at.job.attempts.front().attempt, 31u);
  EXPECT_EQ(at.job.attempt_count, 130u);
}

// J-2
TEST(JobLife, large_payloads_become_blobs_of_the_same_commit) {
  JobFixture at;
  Request request = JobFixture::request();
  std::string big(100'000, 'x');
  request.input = Payload::of(Value::object({{"text", big}}));
  at.submit(request);
  auto blobs = at.records<KeepBlob>();
  ASSERT_EQ(blobs.size(), 1u);
  EXPECT_EQ(blobs[0].sha256, request.input.sha256);
  EXPECT_EQ(blobs[0].text.size(), request.input.bytes);
  EXPECT_TRUE(at.job.request.input.in_blob);
  EXPECT_TRUE(at.job.request.input.value.is_null());
  at.place();
  at.say(JobFixture::success(Value(big)));
  EXPECT_EQ(at.records<KeepBlob>().size(), 1u);
  EXPECT_TRUE(at.job.output.in_blob);
  EXPECT_LT(at.history.back().bytes.size(), 1'000u);
}

TEST(JobLife, blobs_a_worker_has_stored_are_referred_to) {
  JobFixture at;
  at.submit();
  at.place();
  Report report = JobFixture::success();
  report.output = report.output.as_blob();
  report.artifacts = {{"log.txt", std::string(64, 'a'), 12}};
  EXPECT_EQ(at.say(report), Answer::accepted);
  auto blobs = at.records<KeepBlob>();
  ASSERT_EQ(blobs.size(), 2u);
  EXPECT_TRUE(blobs[0].text.empty());
  EXPECT_TRUE(blobs[1].text.empty());
}

// J-65
TEST(JobLife, an_output_over_the_limit_fails_the_attempt) {
  JobFixture at;
  at.given.limits.report.output_bytes_max = 10;
  at.submit();
  at.place();
  EXPECT_EQ(at.say(JobFixture::success(Value("longer than ten bytes"))), Answer::accepted);
  EXPECT_EQ(at.job.state, State::failed);
  EXPECT_EQ(at.job.reason_code, "result_too_large");
  EXPECT_TRUE(at.job.output.sha256.empty());
}

TEST(JobLife, a_report_that_cannot_be_kept_is_refused_whole) {
  JobFixture at;
  at.submit();
  at.place();
  Value deep = Value::array();
  for (int i = 0; i < 300; ++i) deep = Value::array({deep});
  EXPECT_EQ(at.refused(ReportResult{at.spoken(), JobFixture::success(deep)}),
            ErrorCode::invalid_field);
  Report negative = JobFixture::success();
  negative.usage.cost_micros = -1;
  EXPECT_EQ(at.refused(ReportResult{at.spoken(), negative}), ErrorCode::invalid_field);
  EXPECT_EQ(at.job.state, State::dispatched);
}

// J-60
TEST(JobLife, every_attempt_hands_over_the_same_idempotency_key) {
  JobFixture at;
  at.submit();
  EXPECT_EQ(at.job.idempotency_key(), "job-1");
  JobFixture keyed;
  Request request = JobFixture::request();
  request.idempotency_key = "order 5";
  keyed.submit(request);
  keyed.place();
  keyed.must(LoseLease{keyed.job.last_fence});
  keyed.place();
  EXPECT_EQ(keyed.job.idempotency_key(), "order 5");
}

TEST(JobLife, what_it_used_is_summed_over_its_attempts) {
  JobFixture at;
  Request request = JobFixture::request();
  request.retry = RetryPolicy{.max_attempts = 3};
  at.submit(request);
  at.place();
  Report report = JobFixture::failure();
  report.usage = {10, 20, INT64_MAX};
  at.say(report);
  at.wake();
  at.place();
  Report done = JobFixture::success();
  done.usage = {1, 2, 3};
  at.say(done);
  EXPECT_EQ(at.job.usage, (Usage{11, 22, INT64_MAX}));
}

TEST(JobLife, another_accounts_job_does_not_exist) {
  JobFixture at;
  at.submit();
  at.place();
  Job before = at.job;
  Command cancel{at.job.id, CancelJob{"mine now"}, "key", AccountId("other")};
  auto refusal = decide(at.job, cancel, at.given);
  ASSERT_FALSE(refusal);
  EXPECT_EQ(refusal.error().code, ErrorCode::job_not_found);
  Command report{at.job.id, ReportResult{at.spoken(), JobFixture::success()}, "key",
                 AccountId("other")};
  auto answer = decide(at.job, report, at.given);
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->answer, Answer::unknown_job);
  EXPECT_EQ(at.job, before);
}

// J-2, J-16: what the record keeps elsewhere the run is still given.
TEST(JobLife, a_run_is_told_a_large_output_itself) {
  JobFixture at;
  at.given.limits.request.inline_bytes_max = 16;
  Request request = JobFixture::request();
  request.step.run = RunId("run-1");
  at.submit(request);
  at.place();
  Value output = Value::object({{"text", std::string(100, 'x')}});
  at.say(JobFixture::success(output));
  EXPECT_TRUE(at.job.output.in_blob);
  auto told = at.records<JobEnded>();
  ASSERT_EQ(told.size(), 1u);
  EXPECT_EQ(told[0].output.value, output);
  EXPECT_EQ(at.records<KeepBlob>().size(), 1u);
}

}  // namespace
}  // namespace fermata::job
