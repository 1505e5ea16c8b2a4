#include "core/job/job_fixture.h"

namespace fermata::job {
namespace {

/// A job under a policy that wants its results read.
struct Outputs : JobFixture, testing::Test {
  Policy policy;
  OutputPlan plan;

  Outputs() {
    policy.snapshot = "p1";
    plan.step = OutputPlan::Step::scan;
    policy.plan_output = [this](const Job&, const ResultSize&) { return plan; };
    given.policy = &policy;
  }

  static Value told() { return Value::object({{"key", "AKIA"}}); }
  void finish_work(Report report = success(told())) {
    submit();
    place();
    EXPECT_EQ(say(std::move(report)), Answer::accepted);
  }
  /// What a scan of the held result says.
  JudgeOutput judged(OutputDecision decision = OutputDecision::allow) const {
    JudgeOutput judge;
    judge.fence = job.held ? job.held->fence : 0;
    judge.sha256 = job.held ? job.held->sha256 : "";
    judge.snapshot = job.held ? job.held->snapshot : "";
    judge.verdict.decision = decision;
    judge.verdict.rule_id = "keys";
    judge.output = Payload::of(told());
    if (decision == OutputDecision::redact)
      judge.output = Payload::of(Value::object({{"key", "[REDACTED]"}}));
    return judge;
  }
  JudgeOutput failed() const {
    JudgeOutput judge = judged();
    judge.problem = "the scanner is broken";
    return judge;
  }
  static Voter ann() { return {"ann", "operator", false}; }
  bool history_tells(std::string_view text) const {
    for (const HistoryChunk& chunk : history)
      if (chunk.bytes.find(text) != std::string::npos) return true;
    return false;
  }
  void be_of_run() {
    Request asked = request();
    asked.step.run = RunId("run");
    submit(asked);
    place();
  }
};

// J-46: what is gated is held until the scan passed; the slot is free meanwhile (J-48).
TEST_F(Outputs, gated_result_is_held_until_the_scan_passed) {
  finish_work();
  EXPECT_EQ(job.state, State::running);
  EXPECT_EQ(job.phase, Phase::output_scan);
  EXPECT_EQ(effects<FreeLease>(), 1u);
  EXPECT_EQ(effects<ScanOutput>(), 1u);
  EXPECT_EQ(records<KeepHeld>().size(), 1u);
  EXPECT_TRUE(records<JobEnded>().empty());
  EXPECT_TRUE(job.output.sha256.empty());
  EXPECT_FALSE(history_tells("AKIA"));
  must(judged());
  EXPECT_EQ(job.state, State::succeeded);
  EXPECT_EQ(job.output.value, told());
  EXPECT_EQ(records<DropHeld>().size(), 1u);
  EXPECT_FALSE(job.held);
}

TEST_F(Outputs, result_that_no_rule_asks_about_passes_at_once) {
  plan.step = OutputPlan::Step::pass;
  finish_work();
  EXPECT_EQ(job.state, State::succeeded);
  EXPECT_TRUE(records<KeepHeld>().empty());
}

// J-45: a rule on size, type or topic decides within the result's own decision.
TEST_F(Outputs, rule_without_content_refuses_at_once) {
  plan.step = OutputPlan::Step::refuse;
  plan.decision = OutputDecision::deny;
  plan.rule_id = "large";
  finish_work();
  EXPECT_EQ(job.state, State::output_quarantined);
  EXPECT_EQ(job.reason_code, "output_quarantined");
  EXPECT_EQ(records<DeadLetter>().size(), 1u);
  EXPECT_EQ(effects<ScanOutput>(), 0u);
  EXPECT_EQ(effects<FreeLease>(), 1u);
  EXPECT_FALSE(history_tells("AKIA"));
}

// J-50: the redacted output is the result; nothing keeps the original (JT-22).
TEST_F(Outputs, redacted_result_stands_in_the_place_of_the_original) {
  finish_work();
  std::string original = job.held->sha256;
  must(judged(OutputDecision::redact));
  EXPECT_EQ(job.state, State::succeeded);
  EXPECT_EQ(job.output.value, Value::object({{"key", "[REDACTED]"}}));
  EXPECT_EQ(job.judged_output->original_sha256, original);
  EXPECT_EQ(records<DropHeld>().size(), 1u);
  EXPECT_FALSE(history_tells("AKIA"));
}

TEST_F(Outputs, original_that_is_kept_stays_beside_the_job) {
  finish_work();
  JudgeOutput judge = judged(OutputDecision::redact);
  judge.verdict.original_kept = true;
  must(judge);
  EXPECT_EQ(job.state, State::succeeded);
  EXPECT_TRUE(records<DropHeld>().empty());
}

TEST_F(Outputs, redacted_artifact_takes_the_bytes_of_the_original_away) {
  Report report = success(told());
  report.artifacts = {{"a.txt", std::string(64, 'a'), 3}, {"b.txt", std::string(64, 'b'), 3}};
  report.uploaded = std::string(64, 'f');
  finish_work(report);
  JudgeOutput judge = judged(OutputDecision::redact);
  judge.artifacts = {{"a.txt", std::string(64, 'c'), 3}, {"b.txt", std::string(64, 'b'), 3}};
  must(judge);
  EXPECT_EQ(job.artifacts, judge.artifacts);
  std::vector<DropBlob> dropped = records<DropBlob>();
  ASSERT_EQ(dropped.size(), 2u);
  EXPECT_EQ(dropped[0].sha256, std::string(64, 'a'));
  EXPECT_EQ(dropped[1].sha256, std::string(64, 'f'));
}

// J-48: a verdict counts for the same attempt, output and policy only.
TEST_F(Outputs, verdict_of_another_attempt_or_policy_changes_nothing) {
  finish_work();
  JudgeOutput other = judged();
  ++other.fence;
  EXPECT_EQ(refused(other), ErrorCode::wrong_state);
  other = judged();
  other.snapshot = "p0";
  EXPECT_EQ(refused(other), ErrorCode::wrong_state);
  other = judged();
  other.sha256 = "something else";
  must(other);
  EXPECT_EQ(job.held->tries, 1u) << "other bytes were read: that scan has failed";
}

TEST_F(Outputs, policy_that_changed_meanwhile_has_it_read_again) {
  finish_work();
  policy.snapshot = "p2";
  must(judged());
  EXPECT_EQ(job.phase, Phase::output_scan);
  EXPECT_EQ(job.held->snapshot, "p2");
  EXPECT_EQ(effects<ScanOutput>(), 1u);
  policy.snapshot = "p3";
  must(failed());
  EXPECT_EQ(job.held->tries, 0u) << "nobody has failed: other rules hold";
  must(judged(OutputDecision::quarantine));
  EXPECT_EQ(job.state, State::output_quarantined);
}

// JT-24: scanned again after a crash, and three failures end it where the mode is closed.
TEST_F(Outputs, scan_that_was_forgotten_is_begun_again_after_a_restart) {
  finish_work();
  given.engine_started_at = given.now + Duration{10};
  pass(20);
  must(ResumeScan{});
  EXPECT_EQ(effects<ScanOutput>(), 1u);
  EXPECT_EQ(next_due(job, given.engine_started_at), given.engine_started_at + Duration{30'000});
}

TEST_F(Outputs, scan_that_fails_three_times_quarantines_where_the_mode_is_closed) {
  finish_work();
  must(failed());
  EXPECT_EQ(job.phase, Phase::output_scan);
  wake();  // the backoff is over
  EXPECT_EQ(effects<ScanOutput>(), 1u);
  wake();  // the second took too long
  EXPECT_EQ(job.held->tries, 2u);
  wake();
  must(failed());
  EXPECT_EQ(job.state, State::output_quarantined);
  EXPECT_EQ(job.reason_code, "scan_failed");
  ASSERT_TRUE(job.held) << "people may still look at it";
  EXPECT_FALSE(next_due(job, given.engine_started_at));
}

TEST_F(Outputs, scan_that_fails_three_times_passes_where_the_mode_is_open) {
  plan.fail_open = true;
  finish_work();
  for (int i = 0; i < 3; ++i) {
    must(failed());
    EXPECT_EQ(job.phase, Phase::output_scan);
    wake();
  }
  JudgeOutput judge = judged();
  judge.verdict.unscanned = true;
  must(judge);
  EXPECT_EQ(job.state, State::succeeded);
  EXPECT_TRUE(job.judged_output->unscanned);
  bool audited = false;
  for (const AuditLine& line : records<AuditLine>())
    audited = audited || line.action == "job.output_unscanned";
  EXPECT_TRUE(audited);
}

// JT-25: the run waits for people, and goes on with the held bytes.
TEST_F(Outputs, released_result_reaches_the_run_that_waited) {
  be_of_run();
  say(success(told()));
  must(judged(OutputDecision::quarantine));
  EXPECT_TRUE(records<JobEnded>().empty()) << "people may look first";
  EXPECT_EQ(refused(ReleaseOutput{{"key", "operator", false}, "", Payload::of(told())}),
            ErrorCode::approval_by_submitter);
  EXPECT_EQ(refused(ReleaseOutput{ann(), "", Payload::of(Value(1))}), ErrorCode::data_damaged);
  must(ReleaseOutput{ann(), "it is fine", Payload::of(told())});
  EXPECT_EQ(job.state, State::succeeded);
  EXPECT_EQ(job.attempt_count, 1u);
  ASSERT_EQ(records<JobEnded>().size(), 1u);
  EXPECT_EQ(records<JobEnded>()[0].output.value, told());
  ASSERT_EQ(records<SettleLetter>().size(), 1u);
  EXPECT_TRUE(records<SettleLetter>()[0].released);
  EXPECT_EQ(records<DropHeld>().size(), 1u);
  EXPECT_EQ(refused(ReleaseOutput{ann(), "", Payload::of(told())}), ErrorCode::wrong_state);
}

TEST_F(Outputs, discarded_result_is_gone_and_the_run_hears_of_it) {
  be_of_run();
  say(success(told()));
  must(judged(OutputDecision::quarantine));
  must(DiscardOutput{ann(), "no"});
  EXPECT_EQ(job.state, State::output_quarantined);
  ASSERT_EQ(records<JobEnded>().size(), 1u);
  EXPECT_TRUE(records<JobEnded>()[0].withheld);
  EXPECT_TRUE(records<JobEnded>()[0].work_done);
  EXPECT_EQ(records<JobEnded>()[0].error.get("code"), Value("job_quarantined"));
  EXPECT_EQ(records<DropHeld>().size(), 1u);
  EXPECT_EQ(refused(ReleaseOutput{ann(), "", Payload::of(told())}), ErrorCode::wrong_state);
}

// J-51: the run waits so long, and then fails with job_quarantined; a late release tells nobody.
TEST_F(Outputs, run_hears_once_when_nobody_has_looked_in_time) {
  be_of_run();
  say(success(told()));
  must(judged(OutputDecision::quarantine));
  EXPECT_EQ(next_due(job, given.engine_started_at),
            given.now + Duration{given.limits.quarantine_hold_ms});
  wake();
  ASSERT_EQ(records<JobEnded>().size(), 1u);
  EXPECT_EQ(records<JobEnded>()[0].state, State::output_quarantined);
  must(ReleaseOutput{ann(), "", Payload::of(told())});
  EXPECT_EQ(job.state, State::succeeded);
  EXPECT_TRUE(records<JobEnded>().empty());
}

TEST_F(Outputs, run_does_not_wait_where_there_is_no_hold) {
  given.limits.quarantine_hold_ms = 0;
  be_of_run();
  say(success(told()));
  must(judged(OutputDecision::quarantine));
  EXPECT_EQ(records<JobEnded>().size(), 1u);
}

// J-14: a cancel during the scan destroys the result, and tells that the work was done.
TEST_F(Outputs, cancel_during_the_scan_discards_what_is_held) {
  be_of_run();
  say(success(told()));
  must(CancelJob{"enough"});
  EXPECT_EQ(job.state, State::cancelled);
  EXPECT_FALSE(job.held);
  EXPECT_EQ(records<DropHeld>().size(), 1u);
  ASSERT_EQ(records<JobEnded>().size(), 1u);
  EXPECT_TRUE(records<JobEnded>()[0].work_done);
  EXPECT_TRUE(records<JobEnded>()[0].withheld);
  EXPECT_FALSE(history_tells("AKIA"));
}

// JT-38: a rollback hears of work that people have not looked at yet.
TEST_F(Outputs, rollback_hears_of_a_quarantined_result) {
  be_of_run();
  say(success(told()));
  must(judged(OutputDecision::quarantine));
  must(CancelJob{"rolled back", true});
  EXPECT_EQ(job.state, State::output_quarantined);
  ASSERT_EQ(records<JobEnded>().size(), 1u);
  EXPECT_TRUE(records<JobEnded>()[0].work_done);
}

TEST_F(Outputs, late_success_is_told_without_its_output) {
  Request asked = request();
  asked.step.run = RunId("run");
  asked.compensation = Compensation{.topic = "job.undo"};
  submit(asked);
  place();
  must(CancelJob{"rolled back"});
  say(success(told()));
  ASSERT_EQ(records<LateSuccessTold>().size(), 1u);
  EXPECT_TRUE(records<LateSuccessTold>()[0].withheld);
  EXPECT_TRUE(records<LateSuccessTold>()[0].output.value.is_null());
}

// JT-26: what may be used before its scan is withdrawn once.
TEST_F(Outputs, optimistic_result_is_used_at_once_and_withdrawn_once) {
  plan.optimistic = true;
  be_of_run();
  say(success(told()));
  EXPECT_EQ(job.state, State::succeeded);
  ASSERT_EQ(records<JobEnded>().size(), 1u);
  EXPECT_EQ(records<JobEnded>()[0].output.value, told());
  EXPECT_FALSE(history_tells("AKIA")) << "its bytes stand beside the job";
  ASSERT_TRUE(next_due(job, given.engine_started_at)) << "a crash does not forget the scan";
  JudgeOutput judge = judged(OutputDecision::quarantine);
  must(judge);
  EXPECT_EQ(job.state, State::output_quarantined);
  EXPECT_EQ(job.reason_code, "output_quarantined_async");
  EXPECT_EQ(records<WithdrawnTold>().size(), 1u);
  EXPECT_EQ(records<DeadLetter>().size(), 1u);
  EXPECT_TRUE(records<JobEnded>().empty());
  EXPECT_EQ(refused(judge), ErrorCode::wrong_state) << "one downgrade";
}

TEST_F(Outputs, optimistic_result_that_passes_becomes_part_of_the_job) {
  plan.optimistic = true;
  finish_work();
  must(judged());
  EXPECT_EQ(job.state, State::succeeded);
  EXPECT_EQ(job.output.value, told());
  EXPECT_FALSE(job.held);
  EXPECT_FALSE(next_due(job, given.engine_started_at));
}

TEST_F(Outputs, deadline_during_the_scan_ends_the_job) {
  Request asked = request();
  asked.budget = Budget{.deadline_ms = 10'000};
  submit(asked);
  place();
  say(success(told()));
  wake();
  EXPECT_EQ(job.state, State::timeout);
  EXPECT_EQ(records<DropHeld>().size(), 1u);
}

// J-50: the same holds for the text of an error.
TEST_F(Outputs, error_is_kept_as_far_as_it_may_be_read) {
  policy.clean_error = [](const Job&, const Value&) { return make_error("boom", "[REDACTED]"); };
  finish_work(failure());
  EXPECT_EQ(job.state, State::failed);
  EXPECT_EQ(job.error.get("message"), Value("[REDACTED]"));
  EXPECT_FALSE(history_tells("it broke"));
}

/// A job under a policy whose rules ask about the input.
struct Inputs : JobFixture, testing::Test {
  Policy policy;
  VerdictKind verdict = VerdictKind::allow;

  Inputs() {
    policy.snapshot = "p1";
    policy.judge = [this](const Job& asked, Instant) {
      Judged said{Verdict{}};
      said.verdict.kind = verdict;
      said.content_wanted = !asked.content || asked.content->revision != asked.revision ||
                            asked.content->snapshot != policy.snapshot;
      return std::optional(said);
    };
    given.policy = &policy;
  }
  NoteContent found(std::string snapshot = "p1", uint32_t revision = 1) const {
    return {{revision, std::move(snapshot), {"key"}}, {}};
  }
};

// J-20: it stays PENDING content_check until its input was read.
TEST_F(Inputs, job_waits_until_its_input_was_read) {
  submit();
  EXPECT_EQ(job.state, State::pending);
  EXPECT_EQ(job.phase, Phase::content_check);
  EXPECT_EQ(effects<ScanInput>(), 1u);
  must(found());
  EXPECT_EQ(job.state, State::scheduled);
  EXPECT_EQ(job.content->found, std::vector<std::string>{"key"});
  EXPECT_EQ(refused(found()), ErrorCode::wrong_state);
}

TEST_F(Inputs, input_that_nobody_reads_is_asked_for_again) {
  submit();
  NoteContent broken = found();
  broken.problem = "no";
  EXPECT_EQ(refused(broken), ErrorCode::nothing_due);
  wake();
  EXPECT_EQ(effects<ScanInput>(), 1u);
  must(ResumeScan{});
  EXPECT_EQ(effects<ScanInput>(), 1u);
}

TEST_F(Inputs, what_was_found_counts_for_the_policy_and_the_revision_that_asked) {
  submit();
  policy.snapshot = "p2";
  must(found("p1"));
  EXPECT_EQ(job.phase, Phase::content_check);
  EXPECT_EQ(effects<ScanInput>(), 1u) << "read again for the rules that hold now";
  must(AmendJob{.input = Payload::of(Value(2))});
  EXPECT_EQ(refused(found("p2", 1)), ErrorCode::wrong_state);
  must(found("p2", 2));
  EXPECT_EQ(job.state, State::scheduled);
}

TEST_F(Inputs, placed_job_is_read_again_when_policy_has_changed) {
  submit();
  must(found());
  policy.snapshot = "p2";
  must(place_at());
  EXPECT_EQ(job.state, State::pending);
  EXPECT_EQ(job.phase, Phase::content_check);
}

TEST_F(Inputs, pending_approval_is_judged_again_when_its_input_was_read) {
  verdict = VerdictKind::require_approval;
  submit();
  must(found());
  ASSERT_EQ(job.state, State::approval_required);
  policy.snapshot = "p2";
  verdict = VerdictKind::deny;
  must(ReviewJob{});
  EXPECT_EQ(job.state, State::approval_required);
  must(found("p2"));
  EXPECT_EQ(job.state, State::denied);
}

}  // namespace
}  // namespace fermata::job
