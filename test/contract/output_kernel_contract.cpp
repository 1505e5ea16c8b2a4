#include <gtest/gtest.h>

#include <chrono>
#include <condition_variable>
#include <mutex>

#include "adapters/grpc_policy/grpc_output.h"
#include "base/hash.h"
#include "test/kernel/kernel_process.h"

/// The OutputKernel port against a real kernel.
namespace fermata {
namespace {

using job::OutputDecision;
using Kind = OutputAnswer::Kind;

struct OutputKernelContract : testing::Test {
  OutputKernelContract() : process(folder / "asked") {
    EXPECT_TRUE(process.start());
    auto address = kernel_address({.url = process.url(), .setting = "output_policy_kernel"});
    EXPECT_TRUE(address);
    kernel = std::make_unique<GrpcOutput>(*address, [this] {
      std::lock_guard lock(mutex);
      ++rings;
      bell.notify_all();
    });
  }
  ~OutputKernelContract() override {
    kernel.reset();
    std::filesystem::remove_all(folder);
  }
  static std::filesystem::path make_folder() {
    std::string name = testing::TempDir() + "outputs-XXXXXX";
    return mkdtemp(name.data());
  }
  static OutputQuestion question(Value labels) {
    OutputQuestion asked;
    asked.job = JobId("job-1");
    asked.account = AccountId("acme");
    asked.request.topic = "job.pay";
    asked.request.labels = std::move(labels);
    asked.content = R"({"n":1})";
    asked.bytes = asked.content.size();
    asked.sha256 = sha256_hex(asked.content);
    asked.timeout_ms = 2'000;
    return asked;
  }
  /// A failure that says so when nothing comes within 20 seconds.
  OutputAnswer ask(OutputQuestion asked) {
    asked.ticket = ++tickets;
    kernel->submit(std::move(asked));
    auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    std::unique_lock lock(mutex);
    bool rang = bell.wait_until(lock, deadline, [&] { return rings > heard; });
    heard = rings;
    EXPECT_TRUE(rang);
    auto answers = kernel->harvest();
    EXPECT_EQ(answers.size(), 1u);
    if (answers.empty()) return {};
    EXPECT_EQ(answers[0].ticket, tickets);
    return answers[0];
  }
  OutputAnswer ask_label(const char* name, const std::string& value) {
    return ask(question(Value::object({{name, value}})));
  }

  const std::filesystem::path folder = make_folder();
  test::KernelProcess process;
  std::mutex mutex;
  std::condition_variable bell;
  uint64_t rings = 0, heard = 0, tickets = 0;
  std::unique_ptr<GrpcOutput> kernel;
};

// J-50
TEST_F(OutputKernelContract, every_decision_of_the_wire_is_one_of_ours) {
  OutputAnswer allowed = ask(question(Value::object()));
  ASSERT_EQ(allowed.kind, Kind::verdict) << allowed.reason;
  EXPECT_EQ(allowed.verdict.decision, OutputDecision::allow);
  EXPECT_EQ(allowed.kernel_snapshot, "k1");
  OutputAnswer refused = ask_label("output_decision", "1");
  EXPECT_EQ(refused.verdict.decision, OutputDecision::quarantine);
  EXPECT_EQ(refused.verdict.rule_id, "reference");
  ASSERT_EQ(refused.verdict.findings.size(), 1u);
  // Where something was found, never what (J-49).
  const job::OutputFinding& finding = refused.verdict.findings[0];
  EXPECT_EQ(finding.scanner, "names");
  EXPECT_EQ(finding.type, "person");
  EXPECT_EQ(finding.severity, job::Severity::high);
  EXPECT_EQ(finding.confidence, 90u);
  EXPECT_EQ(finding.offset, 3u);
  EXPECT_EQ(finding.length, 4u);
  EXPECT_EQ(refused.verdict.severity, job::Severity::high);
  OutputAnswer redacted = ask(question(
      Value::object({{"output_decision", "2"}, {"output_pointer", "sha256:" + sha256_hex("x")}})));
  EXPECT_EQ(redacted.verdict.decision, OutputDecision::redact);
  EXPECT_EQ(redacted.redacted_sha256, sha256_hex("x"));
  // A pointer into somebody else's memory is none that we can follow.
  OutputAnswer elsewhere =
      ask(question(Value::object({{"output_decision", "2"}, {"output_pointer", "redis://ctx/1"}})));
  EXPECT_TRUE(elsewhere.redacted_sha256.empty());
}

// J-30
TEST_F(OutputKernelContract, unknown_decisions_are_no_failure_and_other_statuses_are) {
  for (const char* decision : {"99", "3", "-1"})
    EXPECT_EQ(ask_label("output_decision", decision).kind, Kind::unknown) << decision;
  EXPECT_EQ(ask_label("output_status", "3").kind, Kind::unknown);
  for (const char* status : {"2", "4", "7", "8", "12", "13", "14", "16"})
    EXPECT_EQ(ask_label("output_status", status).kind, Kind::failed) << status;
}

// J-30
TEST_F(OutputKernelContract, answer_that_does_not_come_in_time_is_a_failure) {
  OutputQuestion slow = question(Value::object({{"output_sleep_ms", "10000"}}));
  slow.timeout_ms = 200;
  EXPECT_EQ(ask(std::move(slow)).kind, Kind::failed);
  process.kill_hard();
  EXPECT_EQ(ask(question(Value::object())).kind, Kind::failed);
  // It comes back, and is found again by itself.
  ASSERT_TRUE(process.start("k2"));
  auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  OutputAnswer again;
  do {
    again = ask(question(Value::object()));
  } while (again.kind != Kind::verdict && std::chrono::steady_clock::now() < deadline);
  EXPECT_EQ(again.kernel_snapshot, "k2");
}

TEST_F(OutputKernelContract, it_is_told_all_that_the_wire_has_a_field_for) {
  OutputQuestion asked = question(Value::object({{"output_echo", "1"}}));
  asked.request.capability = "pay";
  asked.request.risk_tags = {"money"};
  asked.request.principal_id = "ann";
  asked.request.pack_id = "pack";
  asked.request.step.workflow = WorkflowId("orders");
  asked.request.step.step_id = "charge";
  asked.worker = WorkerId("w");
  asked.execution_ms = 17;
  asked.artifacts.push_back({"log", sha256_hex("log"), 3});
  std::string hash = sha256_hex(R"({"n":1})");
  EXPECT_EQ(ask(std::move(asked)).verdict.reason,
            "job_id=job-1 topic=job.pay tenant=acme result_ptr=sha256:" + hash +
                " worker_id=w execution_ms=17 size=7 hash=" + hash +
                " workflow_id=orders step_id=charge principal_id=ann pack_id=pack "
                "type=application/json artifact=sha256:" +
                sha256_hex("log") + R"( capability=pay risk=money content={"n":1})");
}

}  // namespace
}  // namespace fermata
