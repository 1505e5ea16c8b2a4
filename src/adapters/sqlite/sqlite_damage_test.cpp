#include "adapters/sqlite/test_support.h"
#include "base/random.h"

namespace fermata::sqlite {
namespace {

/// A closed store of ten runs with two commits each.
class SqliteDamage : public testing::Test {
 protected:
  SqliteDamage() {
    auto store = open_store(data());
    for (int i = 0; i < 10; ++i) {
      EXPECT_EQ(commit_one(*store, creation(id(i))), CommitOutcome::done);
      EXPECT_EQ(commit_one(*store, next_write(*load_one(*store, id(i)))), CommitOutcome::done);
    }
  }
  std::filesystem::path data() const { return scratch_ / "data"; }
  std::filesystem::path file() const { return scratch_ / "data/fermata.db"; }
  static std::string id(int i) { return "run-" + std::to_string(i); }

  /// The store is opened, one run is read, and the damage is told by code and place.
  void expect_told(const std::string& run, const std::string& place) {
    auto store = open_store(data());
    ASSERT_TRUE(store);
    for (bool by_reader : {false, true}) {
      auto read = by_reader ? store->find(RunId(run), 1, SIZE_MAX) : load_one(*store, run);
      ASSERT_FALSE(read);
      EXPECT_EQ(read.error().code, ErrorCode::data_damaged);
      EXPECT_NE(read.error().message.find(place), std::string::npos) << read.error().message;
    }
  }
  CountingVisitor visit() {
    CountingVisitor visitor;
    auto visited = visit_sqlite(data(), visitor);
    EXPECT_TRUE(visited) << visited.error().message;
    return visitor;
  }
  ScratchDirectory scratch_;
};

TEST_F(SqliteDamage, whole_store_verifies) {
  CountingVisitor visitor = visit();
  EXPECT_EQ(visitor.runs, 10u);
  EXPECT_EQ(visitor.lines, 20u);
  EXPECT_EQ(visitor.damages, std::vector<std::string>{});
}

TEST_F(SqliteDamage, flipped_bit_in_a_run_names_the_row) {
  run_sql(data(),
          "UPDATE run SET record = CAST(substr(record, 1, 40) || x'00' || substr(record, 42) "
          "AS BLOB) WHERE number = 3");
  expect_told("run-2", "run row 3");
  EXPECT_EQ(visit().damages.at(0), "run row 3 is damaged: its checksum does not match");
  // The others can still be worked with.
  auto store = open_store(data());
  EXPECT_EQ(version_of(*store, "run-3"), 2u);
}

TEST_F(SqliteDamage, damaged_run_is_not_written_over) {
  RunWrite write;
  {
    auto store = open_store(data());
    write = next_write(*load_one(*store, "run-2"));
  }
  run_sql(data(), "UPDATE run SET record = zeroblob(60) WHERE number = 3");
  auto store = open_store(data());
  CommitBatch batch = batch_of({write, creation("fresh")});
  EXPECT_EQ(store->commit(batch), (std::vector{CommitOutcome::unavailable, CommitOutcome::done}));
  EXPECT_EQ(load_one(*store, "run-2").error().code, ErrorCode::data_damaged);
}

// W-66: what the database itself forbids is no trouble of the store, and nobody else's.
TEST_F(SqliteDamage, write_that_a_rule_forbids_is_refused_alone) {
  run_sql(data(),
          "CREATE TRIGGER fault BEFORE UPDATE ON run WHEN NEW.number = 3 "
          "BEGIN SELECT RAISE(ABORT, 'no'); END");
  auto store = open_store(data());
  CommitBatch batch = batch_of({next_write(*load_one(*store, "run-2")), creation("fresh"),
                                next_write(*load_one(*store, "run-4"))});
  EXPECT_EQ(store->commit(batch),
            (std::vector{CommitOutcome::refused, CommitOutcome::done, CommitOutcome::done}));
  EXPECT_EQ(store->trouble(), "a rule of the database forbids it");
  EXPECT_EQ(load_one(*store, "run-2")->version, 2u);
  EXPECT_EQ(load_one(*store, "run-4")->version, 3u);
}

TEST_F(SqliteDamage, record_in_the_place_of_another_is_told) {
  run_sql(data(),
          "UPDATE run SET record = (SELECT record FROM run WHERE number = 4) "
          "WHERE number = 3");
  expect_told("run-2", "run row 3");
}

TEST_F(SqliteDamage, flipped_bit_in_history_names_the_row) {
  run_sql(data(),
          "UPDATE history SET bytes = CAST(substr(bytes, 1, 40) || x'00' || substr(bytes, 42) "
          "AS BLOB) WHERE number = 5");
  expect_told("run-2", "history row 5");
  EXPECT_EQ(visit().damages.size(), 1u);
  EXPECT_EQ(visit().runs, 9u);
}

TEST_F(SqliteDamage, missing_history_is_told) {
  run_sql(data(), "DELETE FROM history WHERE number = 5");
  expect_told("run-2", "history row 5");
}

TEST_F(SqliteDamage, history_of_another_run_is_told) {
  run_sql(data(), "UPDATE history SET run = 1 WHERE number = 6");
  expect_told("run-2", "history row 6");
}

// `fermata verify` finds a line that was changed, dropped or put in between.
TEST_F(SqliteDamage, broken_audit_chain_is_found) {
  run_sql(data(), "DELETE FROM audit WHERE number = 7");
  EXPECT_EQ(visit().damages.at(0), "audit row 8 is damaged: the chain is broken here");
  run_sql(data(), "UPDATE audit SET record = zeroblob(90) WHERE number = 2");
  auto store = open_store(data());
  auto page = store->audit({}, 100, "");
  ASSERT_FALSE(page);
  EXPECT_EQ(page.error().message, "audit row 2 is damaged: its checksum does not match");
}

TEST_F(SqliteDamage, wrong_tally_is_found) {
  run_sql(data(), "UPDATE tally SET runs = runs + 1");
  EXPECT_EQ(visit().damages.at(0), "the tally of runs does not match the runs");
}

TEST_F(SqliteDamage, file_cut_off_anywhere_is_told_and_kept) {
  std::string whole = read_bytes(file());
  ASSERT_GT(whole.size(), 16'384u);
  for (size_t size : {size_t{0}, size_t{1}, size_t{99}, size_t{4096}, size_t{5000}, size_t{8192},
                      whole.size() - 4096, whole.size() - 1}) {
    std::string cut = whole.substr(0, size);
    write_bytes(file(), cut);
    auto error = open_error(data());
    ASSERT_TRUE(error) << size;
    EXPECT_EQ(error->code, ErrorCode::data_damaged) << size << error->message;
    EXPECT_EQ(read_bytes(file()), cut) << size;
  }
  write_bytes(file(), whole);
  EXPECT_EQ(version_of(*open_store(data()), "run-9"), 2u);
}

TEST_F(SqliteDamage, log_without_its_database_is_told) {
  std::filesystem::remove(file());
  write_bytes(scratch_ / "data/fermata.db-wal", "a log");
  EXPECT_EQ(open_error(data())->code, ErrorCode::data_damaged);
}

// Bits are flipped all over the file. What is read is right or an error; nothing crashes, and a
// verification finds every flip that makes a reading fail.
TEST_F(SqliteDamage, flipped_bits_never_give_wrong_answers) {
  std::vector<StoredRun> expected;
  {
    auto store = open_store(data());
    for (int i = 0; i < 10; ++i) expected.push_back(*load_one(*store, id(i)));
  }
  std::string whole = read_bytes(file());
  Random random(3);
  int told = 0;
  for (int round = 0; round < 300; ++round) {
    std::string damaged = whole;
    size_t at = random.below(whole.size());
    damaged[at] = static_cast<char>(damaged[at] ^ (1 << random.below(8)));
    write_bytes(file(), damaged);
    auto opened = open_sqlite(data());
    bool failed = !opened;
    for (size_t i = 0; opened && i < expected.size(); ++i) {
      auto run = load_one(**opened, expected[i].summary.id.text());
      if (!run) {
        failed = true;
        EXPECT_EQ(run.error().code, ErrorCode::data_damaged) << at << run.error().message;
        continue;
      }
      EXPECT_EQ(run->version, expected[i].version) << at;
      EXPECT_EQ(run->summary, expected[i].summary) << at;
      EXPECT_EQ(run->history, expected[i].history) << at;
    }
    if (opened) opened->reset();
    if (failed) {
      ++told;
      write_bytes(file(), damaged);
      CountingVisitor visitor;
      auto visited = visit_sqlite(data(), visitor);
      EXPECT_TRUE(!visited || !visitor.damages.empty()) << at;
    }
  }
  // Most of the file is room that nothing lies in.
  EXPECT_GT(told, 10);
}

}  // namespace
}  // namespace fermata::sqlite
