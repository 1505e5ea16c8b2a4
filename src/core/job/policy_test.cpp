#include "core/job/job_fixture.h"
#include "core/job/step.h"

namespace fermata::job {
namespace {

Policy saying(VerdictKind kind, std::string snapshot = "s1") {
  return {std::move(snapshot), [kind](const Job&, Instant) {
            Verdict verdict;
            verdict.kind = kind;
            verdict.reason = "because";
            return std::optional(verdict);
          }};
}

TEST(JobPolicy, rules_that_deny_end_the_job_with_a_dead_letter_in_the_commit_of_its_submit) {
  JobFixture at;
  Policy policy = saying(VerdictKind::deny);
  at.given.policy = &policy;
  at.submit();
  EXPECT_EQ(at.job.state, State::denied);
  EXPECT_EQ(at.job.reason_code, "safety_denied");
  EXPECT_EQ(at.job.reason, "because");
  EXPECT_EQ(at.records<DeadLetter>().size(), 1u);
  EXPECT_EQ(at.version, 1u);
}

// JT-12
TEST(JobPolicy, a_throttled_job_is_judged_again_after_five_seconds) {
  JobFixture at;
  Policy policy = saying(VerdictKind::throttle);
  at.given.policy = &policy;
  at.submit();
  EXPECT_EQ(at.job.state, State::pending);
  EXPECT_EQ(at.job.phase, Phase::throttled);
  EXPECT_EQ(at.job.not_before, at.given.now + Duration{5'000});
  at.wake();
  EXPECT_EQ(at.job.phase, Phase::throttled);
  Policy milder = saying(VerdictKind::allow);
  at.given.policy = &milder;
  at.wake();
  EXPECT_EQ(at.job.state, State::scheduled);
}

TEST(JobPolicy, what_rules_cannot_tell_is_asked_outside) {
  JobFixture at;
  Policy policy{"k1", [](const Job&, Instant) { return std::optional<Verdict>(); }};
  at.given.policy = &policy;
  at.submit();
  EXPECT_EQ(at.job.state, State::pending);
  EXPECT_EQ(at.job.phase, Phase::policy);
  EXPECT_EQ(at.effects<AskPolicy>(), 1u);
  EXPECT_TRUE(still_wanted(at.job, AskPolicy{1}));
  at.must(AmendJob{.topic = "other"});
  EXPECT_FALSE(still_wanted(at.job, AskPolicy{1}));
  // An answer about the first revision says nothing about the second.
  EXPECT_EQ(at.refused(JudgeJob{Verdict{}, 1}), ErrorCode::wrong_state);
  Verdict away;
  away.kind = VerdictKind::unavailable;
  at.must(JudgeJob{away, 2});
  EXPECT_EQ(at.job.phase, Phase::policy_unavailable);
  at.wake();
  EXPECT_EQ(at.effects<AskPolicy>(), 1u);
  EXPECT_EQ(at.job.phase, Phase::policy);
  at.must(JudgeJob{Verdict{}, 2});
  EXPECT_EQ(at.job.state, State::scheduled);
}

// J-33
TEST(JobPolicy, an_open_circuit_costs_no_question_and_one_commit) {
  JobFixture at;
  Policy policy = saying(VerdictKind::allow);
  policy.kernel = Kernel{.reachable = false};
  at.given.policy = &policy;
  at.submit();
  EXPECT_EQ(at.job.phase, Phase::policy_unavailable);
  EXPECT_EQ(at.job.not_before, at.given.now + Duration{5'000});
  EXPECT_EQ(at.effects<AskPolicy>(), 0u);
  EXPECT_EQ(at.version, 1u);
  policy.kernel->fail_mode = FailMode::open;
  at.wake();
  EXPECT_EQ(at.job.state, State::scheduled);
  EXPECT_EQ(at.job.request.labels.get("safety_bypassed"), Value("true"));
  // The mark is the engine's: it changes no hash and stands in nobody's way.
  EXPECT_EQ(stored_hash(at.job), at.job.request_hash);
  at.must(AmendJob{.topic = "other"});
  EXPECT_EQ(at.job.state, State::scheduled);
  // What the kernel has allowed at last is marked no longer.
  policy.kernel = Kernel{.snapshot = "k1"};
  at.place();
  EXPECT_EQ(at.job.state, State::pending);
  Verdict word;
  word.source = "kernel";
  word.kernel_snapshot = "k1";
  at.must(JudgeJob{word, 2});
  EXPECT_EQ(at.job.state, State::scheduled);
  EXPECT_EQ(at.job.request.labels.find("safety_bypassed"), nullptr);
  at.place();
  EXPECT_EQ(at.job.state, State::dispatched);
}

// J-27
TEST(JobPolicy, a_verdict_is_renewed_when_the_kernel_has_named_another_snapshot) {
  JobFixture at;
  Policy policy = saying(VerdictKind::allow);
  policy.kernel = Kernel{};
  at.given.policy = &policy;
  at.submit();
  EXPECT_EQ(at.effects<AskPolicy>(), 1u);
  Verdict word;
  word.kernel_snapshot = "k1";
  at.must(JudgeJob{word, 1});
  ASSERT_EQ(at.job.state, State::scheduled);
  policy.kernel->snapshot = "k2";
  at.place();
  EXPECT_EQ(at.job.state, State::pending);
  EXPECT_EQ(at.effects<AskPolicy>(), 1u);
  // Nothing is due, and yet it is asked about again: its question may be lost.
  at.must(WakeJob{});
  EXPECT_EQ(at.effects<AskPolicy>(), 1u);
  word.kernel_snapshot = "k2";
  word.kind = VerdictKind::deny;
  at.must(JudgeJob{word, 1});
  EXPECT_EQ(at.job.state, State::denied);
}

// J-40, J-44
TEST(JobPolicy, an_approval_pins_its_terms_and_expires) {
  JobFixture at;
  Policy policy{"s1", [](const Job&, Instant) {
                  Verdict verdict;
                  verdict.kind = VerdictKind::require_approval;
                  verdict.rule_id = "big";
                  verdict.approval = Value::object(
                      {{"roles", Value::array({"operator"})}, {"count", 2}, {"expires_ms", 1'000}});
                  return std::optional(verdict);
                }};
  at.given.policy = &policy;
  at.submit();
  ASSERT_EQ(at.job.state, State::approval_required);
  EXPECT_EQ(at.job.approval->request_hash, at.job.request_hash);
  EXPECT_EQ(at.job.approval->count, 2u);
  EXPECT_EQ(at.job.approval->roles, std::vector<std::string>{"operator"});
  EXPECT_EQ(at.refused(JobFixture::place_at()), ErrorCode::wrong_state);
  at.wake();
  EXPECT_EQ(at.job.state, State::denied);
  EXPECT_EQ(at.job.reason_code, "approval_expired");
}

// J-27
TEST(JobPolicy, no_attempt_starts_under_a_policy_that_was_replaced) {
  JobFixture at;
  Policy first = saying(VerdictKind::allow, "s1");
  at.given.policy = &first;
  at.submit();
  Policy second = saying(VerdictKind::deny, "s2");
  at.given.policy = &second;
  at.place();
  EXPECT_EQ(at.job.state, State::denied);
  EXPECT_EQ(at.job.reason_code, "policy_changed");
  EXPECT_EQ(at.job.attempt_count, 0u);
  EXPECT_EQ(at.effects<WithdrawJob>(), 1u);
}

TEST(JobPolicy, a_policy_that_still_allows_is_recorded_and_the_place_in_the_queue_kept) {
  JobFixture at;
  Request request = JobFixture::request();
  request.queue_timeout_ms = 60'000;
  Policy first = saying(VerdictKind::allow, "s1");
  at.given.policy = &first;
  at.submit(request);
  at.pass(1'000);
  Policy second = saying(VerdictKind::allow, "s2");
  at.given.policy = &second;
  at.place();
  EXPECT_EQ(at.job.state, State::dispatched);
  EXPECT_EQ(at.job.verdict->snapshot, "s2");
  EXPECT_EQ(at.effects<OfferJob>(), 0u);
  EXPECT_EQ(at.version, 2u);
}

TEST(JobPolicy, what_a_later_move_of_the_same_commit_overtook_is_not_performed) {
  JobFixture at;
  at.submit();
  EXPECT_TRUE(still_wanted(at.job, OfferJob{}));
  at.place();
  EXPECT_FALSE(still_wanted(at.job, OfferJob{}));
  EXPECT_TRUE(still_wanted(at.job, WithdrawJob{}));
}

}  // namespace
}  // namespace fermata::job
