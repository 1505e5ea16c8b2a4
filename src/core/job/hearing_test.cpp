#include "core/job/hearing.h"

#include "core/job/job_fixture.h"

namespace fermata::job {
namespace {

// J-12
TEST(JobAnswers, the_open_fence_and_its_worker_are_accepted) {
  JobFixture at;
  at.submit();
  at.place();
  EXPECT_EQ(at.say(JobFixture::success()), Answer::accepted);
}

// J-12
TEST(JobAnswers, the_same_result_again_is_a_silent_duplicate_and_another_one_a_conflict) {
  JobFixture at;
  at.submit();
  at.place();
  at.say(JobFixture::success());
  size_t chunks = at.history.size();
  for (int i = 0; i < 50; ++i) {
    EXPECT_EQ(at.say(JobFixture::success()), Answer::duplicate);
    EXPECT_TRUE(at.last.records.empty());
  }
  EXPECT_EQ(at.say(JobFixture::success(Value("other"))), Answer::conflict);
  ASSERT_EQ(at.records<AuditLine>().size(), 1u);
  EXPECT_EQ(at.records<AuditLine>()[0].action, "job.report_refused");
  EXPECT_EQ(at.history.size(), chunks);
  EXPECT_EQ(at.job.output.value, Value::object({{"ok", true}}));
}

// J-12
TEST(JobAnswers, the_result_of_a_lost_attempt_is_stale_and_the_newer_attempt_decides) {
  JobFixture at;
  at.submit();
  at.place("w1");
  Spoken first = at.spoken();
  at.must(LoseLease{first.fence});
  EXPECT_EQ(at.say(first, JobFixture::failure()), Answer::stale);
  EXPECT_TRUE(at.last.events.empty());
  at.place("w2");
  EXPECT_EQ(at.say(first, JobFixture::failure()), Answer::stale);
  EXPECT_EQ(at.say(JobFixture::success()), Answer::accepted);
  EXPECT_EQ(at.job.state, State::succeeded);
}

// J-12
TEST(JobAnswers, a_fence_that_was_never_given_is_audited) {
  JobFixture at;
  at.submit();
  at.place();
  Spoken who = at.spoken();
  who.fence += 1'000;
  EXPECT_EQ(at.say(who, JobFixture::success()), Answer::future);
  EXPECT_EQ(at.records<AuditLine>().size(), 1u);
  EXPECT_EQ(at.effects<FreeLease>(), 0u);
  EXPECT_EQ(at.job.state, State::dispatched);
}

TEST(JobAnswers, the_fence_of_another_attempt_was_never_given) {
  JobFixture at;
  at.submit();
  at.place();
  Spoken who = at.spoken();
  who.attempt = 2;
  EXPECT_EQ(at.say(who, JobFixture::success()), Answer::future);
}

// J-12
TEST(JobAnswers, another_worker_or_pool_is_the_wrong_one) {
  JobFixture at;
  at.submit();
  at.place();
  Spoken worker = at.spoken();
  worker.worker = WorkerId("w2");
  EXPECT_EQ(at.say(worker, JobFixture::success()), Answer::wrong_worker);
  EXPECT_EQ(at.records<AuditLine>().size(), 1u);
  Spoken pool = at.spoken();
  pool.pool = "other";
  EXPECT_EQ(at.say(pool, JobFixture::success()), Answer::wrong_worker);
  EXPECT_EQ(at.job.state, State::dispatched);
}

// J-12, J-14
TEST(JobAnswers, a_result_after_the_cancel_is_told_that_the_job_has_ended) {
  JobFixture at;
  at.submit();
  at.place();
  at.must(CancelJob{"changed my mind"});
  EXPECT_EQ(at.effects<RevokeLease>(), 1u);
  EXPECT_EQ(at.say(JobFixture::failure(AttemptOutcome::cancelled)), Answer::terminal);
  EXPECT_EQ(at.effects<FreeLease>(), 1u);
  EXPECT_TRUE(at.records<DeadLetter>().empty());
  EXPECT_EQ(at.job.state, State::cancelled);
}

TEST(JobAnswers, nobody_knows_of_a_job_that_is_not_there) {
  JobFixture at;
  auto decision = at.send(ReportResult{{1, 1, WorkerId("w1"), "default"}, JobFixture::success()});
  ASSERT_TRUE(decision);
  EXPECT_EQ(decision->answer, Answer::unknown_job);
  EXPECT_EQ(at.refused(CancelJob{}), ErrorCode::job_not_found);
}

// J-12, J-74
TEST(JobAnswers, a_late_success_is_noted_once_and_told_to_the_saga) {
  JobFixture at;
  Request request = JobFixture::request();
  request.step.run = RunId("run-1");
  request.compensation = Compensation{.topic = "job.undo"};
  at.submit(request);
  at.place();
  Spoken first = at.spoken();
  at.must(LoseLease{first.fence});
  EXPECT_EQ(at.say(first, JobFixture::success()), Answer::stale);
  ASSERT_EQ(at.job.late_successes.size(), 1u);
  EXPECT_EQ(at.job.late_successes[0].fence, first.fence);
  auto told = at.records<LateSuccessTold>();
  ASSERT_EQ(told.size(), 1u);
  EXPECT_EQ(told[0].run.text(), "run-1");
  EXPECT_EQ(told[0].output.value.get("ok"), Value(true));
  EXPECT_EQ(at.say(first, JobFixture::success()), Answer::stale);
  EXPECT_TRUE(at.last.events.empty());
  EXPECT_TRUE(at.last.records.empty());
  EXPECT_EQ(at.job.state, State::scheduled);
}

TEST(JobAnswers, a_late_success_of_a_job_nothing_can_undo_is_noted_only) {
  JobFixture at;
  at.submit();
  at.place();
  at.must(CancelJob{"no"});
  EXPECT_EQ(at.say(JobFixture::success()), Answer::terminal);
  EXPECT_EQ(at.job.late_successes.size(), 1u);
  EXPECT_TRUE(at.last.records.empty());
  EXPECT_EQ(at.job.state, State::cancelled);
}

// J-12
TEST(JobAnswers, sixteen_late_successes_are_kept) {
  JobFixture at;
  at.submit();
  std::vector<Spoken> gone;
  for (int i = 0; i < 20; ++i) {
    at.place();
    gone.push_back(at.spoken());
    at.must(LoseLease{at.job.last_fence, false});
  }
  for (const Spoken& who : gone) EXPECT_EQ(at.say(who, JobFixture::success()), Answer::stale);
  EXPECT_EQ(at.job.late_successes.size(), late_successes_max);
}

// J-12: a fence older than any attempt that is kept is an old one.
TEST(JobAnswers, a_forgotten_fence_is_stale) {
  JobFixture at;
  at.submit();
  at.place();
  Spoken first = at.spoken();
  for (int i = 0; i < 110; ++i) {
    at.must(MarkUndelivered{at.job.last_fence});
    at.place();
  }
  ASSERT_EQ(at.job.find_attempt(first.fence), nullptr);
  EXPECT_EQ(at.say(first, JobFixture::failure()), Answer::stale);
}

TEST(JobAnswers, a_decline_is_judged_like_a_result) {
  JobFixture at;
  at.submit();
  at.place();
  Spoken who = at.spoken();
  at.must(DeclineJob{who, "wrong version", 0});
  EXPECT_EQ(at.last.answer, Answer::accepted);
  at.must(DeclineJob{who, "wrong version", 0});
  EXPECT_EQ(at.last.answer, Answer::duplicate);
  at.must(DeclineJob{who, "no, the disk", 0});
  EXPECT_EQ(at.last.answer, Answer::conflict);
  EXPECT_EQ(at.say(who, JobFixture::success()), Answer::conflict);
  EXPECT_EQ(at.refused(DeclineJob{who, "never", -1}), ErrorCode::invalid_field);
}

}  // namespace
}  // namespace fermata::job
