#include "adapters/sqlite/test_support.h"

namespace fermata::sqlite {
namespace {

/// A closed store with one run of six commits and checkpoints at sequences 3 to 7.
class SqliteCheckpoints : public testing::Test {
 protected:
  SqliteCheckpoints() {
    auto store = open_store(data());
    EXPECT_EQ(commit_one(*store, creation("r1")), CommitOutcome::done);
    EXPECT_EQ(commit_one(*store, creation("r2")), CommitOutcome::done);
    for (int i = 0; i < 5; ++i) {
      RunWrite write = next_write(*load_one(*store, "r1"));
      write.checkpoint = Checkpoint{write.summary.last_sequence,
                                    "state " + std::to_string(write.summary.last_sequence)};
      write.checkpoints_kept = 5;
      EXPECT_EQ(commit_one(*store, write), CommitOutcome::done);
    }
  }
  std::filesystem::path data() const { return scratch_ / "data"; }
  StoredRun loaded(const std::string& id) {
    auto store = open_store(data());
    auto run = load_one(*store, id);
    EXPECT_TRUE(run) << run.error().message;
    return run ? *std::move(run) : StoredRun{};
  }
  std::vector<std::string> damages() {
    CountingVisitor visitor;
    EXPECT_TRUE(visit_sqlite(data(), visitor));
    return visitor.damages;
  }
  ScratchDirectory scratch_;
};

TEST_F(SqliteCheckpoints, damaged_one_is_passed_over_and_told) {
  EXPECT_EQ(damages(), std::vector<std::string>{});
  run_sql(data(), "UPDATE checkpoint SET bytes = CAST('State 7' AS BLOB) WHERE sequence = 7");
  run_sql(data(), "UPDATE checkpoint SET bytes = zeroblob(0) WHERE sequence = 6");
  StoredRun run = loaded("r1");
  EXPECT_EQ(run.checkpoint, (Checkpoint{5, "state 5"}));
  EXPECT_EQ(run.history.size(), 2u);
  EXPECT_EQ(run.checkpoints_damaged, 2u);
  EXPECT_EQ(damages(),
            (std::vector<std::string>{"the checkpoint of run r1 at sequence 7 is damaged: its "
                                      "checksum does not match",
                                      "the checkpoint of run r1 at sequence 6 is damaged: its "
                                      "checksum does not match"}));
}

TEST_F(SqliteCheckpoints, without_a_readable_one_the_history_is_whole) {
  run_sql(data(), "UPDATE checkpoint SET checksum = checksum + 1");
  StoredRun run = loaded("r1");
  EXPECT_FALSE(run.checkpoint);
  EXPECT_EQ(run.history.size(), 6u);
  EXPECT_EQ(run.checkpoints_damaged, 5u);
}

TEST_F(SqliteCheckpoints, one_in_the_place_of_another_is_not_taken) {
  run_sql(data(), "UPDATE checkpoint SET run = 2 WHERE sequence = 3");
  run_sql(data(), "UPDATE checkpoint SET sequence = 99 WHERE sequence = 7");
  EXPECT_FALSE(loaded("r2").checkpoint);
  StoredRun run = loaded("r1");
  EXPECT_EQ(run.checkpoint, (Checkpoint{6, "state 6"}));
  EXPECT_EQ(run.checkpoints_damaged, 1u);
  EXPECT_EQ(damages().size(), 2u);
}

TEST_F(SqliteCheckpoints, one_of_no_run_is_told) {
  run_sql(data(), "INSERT INTO checkpoint VALUES (77, 1, 0, x'00')");
  EXPECT_EQ(damages(), std::vector<std::string>{"1 checkpoints are of no run"});
}

TEST_F(SqliteCheckpoints, backup_holds_them) {
  ASSERT_TRUE(backup_sqlite(data(), scratch_ / "backup.db"));
  ASSERT_TRUE(restore_sqlite(scratch_ / "backup.db", scratch_ / "restored"));
  auto restored = open_store(scratch_ / "restored");
  EXPECT_EQ(load_one(*restored, "r1")->checkpoint, (Checkpoint{7, "state 7"}));
}

TEST_F(SqliteCheckpoints, store_from_before_there_were_any_is_taken_over) {
  run_sql(data(),
          "DROP TABLE checkpoint; DROP TABLE credential; DROP TABLE tag; DROP TABLE bulk;"
          "DROP TABLE bulk_selection; DROP TABLE garbage; DROP TABLE audit_root;"
          "DROP TABLE dead_letter; DROP TABLE blob; DROP TABLE blob_bytes; DROP TABLE job_blob;"
          "DROP TABLE job_log; DROP TABLE job_garbage; DROP TABLE registration;"
          "DROP TABLE orphan; DROP TABLE job; DROP TABLE job_history; DROP TABLE schedule;"
          "DROP TABLE schedule_history;" FERMATA_DROP_WHAT_FOLLOWED_WAITS
          "DROP VIEW workflow_event_listeners; DROP VIEW workflow_executions;"
          "DROP VIEW workflows; DROP TABLE workflow_wait_executions;"
          "DELETE FROM migration WHERE number > 1");
  EXPECT_EQ(damages(), std::vector<std::string>{});
  EXPECT_EQ(loaded("r1").history.size(), 6u);
  auto store = open_store(data());
  RunWrite write = next_write(*load_one(*store, "r1"));
  write.checkpoint = Checkpoint{8, "state 8"};
  EXPECT_EQ(commit_one(*store, write), CommitOutcome::done);
  EXPECT_EQ(load_one(*store, "r1")->checkpoint, write.checkpoint);
}

}  // namespace
}  // namespace fermata::sqlite
