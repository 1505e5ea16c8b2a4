#include "adapters/sqlite/file_layer.h"

#include "adapters/sqlite/schema.h"
#include "adapters/sqlite/test_support.h"
#include "base/random.h"

namespace fermata::sqlite {
namespace {

constexpr size_t page_bytes = 4096;

/// A closed store of many runs, of which every page is in use.
class PageSums : public testing::Test {
 protected:
  PageSums() {
    auto store = open_store(data());
    for (int i = 0; i < 60; ++i)
      EXPECT_EQ(commit_one(*store, creation("run-" + std::to_string(i))), CommitOutcome::done);
    store.reset();
    whole_ = read_bytes(file());
  }
  std::filesystem::path data() const { return scratch_ / "data"; }
  std::filesystem::path file() const { return scratch_ / "data/fermata.db"; }
  size_t pages() const { return whole_.size() / page_bytes; }
  void flip(size_t at, int bit) {
    std::string flipped = whole_;
    flipped[at] = static_cast<char>(flipped[at] ^ (1 << bit));
    write_bytes(file(), flipped);
  }
  int64_t root_of(const std::string& name) const {
    auto database = Database::open(file(), Database::Mode::frozen);
    std::string question = "SELECT rootpage FROM sqlite_schema WHERE name = '" + name + "'";
    return *(*database)->number(question.c_str());
  }
  /// Everything that a verification has to say, or that it could not be begun, which names the
  /// damage too.
  std::vector<std::string> verify() {
    CountingVisitor visitor;
    auto visited = visit_sqlite(data(), visitor);
    if (visited) return visitor.damages;
    EXPECT_EQ(visited.error().code, ErrorCode::data_damaged) << visited.error().message;
    visitor.damages.push_back(visited.error().message);
    return visitor.damages;
  }
  ScratchDirectory scratch_;
  std::string whole_;
};

TEST_F(PageSums, whole_file_is_read) { EXPECT_EQ(verify(), std::vector<std::string>{}); }

TEST_F(PageSums, no_flipped_bit_is_overlooked) {
  Random random(5);
  for (size_t page = 0; page < pages(); ++page) {
    for (int round = 0; round < 3; ++round) {
      size_t at = page * page_bytes + random.below(page_bytes);
      flip(at, static_cast<int>(random.below(8)));
      EXPECT_FALSE(verify().empty()) << "byte " << at;
    }
  }
}

TEST_F(PageSums, no_flipped_bit_of_the_header_is_overlooked) {
  for (size_t at = 0; at < 100; ++at) {
    flip(at, static_cast<int>(at % 8));
    EXPECT_FALSE(verify().empty()) << "byte " << at;
    auto error = open_error(data());
    ASSERT_TRUE(error) << "byte " << at;
    EXPECT_EQ(error->code, ErrorCode::data_damaged) << at << error->message;
    std::filesystem::remove(data() / "fermata.db-wal");
    std::filesystem::remove(data() / "fermata.db-shm");
  }
}

TEST_F(PageSums, damage_is_named_by_page_and_table) {
  int64_t root = root_of("run_id");
  flip(static_cast<size_t>(root - 1) * page_bytes + 2000, 3);
  std::string text;
  for (const std::string& damage : verify()) text += damage + "\n";
  std::string page = "page " + std::to_string(root);
  EXPECT_NE(text.find(page + " of the index `run_id` fails its checksum"), std::string::npos)
      << text;
  auto store = open_store(data());
  auto run = store->find(RunId("run-7"), 1, SIZE_MAX);
  ASSERT_FALSE(run);
  EXPECT_EQ(run.error().code, ErrorCode::data_damaged);
  EXPECT_NE(run.error().message.find(page + " fails its checksum"), std::string::npos)
      << run.error().message;
  // What does not need that page is still there.
  EXPECT_EQ(store->list({}, 100, "")->items.size(), 60u);
}

TEST_F(PageSums, page_in_the_place_of_another_is_told) {
  std::string swapped = whole_;
  size_t a = 2 * page_bytes, b = 3 * page_bytes;
  swapped.replace(a, page_bytes, whole_, b, page_bytes);
  swapped.replace(b, page_bytes, whole_, a, page_bytes);
  write_bytes(file(), swapped);
  EXPECT_FALSE(verify().empty());
}

TEST_F(PageSums, damaged_page_fails_only_the_commits_that_need_it) {
  // The newest run stands in the last page of the table; a run of the first page is damaged.
  std::vector<RunWrite> writes;
  {
    auto store = open_store(data());
    for (const char* id : {"run-0", "run-59"}) writes.push_back(next_write(*load_one(*store, id)));
  }
  whole_ = read_bytes(file());
  // Beyond the table's root, which has a copy from when all rows fitted into it.
  size_t row = whole_.find("run-0acme", static_cast<size_t>(root_of("run")) * page_bytes);
  ASSERT_NE(row, std::string::npos);
  flip(row, 1);
  SqliteOptions options;
  std::vector<std::string> told;
  options.on_damage = [&](const Error& error) { told.push_back(error.message); };
  options.on_failure = [&](const Error& error) { ADD_FAILURE() << error.message; };
  options.on_recovery = [&] { ADD_FAILURE() << "the store could be written all the time"; };
  auto store = open_store(data(), options);
  CommitBatch batch = batch_of({writes[0], writes[1], creation("fresh")});
  EXPECT_EQ(store->commit(batch),
            (std::vector{CommitOutcome::unavailable, CommitOutcome::done, CommitOutcome::done}));
  EXPECT_EQ(store->trouble(), "stored data is damaged");
  ASSERT_FALSE(told.empty());
  EXPECT_NE(told[0].find("fails its checksum"), std::string::npos) << told[0];
  EXPECT_EQ(commit_one(*store, creation("another")), CommitOutcome::done);
  EXPECT_EQ(store->trouble(), "");
}

TEST_F(PageSums, backup_has_sums_of_its_own) {
  std::filesystem::path backup = scratch_ / "backup";
  ASSERT_TRUE(backup_sqlite(data(), backup));
  std::string bytes = read_bytes(backup);
  EXPECT_EQ(bytes[20], page_sum_bytes);
  ASSERT_TRUE(restore_sqlite(backup, scratch_ / "restored"));
  EXPECT_EQ(version_of(*open_store(scratch_ / "restored"), "run-59"), 1u);
  size_t at = bytes.size() - page_bytes / 2;
  bytes[at] = static_cast<char>(bytes[at] ^ 1);
  write_bytes(backup, bytes);
  auto restored = restore_sqlite(backup, scratch_ / "again");
  ASSERT_FALSE(restored);
  EXPECT_EQ(restored.error().code, ErrorCode::data_damaged) << restored.error().message;
}

TEST(PageSumsAbsent, file_without_them_works_as_before) {
  ScratchDirectory scratch;
  std::filesystem::create_directory(scratch / "data");
  {
    auto database = Database::open(scratch / "data/fermata.db", Database::Mode::create);
    ASSERT_TRUE(migrate(**database));
    ASSERT_TRUE(use_log(**database));
  }
  EXPECT_EQ(commit_one(*open_store(scratch / "data"), creation("r1")), CommitOutcome::done);
  EXPECT_EQ(version_of(*open_store(scratch / "data"), "r1"), 1u);
  ASSERT_TRUE(backup_sqlite(scratch / "data", scratch / "backup"));
  ASSERT_TRUE(restore_sqlite(scratch / "backup", scratch / "restored"));
  EXPECT_EQ(version_of(*open_store(scratch / "restored"), "r1"), 1u);
  CountingVisitor visitor;
  ASSERT_TRUE(visit_sqlite(scratch / "restored", visitor));
  EXPECT_EQ(visitor.damages, std::vector<std::string>{});
}

}  // namespace
}  // namespace fermata::sqlite
