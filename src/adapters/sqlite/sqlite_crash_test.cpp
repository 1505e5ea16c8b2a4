#include "adapters/sqlite/log_check.h"
#include "adapters/sqlite/test_support.h"

namespace fermata::sqlite {
namespace {

constexpr int commits = 12;

/// A store that was killed after `commits` commits of one run each, none of them checkpointed.
class SqliteCrash : public testing::Test {
 protected:
  SqliteCrash() {
    auto store = open_store(scratch_ / "live");
    for (int i = 0; i < commits; ++i) {
      EXPECT_EQ(commit_one(*store, creation("r" + std::to_string(i), 3000)), CommitOutcome::done);
    }
    copy_as_killed(scratch_ / "live", scratch_ / "killed");
    log_ = read_bytes(log());
  }
  std::filesystem::path log() const { return scratch_ / "killed/fermata.db-wal"; }
  /// A fresh copy of the killed store with another log.
  std::filesystem::path with_log(const std::string& bytes) {
    std::filesystem::path copy = scratch_ / "copy";
    std::filesystem::remove_all(copy);
    std::filesystem::create_directory(copy);
    std::filesystem::copy_file(scratch_ / "killed/fermata.db", copy / "fermata.db");
    write_bytes(copy / "fermata.db-wal", bytes);
    return copy;
  }
  ScratchDirectory scratch_;
  std::string log_;
};

TEST_F(SqliteCrash, everything_answered_is_there_after_a_kill) {
  auto store = open_store(scratch_ / "killed");
  for (int i = 0; i < commits; ++i) EXPECT_EQ(version_of(*store, "r" + std::to_string(i)), 1u);
  EXPECT_EQ(store->audit({}, 100, "")->items.size(), static_cast<size_t>(commits));
  EXPECT_EQ(commit_one(*store, creation("after")), CommitOutcome::done);
  store.reset();
  CountingVisitor visitor;
  ASSERT_TRUE(visit_sqlite(scratch_ / "killed", visitor));
  EXPECT_EQ(visitor.damages, std::vector<std::string>{});
}

TEST_F(SqliteCrash, torn_log_leaves_whole_commits_from_the_first_on) {
  int least = commits;
  for (size_t size = 0; size < log_.size(); size += 3333) {
    auto store = open_store(with_log(log_.substr(0, size)));
    ASSERT_TRUE(store);
    int there = 0;
    while (there < commits && version_of(*store, "r" + std::to_string(there)) == 1) ++there;
    for (int i = there; i < commits; ++i) {
      EXPECT_EQ(version_of(*store, "r" + std::to_string(i)), 0u) << size;
    }
    EXPECT_EQ(store->audit({}, 100, "")->items.size(), static_cast<size_t>(there));
    EXPECT_EQ(store->pending(0, 100)->runs.size(), static_cast<size_t>(there));
    least = std::min(least, there);
  }
  EXPECT_EQ(least, 0);
}

TEST_F(SqliteCrash, flipped_bit_before_further_commits_is_damage) {
  size_t first_frames = 32 + 4 * 4120;
  for (size_t at : {size_t{3}, size_t{20}, size_t{40}, first_frames + 8, first_frames + 2000}) {
    std::string flipped = log_;
    flipped[at] = static_cast<char>(flipped[at] ^ 16);
    std::filesystem::path copy = with_log(flipped);
    auto error = open_error(copy);
    ASSERT_TRUE(error) << at;
    EXPECT_EQ(error->code, ErrorCode::data_damaged) << error->message;
    EXPECT_EQ(read_bytes(copy / "fermata.db-wal"), flipped) << "the log is kept as it is";
    CountingVisitor visitor;
    EXPECT_TRUE(!visit_sqlite(copy, visitor) || !visitor.damages.empty());
  }
}

TEST_F(SqliteCrash, bad_last_transaction_was_never_answered) {
  std::string torn = log_;
  torn[torn.size() - 100] = static_cast<char>(torn[torn.size() - 100] ^ 1);
  auto store = open_store(with_log(torn));
  ASSERT_TRUE(store);
  EXPECT_EQ(version_of(*store, "r" + std::to_string(commits - 1)), 0u);
  EXPECT_EQ(version_of(*store, "r" + std::to_string(commits - 2)), 1u);
}

TEST_F(SqliteCrash, log_of_zeros_is_no_damage) {
  EXPECT_TRUE(check_log(scratch_ / "no such file"));
  auto store = open_store(with_log(std::string(50'000, '\0')));
  ASSERT_TRUE(store);
  EXPECT_EQ(version_of(*store, "r0"), 0u);
}

TEST_F(SqliteCrash, log_that_was_begun_again_keeps_old_frames_without_harm) {
  SqliteOptions options;
  options.checkpoint_pages = 40;
  auto store = open_store(scratch_ / "busy", options);
  for (int i = 0; i < 400; ++i) {
    ASSERT_EQ(commit_one(*store, creation("r" + std::to_string(i), 2000)), CommitOutcome::done);
  }
  for (int round = 0; round < 5; ++round) {
    ASSERT_EQ(commit_one(*store, creation("x" + std::to_string(round))), CommitOutcome::done);
    std::filesystem::path copy = scratch_ / ("killed" + std::to_string(round));
    copy_as_killed(scratch_ / "busy", copy);
    EXPECT_EQ(version_of(*open_store(copy), "x" + std::to_string(round)), 1u);
  }
}

}  // namespace
}  // namespace fermata::sqlite
