#include <gtest/gtest.h>
#include <poll.h>

#include "base/random.h"
#include "test/chaos/call_sink.h"
#include "test/chaos/load.h"

namespace fermata::test {
namespace {

constexpr int rounds = 100;

/// Three items, each a call and a short wait; then one call more. Every shape of parking is in it.
std::string workflow(const std::string& sink) {
  return R"({"nodes":[
    {"id":"t","type":"manual","trigger":true},
    {"id":"s","type":"split","parameters":{"input_array":"$input.items"}},
    {"id":"call","type":"http","parameters":{"method":"POST","url":")" +
         sink +
         R"(/item","body":{"item":"$item"}},"retry":{"max_attempts":5,"backoff_ms":20}},
    {"id":"w","type":"wait","parameters":{"amount":0.03}},
    {"id":"g","type":"aggregator"},
    {"id":"last","type":"http","parameters":{"method":"POST","url":")" +
         sink +
         R"(/last","body":{"count":"$g.count"}},"retry":{"max_attempts":5,"backoff_ms":20}}],
   "edges":[{"id":"1","src":"t","dst":"s"},{"id":"2","src":"s","dst":"call"},
    {"id":"3","src":"call","dst":"w"},{"id":"4","src":"w","dst":"g"},
    {"id":"5","src":"g","dst":"last"}]})";
}

// A-32, G-84, G-90: nothing that was answered is lost, whenever the process dies.
TEST(Kill, nothing_answered_is_lost_over_a_hundred_kills_under_load) {
  CallSink outside;
  TemporaryDirectory directory;
  ServerProcess server(directory.path() / "data");
  Random random(20260126);
  std::vector<std::string> answered;
  for (int round = 0; round < rounds; ++round) {
    ASSERT_TRUE(server.start()) << server.log();
    if (round == 0) {
      ASSERT_LT(
          request(server.port(), "PUT", "/api/v1/workflows/chaos", workflow(outside.url())).status,
          300);
    }
    Load load(server.port(), R"({"input":{"items":[1,2,3]}})");
    poll(nullptr, 0, static_cast<int>(20 + random.below(120)));
    server.kill_hard();
    load.stop();
    for (std::string& id : load.answered()) answered.push_back(std::move(id));
  }
  ASSERT_TRUE(server.start()) << server.log();
  ASSERT_GT(answered.size(), static_cast<size_t>(rounds));
  for (const std::string& id : answered) {
    ASSERT_EQ(await_completed(server.port(), id), "");
    ASSERT_EQ(terminal_events(server.port(), id), 1u) << id;
  }
  // Every call was seen, and a repeat carried the same key with the same body (G-39).
  auto bodies = outside.seen();
  EXPECT_GE(bodies.size(), answered.size() * 4);
  EXPECT_FALSE(bodies.contains(""));
  for (const auto& [key, seen] : bodies) EXPECT_EQ(seen.size(), 1u) << key;
  EXPECT_EQ(server.stop_softly(), 0) << server.log();
  Ran verified = run_fermata({"verify", "--data", server.data().string()});
  EXPECT_EQ(verified.code, 0) << verified.output;
}

}  // namespace
}  // namespace fermata::test
