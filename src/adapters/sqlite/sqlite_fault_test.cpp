#include "adapters/sqlite/fault_vfs.h"
#include "adapters/sqlite/test_support.h"

namespace fermata::sqlite {
namespace {

/// Each case fails another way.
class SqliteFault : public testing::TestWithParam<Fault> {
 protected:
  SqliteFault() { use_faulty_disk(); }
  ~SqliteFault() override { set_fault({}); }
  ScratchDirectory scratch_;
};

/// Versions of the three runs that the batch of the test writes.
std::vector<uint64_t> versions(Store& store) {
  auto old = load_one(store, "old");
  EXPECT_TRUE(old && old->checkpoint.has_value() == (old->version == 2));
  return {version_of(store, "old"), version_of(store, "new1"), version_of(store, "new2")};
}

const std::vector<uint64_t> before = {1, 0, 0};
const std::vector<uint64_t> after = {2, 1, 1};

void expect_whole(const std::filesystem::path& directory) {
  CountingVisitor visitor;
  auto visited = visit_sqlite(directory, visitor);
  EXPECT_TRUE(visited) << visited.error().message;
  EXPECT_EQ(visitor.damages, std::vector<std::string>{});
}

// The n-th call that changes a file fails, for every n until none does. Whatever is answered holds,
// at once and after a kill at that moment.
TEST_P(SqliteFault, answers_hold_whichever_call_fails) {
  std::map<CommitOutcome, int> seen;
  for (int n = 1;; ++n) {
    set_fault({});
    std::filesystem::path data = scratch_ / ("data" + std::to_string(n));
    std::vector<std::string> told;
    SqliteOptions options;
    options.on_failure = [&](const Error& error) { told.push_back(error.message); };
    auto store = open_store(data, options);
    ASSERT_TRUE(store);
    ASSERT_EQ(commit_one(*store, creation("old")), CommitOutcome::done);
    CommitBatch batch =
        batch_of({next_write(*load_one(*store, "old")), creation("new1", 9000), creation("new2")},
                 {line("one"), line("two")});
    batch.runs[0].checkpoint = Checkpoint{batch.runs[0].summary.last_sequence, "state"};
    Fault fault = GetParam();
    fault.at = n;
    set_fault(fault);
    std::vector<CommitOutcome> outcomes = store->commit(batch);
    bool failed = fault_calls() >= n;
    set_fault({});
    copy_as_killed(data, scratch_ / ("killed" + std::to_string(n)));
    for (CommitOutcome outcome : outcomes) ASSERT_EQ(outcome, outcomes[0]);
    ++seen[outcomes[0]];
    EXPECT_EQ(told.empty(), outcomes[0] == CommitOutcome::done);
    {
      auto killed = open_store(scratch_ / ("killed" + std::to_string(n)));
      ASSERT_TRUE(killed);
      std::vector<uint64_t> there = versions(*killed);
      if (outcomes[0] == CommitOutcome::done) EXPECT_EQ(there, after);
      if (outcomes[0] == CommitOutcome::unavailable) EXPECT_EQ(there, before);
      if (outcomes[0] == CommitOutcome::unknown) EXPECT_TRUE(there == before || there == after);
    }
    std::vector<uint64_t> answered = versions(*store);
    copy_as_killed(data, scratch_ / ("answered" + std::to_string(n)));
    EXPECT_EQ(versions(*open_store(scratch_ / ("answered" + std::to_string(n)))), answered);
    if (answered == before) {
      EXPECT_EQ(store->commit(batch), std::vector(3, CommitOutcome::done));
    }
    EXPECT_EQ(versions(*store), after);
    store.reset();
    expect_whole(data);
    if (!failed) break;
  }
  EXPECT_EQ(seen[CommitOutcome::done] > 0, true);
  EXPECT_GT(seen[CommitOutcome::unavailable] + seen[CommitOutcome::unknown], 3);
}

TEST_P(SqliteFault, store_comes_back_when_the_disk_does) {
  auto store = open_store(scratch_ / "data");
  ASSERT_EQ(commit_one(*store, creation("r0")), CommitOutcome::done);
  Fault fault = GetParam();
  fault.at = 1;
  fault.stays = true;
  set_fault(fault);
  for (int i = 1; i < 4; ++i) {
    CommitOutcome outcome = commit_one(*store, creation("r1"));
    EXPECT_TRUE(outcome == CommitOutcome::unavailable || outcome == CommitOutcome::unknown);
    auto put = store->put_mark({AccountId("acme"), "k", "", 201, "", Instant{5}});
    ASSERT_FALSE(put);
    EXPECT_TRUE(put.error().code == ErrorCode::store_unavailable ||
                put.error().code == ErrorCode::outcome_unknown);
    auto page = store->list({}, 10, "");
    ASSERT_TRUE(page) << "reading goes on";
    EXPECT_EQ(page->items.size(), 1u);
  }
  set_fault({});
  EXPECT_EQ(version_of(*store, "r1"), 0u);
  EXPECT_EQ(commit_one(*store, creation("r1")), CommitOutcome::done);
  EXPECT_TRUE(store->put_mark({AccountId("acme"), "k", "", 201, "", Instant{5}}));
  store.reset();
  expect_whole(scratch_ / "data");
}

// What a caller is told is the cause of its own commit, whatever was written beside it meanwhile.
TEST_P(SqliteFault, cause_of_a_commit_outlives_other_writes) {
  auto store = open_store(scratch_ / "data");
  ASSERT_EQ(commit_one(*store, creation("r0")), CommitOutcome::done);
  Fault fault = GetParam();
  fault.at = 1;
  fault.stays = true;
  set_fault(fault);
  EXPECT_NE(commit_one(*store, creation("r1")), CommitOutcome::done);
  set_fault({});
  std::string cause = store->trouble();
  EXPECT_NE(cause, "");
  EXPECT_TRUE(store->put_mark({AccountId("acme"), "k", "", 201, "", Instant{5}}));
  EXPECT_EQ(store->trouble(), cause);
  EXPECT_EQ(commit_one(*store, creation("r1")), CommitOutcome::done);
  EXPECT_EQ(store->trouble(), "");
}

TEST_P(SqliteFault, checkpoint_that_fails_loses_nothing) {
  SqliteOptions options;
  options.checkpoint_pages = 20;
  auto store = open_store(scratch_ / "data", options);
  Fault fault = GetParam();
  fault.at = 1;
  fault.stays = true;
  fault.suffix = ".db";
  set_fault(fault);
  for (int i = 0; i < 60; ++i) {
    ASSERT_EQ(commit_one(*store, creation("r" + std::to_string(i))), CommitOutcome::done);
  }
  set_fault({});
  for (int i = 60; i < 120; ++i) {
    ASSERT_EQ(commit_one(*store, creation("r" + std::to_string(i))), CommitOutcome::done);
  }
  copy_as_killed(scratch_ / "data", scratch_ / "killed");
  auto killed = open_store(scratch_ / "killed");
  for (int i = 0; i < 120; ++i) EXPECT_EQ(version_of(*killed, "r" + std::to_string(i)), 1u);
  killed.reset();
  expect_whole(scratch_ / "killed");
}

INSTANTIATE_TEST_SUITE_P(disk, SqliteFault,
                         testing::Values(Fault{.result = SQLITE_FULL},
                                         Fault{.result = SQLITE_IOERR_WRITE}),
                         [](const auto& info) {
                           return info.param.result == SQLITE_FULL ? "full" : "failing";
                         });

TEST(SqliteFaultAtOpen, failure_while_a_store_is_made_is_told_and_can_be_repeated) {
  use_faulty_disk();
  ScratchDirectory scratch;
  for (int n = 1;; ++n) {
    std::filesystem::path data = scratch / ("data" + std::to_string(n));
    set_fault({.at = n, .stays = true, .result = SQLITE_FULL});
    auto error = open_error(data);
    bool failed = fault_calls() >= n;
    set_fault({});
    if (failed && error) EXPECT_EQ(error->code, ErrorCode::io_failed) << error->message;
    auto store = open_store(data);
    ASSERT_TRUE(store) << n;
    EXPECT_EQ(commit_one(*store, creation("r1")), CommitOutcome::done);
    if (!failed) break;
  }
}

}  // namespace
}  // namespace fermata::sqlite
