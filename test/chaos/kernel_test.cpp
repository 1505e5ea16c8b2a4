#include <gtest/gtest.h>

#include "base/json.h"
#include "test/chaos/load.h"
#include "test/chaos/server_process.h"
#include "test/kernel/kernel_process.h"

/// A real server and a real policy kernel that is killed and stopped under it. The server's clock
/// is moved by hand, so that nobody waits for the breaker.
namespace fermata::test {
namespace {

struct KernelChaos : testing::Test {
  TemporaryDirectory directory;
  KernelProcess kernel{directory.path() / "asked"};

  std::vector<std::string> serving(std::vector<std::string> more = {}) {
    std::vector<std::string> words = {"--policy",
                                      "kernel",
                                      "--policy-kernel",
                                      kernel.url(),
                                      "--clock",
                                      "virtual:2026-01-26T00:00:00Z",
                                      "--policy-kernel-timeout-ms",
                                      "1000"};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
  static Value submit(ServerProcess& server, const std::string& id,
                      const std::string& labels = "{}") {
    HttpReply reply =
        request(server.port(), "POST", "/api/v1/jobs",
                R"({"id":")" + id + R"(","topic":"pay","input":1,"labels":)" + labels + "}");
    EXPECT_EQ(reply.status, 201) << to_json(reply.body);
    return reply.body;
  }
  static Value job(ServerProcess& server, const std::string& id) {
    return request(server.port(), "GET", "/api/v1/jobs/" + id).body;
  }
  static bool becomes(ServerProcess& server, const std::string& id, const std::string& state) {
    return await(20, [&] { return job(server, id).get("state") == Value(state); });
  }
  static bool waits(ServerProcess& server, const std::string& id) {
    return await(20, [&] { return job(server, id).get("phase") == Value("policy_unavailable"); });
  }
  static void advance(ServerProcess& server, int seconds) {
    HttpReply reply = request(server.port(), "POST", "/api/v1/test/clock/advance",
                              R"({"ms":)" + std::to_string(seconds * 1'000) + "}");
    EXPECT_EQ(reply.status, 200) << to_json(reply.body);
  }
  static Value breaker(ServerProcess& server) {
    const Value items = request(server.port(), "GET", "/api/v1/breakers").body.get("items");
    return items.size() == 1 ? items.items()[0] : Value();
  }
};

// JT-15
TEST_F(KernelChaos, kernel_that_is_killed_holds_jobs_back_and_loses_none) {
  ASSERT_TRUE(kernel.start());
  ServerProcess server(directory.path() / "data", serving());
  ASSERT_TRUE(server.start()) << server.log();
  submit(server, "before");
  EXPECT_TRUE(becomes(server, "before", "SCHEDULED"));
  EXPECT_EQ(job(server, "before").get("verdict").get("source"), Value("kernel"));
  kernel.kill_hard();
  for (int i = 0; i < 20; ++i) submit(server, "j" + std::to_string(i));
  for (int i = 0; i < 20; ++i) EXPECT_TRUE(waits(server, "j" + std::to_string(i))) << i;
  EXPECT_EQ(breaker(server).get("state"), Value("OPEN")) << to_json(breaker(server));
  // The server dies as well: what waits is found again.
  server.kill_hard();
  ASSERT_TRUE(server.start()) << server.log();
  ASSERT_TRUE(kernel.start());
  advance(server, 120);
  for (int i = 0; i < 20; ++i)
    EXPECT_TRUE(becomes(server, "j" + std::to_string(i), "SCHEDULED"))
        << to_json(job(server, "j" + std::to_string(i)));
  EXPECT_EQ(breaker(server).get("state"), Value("CLOSED"));
}

// J-30, J-31
TEST_F(KernelChaos, kernel_that_is_stopped_is_a_kernel_that_is_down) {
  ASSERT_TRUE(kernel.start());
  ServerProcess server(directory.path() / "data", serving());
  ASSERT_TRUE(server.start()) << server.log();
  kernel.freeze();
  for (int i = 0; i < 5; ++i) submit(server, "j" + std::to_string(i));
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(waits(server, "j" + std::to_string(i))) << i;
  EXPECT_EQ(breaker(server).get("state"), Value("OPEN"));
  kernel.thaw();
  HttpReply reset = request(server.port(), "POST", "/api/v1/breakers/safety/reset");
  EXPECT_EQ(reset.status, 200);
  EXPECT_EQ(reset.body.get("state"), Value("CLOSED"));
  // The connection may need a moment; who was told so is asked about again.
  for (int i = 0; i < 5; ++i)
    EXPECT_TRUE(await(20, [&] {
      advance(server, 40);
      return job(server, "j" + std::to_string(i)).get("state") == Value("SCHEDULED");
    }));
}

// JT-17
TEST_F(KernelChaos, fail_mode_open_runs_jobs_and_says_so) {
  ASSERT_TRUE(kernel.start());
  ServerProcess server(directory.path() / "data", serving({"--policy-check-fail-mode", "open"}));
  ASSERT_TRUE(server.start()) << server.log();
  submit(server, "unknown", R"({"decision":"99"})");
  EXPECT_TRUE(becomes(server, "unknown", "DENIED"));
  EXPECT_EQ(job(server, "unknown").get("reason_code"), Value("safety_unknown"));
  EXPECT_EQ(breaker(server).get("failures"), Value(0));
  kernel.kill_hard();
  submit(server, "j0");
  EXPECT_TRUE(becomes(server, "j0", "SCHEDULED"));
  EXPECT_EQ(job(server, "j0").get("labels").get("safety_bypassed"), Value("true"));
  EXPECT_NE(server.log().find("input policy fail-open: safety kernel unreachable"),
            std::string::npos);
}

// J-31, J-47, JT-24: a kernel that reads results, and is killed while it is needed
TEST_F(KernelChaos, kernel_of_results_that_is_killed_keeps_them_back) {
  ASSERT_TRUE(kernel.start());
  ServerProcess server(directory.path() / "data",
                       {"--output-policy-kernel", kernel.url(), "--clock",
                        "virtual:2026-01-26T00:00:00Z", "--policy-kernel-timeout-ms", "1000"});
  ASSERT_TRUE(server.start()) << server.log();
  Value worker = request(server.port(), "POST", "/api/v1/worker/register",
                         R"({"worker_id":"w","topics":["*"],"max_parallel":8})")
                     .body;
  int seq = 0;
  auto do_job = [&](const std::string& id, const std::string& labels = "{}") {
    submit(server, id, labels);
    Value claim = Value::object({{"registration_id", worker.get("registration_id")},
                                 {"seq", ++seq},
                                 {"slots", 1},
                                 {"wait_ms", 0}});
    Value jobs =
        request(server.port(), "POST", "/api/v1/worker/claim", to_json(claim)).body.get("jobs");
    ASSERT_EQ(jobs.size(), 1u);
    Value result = Value::object({{"job_id", id},
                                  {"attempt", jobs.items()[0].get("attempt")},
                                  {"fence", jobs.items()[0].get("fence")},
                                  {"status", "succeeded"},
                                  {"output", "hush"}});
    Value results = Value::object(
        {{"registration_id", worker.get("registration_id")}, {"results", Value::array({result})}});
    EXPECT_EQ(request(server.port(), "POST", "/api/v1/worker/results", to_json(results)).status,
              200);
  };
  do_job("well");
  EXPECT_TRUE(becomes(server, "well", "SUCCEEDED"));
  EXPECT_EQ(kernel.asked(), 1u);
  do_job("bad", R"({"output_decision":"1"})");
  EXPECT_TRUE(becomes(server, "bad", "OUTPUT_QUARANTINED"));
  EXPECT_EQ(request(server.port(), "GET", "/api/v1/jobs/bad/result").body.get("output"), Value());
  kernel.kill_hard();
  do_job("held");
  EXPECT_TRUE(await(20, [&] { return breaker(server).get("failures") == Value(1); }));
  EXPECT_EQ(job(server, "held").get("phase"), Value("output_scan"));
  // The server dies as well; what it held is still held.
  server.kill_hard();
  ASSERT_TRUE(server.start()) << server.log();
  EXPECT_EQ(job(server, "held").get("state"), Value("RUNNING"));
  ASSERT_TRUE(kernel.start());
  EXPECT_TRUE(await(20, [&] {
    advance(server, 5);
    Value state = job(server, "held").get("state");
    return state == Value("SUCCEEDED") || state == Value("OUTPUT_QUARANTINED");
  }));
  EXPECT_EQ(breaker(server).get("name"), Value("safety-output"));
}

// J-30
TEST_F(KernelChaos, server_refuses_to_start_where_nothing_protects_the_way_to_the_kernel) {
  auto run = [&](std::vector<std::string> more) {
    std::vector<std::string> words = {"serve", "--data", (directory.path() / "none").string()};
    words.insert(words.end(), more.begin(), more.end());
    return run_fermata(words);
  };
  Ran far = run({"--policy", "kernel", "--policy-kernel", "grpc://192.0.2.1:50051"});
  EXPECT_NE(far.code, 0);
  EXPECT_NE(far.output.find("policy_kernel_tls_ca"), std::string::npos) << far.output;
  Ran reader = run({"--output-policy-kernel", "grpc://192.0.2.1:50051"});
  EXPECT_NE(reader.code, 0);
  EXPECT_NE(reader.output.find("output_policy_kernel"), std::string::npos) << reader.output;
  Ran nowhere = run({"--policy", "both"});
  EXPECT_NE(nowhere.code, 0);
  EXPECT_NE(nowhere.output.find("policy_kernel"), std::string::npos) << nowhere.output;
  Ran mode = run({"--policy-check-fail-mode", "perhaps"});
  EXPECT_NE(mode.code, 0);
}

}  // namespace
}  // namespace fermata::test
