#include "test/contract/stores.h"

namespace fermata {
namespace {

/// The next commit of a run, with a checkpoint that names its sequence.
RunWrite with_checkpoint(const StoredRun& run, uint32_t kept = 2) {
  RunWrite write = next_write(run, 3);
  write.checkpoint = Checkpoint{write.summary.last_sequence,
                                "state at " + std::to_string(write.summary.last_sequence)};
  write.checkpoints_kept = kept;
  return write;
}

/// The sequences of all checkpoints that are kept, newest first.
std::vector<uint64_t> kept_of(Store& store, const RunId& id) {
  std::vector<uint64_t> out;
  uint64_t before = UINT64_MAX;
  for (;;) {
    auto loaded = store.load(std::span(&id, 1), before);
    EXPECT_TRUE(loaded);
    if (!loaded || !loaded->front().checkpoint) return out;
    before = loaded->front().checkpoint->sequence;
    out.push_back(before);
  }
}

TEST_P(StoreContract, checkpoint_spares_the_history_before_it) {
  ASSERT_EQ(commit(creation("r1", 2)), CommitOutcome::done);
  ASSERT_EQ(commit(with_checkpoint(load("r1"))), CommitOutcome::done);  // 3–5
  reopen();
  StoredRun at_once = load("r1");
  EXPECT_EQ(at_once.checkpoint, (Checkpoint{5, "state at 5"}));
  EXPECT_TRUE(at_once.history.empty());
  EXPECT_EQ(at_once.version, 2u);
  ASSERT_EQ(commit(next_write(at_once, 4)), CommitOutcome::done);  // 6–9
  ASSERT_EQ(commit(next_write(load("r1"), 1)), CommitOutcome::done);
  reopen();
  StoredRun later = load("r1");
  EXPECT_EQ(later.checkpoint, (Checkpoint{5, "state at 5"}));
  ASSERT_EQ(later.history.size(), 2u);
  EXPECT_EQ(later.history[0].first_sequence, 6u);
  EXPECT_EQ(later.history[1].first_sequence, 10u);
  EXPECT_EQ(later.checkpoints_damaged, 0u);
}

TEST_P(StoreContract, readers_see_the_whole_history_beside_checkpoints) {
  ASSERT_EQ(commit(creation("r1", 2)), CommitOutcome::done);
  for (int i = 0; i < 3; ++i) ASSERT_EQ(commit(with_checkpoint(load("r1"))), CommitOutcome::done);
  auto whole = reader().find(RunId("r1"));
  ASSERT_TRUE(whole);
  EXPECT_EQ(whole->history.size(), 4u);
  EXPECT_EQ(whole->history.front().first_sequence, 1u);
  EXPECT_FALSE(whole->checkpoint);
}

TEST_P(StoreContract, readers_may_begin_at_the_newest_checkpoint) {
  EXPECT_EQ(reader().latest(RunId("r1"))->version, 0u);
  ASSERT_EQ(commit(creation("r1", 2)), CommitOutcome::done);
  auto whole = reader().latest(RunId("r1"));
  ASSERT_TRUE(whole);
  EXPECT_FALSE(whole->checkpoint);
  EXPECT_EQ(whole->history.size(), 1u);
  ASSERT_EQ(commit(with_checkpoint(load("r1"))), CommitOutcome::done);  // 3–5
  ASSERT_EQ(commit(next_write(load("r1"), 4)), CommitOutcome::done);
  auto later = reader().latest(RunId("r1"));
  ASSERT_TRUE(later);
  EXPECT_EQ(later->checkpoint, (Checkpoint{5, "state at 5"}));
  ASSERT_EQ(later->history.size(), 1u);
  EXPECT_EQ(later->history[0].first_sequence, 6u);
}

TEST_P(StoreContract, as_many_checkpoints_are_kept_as_the_write_says) {
  ASSERT_EQ(commit(creation("r1", 2)), CommitOutcome::done);
  ASSERT_EQ(commit(creation("other", 2)), CommitOutcome::done);
  ASSERT_EQ(commit(with_checkpoint(load("other"), 8)), CommitOutcome::done);
  for (int i = 0; i < 6; ++i)
    ASSERT_EQ(commit(with_checkpoint(load("r1"), 4)), CommitOutcome::done);
  reopen();
  EXPECT_EQ(kept_of(store(), RunId("r1")), (std::vector<uint64_t>{20, 17, 14, 11}));
  ASSERT_EQ(commit(with_checkpoint(load("r1"), 1)), CommitOutcome::done);
  EXPECT_EQ(kept_of(store(), RunId("r1")), std::vector<uint64_t>{23});
  EXPECT_EQ(kept_of(store(), RunId("other")), std::vector<uint64_t>{5});
}

TEST_P(StoreContract, load_before_a_checkpoint_takes_the_one_before_or_the_whole_history) {
  ASSERT_EQ(commit(creation("r1", 2)), CommitOutcome::done);
  for (int i = 0; i < 2; ++i)
    ASSERT_EQ(commit(with_checkpoint(load("r1"))), CommitOutcome::done);  // 5 and 8
  RunId ids[] = {RunId("r1"), RunId("none")};
  auto older = store().load(ids, 8);
  ASSERT_TRUE(older);
  EXPECT_EQ(older->at(0).checkpoint, (Checkpoint{5, "state at 5"}));
  ASSERT_EQ(older->at(0).history.size(), 1u);
  EXPECT_EQ(older->at(0).history[0].first_sequence, 6u);
  EXPECT_EQ(older->at(1).version, 0u);
  auto whole = store().load(ids, 5);
  ASSERT_TRUE(whole);
  EXPECT_FALSE(whole->at(0).checkpoint);
  EXPECT_EQ(whole->at(0).history.size(), 3u);
  EXPECT_EQ(whole->at(0).version, 3u);
}

TEST_P(StoreContract, checkpoint_may_come_with_the_first_commit) {
  RunWrite write = creation("r1", 2);
  write.checkpoint = Checkpoint{2, std::string("zero \0 byte", 11)};
  ASSERT_EQ(commit(write), CommitOutcome::done);
  reopen();
  EXPECT_EQ(load("r1").checkpoint, write.checkpoint);
  EXPECT_TRUE(load("r1").history.empty());
}

TEST_P(StoreContract, checkpoint_of_a_write_that_conflicted_is_not_kept) {
  ASSERT_EQ(commit(creation("r1", 2)), CommitOutcome::done);
  RunWrite stale = with_checkpoint(load("r1"));
  ASSERT_EQ(commit(next_write(load("r1"), 1)), CommitOutcome::done);
  EXPECT_EQ(commit(stale), CommitOutcome::conflict);
  RunWrite again = creation("r1", 2);
  again.checkpoint = Checkpoint{2, "another"};
  EXPECT_EQ(commit(again), CommitOutcome::conflict);
  EXPECT_EQ(kept_of(store(), RunId("r1")), std::vector<uint64_t>{});
}

TEST_P(StoreContract, large_checkpoints_are_kept) {
  ASSERT_EQ(commit(creation("r1", 2)), CommitOutcome::done);
  for (int i = 0; i < 3; ++i) {
    RunWrite write = with_checkpoint(load("r1"));
    write.checkpoint->bytes.append(1'000'000, static_cast<char>('a' + i));
    ASSERT_EQ(commit(write), CommitOutcome::done);
    reopen();
    EXPECT_EQ(load("r1").checkpoint, write.checkpoint);
  }
}

}  // namespace
}  // namespace fermata
