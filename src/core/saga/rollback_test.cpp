#include "core/saga/saga_fixture.h"

namespace fermata::saga {
namespace {

using Jobs = std::vector<std::string>;

/// All three have ended: two of them with work that can be undone, the third fatally.
struct RolledBack : SagaRun {
  RolledBack() {
    EXPECT_EQ(done("a"), "");
    EXPECT_EQ(done("b"), "");
    EXPECT_EQ(fatal("c"), "");
  }
};

// J-72, J-73, JT-35
TEST(Rollback, works_the_entries_last_first_each_after_the_former_is_done) {
  RolledBack at;
  EXPECT_TRUE(at.run.saga.rolling_back);
  ASSERT_EQ(at.orders.size(), 4u) << "one at a time";
  EXPECT_EQ(at.topic(), "job.b.undo");
  EXPECT_EQ(at.orders.back().undoes, at.job_of("b"));
  EXPECT_EQ(at.orders.back().idempotency_key, at.entry(2).idempotency_key);
  EXPECT_TRUE(at.orders.back().job.text().starts_with("comp-"));
  ASSERT_EQ(at.undo_ends(), "");
  EXPECT_EQ(at.topic(), "job.a.undo");
  EXPECT_FALSE(at.run.finished());
  ASSERT_EQ(at.undo_ends(), "");
  EXPECT_EQ(at.run.status, RunStatus::failed);
  EXPECT_EQ(at.run.exit_reason, rolled_back);
  EXPECT_EQ(at.run.saga.trigger, "failed_fatal");
  EXPECT_EQ(at.run.saga.by, "job " + at.job_of("c").text());
  EXPECT_EQ(at.status(1) + at.status(2), "donedone");
}

// J-73: the job that ended has nobody to wait for; the others have.
TEST(Rollback, waits_for_the_workers_of_what_it_stops_and_not_for_the_one_that_has_ended) {
  SagaRun at;
  ASSERT_EQ(at.done("a"), "");
  ASSERT_EQ(at.fatal("b"), "");
  EXPECT_EQ(at.awaited(), Jobs{at.job_of("c").text()});
  EXPECT_EQ(at.orders.size(), 3u) << "nothing is undone before";
  SettleJob stopped = at.end_of("c", "CANCELLED");
  stopped.lease_until = at.given.now + Duration{30'000};
  ASSERT_EQ(at.tell(stopped), "");
  EXPECT_EQ(at.orders.size(), 3u) << "its worker may still be at it";
  EXPECT_EQ(at.tell(WakeRun{}), "nothing_due");
  ASSERT_EQ(at.order(TellReturned{at.job_of("c")}), "");
  EXPECT_EQ(at.topic(), "job.a.undo");
  EXPECT_EQ(at.order(TellReturned{at.job_of("c")}), "activation_closed");
}

TEST(Rollback, waits_no_longer_than_the_lease_of_what_it_stops) {
  SagaRun at;
  ASSERT_EQ(at.done("a"), "");
  ASSERT_EQ(at.fatal("b"), "");
  SettleJob stopped = at.end_of("c", "CANCELLED");
  stopped.lease_until = at.given.now + Duration{30'000};
  ASSERT_EQ(at.tell(stopped), "");
  at.given.now = at.given.now + Duration{30'000};
  ASSERT_EQ(at.tell(WakeRun{}), "");
  EXPECT_EQ(at.topic(), "job.a.undo");
}

// Who asks may have any name; only what the decision was told of has ended.
TEST(Rollback, who_asks_for_it_is_not_taken_for_a_job_by_its_name) {
  SagaRun at;
  ASSERT_EQ(at.done("a"), "");
  ASSERT_EQ(at.order(RollBack{"enough"}, "job " + at.job_of("b").text()), "");
  EXPECT_EQ(at.awaited().size(), 2u);
  ASSERT_EQ(at.let_go("b"), "");
  EXPECT_EQ(at.orders.size(), 3u);
  ASSERT_EQ(at.let_go("c"), "");
  EXPECT_EQ(at.topic(), "job.a.undo");
  ASSERT_EQ(at.undo_ends(), "");
  EXPECT_EQ(at.run.status, RunStatus::cancelled);
}

// J-74, JT-38
TEST(Rollback, work_that_is_told_too_late_becomes_the_top_entry) {
  for (const char* state : {"SUCCEEDED", "OUTPUT_QUARANTINED"}) {
    SagaRun at;
    ASSERT_EQ(at.done("a"), "");
    ASSERT_EQ(at.fatal("b"), "");
    ASSERT_EQ(at.tell(at.end_of("c", state)), "") << state;
    EXPECT_EQ(at.topic(), "job.c.undo");
    ASSERT_EQ(at.undo_ends(), "");
    EXPECT_EQ(at.topic(), "job.a.undo");
  }
  SagaRun at;
  ASSERT_EQ(at.done("a"), "");
  ASSERT_EQ(at.fatal("b"), "");
  ASSERT_EQ(at.let_go("c"), "");
  EXPECT_EQ(at.topic(), "job.a.undo");
  TellLateSuccess late{at.job_of("c"), "c", Value::object({{"topic", "job.c.undo"}}), {}, {}, {}};
  ASSERT_EQ(at.order(late), "");
  ASSERT_EQ(at.order(late), "") << "told twice";
  EXPECT_EQ(at.run.saga.entries.size(), 2u);
  EXPECT_TRUE(at.entry(2).late);
  EXPECT_EQ(at.topic(), "job.a.undo") << "one at a time";
  ASSERT_EQ(at.undo_ends(), "");
  EXPECT_EQ(at.topic(), "job.c.undo");
}

// J-74
TEST(Rollback, what_succeeds_after_the_end_is_left_for_people) {
  RolledBack at;
  ASSERT_EQ(at.undo_ends(), "");
  ASSERT_EQ(at.undo_ends(), "");
  TellLateSuccess late{JobId("x"), "c", Value::object({{"topic", "job.c.undo"}}), {}, {}, {}};
  ASSERT_EQ(at.order(late), "");
  ASSERT_EQ(at.last.posts.size(), 1u);
  EXPECT_EQ(std::get<LeaveLate>(at.last.posts[0]).job, JobId("x"));
}

// J-75, JT-37
TEST(Rollback, parked_entry_holds_the_older_ones_until_somebody_decides) {
  RolledBack at;
  ASSERT_EQ(at.undo_ends("DENIED", "safety_denied"), "");
  EXPECT_EQ(at.status(2), "parked");
  EXPECT_EQ(at.entry(2).reason_code, "compensation_denied");
  EXPECT_EQ(at.orders.size(), 4u);
  EXPECT_EQ(at.order(RetryUndo{1}), "undo_not_parked");
  EXPECT_EQ(at.order(RetryUndo{9}), "undo_not_found");
  JobId first = at.orders.back().job;
  ASSERT_EQ(at.order(RetryUndo{2}), "");
  EXPECT_EQ(at.topic(), "job.b.undo");
  EXPECT_NE(at.orders.back().job, first) << "a round of its own";
  EXPECT_EQ(at.orders.back().idempotency_key, at.entry(2).idempotency_key) << "one effect";
  ASSERT_EQ(at.undo_ends("FAILED"), "");
  EXPECT_EQ(at.entry(2).reason_code, "compensation_failed");
  ASSERT_EQ(at.order(SkipUndo{2, "by hand"}, "ann"), "");
  EXPECT_EQ(at.status(2), "skipped");
  EXPECT_EQ(at.entry(2).by, "ann");
  EXPECT_EQ(at.topic(), "job.a.undo");
}

// J-75, JT-37
TEST(Rollback, settings_skip_what_is_denied_or_fails) {
  RolledBack denied;
  denied.given.limits.saga_skips_denied = true;
  ASSERT_EQ(denied.undo_ends("DENIED"), "");
  EXPECT_EQ(denied.status(2), "skipped");
  EXPECT_EQ(denied.topic(), "job.a.undo");
  ASSERT_EQ(denied.undo_ends("FAILED"), "");
  EXPECT_EQ(denied.status(1), "parked") << "only denials are skipped";

  RolledBack failed;
  failed.given.limits.saga_skips_failed = true;
  ASSERT_EQ(failed.undo_ends("TIMEOUT"), "");
  EXPECT_EQ(failed.status(2), "skipped");
}

// J-75
TEST(Rollback, unreadable_template_is_skipped_whatever_the_settings_say) {
  RolledBack at;
  ASSERT_EQ(at.undo_ends("DENIED", "saga_unmarshal_failed"), "");
  EXPECT_EQ(at.status(2), "skipped");
  EXPECT_EQ(at.entry(2).reason_code, "saga_unmarshal_failed");
  EXPECT_EQ(at.topic(), "job.a.undo");
}

TEST(Rollback, nothing_else_happens_to_a_run_that_is_undone) {
  RolledBack at;
  EXPECT_EQ(at.tell(PauseRun{}), "run_rolling_back");
  EXPECT_EQ(at.tell(SignalRun{}), "run_rolling_back");
  EXPECT_EQ(at.tell(CancelRun{"x"}), "run_rolling_back");
  EXPECT_EQ(at.order(CloseSaga{}), "run_rolling_back");
  EXPECT_EQ(at.order(RollBack{"again"}), "") << "it is so already";
  EXPECT_EQ(at.tell(CancelRun{"x", false, true}), "");
  EXPECT_EQ(at.run.saga.entries.size(), 2u);
  EXPECT_EQ(at.undo_ends(), "");
}

// A fatal failure with nothing to undo and nothing to stop ends the run as any failure does.
TEST(Rollback, nothing_done_means_nothing_to_undo) {
  SagaRun at(R"({"nodes":[{"id":"t","type":"manual","trigger":true},
      {"id":"a","type":"job","parameters":{"topic":"a"}}],
      "edges":[{"id":"1","src":"t","dst":"a"}]})");
  ASSERT_EQ(at.fatal("a"), "");
  EXPECT_EQ(at.run.status, RunStatus::failed);
  EXPECT_FALSE(at.run.saga.rolled_back);
}

// J-73
TEST(Rollback, failing_run_is_undone_where_its_start_says_so) {
  for (bool rolls : {true, false}) {
    SagaRun at;
    at.run.rolls_back = rolls;
    ASSERT_EQ(at.done("a"), "");
    ASSERT_EQ(at.tell(at.end_of("b", "FAILED")), "");
    if (rolls) {
      ASSERT_EQ(at.let_go("c"), "");
      EXPECT_EQ(at.run.saga.trigger, "on_failure");
      EXPECT_EQ(at.topic(), "job.a.undo");
    } else {
      EXPECT_EQ(at.run.status, RunStatus::failed);
      EXPECT_EQ(at.orders.size(), 3u);
    }
  }
}

// J-76
TEST(SharedSaga, jobs_join_it_and_a_fatal_one_undoes_them_all) {
  SagaRun at = SagaRun::shared();
  for (const char* job : {"x", "y", "z"})
    ASSERT_EQ(at.order(JoinSaga{AccountId("acme"), JobId(job)}), "");
  ASSERT_EQ(at.order(JoinSaga{AccountId("acme"), JobId("x")}), "") << "told twice";
  EXPECT_EQ(at.run.saga.members.size(), 3u);
  EXPECT_EQ(at.order(CloseSaga{}), "wrong_state") << "its jobs have not ended";
  SettleJob done;
  done.job = JobId("x");
  done.state = "SUCCEEDED";
  done.work_done = true;
  done.undo = Value::object({{"topic", "job.x.undo"}});
  ASSERT_EQ(at.tell(done), "");
  SettleJob fatal;
  fatal.job = JobId("y");
  fatal.state = "FAILED";
  fatal.fatal = true;
  ASSERT_EQ(at.tell(fatal), "");
  EXPECT_EQ(at.awaited(), Jobs{"z"}) << "the one that failed has ended";
  ASSERT_EQ(at.order(TellReturned{JobId("z")}), "");
  EXPECT_EQ(at.topic(), "job.x.undo");
  ASSERT_EQ(at.undo_ends(), "");
  EXPECT_EQ(at.run.status, RunStatus::failed);
  ASSERT_EQ(at.order(JoinSaga{AccountId("acme"), JobId("late")}), "");
  EXPECT_EQ(std::get<StopJob>(at.last.posts.at(0)).job, JobId("late")) << "it comes too late";
}

TEST(SharedSaga, has_room_for_ten_thousand_jobs) {
  SagaRun at = SagaRun::shared();
  for (int i = 0; i < 10'000; ++i)
    ASSERT_EQ(at.order(JoinSaga{AccountId("acme"), JobId("j" + std::to_string(i))}), "");
  ASSERT_EQ(at.order(JoinSaga{AccountId("acme"), JobId("more")}), "");
  EXPECT_EQ(std::get<StopJob>(at.last.posts.at(0)).job, JobId("more"));
  EXPECT_EQ(at.run.saga.members.size(), 10'000u);
}

// J-76
TEST(SharedSaga, is_nobody_elses_and_ends_well_when_closed_or_idle) {
  SagaRun at = SagaRun::shared();
  ASSERT_EQ(at.order(JoinSaga{AccountId("other"), JobId("x")}), "");
  EXPECT_EQ(std::get<StopJob>(at.last.posts.at(0)).job, JobId("x"));
  EXPECT_TRUE(at.run.saga.members.empty());
  ASSERT_EQ(at.order(CloseSaga{}), "");
  EXPECT_EQ(at.run.status, RunStatus::completed);
  EXPECT_EQ(at.order(CloseSaga{}), "");

  SagaRun idle = SagaRun::shared();
  ASSERT_EQ(idle.order(JoinSaga{AccountId("acme"), JobId("x")}), "");
  SettleJob done;
  done.job = JobId("x");
  done.state = "SUCCEEDED";
  ASSERT_EQ(idle.tell(done), "");
  idle.given.now = idle.given.now + Duration{int64_t{7} * 86'400'000};
  ASSERT_EQ(idle.tell(WakeRun{}), "");
  EXPECT_EQ(idle.run.status, RunStatus::completed);
}

}  // namespace
}  // namespace fermata::saga
