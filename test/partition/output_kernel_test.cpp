#include "adapters/memory/memory_output_kernel.h"
#include "test/partition/kernel_fixture.h"
#include "test/scenario/direct_scans.h"

/// Results that somebody outside reads before they may be used.
namespace fermata {
namespace {

using job::OutputDecision;
using scenario::DirectScans;

class OutputKernelTest : public KernelTest {
 protected:
  OutputKernelTest() {
    settings.policy.mode = PolicyMode::rules;
    scans = &direct;
    output_kernel = &reads;
  }
  void settle_reads() {
    do {
      settle();
    } while (reads.unheard() || memory_kernel.unheard() || direct.in_flight() > 0);
  }
  void pass(int64_t ms) {
    clock.set(clock.now() + Duration{ms});
    settle_reads();
  }
  /// A worker has done the job and says so.
  void do_job(const std::string& id, Value output = Value("done")) {
    submit(id);
    claim("w", ++seq);
    settle_reads();
    ASSERT_EQ(delivered.size(), 1u);
    report("w", delivered[0], job::AttemptOutcome::succeeded, std::move(output));
    settle_reads();
  }
  BreakerView output_breaker() {
    BreakerView seen;
    with([&seen](Workers& workers) { seen = workers.breakers().back(); });
    settle_reads();
    return seen;
  }

