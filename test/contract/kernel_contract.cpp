#include <gtest/gtest.h>

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <set>

#include "adapters/grpc_policy/grpc_policy.h"
#include "base/json.h"
#include "test/kernel/certificate.h"
#include "test/kernel/kernel_process.h"

/// The PolicyKernel port against a real kernel.
namespace fermata {
namespace {

using Kind = PolicyAnswer::Kind;

struct KernelContract : testing::Test {
  using Files = std::vector<std::string>;
  explicit KernelContract(Files (*tls)(const std::filesystem::path& folder) = nullptr)
      : process(folder / "asked", tls ? tls(folder) : Files()) {
    EXPECT_TRUE(process.start());
    connect({.url = process.url()});
  }
  ~KernelContract() override {
    kernel.reset();
    std::filesystem::remove_all(folder);
  }
  void connect(const KernelOptions& options) {
    auto address = kernel_address(options);
    ASSERT_TRUE(address) << address.error().message;
    kernel = std::make_unique<GrpcPolicy>(*address, [this] {
      std::lock_guard lock(mutex);
      ++rings;
      bell.notify_all();
    });
  }
  static std::filesystem::path make_folder() {
    std::string name = testing::TempDir() + "kernel-XXXXXX";
    return mkdtemp(name.data());
  }

  static PolicyQuestion question(Value labels) {
    PolicyQuestion asked;
    asked.job = JobId("job-1");
    asked.account = AccountId("acme");
    asked.request.topic = "job.pay";
    asked.request.input = job::Payload::of(Value::object({{"n", 1}}));
    asked.request.labels = std::move(labels);
    asked.content = to_canonical_json(asked.request.input.value);
    return asked;
  }
  /// Answers until there are as many, or 20 seconds have passed.
  std::vector<PolicyAnswer> await(size_t count) {
    std::vector<PolicyAnswer> answers;
    auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    std::unique_lock lock(mutex);
    for (;;) {
      lock.unlock();
      for (PolicyAnswer& answer : kernel->harvest()) answers.push_back(std::move(answer));
      lock.lock();
      if (answers.size() >= count) return answers;
      if (!bell.wait_until(lock, deadline, [&] { return rings > heard; })) return answers;
      heard = rings;
    }
  }
  PolicyAnswer ask(PolicyQuestion asked) {
    asked.ticket = ++tickets;
    kernel->submit(std::move(asked));
    auto answers = await(1);
    EXPECT_EQ(answers.size(), 1u);
    if (answers.empty()) return {};
    EXPECT_EQ(answers[0].ticket, tickets);
    return answers[0];
  }
  PolicyAnswer ask_decision(int decision) {
    return ask(question(Value::object({{"decision", std::to_string(decision)}})));
  }

