#include "adapters/sqlite/file_layer.h"
#include "adapters/sqlite/records.h"
#include "adapters/sqlite/schema.h"
#include "adapters/sqlite/test_support.h"

namespace fermata::sqlite {
namespace {

RunWrite ended(const std::string& id, size_t bytes = 600) {
  RunWrite write = creation(id, bytes);
  write.summary.status = RunStatus::completed;
  write.summary.started_at = Instant{1'000};
  write.summary.completed_at = Instant{2'000};
  write.summary.next_due.reset();
  write.summary.contact_id = "c7";
  write.summary.labels = Value::object({{"team", "blue"}});
  return write;
}

std::vector<std::string> verify(const std::filesystem::path& data) {
  CountingVisitor visitor;
  auto visited = visit_sqlite(data, visitor);
  EXPECT_TRUE(visited) << visited.error().message;
  return visitor.damages;
}

TEST(SqliteRetention, store_is_sound_after_every_step) {
  ScratchDirectory scratch;
  auto store = open_store(scratch / "data");
  for (int i = 0; i < 20; ++i)
    ASSERT_EQ(commit_one(*store, ended("r" + std::to_string(i), 9'000)), CommitOutcome::done);
  uint64_t cursor = 0;
  for (int step = 0; step < 5; ++step) {
    auto swept = store->remove_runs(cursor, Instant{3'000}, {}, 4);
    ASSERT_TRUE(swept);
    cursor = swept->cursor;
    EXPECT_EQ(verify(scratch / "data"), std::vector<std::string>{});
    ASSERT_TRUE(store->remove_remains(3));
    ASSERT_TRUE(store->remove_audit(Instant{INT64_MAX}, 3));
    EXPECT_EQ(verify(scratch / "data"), std::vector<std::string>{});
    copy_as_killed(scratch / "data", scratch / ("killed" + std::to_string(step)));
    EXPECT_EQ(verify(scratch / ("killed" + std::to_string(step))), std::vector<std::string>{});
  }
  while (store->remove_remains(100)->more) {
  }
  store.reset();
  auto database = Database::open(scratch / "data/fermata.db", Database::Mode::read);
  EXPECT_EQ(*(*database)->number("SELECT count(*) FROM history"), 0);
  EXPECT_EQ(*(*database)->number("SELECT count(*) FROM garbage"), 0);
}

TEST(SqliteRetention, broken_root_of_an_audit_chain_is_found) {
  ScratchDirectory scratch;
  {
    auto store = open_store(scratch / "data");
    for (int i = 0; i < 4; ++i)
      ASSERT_EQ(commit_one(*store, creation("r" + std::to_string(i))), CommitOutcome::done);
    ASSERT_EQ(store->remove_audit(Instant{INT64_MAX}, 2)->removed, 2u);
  }
  EXPECT_EQ(verify(scratch / "data"), std::vector<std::string>{});
  run_sql(scratch / "data", "DELETE FROM audit_root");
  EXPECT_EQ(verify(scratch / "data").at(0), "audit row 3 is damaged: the chain is broken here");
}

TEST(SqliteRetention, damaged_run_stays_and_holds_up_nothing) {
  ScratchDirectory scratch;
  {
    auto store = open_store(scratch / "data");
    for (int i = 0; i < 4; ++i)
      ASSERT_EQ(commit_one(*store, ended("r" + std::to_string(i))), CommitOutcome::done);
  }
  run_sql(scratch / "data", "UPDATE run SET record = zeroblob(60) WHERE number = 2");
  auto store = open_store(scratch / "data");
  auto swept = store->remove_runs(0, Instant{3'000}, {}, 10);
  ASSERT_TRUE(swept) << swept.error().message;
  EXPECT_EQ(swept->removed, 3u);
  EXPECT_EQ(load_one(*store, "r1").error().code, ErrorCode::data_damaged);
}

TEST(SqliteRetention, removal_waits_for_no_long_history) {
  ScratchDirectory scratch;
  auto store = open_store(scratch / "data");
  ASSERT_EQ(commit_one(*store, creation("long")), CommitOutcome::done);
  for (int i = 0; i < 300; ++i)
    ASSERT_EQ(commit_one(*store, next_write(*load_one(*store, "long"))), CommitOutcome::done);
  RunWrite last = next_write(*load_one(*store, "long"));
  last.summary.status = RunStatus::failed;
  last.summary.completed_at = Instant{2'000};
  ASSERT_EQ(commit_one(*store, last), CommitOutcome::done);
  ASSERT_EQ(store->remove_runs(0, Instant{3'000}, {}, 10)->removed, 1u);
  EXPECT_EQ(store->remove_remains(100)->removed, 100u);
  EXPECT_EQ(store->remove_remains(1'000)->removed, 202u);
}

// A store that an older program wrote is read; a record that was cut off is not taken for one.
TEST(SqliteRetention, record_without_what_retention_needs_is_read) {
  RunSummary run = ended("r1").summary;
  std::string record = encode_run(3, 9, run, 7);
  std::string body(*unseal(record, 7));
  // Origin, former definitions and saga: none.
  std::string older = body.substr(0, body.size() - 3);
  auto read = decode_run(seal(older, 7), 7);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->summary, run);
  EXPECT_EQ(read->head, 9u);
  EXPECT_FALSE(decode_run(seal(body.substr(0, body.size() - 2), 7), 7));
  auto before_sagas = decode_run(seal(body.substr(0, body.size() - 1), 7), 7);
  ASSERT_TRUE(before_sagas);
  EXPECT_EQ(before_sagas->summary, run);
  run.origin = RunId("r0");
  run.former_definitions = {DefinitionHash(std::string(64, 'a')), DefinitionHash("odd")};
  EXPECT_EQ(decode_run(encode_run(3, 9, run, 7), 7)->summary, run);
}

TEST(SqliteCompact, room_is_given_back_and_pages_have_sums) {
  ScratchDirectory scratch;
  std::filesystem::create_directory(scratch / "data");
  {
    // As an older program made it, without checksums.
    auto database = Database::open(scratch / "data/fermata.db", Database::Mode::create);
    ASSERT_TRUE(migrate(**database));
    ASSERT_TRUE(use_log(**database));
  }
  {
    auto store = open_store(scratch / "data");
    for (int i = 0; i < 200; ++i)
      ASSERT_EQ(commit_one(*store, ended("r" + std::to_string(i), 4'000)), CommitOutcome::done);
    ASSERT_EQ(commit_one(*store, creation("lives", 100'000)), CommitOutcome::done);
    ASSERT_EQ(store->remove_runs(0, Instant{3'000}, {}, 1'000)->removed, 200u);
    while (store->remove_remains(1'000)->more) {
    }
    EXPECT_EQ(compact_sqlite(scratch / "data").error().code, ErrorCode::data_locked);
  }
  auto compacted = compact_sqlite(scratch / "data");
  ASSERT_TRUE(compacted) << compacted.error().message;
  EXPECT_LT(compacted->bytes_after * 2, compacted->bytes_before);
  EXPECT_EQ(read_bytes(scratch / "data/fermata.db")[20], page_sum_bytes);
  EXPECT_FALSE(std::filesystem::exists(scratch / "data/fermata.db-wal"));
  EXPECT_EQ(verify(scratch / "data"), std::vector<std::string>{});
  auto store = open_store(scratch / "data");
  EXPECT_EQ(version_of(*store, "lives"), 1u);
  EXPECT_EQ(commit_one(*store, creation("after")), CommitOutcome::done);
}

TEST(SqliteCompact, directory_without_a_store_is_told) {
  ScratchDirectory scratch;
  EXPECT_EQ(compact_sqlite(scratch / "none").error().code, ErrorCode::io_failed);
}

TEST(SqliteCompact, damaged_store_is_left_as_it_is) {
  ScratchDirectory scratch;
  {
    auto store = open_store(scratch / "data");
    for (int i = 0; i < 50; ++i)
      ASSERT_EQ(commit_one(*store, ended("r" + std::to_string(i))), CommitOutcome::done);
  }
  std::string bytes = read_bytes(scratch / "data/fermata.db");
  bytes[3 * 4096 + 77] = static_cast<char>(bytes[3 * 4096 + 77] ^ 1);
  write_bytes(scratch / "data/fermata.db", bytes);
  auto compacted = compact_sqlite(scratch / "data");
  ASSERT_FALSE(compacted);
  EXPECT_EQ(compacted.error().code, ErrorCode::data_damaged) << compacted.error().message;
  EXPECT_EQ(read_bytes(scratch / "data/fermata.db"), bytes);
  EXPECT_FALSE(std::filesystem::exists(scratch / "data/fermata.db.new"));
}

}  // namespace
}  // namespace fermata::sqlite
