#include "host/checkpoints.h"

#include "core/run/checkpoint.h"
#include "test/partition/waiting_store.h"

namespace fermata {
namespace {

class Checkpoints : public HostTest {
 protected:
  void hear(int signals) {
    for (int i = 0; i < signals; ++i) {
      signal("a");
      settle();
    }
  }
  StoredRun loaded(uint64_t before = UINT64_MAX) {
    RunId id("a");
    return store.memory.load(std::span(&id, 1), before)->front();
  }
  fermata::Run folded() {
    return *fold(RunId("a"), stored("a").history,
                 [this](const DefinitionHash&) { return definitions.only; });
  }
};

TEST_F(Checkpoints, one_is_written_when_enough_events_have_come) {
  settings.checkpoint_events = 100;
  start("a");
  hear(60);
  ASSERT_TRUE(loaded().checkpoint);
  uint64_t events = stored("a").summary.last_sequence;
  EXPECT_GE(host().counters().checkpoints_written, events / 110);
  EXPECT_LE(host().counters().checkpoints_written, events / 100);
  EXPECT_LT(loaded().history.size(), stored("a").history.size() / 2);
}

TEST_F(Checkpoints, one_is_written_when_enough_bytes_have_come) {
  settings.checkpoint_events = 1'000'000;
  settings.checkpoint_bytes = 1'000;
  start("a");
  hear(60);
  EXPECT_GT(host().counters().checkpoints_written, 0u);
}

TEST_F(Checkpoints, none_is_written_when_the_setting_is_zero) {
  settings.checkpoint_events = 0;
  settings.checkpoint_bytes = 1;
  start("a");
  hear(60);
  EXPECT_EQ(host().counters().checkpoints_written, 0u);
}

TEST_F(Checkpoints, as_many_are_kept_as_the_setting_says) {
  settings.checkpoint_events = 50;
  settings.checkpoints_kept = 3;
  start("a");
  hear(100);
  ASSERT_GT(host().counters().checkpoints_written, 3u);
  uint64_t before = UINT64_MAX;
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(loaded(before).checkpoint);
    before = loaded(before).checkpoint->sequence;
  }
  EXPECT_FALSE(loaded(before).checkpoint);
}

TEST_F(Checkpoints, run_is_opened_from_its_newest) {
  settings.checkpoint_events = 50;
  start("a");
  hear(60);
  restart();
  hear(1);
  EXPECT_EQ(host().counters().checkpoints_restored, 1u);
  EXPECT_EQ(host().counters().checkpoints_unreadable, 0u);
  ASSERT_TRUE(last);
  EXPECT_EQ(*last, summarize(folded()));
}

TEST_F(Checkpoints, unreadable_one_is_passed_over_for_the_one_before) {
  settings.checkpoint_events = 50;
  start("a");
  hear(60);
  // What a later program might write.
  RunWrite write{stored("a").version, stored("a").summary, {}};
  write.checkpoint = Checkpoint{write.summary.last_sequence,
                                "\x7f"
                                "another form"};
  ASSERT_EQ(store.memory.commit({{write}}).front(), CommitOutcome::done);
  restart();
  hear(1);
  EXPECT_EQ(host().counters().checkpoints_unreadable, 1u);
  EXPECT_EQ(host().counters().checkpoints_restored, 1u);
  EXPECT_EQ(*last, summarize(folded()));
}

TEST_F(Checkpoints, when_none_can_be_read_the_whole_history_is_folded) {
  start("a");
  hear(5);
  for (int i = 0; i < 2; ++i) {
    RunWrite write{stored("a").version, stored("a").summary, {}};
    write.checkpoint = Checkpoint{write.summary.last_sequence, "nonsense"};
    ASSERT_EQ(store.memory.commit({{write}}).front(), CommitOutcome::done);
  }
  restart();
  hear(1);
  EXPECT_GE(host().counters().checkpoints_unreadable, 1u);
  EXPECT_EQ(host().counters().checkpoints_restored, 0u);
  EXPECT_EQ(*last, summarize(folded()));
}

// An unknown outcome is found out by looking for the events, which a checkpoint written with them
// would stand for.
TEST_F(Checkpoints, unknown_outcome_of_a_write_with_one_is_found_out) {
  settings.checkpoint_events = 1;
  settings.checkpoint_bytes = 1;
  start("a");
  settle();
  uint64_t version = 0;
  for (bool found = false; !found; store.holds = false, settle()) {
    version = stored("a").version;
    ASSERT_LT(version, 200u);
    store.holds = true;
    signal("a");
    settle();
    ASSERT_TRUE(store.flying);
    found = store.flying->runs[0].checkpoint.has_value();
    if (!found) continue;
    ASSERT_EQ(store.memory.commit(*store.flying).front(), CommitOutcome::done);
    store.fails_once_with = CommitOutcome::unknown;
  }
  EXPECT_TRUE(last);
  EXPECT_EQ(stored("a").version, version + 1);
}

TEST_F(Checkpoints, one_larger_than_what_it_spares_is_not_written_and_tried_later) {
  OpenRun open;
  open.run.definition = definitions.only;
  open.run.id = RunId("a");
  open.run.input = Value(std::string(10'000, 'x'));
  settings.checkpoint_events = 10;
  settings.checkpoint_bytes = 1'000'000;
  HistoryChunk chunk{1, 10, std::string(1'000, 'h')};
  int commits = 0, written_at = 0;
  for (; written_at == 0 && commits < 100; ++commits)
    if (checkpoint_due(open, chunk, settings)) written_at = commits + 1;
  // After 10,000 bytes it pays; tries come after 1, 2, 4, 8 and 16 commits.
  EXPECT_EQ(written_at, 16);
  EXPECT_EQ(open.since_checkpoint.events, 0u);
  EXPECT_EQ(open.since_checkpoint.reluctance, 1u);
}

/// What is written of a run that no program can read.
TEST_F(Checkpoints, run_that_cannot_be_read_is_told_and_the_others_go_on) {  // U-20
  start("a");
  start("b");
  settle();
  StoredRun a = stored("a");
  RunWrite write{a.version, a.summary, {}};
  write.events = {a.summary.last_sequence + 1, 1, "nonsense"};
  write.summary.last_sequence += 1;
  ASSERT_EQ(store.memory.commit({{write}}).front(), CommitOutcome::done);
  restart();
  signal("a", "a");
  signal("b", "b");
  settle();
  EXPECT_EQ(told.unreadable, std::vector<std::string>{"a"});
  EXPECT_EQ(answers.back(), "b");
  EXPECT_TRUE(last);
}

}  // namespace
}  // namespace fermata