  const std::filesystem::path folder = make_folder();
  test::KernelProcess process;
  std::mutex mutex;
  std::condition_variable bell;
  uint64_t rings = 0, heard = 0, tickets = 0;
  std::unique_ptr<GrpcPolicy> kernel;
};

// J-30
TEST_F(KernelContract, every_decision_of_the_wire_is_one_of_ours) {
  using job::VerdictKind;
  const std::pair<int, VerdictKind> decisions[] = {{1, VerdictKind::allow},
                                                   {2, VerdictKind::deny},
                                                   {3, VerdictKind::require_approval},
                                                   {4, VerdictKind::throttle},
                                                   {5, VerdictKind::allow_with_constraints}};
  for (auto [wire, kind] : decisions) {
    PolicyAnswer answer = ask_decision(wire);
    ASSERT_EQ(answer.kind, Kind::verdict) << answer.reason;
    EXPECT_EQ(answer.verdict.kind, kind);
    EXPECT_EQ(answer.verdict.kernel_snapshot, "k1");
    EXPECT_EQ(answer.verdict.rule_id, "reference");
  }
}

// JT-17, J-30
TEST_F(KernelContract, unknown_and_unset_decisions_are_no_failure) {
  for (int decision : {99, 0, -1}) EXPECT_EQ(ask_decision(decision).kind, Kind::unknown);
  constexpr const char* invalid_argument = "3";
  EXPECT_EQ(ask(question(Value::object({{"status", invalid_argument}}))).kind, Kind::unknown);
}

// J-30
TEST_F(KernelContract, any_other_status_is_a_failure) {
  for (const char* status : {"2", "4", "7", "8", "12", "13", "14", "16"})
    EXPECT_EQ(ask(question(Value::object({{"status", status}}))).kind, Kind::failed) << status;
}

// J-30
TEST_F(KernelContract, answer_that_does_not_come_in_time_is_a_failure) {
  PolicyQuestion asked = question(Value::object({{"sleep_ms", "2000"}}));
  asked.timeout_ms = 100;
  EXPECT_EQ(ask(std::move(asked)).kind, Kind::failed);
}

TEST_F(KernelContract, question_tells_all_that_the_wire_has_a_field_for) {
  PolicyQuestion asked = question(Value::object({{"echo", "1"}}));
  job::Request& request = asked.request;
  request.priority = job::Priority::critical;
  request.budget =
      job::Budget{.deadline_ms = 5'000, .max_total_tokens = 7, .max_cost_micros = 1'500'000};
  request.principal_id = "p";
  request.memory_id = "m";
  request.actor.id = "ann";
  request.actor.type = job::ActorType::human;
  request.idempotency_key = "key";
  request.capability = "cap";
  request.pack_id = "pack";
  request.risk_tags = {"money", "pii"};
  request.requires_ = {"gpu"};
  EXPECT_EQ(ask(std::move(asked)).verdict.reason,
            "job_id=job-1 topic=job.pay tenant=acme priority=3 estimated_cost=1.500000 "
            "deadline_ms=5000 max_total_tokens=7 principal_id=p memory_id=m actor=ann/1 key=key "
            "capability=cap pack_id=pack risk=money risk=pii requires=gpu size=7 "
            "type=application/json content={\"n\":1}");
}

// J-22
TEST_F(KernelContract, constraints_are_those_that_rules_have) {
  PolicyAnswer answer = ask(question(Value::object({{"decision", "5"}, {"constrain", "1"}})));
  EXPECT_EQ(answer.verdict.constraints,
            *parse_json(R"({"budgets":{"max_runtime_ms":5000,"max_retries":2},
              "sandbox":{"isolated":true,"network_allowlist":["example.org"]},
              "toolchain":{"allowed_tools":["git"]},"diff":{"max_files":3},
              "redaction_level":"high"})"));
}

TEST_F(KernelContract, kernel_that_was_killed_fails_at_once_and_is_found_again) {
  EXPECT_EQ(ask_decision(1).kind, Kind::verdict);
  process.kill_hard();
  auto began = std::chrono::steady_clock::now();
  EXPECT_EQ(ask_decision(1).kind, Kind::failed);
  EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::milliseconds(1'900));
  ASSERT_TRUE(process.start("k2"));
  auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  PolicyAnswer answer;
  while (answer.kind != Kind::verdict && std::chrono::steady_clock::now() < deadline)
    answer = ask_decision(1);
  EXPECT_EQ(answer.verdict.kernel_snapshot, "k2");
}

TEST_F(KernelContract, kernel_that_is_stopped_fails_when_its_time_is_over) {
  process.freeze();
  PolicyQuestion asked = question(Value::object());
  asked.timeout_ms = 200;
  EXPECT_EQ(ask(std::move(asked)).kind, Kind::failed);
  process.thaw();
  EXPECT_EQ(ask_decision(1).kind, Kind::verdict);
}

TEST_F(KernelContract, many_questions_are_answered_each_by_its_ticket) {
  constexpr size_t count = 500;
  for (size_t i = 0; i < count; ++i) {
    PolicyQuestion asked = question(Value::object());
    asked.ticket = ++tickets;
    asked.timeout_ms = 20'000;
    kernel->submit(std::move(asked));
  }
  auto answers = await(count);
  std::set<uint64_t> seen;
  for (const PolicyAnswer& answer : answers)
    if (answer.kind == Kind::verdict) seen.insert(answer.ticket);
  EXPECT_EQ(seen.size(), count);
}

TEST_F(KernelContract, what_is_under_way_is_given_up_with_the_adapter) {
  PolicyQuestion asked = question(Value::object({{"sleep_ms", "1000"}}));
  asked.timeout_ms = 20'000;
  kernel->submit(std::move(asked));
  auto began = std::chrono::steady_clock::now();
  kernel.reset();
  EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::milliseconds(900));
}

/// A kernel that speaks TLS.
struct SecureKernelContract : KernelContract {
  SecureKernelContract()
      : KernelContract([](const std::filesystem::path& folder) {
          test::Certificate made(folder);
          return Files{made.certificate.string(), made.key.string()};
        }) {}
};

// J-30
TEST_F(SecureKernelContract, is_asked_by_those_who_know_its_authority_and_nobody_else) {
  EXPECT_EQ(ask_decision(1).kind, Kind::failed) << "without TLS";
  connect({.url = process.url(), .tls_required = true});
  EXPECT_EQ(ask_decision(1).kind, Kind::failed) << "by the machine's authorities";
  connect({.url = process.url(), .tls_ca = (folder / "kernel.pem").string()});
  PolicyAnswer answer = ask_decision(1);
  EXPECT_EQ(answer.kind, Kind::verdict) << answer.reason;
}

// J-30
TEST(KernelAddress, must_be_protected_beyond_loopback) {
  auto code = [](KernelOptions options) {
    auto address = kernel_address(options);
    return address ? std::string("fine") : std::string(name_of(address.error().code));
  };
  for (const char* near : {"grpc://127.0.0.1:1", "grpc://localhost:50051", "grpc://[::1]:65535",
                           "grpc://127.9.9.9:80"})
    EXPECT_EQ(code({.url = near}), "fine") << near;
  EXPECT_EQ(code({.url = "grpc://10.0.0.1:50051"}), "invalid_setting");
  EXPECT_EQ(code({.url = "grpc://127.0.0.1.example.org:50051"}), "invalid_setting");
  EXPECT_EQ(code({.url = "grpc://kernel:50051", .insecure = true}), "fine");
  EXPECT_EQ(code({.url = "grpc://kernel:50051", .tls_required = true}), "fine");
  EXPECT_EQ(code({.url = "grpc://kernel:50051", .tls_ca = "/dev/null"}), "invalid_setting");
  for (const char* wrong : {"", "kernel:50051", "http://127.0.0.1:1", "grpc://127.0.0.1",
                            "grpc://:50051", "grpc://127.0.0.1:0", "grpc://127.0.0.1:65536",
                            "grpc://a/b:1", "grpc://a:b:1", "grpc://127.0.0.1:5x"})
    EXPECT_EQ(code({.url = wrong}), "invalid_setting") << wrong;
}

}  // namespace
}  // namespace fermata
