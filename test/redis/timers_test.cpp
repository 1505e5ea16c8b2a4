#include <map>
#include <set>

#include "adapters/redis/redis_timers.h"
#include "base/json.h"
#include "test/redis/fixture.h"

namespace fermata {
namespace {

using std::chrono::seconds;
using test::eventually;
using test::Gate;

constexpr int64_t start_ms = 1'800'000'000'000;

struct TimersTest : test::RedisTest {
  /// Those that only Redis brings: nothing is late, whatever the clock says.
  std::unique_ptr<RedisTimers> timers(Duration late = Duration{int64_t{1} << 50}) {
    RedisTimersOptions made;
    made.late = late;
    auto out = std::make_unique<RedisTimers>(options(), made, clock);
    EXPECT_TRUE(out->settle(seconds(20)));
    return out;
  }
  /// Arms so many, a minute and more from now.
  void arm(RedisTimers& timers, int runs) {
    for (int i = 0; i < runs; ++i)
      timers.arm(RunId("run-" + std::to_string(i)), Instant{start_ms + 60'000 + i}, 7);
  }
  /// What comes until there is nothing more, as the engine does it: each is disarmed when done.
  std::map<std::string, int> take_all(RedisTimers& timers) {
    std::map<std::string, int> taken;
    for (;;) {
      EXPECT_TRUE(timers.settle(seconds(20)));
      auto due = timers.due(clock.now(), 1'000);
      if (due.empty()) return taken;
      for (const DueRun& one : due) {
        ++taken[one.run.text()];
        timers.disarm(one.run);
      }
    }
  }
  static int most_often(const std::map<std::string, int>& taken) {
    int most = 0;
    for (const auto& [run, times] : taken) most = std::max(most, times);
    return most;
  }
  VirtualClock clock{Instant{start_ms}};
};

// C-31, C-32
TEST_F(TimersTest, are_where_others_look_for_them_until_they_are_done) {
  auto one = timers();
  one->describe({RunId("run"), "0b7a1c1e-0000-5000-8000-000000000001",
                 Value::object({{"current_node", "wait"}, {"workflow_id", "w"}})});
  one->arm(RunId("run"), Instant{start_ms + 60'000}, 7);
  ASSERT_TRUE(one->settle(seconds(20)));
  const std::string id = "0b7a1c1e-0000-5000-8000-000000000001";
  EXPECT_EQ(ask({"ZSCORE", "scheduler:timers", id}).text, std::to_string(start_ms + 60'000));
  auto payload = parse_json(ask({"HGET", "scheduler:payloads", id}).text);
  ASSERT_TRUE(payload);
  EXPECT_EQ(payload->get("execution_id"), Value("run"));
  EXPECT_EQ(payload->get("timer_id"), Value(id));
  EXPECT_EQ(payload->get("current_node"), Value("wait"));
  EXPECT_EQ(payload->get("workflow_id"), Value("w"));
  EXPECT_EQ(payload->get("resume_at"), Value(start_ms + 60'000));
  EXPECT_FALSE(payload->find("accumulated_context"));

  clock.set(Instant{start_ms + 60'000});
  ASSERT_TRUE(one->settle(seconds(20)));
  EXPECT_EQ(count({"ZCARD", "scheduler:timers"}), 0);
  EXPECT_EQ(ask({"ZSCORE", "scheduler:processing", id}).text, std::to_string(start_ms + 90'000));
  EXPECT_EQ(one->due(clock.now(), 9), (std::vector<DueRun>{{RunId("run"), 7}}));
  EXPECT_EQ(count({"HLEN", "scheduler:payloads"}), 1);
  one->disarm(RunId("run"));
  ASSERT_TRUE(one->settle(seconds(20)));
  EXPECT_EQ(count({"ZCARD", "scheduler:processing"}), 0);
  EXPECT_EQ(count({"HLEN", "scheduler:payloads"}), 0);
}

// C-32
TEST_F(TimersTest, what_is_due_within_a_second_stays_in_memory) {
  auto one = timers();
  one->arm(RunId("near"), Instant{start_ms + 1'000});
  ASSERT_TRUE(one->settle(seconds(20)));
  EXPECT_EQ(count({"EXISTS", "scheduler:timers"}), 0);
  EXPECT_TRUE(one->due(Instant{start_ms + 999}, 9).empty());
  EXPECT_EQ(one->due(Instant{start_ms + 1'000}, 9).size(), 1u);
}

// C-32
TEST_F(TimersTest, wait_that_is_moved_or_taken_back_leaves_nothing_behind) {
  auto one = timers();
  arm(*one, 100);
  for (int i = 0; i < 50; ++i) one->disarm(RunId("run-" + std::to_string(i)));
  for (int i = 50; i < 100; ++i)
    one->arm(RunId("run-" + std::to_string(i)), Instant{start_ms + 500'000});
  ASSERT_TRUE(one->settle(seconds(20)));
  EXPECT_EQ(count({"ZCARD", "scheduler:timers"}), 50);
  EXPECT_EQ(count({"HLEN", "scheduler:payloads"}), 50);
  clock.set(Instant{start_ms + 499'999});
  EXPECT_TRUE(take_all(*one).empty());
  clock.set(Instant{start_ms + 500'000});
  EXPECT_EQ(take_all(*one).size(), 50u);
  EXPECT_EQ(count({"DBSIZE"}), 2);  // the index and its fence
}

// C-35, C-211
TEST_F(TimersTest, flush_amid_ten_thousand_loses_and_doubles_none) {
  constexpr int runs = 10'000;
  auto one = timers();
  arm(*one, runs);
  ASSERT_TRUE(one->settle(seconds(20)));
  EXPECT_EQ(count({"ZCARD", "scheduler:timers"}), runs);
  // Half of them are taken, then everything is gone.
  clock.set(Instant{start_ms + 60'000 + runs / 2 - 1});
  auto taken = take_all(*one);
  EXPECT_EQ(taken.size(), static_cast<size_t>(runs / 2));
  ask({"FLUSHALL"});
  ASSERT_TRUE(one->settle(seconds(20)));
  EXPECT_EQ(one->counts().rebuilds, 1u);
  EXPECT_EQ(count({"ZCARD", "scheduler:timers"}), runs / 2);
  EXPECT_EQ(count({"HLEN", "scheduler:payloads"}), runs / 2);
  clock.set(Instant{start_ms + 60'000 + runs});
  for (const auto& [run, times] : take_all(*one)) taken[run] += times;
  EXPECT_EQ(taken.size(), static_cast<size_t>(runs));
  EXPECT_EQ(most_often(taken), 1);
  EXPECT_EQ(one->counts().late_fired + one->counts().away_fired, 0u);
  EXPECT_EQ(one->size(), 0u);
}

// C-38, C-211
TEST_F(TimersTest, redis_that_comes_back_empty_is_filled_again) {
  constexpr int runs = 2'000;
  auto one = timers();
  arm(*one, runs);
  ASSERT_TRUE(one->settle(seconds(20)));
  redis.kill_hard();
  EXPECT_TRUE(eventually([&] { return one->is_away(); }));
  // Meanwhile memory says what is due, at once.
  clock.set(Instant{start_ms + 60'000 + 499});
  std::map<std::string, int> taken;
  for (const DueRun& due : one->due(clock.now(), 10'000)) {
    ++taken[due.run.text()];
    one->disarm(due.run);
  }
  EXPECT_EQ(taken.size(), 500u);
  redis.forget();
  ASSERT_TRUE(redis.start());
  EXPECT_TRUE(eventually([&] { return !one->is_away(); }));
  ASSERT_TRUE(one->settle(seconds(20)));
  EXPECT_EQ(one->counts().rebuilds, 1u);
  EXPECT_EQ(count({"ZCARD", "scheduler:timers"}), runs - 500);
  clock.set(Instant{start_ms + 60'000 + runs});
  for (const auto& [run, times] : take_all(*one)) taken[run] += times;
  EXPECT_EQ(taken.size(), static_cast<size_t>(runs));
  EXPECT_EQ(most_often(taken), 1);
  EXPECT_EQ(one->counts().away_fired, 500u);
}

// C-38
TEST_F(TimersTest, redis_that_was_killed_and_kept_its_log_needs_no_rebuild) {
  auto one = timers();
  arm(*one, 100);
  ASSERT_TRUE(one->settle(seconds(20)));
  ask({"CONFIG", "SET", "appendfsync", "always"});
  redis.kill_hard();
  EXPECT_TRUE(eventually([&] { return one->is_away(); }));
  ASSERT_TRUE(redis.start());
  EXPECT_TRUE(eventually([&] { return !one->is_away(); }));
  ASSERT_TRUE(one->settle(seconds(20)));
  EXPECT_EQ(one->counts().rebuilds, 0u);
  EXPECT_EQ(count({"ZCARD", "scheduler:timers"}), 100);
  clock.set(Instant{start_ms + 70'000});
  EXPECT_EQ(take_all(*one).size(), 100u);
}

// C-212
TEST_F(TimersTest, redis_that_is_slow_keeps_nobody_waiting) {
  auto one = timers(Duration{2'000});
  arm(*one, 10);
  ASSERT_TRUE(one->settle(seconds(20)));
  gate.delay(std::chrono::milliseconds(600));
  auto began = std::chrono::steady_clock::now();
  for (int i = 0; i < 10'000; ++i) {
    one->arm(RunId("more-" + std::to_string(i)), Instant{start_ms + 60'000});
    (void)one->due(clock.now(), 10);
  }
  // One call after the other would have taken hours.
  EXPECT_LT(std::chrono::steady_clock::now() - began, seconds(5));
  EXPECT_TRUE(eventually([&] { return one->is_away(); }));
  EXPECT_EQ(one->next_due(), Instant{start_ms + 60'000});
  clock.set(Instant{start_ms + 61'000});
  EXPECT_EQ(one->due(clock.now(), 100'000).size(), 10'010u);
}

// C-34
TEST_F(TimersTest, what_redis_does_not_bring_is_taken_two_seconds_late) {
  auto one = timers(Duration{2'000});
  arm(*one, 3);
  ASSERT_TRUE(one->settle(seconds(20)));
  // Lost without a notice: the index is still there.
  ask({"DEL", "scheduler:timers", "scheduler:payloads"});
  clock.set(Instant{start_ms + 62'001});
  ASSERT_TRUE(one->settle(seconds(20)));
  EXPECT_EQ(one->due(clock.now(), 9).size(), 2u);
  EXPECT_EQ(one->next_due(), Instant{start_ms + 62'002});
  clock.set(Instant{start_ms + 62'002});
  EXPECT_EQ(one->due(clock.now(), 9).size(), 1u);
  EXPECT_EQ(one->counts().late_fired, 3u);
}

// C-210
TEST_F(TimersTest, claim_of_a_process_that_was_killed_is_taken_by_another_once) {
  auto killed = timers(), other = timers();
  arm(*killed, 20);
  ASSERT_TRUE(killed->settle(seconds(20)));
  clock.set(Instant{start_ms + 61'000});
  ASSERT_TRUE(killed->settle(seconds(20)));
  EXPECT_EQ(count({"ZCARD", "scheduler:processing"}), 20);
  killed.reset();
  EXPECT_TRUE(take_all(*other).empty());
  clock.set(Instant{start_ms + 61'000 + 30'000});
  auto taken = take_all(*other);
  EXPECT_EQ(taken.size(), 20u);
  EXPECT_EQ(most_often(taken), 1);
  EXPECT_EQ(count({"DBSIZE"}), 2);
}

// C-209
TEST_F(TimersTest, three_schedulers_claim_each_timer_once) {
  constexpr int runs = 6'000;
  std::vector<std::unique_ptr<RedisTimers>> schedulers;
  for (int i = 0; i < 3; ++i) schedulers.push_back(timers());
  for (int i = 0; i < runs; ++i)
    schedulers[static_cast<size_t>(i) % 3]->arm(RunId("run-" + std::to_string(i)),
                                                Instant{start_ms + 60'000});
  for (auto& one : schedulers) ASSERT_TRUE(one->settle(seconds(20)));
  clock.set(Instant{start_ms + 60'001});
  std::map<std::string, int> taken;
  EXPECT_TRUE(eventually([&] {
    for (auto& one : schedulers)
      for (const DueRun& due : one->due(clock.now(), 100)) {
        ++taken[due.run.text()];
        one->disarm(due.run);
      }
    return taken.size() == static_cast<size_t>(runs);
  }));
  EXPECT_EQ(most_often(taken), 1);
  for (auto& one : schedulers) ASSERT_TRUE(one->settle(seconds(20)));
  EXPECT_EQ(count({"DBSIZE"}), 2);
}

// C-33
TEST_F(TimersTest, entry_that_names_no_execution_is_acknowledged_and_counted) {
  auto one = timers();
  ask({"ZADD", "scheduler:timers", "1", "strange"});
  ask({"ZADD", "scheduler:timers", "1", "stranger"});
  ask({"HSET", "scheduler:payloads", "stranger", "{\"execution_id\": 7}"});
  EXPECT_TRUE(take_all(*one).empty());
  EXPECT_EQ(one->counts().unusable, 2u);
  EXPECT_EQ(count({"DBSIZE"}), 2);
}

// C-33
TEST_F(TimersTest, hint_of_another_goes_to_the_engine_and_an_old_one_does_not) {
  auto one = timers();
  one->arm(RunId("ours"), Instant{start_ms + 500'000});
  ask({"ZADD", "scheduler:timers", "1", "old"});
  ask({"HSET", "scheduler:payloads", "old", "{\"execution_id\": \"ours\"}"});
  ask({"ZADD", "scheduler:timers", "1", "new"});
  ask({"HSET", "scheduler:payloads", "new", "{\"execution_id\": \"theirs\", \"lane\": 4}"});
  ASSERT_TRUE(one->settle(seconds(20)));
  EXPECT_EQ(one->due(clock.now(), 9), (std::vector<DueRun>{{RunId("theirs"), 4}}));
  one->disarm(RunId("theirs"));
  ASSERT_TRUE(one->settle(seconds(20)));
  EXPECT_EQ(count({"ZCARD", "scheduler:processing"}), 0);
  EXPECT_EQ(count({"ZCARD", "scheduler:timers"}), 1);
  EXPECT_EQ(one->size(), 1u);
}

TEST_F(TimersTest, more_changes_than_may_wait_are_all_made_in_the_end) {
  RedisTimersOptions made;
  made.late = Duration{int64_t{1} << 50};
  made.changes_max = 10;
  RedisTimers one(options(), made, clock);
  ASSERT_TRUE(one.settle(seconds(20)));
  arm(one, 5'000);
  ASSERT_TRUE(one.settle(seconds(20)));
  EXPECT_EQ(count({"ZCARD", "scheduler:timers"}), 5'000);
}

// C-32
TEST_F(TimersTest, engine_is_rung_when_something_is_due) {
  std::atomic<int> rings{0};
  RedisTimersOptions made;
  made.on_due = [&] { ++rings; };
  RedisTimers one(options(), made, clock);
  ASSERT_TRUE(one.settle(seconds(20)));
  arm(one, 1);
  ASSERT_TRUE(one.settle(seconds(20)));
  EXPECT_EQ(rings, 0);
  clock.set(Instant{start_ms + 60'000});
  EXPECT_TRUE(eventually([&] { return rings > 0; }));
  EXPECT_EQ(one.due(clock.now(), 9).size(), 1u);
}

TEST_F(TimersTest, nobody_is_rung_after_it_was_muted) {
  std::atomic<int> rings{0};
  RedisTimersOptions made;
  made.on_due = [&] { ++rings; };
  RedisTimers one(options(), made, clock);
  ASSERT_TRUE(one.settle(seconds(20)));
  arm(one, 1);
  one.mute();
  clock.set(Instant{start_ms + 60'000});
  ASSERT_TRUE(one.settle(seconds(20)));
  EXPECT_EQ(one.due(clock.now(), 9).size(), 1u);
  EXPECT_EQ(rings, 0);
}

}  // namespace
}  // namespace fermata
