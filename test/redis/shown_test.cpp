#include "adapters/redis/redis_feed.h"
#include "adapters/redis/redis_shared.h"
#include "adapters/system/system_clock.h"
#include "base/json.h"
#include "test/redis/fixture.h"

/// What Redis shows to others: workers and waits.
namespace fermata {
namespace {

using test::eventually;

struct ShownTest : test::RedisTest {
  std::unique_ptr<RedisShared> open(std::set<std::string> mirrors,
                                    Duration rewrite_interval = Mirror::rewrite_interval) {
    RedisSharedOptions made;
    made.rewrite_interval = rewrite_interval;
    made.timers = made.leases = redis.url();
    made.replica = "replica-1";
    made.mirrors = std::move(mirrors);
    auto shared = RedisShared::open(made, clock, std::make_unique<MemoryCounters>(clock),
                                    std::make_unique<MemoryLeases>(clock));
    EXPECT_TRUE(shared) << shared.error().message;
    return *std::move(shared);
  }
  static WaitRecord wait(const std::string& run, const std::string& step, int64_t due_ms) {
    WaitRecord record;
    record.account = AccountId("acme");
    record.workflow = WorkflowId("mails");
    record.run = RunId(run);
    record.contact_id = "c-1";
    record.wait.id = run + "/" + step;
    record.wait.step = step;
    record.wait.type = "fixed_time";
    record.wait.due = Instant{due_ms};
    return record;
  }
  static WaitRecord listening(const std::string& run, const std::string& step) {
    WaitRecord record = wait(run, step, 9'000'000);
    record.wait.type = "for_event";
    record.wait.listeners.push_back({});
    record.wait.listeners[0].event_type = "email_open";
    return record;
  }
  SystemClock clock;
};

struct NoFeed final : Feed {
  void committed(const RunSummary&, const HistoryChunk&) override {}
};

// J-67, C-31
TEST_F(ShownTest, workers_are_shown_with_all_they_said) {
  auto shared = open({});
  shared->begin([]() -> std::optional<Value> {
    return *parse_json(R"([{"worker_id":"w-1","pool":"gpu","topics":["job.pay","job.mail"],
      "region":"eu","labels":{"zone":"a"},"load":{"cpu":120}},{"worker_id":"w-2","pool":"gpu"}])");
  });
  Value snapshot;
  ASSERT_TRUE(eventually([&] {
    auto read = parse_json(ask({"GET", "sys:workers:snapshot"}).text);
    if (read) snapshot = *read;
    return static_cast<bool>(read);
  }));
  EXPECT_EQ(snapshot.get("writer_id"), Value("replica-1"));
  EXPECT_TRUE(parse_rfc3339(snapshot.get("captured_at").as_string()));
  EXPECT_EQ(snapshot.get("workers").size(), 2u);
  EXPECT_EQ(snapshot.get("workers").items()[0].get("labels").get("zone"), Value("a"));
  EXPECT_EQ(snapshot.get("pools").get("gpu").get("workers"), Value(2));
  EXPECT_EQ(snapshot.get("topics").get("job.mail").get("workers"), Value(1));
  EXPECT_GT(count({"TTL", "sys:workers:snapshot"}), 80'000);
  // Whoever writes next need not wait for the end of a lease.
  EXPECT_TRUE(
      eventually([&] { return count({"EXISTS", "cordum:scheduler:snapshot:writer"}) == 0; }));
}

// C-31
TEST_F(ShownTest, nothing_is_mirrored_unless_it_is_asked_for) {
  auto shared = open({});
  NoFeed inner;
  auto feed = shared->feed(inner);
  WaitRecord record = wait("r", "s", 5'000'000);
  feed->waits_changed(std::span(&record, 1));
  shared->begin([]() -> std::optional<Value> { return Value::array(); });
  ASSERT_TRUE(eventually([&] { return count({"EXISTS", "sys:workers:snapshot"}) == 1; }));
  EXPECT_EQ(count({"EXISTS", "workflow:scheduled_jobs", "cordum:wf:delay:timers"}), 0);
}

// C-31, C-216
TEST_F(ShownTest, mirror_follows_the_waits) {
  auto shared = open({"waits", "delays"});
  NoFeed inner;
  auto feed = shared->feed(inner);
  WaitRecord records[] = {wait("r", "s", 5'000'000), wait("r", "t", 3'000'000),
                          listening("q", "opened")};
  feed->waits_changed(records);
  shared->begin([]() -> std::optional<Value> { return std::nullopt; });
  auto score = [&](const char* key, const char* member) {
    return ask({"ZSCORE", key, member}).text;
  };
  EXPECT_TRUE(eventually([&] { return score("workflow:scheduled_jobs", "r:s") == "5000"; }));
  EXPECT_EQ(score("workflow:scheduled_jobs", "r:t"), "3000");
  EXPECT_EQ(score("cordum:wf:delay:timers", "mails:r"), "3000");
  EXPECT_EQ(score("cordum:wf:delay:timers", "mails:q"), "");
  auto listener = parse_json(ask({"HGET", "workflow:event_listeners:email_open:c-1", "q"}).text);
  ASSERT_TRUE(listener);
  EXPECT_EQ(listener->get("step_id"), Value("opened"));
  EXPECT_GT(count({"TTL", "workflow:wait:r:s"}), 80'000);

  for (WaitRecord& record : records) record.wait.status = WaitStatus::resumed;
  feed->waits_changed(std::span(records).subspan(1));
  EXPECT_TRUE(eventually([&] { return score("cordum:wf:delay:timers", "mails:r") == "5000"; }));
  EXPECT_EQ(score("workflow:scheduled_jobs", "r:t"), "");
  EXPECT_EQ(count({"EXISTS", "workflow:wait:r:t"}), 0);
  EXPECT_EQ(count({"EXISTS", "workflow:event_listeners:email_open:c-1"}), 0);
}

// C-35, C-216
TEST_F(ShownTest, mirror_is_written_again_when_redis_has_lost_it) {
  auto shared = open({"waits"});
  WaitRecord record = wait("r", "s", 5'000'000);
  shared->recall(std::span(&record, 1));
  shared->begin([]() -> std::optional<Value> { return std::nullopt; });
  auto is_shown = [&] { return ask({"ZSCORE", "workflow:scheduled_jobs", "r:s"}).text == "5000"; };
  EXPECT_TRUE(eventually(is_shown));
  ask({"FLUSHALL"});
  EXPECT_TRUE(eventually(is_shown));
}

// C-35, C-216: keys that somebody has removed are there again after the interval.
TEST_F(ShownTest, mirror_is_written_again_from_time_to_time) {
  auto shared = open({"waits"}, Duration{300});
  WaitRecord record = wait("r", "s", 5'000'000);
  shared->recall(std::span(&record, 1));
  shared->begin([]() -> std::optional<Value> { return std::nullopt; });
  auto is_shown = [&] {
    return ask({"ZSCORE", "workflow:scheduled_jobs", "r:s"}).text == "5000" &&
           count({"EXISTS", "workflow:wait:r:s"}) == 1;
  };
  ASSERT_TRUE(eventually(is_shown));
  ask({"DEL", "workflow:wait:r:s"});
  ask({"ZREM", "workflow:scheduled_jobs", "r:s"});
  ask({"ZADD", "workflow:scheduled_jobs", "1", "somebody:else"});
  EXPECT_TRUE(eventually(is_shown));
  EXPECT_TRUE(eventually(
      [&] { return ask({"ZSCORE", "workflow:scheduled_jobs", "somebody:else"}).text.empty(); }));
}

// C-6
TEST_F(ShownTest, redis_that_cannot_be_reached_is_named_when_patience_is_over) {
  gate.refuse();
  RedisSharedOptions made;
  made.timers = "redis://:geheim@127.0.0.1:" + std::to_string(gate.port());
  made.start_patience = Duration{300};
  auto shared = RedisShared::open(made, clock, std::make_unique<MemoryCounters>(clock), nullptr);
  ASSERT_FALSE(shared);
  EXPECT_EQ(shared.error().code, ErrorCode::io_failed);
  EXPECT_NE(shared.error().message.find(std::to_string(gate.port())), std::string::npos);
  EXPECT_EQ(shared.error().message.find("geheim"), std::string::npos);
}

// C-6
TEST_F(ShownTest, redis_that_comes_while_it_is_waited_for_is_used) {
  gate.refuse();
  std::atomic<int> troubles{0};
  RedisSharedOptions made;
  made.timers = "redis://127.0.0.1:" + std::to_string(gate.port());
  made.on_trouble = [&](const std::string& text) {
    if (!text.empty() && ++troubles == 1) gate.pass();
  };
  auto shared = RedisShared::open(made, clock, std::make_unique<MemoryCounters>(clock), nullptr);
  EXPECT_TRUE(shared) << shared.error().message;
  EXPECT_GE(troubles, 1);
}

}  // namespace
}  // namespace fermata