  DirectScans::Mood mood = DirectScans::Mood::works;
  DirectScans direct{store.memory, mood};
  MemoryOutputKernel reads;
  uint64_t seq = 0;
};

constexpr std::string_view fails_open =
    R"({"version":1,"default_decision":"allow","output_policy":{"fail_mode":"open"}})";

// J-45, J-46: also where there is no policy here at all
TEST_F(OutputKernelTest, result_is_used_when_the_kernel_lets_it_pass) {
  reads.say(OutputDecision::allow);
  enroll("w");
  do_job("j0", Value::object({{"n", 1}}));
  EXPECT_EQ(job("j0").state, State::succeeded);
  EXPECT_EQ(job("j0").output.value, Value::object({{"n", 1}}));
  OutputQuestion asked = reads.last();
  EXPECT_EQ(asked.job, JobId("j0"));
  EXPECT_EQ(asked.account, AccountId("acme"));
  EXPECT_EQ(asked.request.topic, "job.pay");
  EXPECT_EQ(asked.worker, WorkerId("w"));
  EXPECT_EQ(asked.content, R"({"n":1})");
  EXPECT_EQ(asked.bytes, asked.content.size());
  EXPECT_EQ(asked.timeout_ms, 2'000);
}

// J-50
TEST_F(OutputKernelTest, result_that_the_kernel_refuses_is_quarantined) {
  reads.set([](const OutputQuestion&) {
    OutputAnswer answer;
    answer.kind = OutputAnswer::Kind::verdict;
    answer.verdict.decision = OutputDecision::quarantine;
    answer.verdict.rule_id = "hush";
    answer.verdict.reason = "a name";
    answer.verdict.findings.emplace_back();
    answer.verdict.findings[0].scanner = "names";
    answer.verdict.found = 1;
    return answer;
  });
  enroll("w");
  do_job("j0");
  job::Job refused = job("j0");
  EXPECT_EQ(refused.state, State::output_quarantined);
  EXPECT_EQ(refused.reason_code, "output_quarantined");
  EXPECT_EQ(refused.judged_output->rule_id, "hush");
  ASSERT_EQ(refused.judged_output->findings.size(), 1u);
  EXPECT_EQ(refused.judged_output->findings[0].scanner, "names");
  EXPECT_TRUE(refused.withholds());
  EXPECT_EQ(store.memory.dead_letters({}, 10, "")->items.size(), 1u);
}

// J-50: the kernel leaves what may be read as a blob of the account
TEST_F(OutputKernelTest, result_that_the_kernel_redacts_is_what_it_has_left) {
  BlobRef left = *store.memory.put_blob(AccountId("acme"), R"({"card":"[REDACTED]"})", clock.now());
  reads.say(OutputDecision::redact, left.sha256);
  enroll("w");
  do_job("j0", Value::object({{"card", 4111}}));
  EXPECT_EQ(job("j0").state, State::succeeded);
  EXPECT_EQ(job("j0").output.value, Value::object({{"card", "[REDACTED]"}}));
  EXPECT_FALSE(job("j0").judged_output->original_sha256.empty());
  // Where nothing readable is named, nothing is let through.
  for (const std::string& name : {std::string(), std::string(64, '0')}) {
    reads.say(OutputDecision::redact, name);
    std::string id = "none" + std::to_string(name.size());
    do_job(id);
    EXPECT_EQ(job(id).state, State::output_quarantined) << id;
  }
}

// J-47, J-31: the breaker of results is not that of requests
TEST_F(OutputKernelTest, kernel_that_is_down_is_a_scan_that_fails) {
  settings.policy.mode = PolicyMode::kernel;
  memory_kernel.say(VerdictKind::allow);
  enroll("w");
  do_job("j0");
  EXPECT_EQ(job("j0").phase, Phase::output_scan);
  pass(2'000);
  EXPECT_EQ(reads.asked(), 2u);
  EXPECT_EQ(job("j0").phase, Phase::output_scan);
  pass(3'000);
  EXPECT_EQ(reads.asked(), 3u);
  EXPECT_EQ(job("j0").state, State::output_quarantined);
  EXPECT_EQ(job("j0").reason_code, "scan_failed");
  EXPECT_EQ(output_breaker().name, "safety-output");
  EXPECT_EQ(output_breaker().state, breaker::State::open);
  EXPECT_EQ(breaker().name, "safety");
  EXPECT_EQ(breaker().state, breaker::State::closed);
  // An open circuit costs no call, and nothing passes by it.
  do_job("j1");
  pass(2'000);
  pass(3'000);
  EXPECT_EQ(reads.asked(), 3u);
  EXPECT_EQ(job("j1").state, State::output_quarantined);
}

// J-47
TEST_F(OutputKernelTest, fail_mode_open_lets_results_pass_that_nobody_could_read) {
  set_policy(rules(fails_open));
  enroll("w");
  do_job("j0");
  EXPECT_EQ(job("j0").phase, Phase::output_scan);
  for (int i = 0; i < 3; ++i) pass(5'000);
  EXPECT_EQ(job("j0").state, State::succeeded);
  EXPECT_TRUE(job("j0").judged_output->unscanned);
  EXPECT_EQ(audited("job.output_unscanned"), 1u);
}

// J-31, JT-16: of results
TEST_F(OutputKernelTest, half_open_breaker_of_results_gives_three_probes) {
  set_policy(rules(fails_open));
  enroll("w");
  for (int i = 0; i < 3; ++i) do_job("j" + std::to_string(i));
  ASSERT_EQ(output_breaker().state, breaker::State::open);
  clock.set(clock.now() + Duration{30'000});
  reads.say(OutputDecision::allow);
  uint64_t before = reads.asked();
  for (int i = 0; i < 2; ++i) do_job("probe" + std::to_string(i));
  EXPECT_GE(reads.probed(), 2u);
  EXPECT_LE(reads.probed(), 3u);
  EXPECT_GE(reads.asked(), before + 2);
  EXPECT_EQ(output_breaker().state, breaker::State::closed);
  EXPECT_EQ(job("probe1").state, State::succeeded);
  EXPECT_FALSE(job("probe1").judged_output->unscanned);
}

// J-30: of results
TEST_F(OutputKernelTest, answer_that_nobody_knows_lets_nothing_pass_and_is_no_failure) {
  reads.set([](const OutputQuestion&) {
    OutputAnswer answer;
    answer.kind = OutputAnswer::Kind::unknown;
    answer.reason = "decision 7";
    return answer;
  });
  enroll("w");
  do_job("j0");
  EXPECT_EQ(job("j0").state, State::output_quarantined);
  EXPECT_EQ(job("j0").judged_output->reason, "decision 7");
  EXPECT_EQ(output_breaker().failures, 0);
}

// J-48
TEST_F(OutputKernelTest, result_whose_answer_a_crash_has_taken_is_asked_about_again) {
  struct Silent final : OutputKernel {
    void submit(OutputQuestion) override { ++asked; }
    std::vector<OutputAnswer> harvest() override { return {}; }
    int asked = 0;
  } silent;
  output_kernel = &silent;
  enroll("w");
  do_job("j0");
  EXPECT_EQ(silent.asked, 1);
  EXPECT_EQ(job("j0").phase, Phase::output_scan);
  restart();
  output_kernel = &reads;
  reads.say(OutputDecision::allow);
  ASSERT_TRUE(host().recover());
  settle_reads();
  EXPECT_EQ(reads.asked(), 1u);
  EXPECT_EQ(job("j0").state, State::succeeded);
}

// J-30: two seconds; a late answer means nothing
TEST_F(OutputKernelTest, kernel_that_says_nothing_in_time_has_failed) {
  struct Late final : OutputKernel {
    void submit(OutputQuestion question) override { tickets.push_back(question.ticket); }
    std::vector<OutputAnswer> harvest() override { return std::exchange(answers, {}); }
    std::vector<uint64_t> tickets;
    std::vector<OutputAnswer> answers;
  } late;
  output_kernel = &late;
  enroll("w");
  do_job("j0");
  ASSERT_EQ(late.tickets.size(), 1u);
  pass(1'999);
  EXPECT_EQ(output_breaker().failures, 0);
  pass(1);
  EXPECT_EQ(output_breaker().failures, 1);
  OutputAnswer refused;
  refused.ticket = late.tickets[0];
  refused.kind = OutputAnswer::Kind::verdict;
  refused.verdict.decision = OutputDecision::quarantine;
  late.answers.push_back(refused);
  settle();
  EXPECT_EQ(job("j0").phase, Phase::output_scan);
}

TEST_F(OutputKernelTest, what_rules_refuse_needs_nobody_elses_word) {
  set_policy(rules(R"({"version":1,"default_decision":"allow","output_rules":[
    {"id":"hush","match":{"keywords":["hush"]},"decision":"quarantine"},
    {"id":"card","match":{"scanners":["pii"]},"decision":"redact"}]})"));
  reads.say(OutputDecision::allow);
  enroll("w");
  do_job("j0", Value("hush"));
  EXPECT_EQ(job("j0").state, State::output_quarantined);
  EXPECT_EQ(reads.asked(), 0u);
  // The kernel reads what would be released.
  do_job("j1", Value::object({{"card", 4111111111111111}}));
  EXPECT_EQ(reads.last().content, R"({"card":"[REDACTED]"})");
  EXPECT_EQ(job("j1").judged_output->decision, OutputDecision::redact);
  EXPECT_EQ(job("j1").state, State::succeeded);
}

TEST_F(OutputKernelTest, server_that_switches_output_policy_off_asks_nobody) {
  settings.output.enabled = false;
  enroll("w");
  do_job("j0");
  EXPECT_EQ(job("j0").state, State::succeeded);
  EXPECT_EQ(reads.asked(), 0u);
}

}  // namespace
}  // namespace fermata
