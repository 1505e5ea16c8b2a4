#include "test/partition/kernel_fixture.h"

namespace fermata {
namespace {

TEST_F(KernelTest, verdict_of_the_kernel_moves_the_job_and_is_logged) {
  memory_kernel.say(VerdictKind::allow_with_constraints);
  enroll("w");
  claim("w", 1);
  submit("j0");
  settle_all();
  EXPECT_EQ(delivered.size(), 1u);
  EXPECT_EQ(job("j0").verdict->kernel_snapshot, "k1");
  EXPECT_EQ(decisions("j0"), std::vector<std::string>{"allow_with_constraints kernel"});
  PolicyQuestion asked = memory_kernel.last();
  EXPECT_EQ(asked.request.topic, "job.pay");
  EXPECT_EQ(asked.content, "1");
  EXPECT_EQ(asked.timeout_ms, 2'000);
}

TEST_F(KernelTest, job_that_the_kernel_denies_is_a_dead_letter) {
  memory_kernel.say(VerdictKind::deny);
  submit("j0");
  settle_all();
  EXPECT_EQ(job("j0").state, State::denied);
  EXPECT_EQ(job("j0").reason_code, "safety_denied");
  EXPECT_EQ(store.memory.dead_letters({}, 10, "")->items.size(), 1u);
}

// JT-15
TEST_F(KernelTest, kernel_that_is_down_costs_three_calls_and_no_job) {
  constexpr int jobs = 1'000;
  for (int i = 0; i < jobs; ++i) submit("j" + std::to_string(i));
  settle_all();
  EXPECT_EQ(memory_kernel.asked(), 3u);
  EXPECT_EQ(breaker().state, breaker::State::open);
  EXPECT_EQ(in_state(State::pending, Phase::policy_unavailable, jobs), size_t{jobs});
  pass(29'000);
  EXPECT_EQ(memory_kernel.asked(), 3u);
  memory_kernel.say(VerdictKind::allow);
  pass(1'000);
  EXPECT_EQ(memory_kernel.asked(), 3u);
  // None of them is due yet; they are woken when others have closed the circuit.
  for (int i = 0; i < 4; ++i) submit("new-" + std::to_string(i));
  settle_all();
  EXPECT_EQ(memory_kernel.probed(), 3u);
  EXPECT_EQ(breaker().state, breaker::State::closed);
  EXPECT_EQ(in_state(State::scheduled, Phase::ready, jobs), size_t{jobs});
}

// JT-16
TEST_F(KernelTest, probe_that_fails_opens_the_circuit_for_thirty_seconds_more) {
  for (int i = 0; i < 100; ++i) submit("j" + std::to_string(i));
  settle_all();
  pass(30'000);
  EXPECT_EQ(memory_kernel.asked(), 6u);
  EXPECT_EQ(memory_kernel.probed(), 3u);
  EXPECT_EQ(breaker().state, breaker::State::open);
  EXPECT_EQ(breaker().episode, 2);
  memory_kernel.say(VerdictKind::allow);
  pass(29'000);
  EXPECT_EQ(memory_kernel.asked(), 6u);
  EXPECT_EQ(in_state(State::pending, Phase::policy_unavailable, 100), 100u);
}

// J-33
TEST_F(KernelTest, wait_for_the_kernel_grows_and_counts_to_nothing) {
  submit("j0");
  settle_all();
  std::vector<int64_t> delays;
  for (int i = 0; i < 8; ++i) {
    Duration delay = *job("j0").not_before - clock.now();
    delays.push_back(delay.ms / 1'000);
    pass(delay.ms);
  }
  EXPECT_EQ(delays, (std::vector<int64_t>{5, 5, 5, 8, 16, 30, 30, 30}));
  memory_kernel.say(VerdictKind::allow);
  pass(60'000);
  EXPECT_EQ(job("j0").state, State::scheduled);
  EXPECT_EQ(job("j0").tries, 0u);
  EXPECT_EQ(job("j0").policy_waits, 0u);
}

// JT-17
TEST_F(KernelTest, fail_mode_open_lets_pass_what_no_invariant_forbids) {
  settings.policy.fail_mode = job::FailMode::open;
  set_policy(rules(allow_all, never_bad));
  enroll("w");
  claim("w", 1);
  submit("j0");
  submit("j1", "bad");
  settle_all();
  ASSERT_EQ(delivered.size(), 1u);
  EXPECT_EQ(job("j0").request.labels.get("safety_bypassed"), Value("true"));
  EXPECT_EQ(decisions("j0"), std::vector<std::string>{"allow fail_open"});
  EXPECT_EQ(job("j0").verdict->reason, "input policy fail-open: safety kernel unreachable");
  EXPECT_EQ(audited("job.policy_bypassed"), 1u);
  EXPECT_EQ(job("j1").state, State::denied);
  EXPECT_EQ(job("j1").verdict->rule_id, "never");
}

// J-33
TEST_F(KernelTest, file_says_the_fail_mode_where_nothing_else_does) {
  set_policy(
      rules(R"({"version":1,"default_decision":"allow","input_policy":{"fail_mode":"open"}})"));
  submit("j0");
  settle_all();
  EXPECT_EQ(job("j0").state, State::scheduled);
  set_policy(rules(allow_all));
  submit("j1");
  settle_all();
  EXPECT_EQ(job("j1").phase, Phase::policy_unavailable);
}

// JT-17, J-30
TEST_F(KernelTest, answer_that_nobody_knows_denies_and_leaves_the_breaker_alone) {
  submit("j0");
  settle_all();
  memory_kernel.set([](const PolicyQuestion&) {
    PolicyAnswer answer;
    answer.kind = PolicyAnswer::Kind::unknown;
    answer.reason = "decision 99";
    return answer;
  });
  EXPECT_EQ(breaker().failures, 1);
  submit("j1");
  settle_all();
  EXPECT_EQ(job("j1").state, State::denied);
  EXPECT_EQ(job("j1").reason_code, "safety_unknown");
  EXPECT_EQ(breaker().failures, 1);
}

// J-27
TEST_F(KernelTest, no_attempt_starts_under_a_snapshot_that_the_kernel_has_replaced) {
  memory_kernel.say(VerdictKind::allow, "k1");
  submit("j0");
  settle_all();
  ASSERT_EQ(job("j0").state, State::scheduled);
  memory_kernel.say(VerdictKind::deny, "k2");
  submit("j1");
  settle_all();
  uint64_t asked = memory_kernel.asked();
  enroll("w");
  claim("w", 1);
  settle_all();
  EXPECT_EQ(memory_kernel.asked(), asked + 1);
  EXPECT_TRUE(delivered.empty());
  EXPECT_EQ(job("j0").state, State::denied);
  EXPECT_EQ(job("j0").attempt_count, 0u);
}

// J-27
TEST_F(KernelTest, verdict_of_an_earlier_life_is_renewed_before_the_first_attempt) {
  memory_kernel.say(VerdictKind::allow);
  submit("j0");
  settle_all();
  restart();
  ASSERT_TRUE(host().recover());
  uint64_t asked = memory_kernel.asked();
  enroll("w");
  claim("w", 1);
  settle_all();
  EXPECT_EQ(memory_kernel.asked(), asked + 1);
  EXPECT_EQ(delivered.size(), 1u);
}

// J-21: the stricter of rules and kernel
TEST_F(KernelTest, stricter_of_rules_and_kernel_holds) {
  settings.policy.mode = PolicyMode::both;
  set_policy(rules(
      R"({"version":1,"default_decision":"deny","rules":[
        {"id":"people","match":{"topics":["job.people"]},"decision":"require_approval"},
        {"id":"most","match":{"topics":["job.pay"]},"decision":"allow_with_constraints",
         "constraints":{"budgets":{"max_retries":1,"max_runtime_ms":5000}}}]})"));
  memory_kernel.set([](const PolicyQuestion& question) {
    PolicyAnswer answer;
    answer.kind = PolicyAnswer::Kind::verdict;
    answer.verdict.kind = VerdictKind::allow_with_constraints;
    answer.verdict.constraints = *parse_json(
        R"({"budgets":{"max_retries":3,"max_runtime_ms":1000},"redaction_level":"high"})");
    if (question.job == JobId("j2")) answer.verdict.kind = VerdictKind::deny;
    return answer;
  });
  submit("j0");
  submit("j1", "people");
  submit("j2");
  submit("j3", "other");
  settle_all();
  EXPECT_EQ(job("j0").verdict->constraints,
            *parse_json(R"({"budgets":{"max_retries":1,"max_runtime_ms":1000},
                           "redaction_level":"high"})"));
  EXPECT_EQ(job("j0").verdict->source, "kernel");
  EXPECT_EQ(job("j1").state, State::approval_required);
  EXPECT_EQ(job("j1").verdict->source, "rules");
  EXPECT_EQ(job("j2").state, State::denied);
  EXPECT_EQ(job("j3").state, State::denied);
  // What rules forbid needs nobody else's word.
  EXPECT_EQ(memory_kernel.asked(), 3u);
}

// J-43
TEST_F(KernelTest, vote_waits_for_the_kernel_and_is_refused_while_it_is_away) {
  memory_kernel.say(VerdictKind::require_approval);
  submit("j0");
  settle_all();
  ASSERT_EQ(job("j0").state, State::approval_required);
  memory_kernel.go_down();
  approve("j0");
  settle_all();
  ASSERT_FALSE(told_job);
  EXPECT_EQ(told_job.error().code, ErrorCode::policy_unavailable);
  EXPECT_TRUE(job("j0").approval->votes.empty());
  memory_kernel.say(VerdictKind::require_approval);
  approve("j0");
  settle_all();
  EXPECT_TRUE(told_job);
  EXPECT_EQ(job("j0").state, State::scheduled);
  enroll("w");
  claim("w", 1);
  settle_all();
  EXPECT_EQ(delivered.size(), 1u);
}

TEST_F(KernelTest, vote_for_a_job_that_awaits_none_is_refused_without_a_question) {
  memory_kernel.say(VerdictKind::allow);
  submit("j0");
  settle_all();
  uint64_t asked = memory_kernel.asked();
  order("j0", job::ApproveJob{"hash", {"ann", "operator", false}});
  settle_all();
  ASSERT_FALSE(told_job);
  EXPECT_EQ(told_job.error().code, ErrorCode::approval_not_pending);
  order("none", job::ApproveJob{"hash", {"ann", "operator", false}});
  settle_all();
  ASSERT_FALSE(told_job);
  EXPECT_EQ(told_job.error().code, ErrorCode::job_not_found);
  EXPECT_EQ(memory_kernel.asked(), asked);
}

// J-43
TEST_F(KernelTest, approval_is_judged_again_when_the_kernel_names_another_snapshot) {
  memory_kernel.say(VerdictKind::require_approval, "k1");
  submit("j0");
  settle_all();
  memory_kernel.say(VerdictKind::deny, "k2");
  submit("j1");
  settle_all();
  EXPECT_EQ(job("j0").state, State::denied);
  EXPECT_EQ(job("j0").reason_code, "policy_changed");
}

// J-43: the votes of an approval stand though its snapshot was replaced.
TEST_F(KernelTest, approved_job_whose_kernel_still_asks_for_people_goes_on) {
  memory_kernel.say(VerdictKind::require_approval, "k1");
  submit("j0");
  settle_all();
  approve("j0");
  settle_all();
  ASSERT_EQ(job("j0").state, State::scheduled);
  memory_kernel.say(VerdictKind::require_approval, "k2");
  submit("j1");
  settle_all();
  enroll("w");
  claim("w", 1);
  settle_all();
  EXPECT_EQ(delivered.size(), 1u);
  EXPECT_EQ(job("j0").verdict->kernel_snapshot, "k2");
}

// JT-39, J-75
TEST_F(KernelTest, compensation_goes_on_while_the_kernel_is_away) {
  memory_kernel.say(VerdictKind::allow);
  for (int i = 1; i < 6; ++i) submit("j" + std::to_string(i));
  settle_all();
  memory_kernel.go_down();
  submit("j0");
  settle_all();
  job::SubmitJob undo;
  undo.account = AccountId("acme");
  undo.request.topic = "job.refund";
  undo.request.input = job::Payload::of(Value(1));
  undo.request.priority = job::Priority::critical;
  undo.source = job::Source::compensation;
  order("undo", std::move(undo));
  settle_all();
  enroll("w");
  claim("w", 1);
  settle_all();
  // Before all that had been waiting for longer.
  ASSERT_EQ(delivered.size(), 4u);
  EXPECT_EQ(delivered[0].get("job_id"), Value("undo"));
  EXPECT_EQ(audited("job.policy_bypassed"), 1u);
  EXPECT_EQ(job("j0").state, State::pending);
}

TEST_F(KernelTest, breaker_that_people_close_wakes_who_waits) {
  for (int i = 0; i < 5; ++i) submit("j" + std::to_string(i));
  settle_all();
  ASSERT_EQ(breaker().state, breaker::State::open);
  memory_kernel.say(VerdictKind::allow);
  with([](Workers& workers) {
    EXPECT_FALSE(workers.reset_breaker("other"));
    EXPECT_TRUE(workers.reset_breaker("safety"));
  });
  settle_all();
  EXPECT_EQ(in_state(State::scheduled, Phase::ready, 5), 5u);
}

}  // namespace
}  // namespace fermata
