#include <fstream>

#include "adapters/sqlite/test_support.h"

namespace fermata::sqlite {
namespace {

constexpr std::string_view secret = "nobody-may-read-this";

/// Some kilobytes in which the secret stands at many places.
std::string telling(size_t bytes) {
  std::string text;
  while (text.size() < bytes) text.append(secret).append(" ");
  return text;
}

JobWrite job_write(const std::string& id, uint64_t expected) {
  JobWrite write;
  write.expected_version = expected;
  write.summary.id = JobId(id);
  write.summary.account = AccountId("acme");
  write.summary.state = job::State::running;
  write.summary.phase = job::Phase::output_scan;
  return write;
}

CommitOutcome commit_job(SqliteStore& store, JobWrite write) {
  CommitBatch batch;
  batch.jobs.push_back(std::move(write));
  return store.commit(batch).at(0);
}

bool tells(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::string bytes((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  return bytes.find(secret) != std::string::npos;
}

bool any_file_tells(const std::filesystem::path& folder) {
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
    if (entry.is_regular_file() && tells(entry.path())) return true;
  return false;
}

// JT-22: once it is gone no byte of it is left in the files, whatever was written around it.
TEST(SqliteHeldOutputs, dropped_output_leaves_no_byte_behind) {
  ScratchDirectory scratch;
  {
    auto store = open_store(scratch / "data");
    for (int i = 0; i < 40; ++i) {
      JobWrite write = job_write("j" + std::to_string(i), 0);
      write.held = telling(i % 4 == 0 ? 300'000 : 50 + 700 * static_cast<size_t>(i));
      ASSERT_EQ(commit_job(*store, write), CommitOutcome::done);
    }
    for (int i = 0; i < 40; ++i) {
      JobWrite write = job_write("j" + std::to_string(i * 7 % 40), 1);
      write.drop_held = true;
      ASSERT_EQ(commit_job(*store, write), CommitOutcome::done);
    }
    // A copy of the pages as they are now, free ones too.
    ASSERT_TRUE(backup_sqlite(scratch / "data", scratch / "backup.db"));
  }
  EXPECT_FALSE(tells(scratch / "backup.db"));
  EXPECT_FALSE(any_file_tells(scratch / "data"));
}

TEST(SqliteHeldOutputs, output_that_is_held_is_in_the_file) {
  ScratchDirectory scratch;
  {
    auto store = open_store(scratch / "data");
    JobWrite write = job_write("j", 0);
    write.held = telling(10'000);
    ASSERT_EQ(commit_job(*store, write), CommitOutcome::done);
  }
  EXPECT_TRUE(any_file_tells(scratch / "data")) << "or the search above finds nothing ever";
}

TEST(SqliteHeldOutputs, dropped_blob_leaves_no_byte_behind) {
  ScratchDirectory scratch;
  {
    auto store = open_store(scratch / "data");
    auto blob = store->put_blob(AccountId("acme"), telling(100'000), Instant{1});
    ASSERT_TRUE(blob);
    JobWrite first = job_write("a", 0);
    first.blobs.push_back({blob->sha256, blob->bytes, {}});
    ASSERT_EQ(commit_job(*store, first), CommitOutcome::done);
    JobWrite write = job_write("a", 1);
    write.dropped_blobs = {blob->sha256};
    ASSERT_EQ(commit_job(*store, write), CommitOutcome::done);
  }
  EXPECT_FALSE(any_file_tells(scratch / "data"));
}

}  // namespace
}  // namespace fermata::sqlite
