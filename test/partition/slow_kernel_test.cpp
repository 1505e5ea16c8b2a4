#include "test/partition/kernel_fixture.h"

/// A policy kernel that takes its time.
namespace fermata {
namespace {

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
