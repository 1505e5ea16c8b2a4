#include "core/job/job_fixture.h"

namespace fermata::job {
namespace {

Policy asking(uint32_t count, std::string snapshot = "s1", std::string rule = "big") {
  return {std::move(snapshot), [count, rule](const Job&, Instant) {
            Verdict verdict;
            verdict.kind = VerdictKind::require_approval;
            verdict.rule_id = rule;
            verdict.approval =
                Value::object({{"roles", Value::array({"operator"})}, {"count", count}});
            return std::optional<Judged>(verdict);
          }};
}

Policy saying(VerdictKind kind, std::string snapshot) {
  return {std::move(snapshot), [kind](const Job&, Instant) {
            Verdict verdict;
            verdict.kind = kind;
            return std::optional<Judged>(verdict);
          }};
}

Voter person(std::string id, std::string role = "operator") { return {std::move(id), role, false}; }

/// A job that awaits approval under a policy the test holds.
struct Awaiting : JobFixture {
  Policy policy;
  explicit Awaiting(uint32_t count = 1, std::string topic = "pay") : policy(asking(count)) {
    given.policy = &policy;
    submit(request(std::move(topic)));
    EXPECT_EQ(job.state, State::approval_required);
  }
  ApproveJob yes(std::string who) const { return {job.approval->request_hash, person(who)}; }
  void change(Policy next) { policy = std::move(next); }
};

// J-41, JT-20
TEST(JobApproval, distinct_people_up_to_the_count_and_the_last_one_releases) {
  Awaiting at(2);
  EXPECT_EQ(at.refused(ApproveJob{at.job.request_hash, person("key")}),
            ErrorCode::approval_by_submitter);
  at.must(at.yes("ann"));
  EXPECT_EQ(at.job.state, State::approval_required);
  EXPECT_EQ(at.effects<OfferJob>(), 0u);
  EXPECT_EQ(at.refused(at.yes("ann")), ErrorCode::approval_already_voted);
  at.must(at.yes("bob"));
  EXPECT_EQ(at.job.state, State::scheduled);
  EXPECT_EQ(at.effects<OfferJob>(), 1u);
  EXPECT_TRUE(at.job.approval->granted);
  ASSERT_EQ(at.records<PolicyDecision>().size(), 1u);
  EXPECT_EQ(at.records<PolicyDecision>()[0].source, "approval");
  EXPECT_EQ(at.refused(at.yes("cyd")), ErrorCode::approval_not_pending);
  at.place();
  EXPECT_EQ(at.job.state, State::dispatched);
}

// J-42
TEST(JobApproval, a_role_that_is_too_low_and_who_started_the_run_may_not) {
  Awaiting at;
  EXPECT_EQ(at.refused(ApproveJob{at.job.request_hash, person("eve", "viewer")}),
            ErrorCode::forbidden);
  EXPECT_EQ(at.refused(ApproveJob{at.job.request_hash, person("eve", "worker")}),
            ErrorCode::forbidden);
  at.must(ApproveJob{at.job.request_hash, {"key", "root", true}});
  EXPECT_EQ(at.job.state, State::scheduled);

  JobFixture run;
  Policy policy = asking(1);
  run.given.policy = &policy;
  Request asked = JobFixture::request("pay");
  asked.step.started_by = "ann";
  run.submit(asked);
  EXPECT_EQ(run.refused(ApproveJob{run.job.request_hash, person("ann", "admin")}),
            ErrorCode::approval_by_submitter);
}

// J-6, J-41, JT-18
TEST(JobApproval, amending_voids_the_votes_and_an_old_hash_is_stale) {
  Awaiting at(2);
  std::string old = at.job.approval->request_hash;
  at.must(at.yes("ann"));
  at.must(AmendJob{.input = Payload::of(Value(7))});
  EXPECT_EQ(at.job.state, State::approval_required);
  EXPECT_TRUE(at.job.approval->votes.empty());
  EXPECT_EQ(at.refused(ApproveJob{old, person("bob")}), ErrorCode::approval_stale_request);
  EXPECT_EQ(at.job.state, State::approval_required);
  at.must(at.yes("ann"));
  at.must(at.yes("bob"));
  EXPECT_EQ(at.job.state, State::scheduled);
}

// J-42: four eyes are on what is sent, not on what was first asked for.
TEST(JobApproval, who_has_amended_a_job_does_not_approve_it) {
  Awaiting at;
  ASSERT_TRUE(at.send(AmendJob{.input = Payload::of(Value(7))}, "ann"));
  ASSERT_EQ(at.job.state, State::approval_required);
  EXPECT_EQ(at.refused(at.yes("ann")), ErrorCode::approval_by_submitter);
  EXPECT_EQ(at.refused(at.yes("key")), ErrorCode::approval_by_submitter);
  at.must(at.yes("bob"));
  EXPECT_EQ(at.job.state, State::scheduled);
}

TEST(JobApproval, one_no_ends_it_with_a_dead_letter) {
  Awaiting at(2);
  at.must(at.yes("ann"));
  at.must(RejectJob{at.job.request_hash, person("bob"), "too much"});
  EXPECT_EQ(at.job.state, State::denied);
  EXPECT_EQ(at.job.reason_code, "approval_rejected");
  EXPECT_EQ(at.job.reason, "rejected by bob: too much");
  EXPECT_EQ(at.records<DeadLetter>().size(), 1u);
}

// J-41, JT-19
TEST(JobApproval, what_was_altered_after_it_was_approved_is_not_sent) {
  Awaiting at;
  at.must(at.yes("ann"));
  std::string approved = at.job.approval->request_hash;
  Job altered = at.job;
  altered.request.input.value = Value("a million");
  at.given.version = 9;
  auto decision = decide(altered, Command{altered.id, JobFixture::place_at()}, at.given);
  ASSERT_TRUE(decision);
  EXPECT_EQ(altered.state, State::approval_required);
  EXPECT_EQ(altered.attempt_count, 0u);
  EXPECT_FALSE(altered.approval->granted);
  EXPECT_NE(altered.approval->request_hash, approved);
  bool audited = false;
  for (const Record& record : decision->records)
    if (const auto* line = std::get_if<AuditLine>(&record))
      audited = audited || line->action == "approval_hash_mismatch";
  EXPECT_TRUE(audited);
}

// J-43, JT-21
TEST(JobApproval, the_same_rule_keeps_the_votes_and_other_terms_void_them) {
  Awaiting at(2);
  at.must(at.yes("ann"));
  EXPECT_EQ(at.refused(ReviewJob{}), ErrorCode::nothing_due);
  at.change(asking(2, "s2"));
  at.must(ReviewJob{});
  EXPECT_EQ(at.job.verdict->snapshot, "s2");
  EXPECT_EQ(at.job.approval->votes.size(), 1u);
  at.change(asking(3, "s3"));
  at.must(ReviewJob{});
  EXPECT_TRUE(at.job.approval->votes.empty());
  EXPECT_EQ(at.job.approval->count, 3u);
}

// J-43, JT-21
TEST(JobApproval, a_policy_that_now_denies_ends_it_and_one_that_allows_lets_it_go) {
  Awaiting denied;
  denied.change(saying(VerdictKind::deny, "s2"));
  denied.must(ReviewJob{});
  EXPECT_EQ(denied.job.state, State::denied);
  EXPECT_EQ(denied.job.reason_code, "policy_changed");
  EXPECT_EQ(denied.records<DeadLetter>().size(), 1u);

  Awaiting allowed;
  allowed.change(saying(VerdictKind::allow, "s2"));
  allowed.must(ReviewJob{});
  EXPECT_EQ(allowed.job.state, State::scheduled);
  EXPECT_EQ(allowed.effects<OfferJob>(), 1u);

  Awaiting paused;
  paused.change(saying(VerdictKind::throttle, "s2"));
  EXPECT_EQ(paused.refused(ReviewJob{}), ErrorCode::nothing_due);
}

// J-43
TEST(JobApproval, policy_is_asked_once_more_at_the_moment_of_approval) {
  Awaiting denied;
  denied.change(saying(VerdictKind::deny, "s2"));
  denied.must(denied.yes("ann"));
  EXPECT_EQ(denied.job.state, State::denied);
  EXPECT_EQ(denied.job.reason_code, "policy_changed");

  Awaiting stricter;
  stricter.change(asking(2, "s2"));
  stricter.must(stricter.yes("ann"));
  EXPECT_EQ(stricter.job.state, State::approval_required);
  EXPECT_EQ(stricter.job.approval->votes.size(), 1u);
  stricter.must(stricter.yes("bob"));
  EXPECT_EQ(stricter.job.state, State::scheduled);
}

// J-27, J-43
TEST(JobApproval, votes_stand_at_placement_where_the_terms_are_the_same) {
  Awaiting same;
  same.must(same.yes("ann"));
  same.change(asking(1, "s2"));
  same.place();
  EXPECT_EQ(same.job.state, State::dispatched);
  EXPECT_EQ(same.job.verdict->snapshot, "s2");

  Awaiting other;
  other.must(other.yes("ann"));
  other.change(asking(1, "s2", "another rule"));
  other.place();
  EXPECT_EQ(other.job.state, State::approval_required);
  EXPECT_EQ(other.job.attempt_count, 0u);
  EXPECT_TRUE(other.job.approval->votes.empty());
}

// J-44
TEST(JobApproval, an_approval_that_has_run_out_is_over_whoever_votes_then) {
  Awaiting at;
  at.pass(86'400'000);
  at.must(at.yes("ann"));
  EXPECT_EQ(at.job.state, State::denied);
  EXPECT_EQ(at.job.reason_code, "approval_expired");
}

// J-40
TEST(JobApproval, a_gate_needs_people_and_no_worker) {
  JobFixture at;
  Request request = JobFixture::request("approval");
  at.submit(request);
  ASSERT_EQ(at.job.state, State::approval_required);
  ApproveJob yes{at.job.request_hash, person("ann"), "", "fine"};
  at.must(yes);
  EXPECT_EQ(at.job.state, State::succeeded);
  EXPECT_EQ(at.job.attempt_count, 0u);
  EXPECT_EQ(at.job.output.value.get("by"), Value::array({"ann"}));
  EXPECT_EQ(at.job.output.value.get("note"), Value("fine"));
}

// J-22
TEST(JobConstraints, artifacts_larger_than_policy_allows_fail_the_attempt) {
  JobFixture at;
  Policy strict{"s1", [](const Job&, Instant) {
                  Verdict verdict;
                  verdict.kind = VerdictKind::allow_with_constraints;
                  verdict.constraints =
                      Value::object({{"budgets", Value::object({{"max_artifact_bytes", 10}})}});
                  return std::optional<Judged>(verdict);
                }};
  at.given.policy = &strict;
  at.submit();
  at.place();
  Report report = JobFixture::success();
  report.artifacts.push_back({"big.bin", std::string(64, 'a'), 11});
  at.say(report);
  EXPECT_EQ(at.job.state, State::failed);
  EXPECT_EQ(at.job.reason_code, "result_too_large");
}

// J-22
TEST(JobConstraints, a_limit_of_the_rule_is_counted_and_a_new_one_finds_a_new_place) {
  JobFixture at;
  auto limited = [](int most, std::string snapshot) {
    return Policy{std::move(snapshot), [most](const Job&, Instant) {
                    Verdict verdict;
                    verdict.kind = VerdictKind::allow_with_constraints;
                    verdict.rule_id = "few";
                    verdict.constraints = Value::object(
                        {{"budgets", Value::object({{"max_concurrent_jobs", most}})}});
                    return std::optional<Judged>(verdict);
                  }};
  };
  Policy first = limited(2, "s1");
  at.given.policy = &first;
  at.submit();
  Summary summary = summarize(at.job, at.given.engine_started_at);
  ASSERT_TRUE(summary.policy_limit);
  EXPECT_EQ(summary.policy_limit->limit, 2u);
  Policy second = limited(1, "s2");
  at.given.policy = &second;
  at.place();
  EXPECT_EQ(at.job.state, State::scheduled);
  EXPECT_EQ(at.effects<OfferJob>(), 1u);
  at.place();
  EXPECT_EQ(at.job.state, State::dispatched);
}

// J-25
TEST(JobPolicy, every_verdict_is_logged_with_its_snapshot_and_none_without_a_policy) {
  JobFixture at;
  at.submit();
  EXPECT_EQ(at.records<PolicyDecision>().size(), 0u);
  JobFixture judged;
  Policy deny = saying(VerdictKind::deny, "s1");
  judged.given.policy = &deny;
  judged.submit();
  ASSERT_EQ(judged.records<PolicyDecision>().size(), 1u);
  EXPECT_EQ(judged.records<PolicyDecision>()[0].snapshot, "s1");
  EXPECT_EQ(judged.records<PolicyDecision>()[0].decision, VerdictKind::deny);
}

TEST(JobPolicy, a_verdict_that_nobody_knows_is_a_refusal) {
  JobFixture at;
  Policy strange = saying(static_cast<VerdictKind>(99), "s1");
  at.given.policy = &strange;
  at.submit();
  EXPECT_EQ(at.job.state, State::denied);
  EXPECT_EQ(at.job.reason_code, "safety_unknown");
}

}  // namespace
}  // namespace fermata::job
