#include <thread>

#include "test/partition/waiting_store.h"

namespace fermata {
namespace {

using Flight = HostTest;
using Names = std::vector<std::string>;

TEST_F(Flight, nobody_is_told_before_the_batch_has_landed) {
  store.holds = true;
  start("a", "start");
  settle();
  EXPECT_TRUE(store.flying);
  EXPECT_EQ(answers, Names{});
  EXPECT_EQ(told.runs, Names{});
  store.holds = false;
  settle();
  EXPECT_EQ(answers, Names{"start"});
  EXPECT_EQ(told.runs, Names{"a"});
}

TEST_F(Flight, next_batch_is_decided_meanwhile_and_takes_off_first) {
  store.holds = true;
  start("a", "a");
  settle();
  for (const char* run : {"b", "c", "d"}) {
    start(run, run);
    settle();
  }
  EXPECT_EQ(store.sizes, std::vector<size_t>{1});
  store.holds = false;
  settle();
  EXPECT_EQ(store.sizes, (std::vector<size_t>{1, 3}));
  EXPECT_EQ(answers, (Names{"a", "b", "c", "d"}));
  EXPECT_EQ(host().counters().commits_overlapped, 1u);
}

TEST_F(Flight, commands_for_a_run_under_way_wait_in_order) {
  store.holds = true;
  start("a", "start");
  settle();
  for (const char* name : {"one", "two", "three"}) {
    signal("a", name);
    settle();
  }
  signal("b", "unknown run");
  settle();
  // Another run's refusal does not wait with them.
  EXPECT_EQ(answers, Names{"unknown run refused"});
  EXPECT_EQ(host().counters().commands_held, 3u);
  store.holds = false;
  settle();
  EXPECT_EQ(answers, (Names{"unknown run refused", "start", "one", "two", "three"}));
  // All that waited was decided together, on top of what had become durable.
  EXPECT_EQ(stored("a").version, 2u);
}

TEST_F(Flight, what_conflicted_is_decided_again_before_what_waited_for_it) {
  start("a", "start");
  settle();
  signal("a", "one");
  store.holds = true;
  settle();
  signal("a", "two");
  settle();
  store.fails_once_with = CommitOutcome::conflict;
  store.holds = false;
  settle();
  EXPECT_EQ(answers, (Names{"start", "one", "two"}));
  EXPECT_EQ(host().counters().conflicts, 1u);
}

TEST_F(Flight, failure_concerns_the_commands_of_its_own_batch_alone) {
  store.holds = true;
  start("a", "a");
  settle();
  start("b", "b");
  signal("a", "waiting");
  settle();
  store.fails_once_with = CommitOutcome::unavailable;
  store.holds = false;
  settle();
  EXPECT_EQ(answers, (Names{"a refused", "waiting refused", "b"}));
  EXPECT_EQ(stored("a").version, 0u);
  EXPECT_EQ(stored("b").version, 1u);
}

TEST_F(Flight, as_many_commands_wait_as_fit_in_a_turn_and_the_rest_stays_in_the_queue) {
  settings.turn_commands_max = 4;
  store.holds = true;
  start("a", "start");
  settle();
  for (int i = 0; i < 10; ++i) signal("a", std::to_string(i));
  start("b", "b");
  settle();
  EXPECT_EQ(host().counters().commands_held, 4u);
  EXPECT_EQ(host().counters().queue_depth, 7u);
  // Full: it waits for the store and does not turn in vain.
  EXPECT_FALSE(host().turn().at_once);
  store.holds = false;
  settle();
  EXPECT_EQ(answers.size(), 12u);
  EXPECT_EQ(host().counters().queue_depth, 0u);
}

TEST_F(Flight, batch_is_no_larger_than_the_setting_however_long_it_waits) {
  settings.turn_commands_max = 4;
  store.holds = true;
  for (int i = 0; i < 30; ++i) start("r" + std::to_string(i));
  settle();
  settle();
  EXPECT_EQ(store.sizes, std::vector<size_t>{4});
  store.holds = false;
  settle();
  EXPECT_EQ(answers.size(), 30u);
  for (size_t size : store.sizes) EXPECT_LE(size, 4u);
}

TEST_F(Flight, half_of_what_waits_is_left_to_be_decided_during_the_flight) {
  for (int i = 0; i < 200; ++i) start("r" + std::to_string(i));
  store.holds = true;
  host().turn();
  EXPECT_EQ(store.sizes, std::vector<size_t>{100});
  settle();
  store.holds = false;
  settle();
  EXPECT_EQ(store.sizes, (std::vector<size_t>{100, 100}));
}

TEST_F(Flight, run_that_is_not_durable_stays_in_memory_however_little_is_kept) {
  settings.cached_runs_max = 0;
  store.holds = true;
  start("a", "a");
  start("b", "b");
  settle();
  start("c", "c");
  settle();
  EXPECT_EQ(host().counters().runs_cached, 3u);
  store.holds = false;
  settle();
  EXPECT_EQ(answers, (Names{"a", "b", "c"}));
  EXPECT_EQ(host().counters().runs_cached, 0u);
}

TEST_F(Flight, start_of_a_run_that_exists_is_found_out_by_its_commit) {
  start("a", "first", "hash");
  settle();
  restart();
  start("a", "repeated", "hash");
  signal("a", "signal");
  settle();
  EXPECT_EQ(answers, (Names{"first", "repeated", "signal"}));
  EXPECT_EQ(host().counters().conflicts, 1u);
  start("a", "another", "other hash");
  settle();
  ASSERT_FALSE(last);
  EXPECT_EQ(last.error().code, ErrorCode::idempotency_key_reused);
  EXPECT_EQ(stored("a").version, 2u);
}

TEST_F(Flight, stopping_answers_what_was_taken_in) {
  settings.turn_commands_max = 2;
  store.holds = true;
  for (int i = 0; i < 20; ++i) start("r" + std::to_string(i));
  std::thread running([this] { host().run(); });
  host().stop();
  store.holds = false;
  host().wake();
  running.join();
  EXPECT_EQ(answers.size(), 20u);
}

}  // namespace
}  // namespace fermata
