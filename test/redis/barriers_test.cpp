#include "adapters/redis/barriers.h"

#include "adapters/redis/redis_shared.h"
#include "adapters/system/system_clock.h"
#include "base/json.h"
#include "core/graph/check.h"
#include "core/run/decide.h"
#include "test/redis/fixture.h"

/// How barriers fill, shown in a real Redis (C-31, C-37, C-214).
namespace fermata {
namespace {

using test::eventually;

struct NothingFed final : Feed {
  void committed(const RunSummary&, const HistoryChunk&) override {}
};

struct BarriersTest : test::RedisTest {
  BarriersTest() {
    RedisSharedOptions made;
    made.timers = redis.url();
    made.mirrors = {"barriers"};
    auto opened = RedisShared::open(made, clock, std::make_unique<MemoryCounters>(clock), nullptr);
    EXPECT_TRUE(opened) << opened.error().message;
    shared = *std::move(opened);
    feed = shared->feed(inner);
    shared->begin([]() -> std::optional<Value> { return std::nullopt; });
  }
  ~BarriersTest() override { shared->stop(); }
  void tell(CommandBody body) {
    auto decision = decide(run, {RunId("r:1"), std::move(body), "tester"}, {Instant{1'000}, 7, {}});
    ASSERT_TRUE(decision) << decision.error().message;
    feed->settled(run);
  }
  void start(const char* document, Value input = Value::object()) {
    StartRun body;
    body.account = AccountId("acme");
    body.workflow = WorkflowId("w");
    body.definition = graph::check_definition(*parse_json(document)).definition;
    ASSERT_TRUE(body.definition);
    body.input = body.trigger = std::move(input);
    tell(std::move(body));
  }
  std::string field(const std::string& key, const char* name) {
    return ask({"HGET", key, name}).text;
  }
  /// Every key that is there ends by itself, within so many seconds.
  void expect_all_end(int64_t within_s) {
    RedisReply keys = ask({"KEYS", "exec:*"});
    EXPECT_FALSE(keys.items.empty());
    for (const RedisReply& key : keys.items) {
      int64_t life = count({"TTL", key.text});
      EXPECT_GT(life, 0) << key.text;
      EXPECT_LE(life, within_s) << key.text;
    }
  }

  SystemClock clock;
  NothingFed inner;
  std::unique_ptr<RedisShared> shared;
  std::unique_ptr<Feed> feed;
  fermata::Run run;
};

constexpr const char* joined =
    R"({"nodes":[{"id":"t","type":"manual","trigger":true},{"id":"a","type":"noop"},
         {"id":"h","type":"wait_for_signal","parameters":{"name":"one"}},
         {"id":"m","type":"merge","parameters":{"timeout":60}},
         {"id":"z","type":"wait_for_signal","parameters":{"name":"two"}}],
        "edges":[{"id":"1","src":"t","dst":"a"},{"id":"2","src":"t","dst":"h"},
                 {"id":"3","src":"a","dst":"m"},{"id":"4","src":"h","dst":"m"},
                 {"id":"5","src":"m","dst":"z"}]})";

// C-31, C-37, C-214
TEST_F(BarriersTest, are_shown_until_they_open_and_leave_a_tombstone) {
  start(joined);
  // Outside splits and on its first visit a barrier has the exact key; ids are encoded.
  const std::string key = "exec:r%3a1:node:m:barrier";
  ASSERT_TRUE(eventually([&] { return field(key, "arrived") == "1"; }))
      << ask({"KEYS", "exec:*"}).items.size();
  EXPECT_EQ(field(key, "expected"), "2");
  EXPECT_EQ(count({"SISMEMBER", key + ":arrivals", "a"}), 1);
  EXPECT_EQ(count({"HEXISTS", key + ":data", "a"}), 1);
  EXPECT_EQ(ask({"GET", "exec:r%3a1:node:m:timeout_active"}).text, "1");
  expect_all_end(BarrierMirror::life_s);

  tell(SignalRun{"one", {}, "s1"});
  ASSERT_TRUE(eventually([&] { return field(key, "opened_at") == "1000"; }));
  EXPECT_EQ(count({"EXISTS", key + ":arrivals", key + ":data"}), 0);
  expect_all_end(BarrierMirror::life_s);

  tell(SignalRun{"two", {}, "s2"});
  ASSERT_TRUE(run.finished());
  EXPECT_TRUE(eventually([&] { return count({"TTL", key}) <= 3'600; }));
  expect_all_end(3'600);
}

// C-37, C-214
TEST_F(BarriersTest, of_branches_have_names_of_their_own) {
  start(R"({"nodes":[{"id":"t","type":"manual","trigger":true},
             {"id":"s","type":"split","parameters":{"input_array":"$input.items"}},
             {"id":"a","type":"noop"},
             {"id":"h","type":"wait_for_signal","parameters":{"name":"one"}},
             {"id":"m~1","type":"merge","parameters":{"timeout":60}},
             {"id":"g","type":"aggregator"}],
            "edges":[{"id":"1","src":"t","dst":"s"},{"id":"2","src":"s","dst":"a"},
                     {"id":"3","src":"s","dst":"h"},{"id":"4","src":"a","dst":"m~1"},
                     {"id":"5","src":"h","dst":"m~1"},{"id":"6","src":"m~1","dst":"g"}]})",
        Value::object({{"items", Value::array({1, 2, 3})}}));
  ASSERT_TRUE(eventually([&] { return ask({"KEYS", "exec:*:barrier"}).items.size() == 3; }));
  for (const RedisReply& key : ask({"KEYS", "exec:*:barrier"}).items) {
    EXPECT_TRUE(key.text.starts_with("exec:r%3a1:node:m%7e1~")) << key.text;
    EXPECT_EQ(field(key.text, "arrived"), "1");
  }
  expect_all_end(BarrierMirror::life_s);
}

}  // namespace
}  // namespace fermata
