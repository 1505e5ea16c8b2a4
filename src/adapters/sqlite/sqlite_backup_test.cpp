#include <atomic>
#include <thread>

#include "adapters/sqlite/test_support.h"

namespace fermata::sqlite {
namespace {

TEST(SqliteBackup, restored_backup_holds_what_the_store_held) {
  ScratchDirectory scratch;
  auto store = open_store(scratch / "data");
  for (int i = 0; i < 50; ++i) {
    ASSERT_EQ(commit_one(*store, creation("r" + std::to_string(i))), CommitOutcome::done);
  }
  ASSERT_TRUE(store->backup(scratch / "backup.db"));
  ASSERT_EQ(commit_one(*store, creation("later")), CommitOutcome::done);
  ASSERT_TRUE(restore_sqlite(scratch / "backup.db", scratch / "restored"));
  EXPECT_FALSE(std::filesystem::exists(scratch / "backup.db-wal"));
  EXPECT_FALSE(std::filesystem::exists(scratch / "backup.db.new"));

  auto restored = open_store(scratch / "restored");
  ASSERT_TRUE(restored);
  for (int i = 0; i < 50; ++i) {
    std::string id = "r" + std::to_string(i);
    EXPECT_EQ(load_one(*restored, id)->summary, load_one(*store, id)->summary);
    EXPECT_EQ(load_one(*restored, id)->history, load_one(*store, id)->history);
  }
  EXPECT_EQ(version_of(*restored, "later"), 0u);
  EXPECT_EQ(commit_one(*restored, creation("more")), CommitOutcome::done);
  restored.reset();
  CountingVisitor visitor;
  ASSERT_TRUE(visit_sqlite(scratch / "restored", visitor));
  EXPECT_EQ(visitor.runs, 51u);
  EXPECT_EQ(visitor.lines, 51u);
  EXPECT_TRUE(visitor.damages.empty());
}

TEST(SqliteBackup, backup_during_commits_is_one_moment_of_them) {
  ScratchDirectory scratch;
  auto store = open_store(scratch / "data");
  ASSERT_EQ(commit_one(*store, creation("r0")), CommitOutcome::done);
  std::atomic<bool> stop = false;
  std::thread committing([&] {
    for (int i = 1; !stop; ++i) {
      EXPECT_EQ(commit_one(*store, creation("r" + std::to_string(i))), CommitOutcome::done);
    }
  });
  for (int round = 0; round < 5; ++round) {
    std::string name = "backup" + std::to_string(round);
    ASSERT_TRUE(backup_sqlite(scratch / "data", scratch / (name + ".db")));
    ASSERT_TRUE(restore_sqlite(scratch / (name + ".db"), scratch / name));
    CountingVisitor visitor;
    ASSERT_TRUE(visit_sqlite(scratch / name, visitor));
    EXPECT_GE(visitor.runs, 1u);
    EXPECT_EQ(visitor.runs, visitor.lines);
    EXPECT_TRUE(visitor.damages.empty());
  }
  stop = true;
  committing.join();
}

TEST(SqliteBackup, nothing_is_written_over) {
  ScratchDirectory scratch;
  auto store = open_store(scratch / "data");
  write_bytes(scratch / "precious", "do not lose me");
  EXPECT_EQ(store->backup(scratch / "precious").error().code, ErrorCode::io_failed);
  EXPECT_EQ(read_bytes(scratch / "precious"), "do not lose me");
  ASSERT_TRUE(store->backup(scratch / "backup.db"));
  std::filesystem::create_directory(scratch / "full");
  write_bytes(scratch / "full/note", "here");
  EXPECT_EQ(restore_sqlite(scratch / "backup.db", scratch / "full").error().code,
            ErrorCode::io_failed);
  EXPECT_EQ(restore_sqlite(scratch / "backup.db", scratch / "data").error().code,
            ErrorCode::io_failed);
}

TEST(SqliteBackup, damaged_backup_is_not_restored) {
  ScratchDirectory scratch;
  auto store = open_store(scratch / "data");
  ASSERT_EQ(commit_one(*store, creation("r", 50'000)), CommitOutcome::done);
  ASSERT_TRUE(store->backup(scratch / "backup.db"));
  std::string whole = read_bytes(scratch / "backup.db");
  write_bytes(scratch / "cut.db", whole.substr(0, whole.size() / 2));
  EXPECT_EQ(restore_sqlite(scratch / "cut.db", scratch / "restored").error().code,
            ErrorCode::data_damaged);
  write_bytes(scratch / "text.db", std::string(9000, 'x'));
  EXPECT_EQ(restore_sqlite(scratch / "text.db", scratch / "restored").error().code,
            ErrorCode::data_damaged);
  EXPECT_FALSE(restore_sqlite(scratch / "nothing.db", scratch / "restored"));
  EXPECT_FALSE(std::filesystem::exists(scratch / "restored"));
}

TEST(SqliteBackup, backup_to_nowhere_is_told) {
  ScratchDirectory scratch;
  auto store = open_store(scratch / "data");
  EXPECT_EQ(store->backup(scratch / "no/such/place.db").error().code, ErrorCode::io_failed);
  EXPECT_EQ(backup_sqlite(scratch / "nowhere", scratch / "b.db").error().code,
            ErrorCode::io_failed);
}

}  // namespace
}  // namespace fermata::sqlite
