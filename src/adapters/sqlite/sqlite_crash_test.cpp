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
    copy_with_index(scratch_ / "live", scratch_ / "killed");
    log_ = read_bytes(log());
    index_ = read_bytes(scratch_ / "killed/fermata.db-shm");
    std::filesystem::remove(scratch_ / "killed/fermata.db-shm");
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
  /// The same after a kill of the process alone, which leaves the log's index.
  std::filesystem::path with_index(const std::string& log_bytes) {
    std::filesystem::path copy = with_log(log_bytes);
    write_bytes(copy / "fermata.db-shm", index_);
    return copy;
  }
  /// Neither a server nor a verification or a backup takes what is left for the whole.
  void expect_told(const std::filesystem::path& copy, const std::string& part) {
    std::string left = read_bytes(copy / "fermata.db-wal");
    CountingVisitor visitor;
    for (const auto& outcome :
         {visit_sqlite(copy, visitor), backup_sqlite(copy, copy / "backup")}) {
      ASSERT_FALSE(outcome);
      EXPECT_EQ(outcome.error().code, ErrorCode::data_damaged) << outcome.error().message;
    }
    auto error = open_error(copy);
    ASSERT_TRUE(error);
    EXPECT_EQ(error->code, ErrorCode::data_damaged) << error->message;
    EXPECT_NE(error->message.find(part), std::string::npos) << error->message;
    EXPECT_EQ(read_bytes(copy / "fermata.db-wal"), left) << "the log is kept as it is";
  }
  ScratchDirectory scratch_;
  std::string log_;
  std::string index_;
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

TEST_F(SqliteCrash, log_that_was_cut_off_is_told_by_its_index) {
  {
    auto whole = open_store(with_index(log_));
    ASSERT_TRUE(whole);
    EXPECT_EQ(version_of(*whole, "r" + std::to_string(commits - 1)), 1u);
  }
  for (size_t size = 0; size < log_.size(); size += 3333)
    expect_told(with_index(log_.substr(0, size)), "frames were committed to it");
  expect_told(with_index(log_.substr(0, log_.size() - 1)), "frames were committed to it");
}

TEST_F(SqliteCrash, log_that_is_missing_is_told_by_its_index) {
  std::filesystem::path copy = with_index("");
  std::filesystem::remove(copy / "fermata.db-wal");
  expect_told(copy, "the log ends at frame 0");
}

TEST_F(SqliteCrash, flipped_bit_in_the_last_commit_is_told_by_the_index) {
  for (size_t back : {1u, 100u, 4000u, 4100u}) {
    std::string flipped = log_;
    char& byte = flipped[flipped.size() - back];
    byte = static_cast<char>(byte ^ 4);
    expect_told(with_index(flipped), "frames were committed to it");
  }
}

TEST_F(SqliteCrash, damaged_index_is_not_believed) {
  for (size_t at = 0; at < 96; at += 5) {
    std::filesystem::path copy = with_log(log_);
    std::string flipped = index_;
    flipped[at] = static_cast<char>(flipped[at] ^ 1);
    write_bytes(copy / "fermata.db-shm", flipped);
    auto store = open_store(copy);
    ASSERT_TRUE(store) << at;
    EXPECT_EQ(version_of(*store, "r" + std::to_string(commits - 1)), 1u);
  }
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
    copy_with_index(scratch_ / "busy", copy);
    EXPECT_EQ(version_of(*open_store(copy), "x" + std::to_string(round)), 1u);
  }
}

}  // namespace
}  // namespace fermata::sqlite
