#include "adapters/memory/memory_counters.h"
#include "adapters/memory/memory_kernel.h"
#include "test/partition/jobs_fixture.h"

/// Jobs that a policy kernel judges, turn by turn.
namespace fermata {
namespace {

using job::Phase;
using job::State;
using job::VerdictKind;

policy::PolicyPtr rules(std::string_view base, std::string_view invariants = "") {
  policy::Sources sources;
  if (!base.empty()) sources.base = *parse_json(base);
  if (!invariants.empty()) sources.invariants = *parse_json(invariants);
  auto set = policy::PolicySet::compile(std::move(sources));
  EXPECT_TRUE(set) << (set ? "" : set.error().message);
  return *set;
}

constexpr std::string_view allow_all =
    R"({"version":1,"default_decision":"allow","input_policy":{"fail_mode":"closed"}})";
constexpr std::string_view never_bad =
    R"({"version":1,"rules":[{"id":"never","match":{"topics":["job.bad"]},"decision":"deny"}]})";

class KernelTest : public JobsTest {
 protected:
  KernelTest() {
    settings.policy.mode = PolicyMode::kernel;
    kernel = &memory_kernel;
    counters = &memory_counters;
  }
  void set_policy(policy::PolicyPtr set) {
    with([set](Workers& workers) { workers.set_policy(set); });
  }
  /// Until the kernel has been heard.
  void settle_all() {
    do {
      settle();
    } while (memory_kernel.unheard());
  }
  void pass(int64_t ms) {
    clock.set(clock.now() + Duration{ms});
    settle_all();
  }
  BreakerView breaker() {
    BreakerView seen;
    with([&seen](Workers& workers) { seen = workers.breakers().at(0); });
    settle_all();
    return seen;
  }
  size_t in_state(State state, Phase phase, int jobs) {
    size_t found = 0;
    for (int i = 0; i < jobs; ++i) {
      job::Job one = job("j" + std::to_string(i));
      if (one.state == state && one.phase == phase) ++found;
    }
    return found;
  }
  std::vector<std::string> decisions(const std::string& id) {
    std::vector<std::string> sources;
    for (const auto& line : store.memory.decisions({.job = JobId(id)}, 10, "")->items)
      sources.push_back(std::string(name_of(line.decision)) + " " + line.source);
    return sources;
  }
  size_t audited(const std::string& action) {
    size_t found = 0;
    for (const auto& entry : store.memory.audit({}, 1'000, "")->items)
      if (entry.line.action == action) ++found;
    return found;
  }
  void approve(const std::string& id) {
    job::ApproveJob vote;
    vote.hash = job(id).approval->request_hash;
    vote.voter = {"ann", "operator", false};
    order(id, std::move(vote));
  }

  MemoryKernel memory_kernel;
  MemoryCounters memory_counters{clock};
};

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
  submit("j0");
  settle_all();
  job::SubmitJob undo;
  undo.account = AccountId("acme");
  undo.request.topic = "job.refund";
  undo.request.input = job::Payload::of(Value(1));
  undo.request.priority = job::Priority::critical;
  undo.source = job::Source::compensation;
  order("undo", std::move(undo));
  enroll("w");
  claim("w", 1);
  settle_all();
  ASSERT_EQ(delivered.size(), 1u);
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

/// Answers when it is told to.
struct HoldingKernel final : PolicyKernel {
  void submit(PolicyQuestion question) override { questions.push_back(std::move(question)); }
  std::vector<PolicyAnswer> harvest() override { return std::exchange(answers, {}); }
  void allow(size_t question) {
    PolicyAnswer answer;
    answer.ticket = questions.at(question).ticket;
    answer.kind = PolicyAnswer::Kind::verdict;
    answers.push_back(std::move(answer));
  }
  std::vector<PolicyQuestion> questions;
  std::vector<PolicyAnswer> answers;
};

class SlowKernelTest : public KernelTest {
 protected:
  SlowKernelTest() { kernel = &slow; }
  HoldingKernel slow;
};

// J-30
TEST_F(SlowKernelTest, kernel_has_two_seconds_and_its_late_answer_means_nothing) {
  submit("j0");
  settle_all();
  ASSERT_EQ(slow.questions.size(), 1u);
  EXPECT_EQ(job("j0").phase, Phase::policy);
  pass(1'999);
  EXPECT_EQ(job("j0").phase, Phase::policy);
  pass(1);
  EXPECT_EQ(job("j0").phase, Phase::policy_unavailable);
  EXPECT_EQ(breaker().failures, 1);
  slow.allow(0);
  settle_all();
  EXPECT_EQ(job("j0").state, State::pending);
}

// J-25
TEST_F(SlowKernelTest, decision_log_tells_how_long_the_kernel_took) {
  submit("j0");
  settle_all();
  clock.set(clock.now() + Duration{250});
  slow.allow(0);
  settle_all();
  EXPECT_GE(store.memory.decisions({.job = JobId("j0")}, 1, "")->items.at(0).micros, 250'000u);
}

TEST_F(SlowKernelTest, second_answer_to_one_question_means_nothing) {
  submit("j0");
  settle_all();
  slow.allow(0);
  slow.allow(0);
  settle_all();
  uint64_t before = version("j0");
  EXPECT_EQ(job("j0").state, State::scheduled);
  slow.allow(0);
  settle_all();
  EXPECT_EQ(version("j0"), before);
}

TEST_F(SlowKernelTest, answer_about_an_amended_request_means_nothing) {
  submit("j0");
  settle_all();
  order("j0", job::AmendJob{.topic = "job.other"});
  settle_all();
  slow.allow(0);
  settle_all();
  EXPECT_EQ(job("j0").state, State::pending);
  // Asked again, about what it is now.
  ASSERT_EQ(slow.questions.size(), 2u);
  EXPECT_EQ(slow.questions[1].request.topic, "job.other");
  slow.allow(1);
  settle_all();
  EXPECT_EQ(job("j0").state, State::scheduled);
}

// J-33: a crash repeats the question.
TEST_F(SlowKernelTest, question_is_asked_again_after_a_restart) {
  submit("j0");
  settle_all();
  ASSERT_EQ(slow.questions.size(), 1u);
  restart();
  ASSERT_TRUE(host().recover());
  settle_all();
  ASSERT_EQ(slow.questions.size(), 2u);
  slow.allow(1);
  settle_all();
  EXPECT_EQ(job("j0").state, State::scheduled);
}

// J-81 (b)
TEST_F(SlowKernelTest, job_that_nobody_has_asked_about_is_found_by_the_sweep) {
  submit("j0");
  settle_all();
  restart();
  settle_all();
  EXPECT_EQ(slow.questions.size(), 1u);
  for (int sweep = 0; sweep < 7; ++sweep) pass(settings.sweep_interval_ms);
  EXPECT_EQ(told.replayed, std::vector<std::string>{"j0"});
  EXPECT_GE(slow.questions.size(), 2u);
}

TEST_F(SlowKernelTest, job_in_doubt_is_judged_by_rules_once_there_is_no_kernel_any_more) {
  submit("j0");
  settle_all();
  restart();
  settings.policy.mode = PolicyMode::rules;
  ASSERT_TRUE(host().recover());
  settle_all();
  EXPECT_EQ(job("j0").state, State::scheduled);
}

TEST_F(SlowKernelTest, no_more_questions_are_under_way_than_the_limit) {
  settings.policy.kernel_calls_max = 5;
  for (int i = 0; i < 20; ++i) submit("j" + std::to_string(i));
  settle_all();
  // Until it has answered once, no more than open the circuit.
  EXPECT_EQ(slow.questions.size(), 3u);
  slow.allow(0);
  settle_all();
  EXPECT_EQ(slow.questions.size(), 6u);
}

}  // namespace
}  // namespace fermata
