#pragma once
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "adapters/sqlite/database.h"
#include "adapters/sqlite/directory.h"
#include "adapters/sqlite/sqlite_store.h"

namespace fermata::sqlite {

/// A directory that is gone at the end of the test.
class ScratchDirectory {
 public:
  ScratchDirectory() {
    std::string name = (std::filesystem::temp_directory_path() / "fermata-sqlite-XXXXXX").string();
    check(mkdtemp(name.data()) != nullptr);
    path_ = name;
  }
  ~ScratchDirectory() { std::filesystem::remove_all(path_); }
  ScratchDirectory(const ScratchDirectory&) = delete;
  ScratchDirectory& operator=(const ScratchDirectory&) = delete;
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

inline std::unique_ptr<SqliteStore> open_store(const std::filesystem::path& directory,
                                               SqliteOptions options = {}) {
  auto opened = open_sqlite(directory, std::move(options));
  EXPECT_TRUE(opened) << opened.error().message;
  return opened ? *std::move(opened) : nullptr;
}

inline std::optional<Error> open_error(const std::filesystem::path& directory) {
  auto opened = open_sqlite(directory);
  if (opened) return std::nullopt;
  return opened.error();
}

inline RunWrite creation(const std::string& id, size_t bytes = 600) {
  RunSummary run;
  run.id = RunId(id);
  run.account = AccountId("acme");
  run.workflow = WorkflowId("orders");
  run.definition = DefinitionHash(std::string(64, 'd'));
  run.status = RunStatus::waiting;
  run.next_due = Instant{5};
  run.last_sequence = 2;
  return {0, run, {1, 2, id + std::string(bytes, '.')}};
}

inline RunWrite next_write(const StoredRun& run) {
  RunWrite write{run.version, run.summary, {run.summary.last_sequence + 1, 1, "more"}};
  ++write.summary.last_sequence;
  return write;
}

inline AuditLine line(const std::string& subject) {
  AuditLine out;
  out.account = AccountId("acme");
  out.at = Instant{1'700'000'000'000};
  out.actor = "local";
  out.action = "execution.start";
  out.subject = subject;
  return out;
}

inline CommitBatch batch_of(std::vector<RunWrite> runs, std::vector<AuditLine> audit = {}) {
  CommitBatch batch;
  batch.runs = std::move(runs);
  if (!batch.runs.empty()) batch.runs.front().audit = std::move(audit);
  return batch;
}

inline CommitOutcome commit_one(Store& store, RunWrite write) {
  AuditLine audit = line(write.summary.id.text());
  return store.commit(batch_of({std::move(write)}, {std::move(audit)})).at(0);
}

inline Outcome<StoredRun> load_one(Store& store, const std::string& id) {
  RunId ids[] = {RunId(id)};
  FERMATA_TRY(runs, store.load(ids));
  return std::move(runs.at(0));
}

inline uint64_t version_of(Store& store, const std::string& id) {
  auto run = load_one(store, id);
  EXPECT_TRUE(run) << run.error().message;
  return run ? run->version : 0;
}

inline std::string read_bytes(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

inline void write_bytes(const std::filesystem::path& file, const std::string& bytes) {
  std::ofstream(file, std::ios::binary | std::ios::trunc) << bytes;
}

/// The files of a store as a power cut at this moment would leave them. Another process copies
/// them: closing a file that SQLite has open in this one would drop its locks.
inline void copy_as_killed(const std::filesystem::path& from, const std::filesystem::path& to) {
  std::string command = "mkdir -p '" + to.string() + "' && cp '" + from.string() +
                        "'/fermata.db '" + from.string() + "'/fermata.db-wal '" + to.string() + "'";
  ASSERT_EQ(std::system(command.c_str()), 0);
}

/// The same as a kill of the process alone would leave them: with the log's index.
inline void copy_with_index(const std::filesystem::path& from, const std::filesystem::path& to) {
  copy_as_killed(from, to);
  std::string command = "cp '" + from.string() + "'/fermata.db-shm '" + to.string() + "'";
  ASSERT_EQ(std::system(command.c_str()), 0);
}

/// What later releases added to the tables of waits, taken away again.
#define FERMATA_DROP_WHAT_FOLLOWED_WAITS                                                \
  "DROP TABLE outbox; DROP TABLE message_mark;"                                         \
  "DROP TABLE approval; DROP TABLE callback_delivery; DROP TABLE workflow_signals;"     \
  "DROP TABLE policy_revision; DROP TABLE policy_document; DROP TABLE policy_snapshot;" \
  "DROP TABLE policy_version; DROP TABLE policy_decision; DROP TABLE policy_hit;"       \
  "DROP TABLE contacts; DROP TABLE account; DROP TABLE workflow_rules;"                 \
  "DROP TABLE workflow_signal_effects; DROP TABLE wait_tally; DROP TABLE held_output;"  \
  "DROP TABLE pool_document; DROP TABLE account_usage; DROP TABLE view;"                \
  "DROP TABLE schedule_deleted; DROP INDEX IF EXISTS schedule_gone; DROP TABLE moved;"

/// Runs SQL on a store that nobody has open.
inline void run_sql(const std::filesystem::path& directory, const char* sql) {
  auto database = Database::open(database_file(directory), Database::Mode::write);
  ASSERT_TRUE(database);
  auto ran = (*database)->run(sql);
  ASSERT_TRUE(ran) << ran.error().message;
}

/// Counts what a verification shows.
struct CountingVisitor final : StoreVisitor {
  void run(const StoredRun&) override { ++runs; }
  void audit(const AuditEntry&) override { ++lines; }
  void definition(const DefinitionHash&, const std::string&) override { ++definitions; }
  void damage(const Error& error) override { damages.push_back(error.message); }
  size_t runs = 0;
  size_t lines = 0;
  size_t definitions = 0;
  std::vector<std::string> damages;
};

}  // namespace fermata::sqlite
