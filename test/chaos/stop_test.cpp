#include <gtest/gtest.h>

#include <chrono>
#include <map>
#include <set>

#include "adapters/http/http_test_server.h"
#include "base/json.h"
#include "test/chaos/load.h"

namespace fermata::test {
namespace {

constexpr int rounds = 4;

/// A call that its callee takes its time with, without a second attempt, and a wait.
std::string workflow(const std::string& callee) {
  return R"({"nodes":[{"id":"t","type":"manual","trigger":true},
    {"id":"call","type":"http","parameters":{"method":"POST","url":")" +
         callee +
         R"(","body":{"n":1}}},
    {"id":"w","type":"wait","parameters":{"amount":0.02}}],
   "edges":[{"id":"1","src":"t","dst":"call"},{"id":"2","src":"call","dst":"w"}]})";
}

// A-32: told to stop under load it ends within ten seconds; what is under way goes on in the next
// life and nothing of it counts as failed.
TEST(Stop, under_load_is_quick_and_counts_nothing_as_failed) {
  HttpTestServer callee([](const TestRequest&) {
    TestReply reply;
    reply.hold_before = true;
    reply.body = "{}";
    return reply;
  });
  TemporaryDirectory directory;
  ServerProcess server(directory.path() / "data");
  std::set<std::string> answered;
  for (int round = 0; round < rounds; ++round) {
    ASSERT_TRUE(server.start()) << server.log();
    if (round == 0) {
      ASSERT_EQ(
          request(server.port(), "PUT", "/api/v1/workflows/chaos", workflow(callee.url("/work")))
              .status,
          201);
    }
    Load load(server.port(), R"({"input":{}})", 2);
    ASSERT_TRUE(await(30, [&] { return load.answered().size() > 8; })) << server.log();
    auto began = std::chrono::steady_clock::now();
    EXPECT_EQ(server.stop_softly(), 0) << server.log();
    EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(10));
    load.stop();
    for (const std::string& id : load.answered()) answered.insert(id);
    for (const auto& [key, code] : load.refused()) EXPECT_EQ(code, "shutting_down") << key;
  }
  callee.release();
  ASSERT_TRUE(server.start()) << server.log();
  for (const std::string& id : answered) {
    ASSERT_EQ(await_completed(server.port(), id), "");
    ASSERT_EQ(terminal_events(server.port(), id), 1u) << id;
  }
  HttpReply failed = request(server.port(), "GET", "/api/v1/executions?status=failed");
  ASSERT_EQ(failed.status, 200);
  EXPECT_EQ(failed.body.get("items").size(), 0u) << to_json(failed.body);
  // A call that was cut off went out again, under the same key and with the same body.
  std::map<std::string, std::set<std::string>> bodies;
  for (const TestRequest& call : callee.requests())
    bodies[call.header("idempotency-key")].insert(call.body);
  EXPECT_GE(bodies.size(), answered.size());
  for (const auto& [key, seen] : bodies) EXPECT_EQ(seen.size(), 1u) << key;
  EXPECT_EQ(server.stop_softly(), 0) << server.log();
  Ran verified = run_fermata({"verify", "--data", server.data().string()});
  EXPECT_EQ(verified.code, 0) << verified.output;
}

}  // namespace
}  // namespace fermata::test
