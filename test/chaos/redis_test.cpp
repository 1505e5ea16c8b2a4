#include <gtest/gtest.h>

#include "base/json.h"
#include "test/chaos/load.h"
#include "test/chaos/server_process.h"
#include "test/support/eventually.h"
#include "test/support/gate.h"
#include "test/support/redis_process.h"

/// A real server with its timers in a real Redis that is flushed, killed and slowed down.
namespace fermata::test {
namespace {

constexpr const char* waiting_workflow =
    R"({"nodes":[{"id":"t","type":"manual","trigger":true},
         {"id":"w","type":"wait","parameters":{"amount":3,"unit":"seconds"}},
         {"id":"after","type":"noop"}],
        "edges":[{"id":"1","src":"t","dst":"w"},{"id":"2","src":"w","dst":"after"}]})";

class Redis : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(redis.start());
    ASSERT_TRUE(server.start()) << server.log();
    told("PUT", "/workflows/waiting", waiting_workflow);
  }
  Value told(const std::string& method, const std::string& path, const std::string& body = "") {
    HttpReply reply = request(server.port(), method, "/api/v1" + path, body);
    EXPECT_TRUE(reply.status >= 200 && reply.status < 300)
        << method << " " << path << ": " << reply.status << " " << to_json(reply.body);
    return reply.body;
  }
  void start_runs(int runs) {
    for (int i = 0; i < runs; ++i) {
      Value run = told("POST", "/workflows/waiting/executions", "{}");
      started.emplace_back(run.get("id").as_string());
    }
  }
  /// Every one has ended, and each wait has resumed once.
  void expect_all_end() {
    for (const std::string& id : started) {
      EXPECT_EQ(await_completed(server.port(), id), "");
      EXPECT_EQ(terminal_events(server.port(), id), 1u) << id;
      size_t resumed = 0;
      Value history = told("GET", "/executions/" + id + "/history?limit=1000");
      for (const Value& event : history.get("items").items())
        resumed += event.get("type") == Value("WaitResumed");
      EXPECT_EQ(resumed, 1u) << id << to_json(history);
    }
  }
  bool is_degraded() {
    HttpReply ready = request(server.port(), "GET", "/readyz");
    EXPECT_EQ(ready.status, 200);
    return ready.body.find("degraded") != nullptr;
  }
  void flush() {
    std::string command = "redis-cli -p " + std::to_string(redis.port()) + " flushall > /dev/null";
    ASSERT_EQ(std::system(command.c_str()), 0);
  }

  RedisProcess redis;
  Gate gate{redis.port()};
  std::string url = "redis://127.0.0.1:" + std::to_string(gate.port());
  std::vector<std::string> started;
  TemporaryDirectory directory;
  ServerProcess server{directory.path() / "data", {"--timers", url, "--leases", url}};
};

// C-120, C-211
TEST_F(Redis, flush_and_kill_lose_and_double_no_wait) {
  start_runs(100);
  flush();
  start_runs(50);
  redis.kill_hard();
  redis.forget();
  EXPECT_TRUE(eventually([&] { return is_degraded(); }));
  start_runs(50);
  ASSERT_TRUE(redis.start());
  EXPECT_TRUE(eventually([&] { return !is_degraded(); }));
  start_runs(50);
  expect_all_end();
}

// C-210
TEST_F(Redis, server_that_is_killed_resumes_its_waits_once) {
  start_runs(50);
  server.kill_hard();
  ASSERT_TRUE(server.start()) << server.log();
  expect_all_end();
}

// C-7, C-212
TEST_F(Redis, slow_redis_degrades_the_server_and_runs_go_on) {
  gate.delay(std::chrono::milliseconds(600));
  start_runs(50);
  EXPECT_TRUE(eventually([&] { return is_degraded(); }));
  HttpReply ready = request(server.port(), "GET", "/readyz");
  EXPECT_EQ(to_json(ready.body.get("degraded")), R"(["redis"])");
  expect_all_end();
  gate.pass();
  EXPECT_TRUE(eventually([&] { return !is_degraded(); }));
}

// C-6
TEST(RedisAtStart, server_does_not_start_on_a_redis_that_is_not_safe) {
  RedisProcess unsafe({"--appendonly", "no"});
  ASSERT_TRUE(unsafe.start());
  TemporaryDirectory directory;
  std::string data = (directory.path() / "data").string();
  Ran refused =
      run_fermata({"serve", "--listen", "127.0.0.1:0", "--data", data, "--timers", unsafe.url()});
  EXPECT_EQ(refused.code, 2);
  EXPECT_NE(refused.output.find("aof_enabled:0"), std::string::npos) << refused.output;
  EXPECT_NE(refused.output.find("redis.checks = warn"), std::string::npos) << refused.output;
  Ran encrypted = run_fermata({"serve", "--listen", "127.0.0.1:0", "--data", data, "--leases",
                               "rediss://:geheim@127.0.0.1"});
  EXPECT_EQ(encrypted.code, 2);
  EXPECT_NE(encrypted.output.find("TLS"), std::string::npos) << encrypted.output;
  EXPECT_EQ(encrypted.output.find("geheim"), std::string::npos) << encrypted.output;
}

// C-4
TEST(RedisAtStart, password_in_an_address_is_not_printed) {
  Ran printed = run_fermata({"serve", "--timers", "redis://:geheim@127.0.0.1", "--print-config"});
  EXPECT_EQ(printed.code, 0);
  EXPECT_NE(printed.output.find("redis://(hidden)@127.0.0.1"), std::string::npos) << printed.output;
  EXPECT_EQ(printed.output.find("geheim"), std::string::npos);
}

}  // namespace
}  // namespace fermata::test
