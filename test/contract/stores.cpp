#include "test/contract/stores.h"

#include <algorithm>
#include <filesystem>

#include "adapters/memory/memory_store.h"
#include "adapters/postgres/postgres_store.h"
#include "adapters/sqlite/sqlite_store.h"
#include "host/promotion.h"
#include "test/postgres/postgres_server.h"

namespace fermata {
namespace {

class MemoryUnderTest final : public StoreUnderTest {
 public:
  Store& store() override { return store_; }
  Reader& reader() override { return store_; }
  Catalog& catalog() override { return store_; }
  Bulks& bulks() override { return store_; }
  Retention& retention() override { return store_; }
  DeadLetters& dead_letters() override { return store_; }
  JobFiles& job_files() override { return store_; }
  PolicyStore& policy() override { return store_; }
  PoolStore& pools() override { return store_; }
  Contacts& contacts() override { return store_; }
  Accounts& accounts() override { return store_; }
  Views& views() override { return store_; }
  Outbox& outbox() override { return store_; }
  void reopen() override {}

 private:
  MemoryStore store_;
};

/// A store in a directory that goes with it.
class SqliteDirectory {
 public:
  SqliteDirectory() {
    std::string name = (std::filesystem::temp_directory_path() / "fermata-contract-XXXXXX");
    check(mkdtemp(name.data()) != nullptr);
    directory_ = name;
    open();
  }
  ~SqliteDirectory() {
    store_.reset();
    std::filesystem::remove_all(directory_);
  }
  SqliteStore& store() { return *store_; }
  void reopen() {
    store_.reset();
    open();
  }

 private:
  void open() {
    auto opened = open_sqlite(directory_);
    ASSERT_TRUE(opened) << opened.error().message;
    store_ = *std::move(opened);
  }
  std::filesystem::path directory_;
  std::unique_ptr<SqliteStore> store_;
};

class SqliteUnderTest final : public StoreUnderTest {
 public:
  Store& store() override { return directory_.store(); }
  Reader& reader() override { return directory_.store(); }
  Catalog& catalog() override { return directory_.store(); }
  Bulks& bulks() override { return directory_.store(); }
  Retention& retention() override { return directory_.store(); }
  DeadLetters& dead_letters() override { return directory_.store(); }
  JobFiles& job_files() override { return directory_.store(); }
  PolicyStore& policy() override { return directory_.store(); }
  PoolStore& pools() override { return directory_.store(); }
  Contacts& contacts() override { return directory_.store(); }
  Accounts& accounts() override { return directory_.store(); }
  Views& views() override { return directory_.store(); }
  Outbox& outbox() override { return directory_.store(); }
  void reopen() override { directory_.reopen(); }

 private:
  SqliteDirectory directory_;
};

/// One server for all tests, which need not outlive a crash of the machine; a schema for each.
class OwnSchema {
 public:
  OwnSchema() {
    static int schemas = 0;
    schema_ = "contract_" + std::to_string(++schemas);
  }
  ~OwnSchema() { EXPECT_TRUE(server().run("drop schema if exists " + schema_ + " cascade")); }
  PostgresOptions options() const {
    PostgresOptions options;
    options.url = server().url();
    options.schema = schema_;
    options.allow_unsafe = true;
    return options;
  }
  std::unique_ptr<PostgresStore> open() const {
    auto opened = open_postgres(options());
    EXPECT_TRUE(opened) << opened.error().message;
    if (!opened) return nullptr;
    auto leads = (*opened)->take_lead();
    EXPECT_TRUE(leads && *leads);
    return *std::move(opened);
  }

 private:
  static test::PostgresServer& server() {
    static test::PostgresServer server({"fsync=off", "synchronous_commit=off"});
    static bool started = server.start();
    EXPECT_TRUE(started) << server.log();
    return server;
  }
  std::string schema_;
};

class PostgresUnderTest final : public StoreUnderTest {
 public:
  PostgresUnderTest() : store_(schema_.open()) {}
  Store& store() override { return *store_; }
  Reader& reader() override { return *store_; }
  Catalog& catalog() override { return *store_; }
  Bulks& bulks() override { return *store_; }
  Retention& retention() override { return *store_; }
  DeadLetters& dead_letters() override { return *store_; }
  JobFiles& job_files() override { return *store_; }
  PolicyStore& policy() override { return *store_; }
  PoolStore& pools() override { return *store_; }
  Contacts& contacts() override { return *store_; }
  Accounts& accounts() override { return *store_; }
  Views& views() override { return *store_; }
  Outbox& outbox() override { return *store_; }
  void reopen() override {
    store_.reset();
    store_ = schema_.open();
  }

 private:
  OwnSchema schema_;
  std::unique_ptr<PostgresStore> store_;
};

/// Begins in a data directory and is moved to PostgreSQL where others are only opened again: what
/// every test finds afterwards has come along (C-105).
class PromotedUnderTest final : public StoreUnderTest {
 public:
  PromotedUnderTest() : from_(std::make_unique<SqliteDirectory>()) {}
  Store& store() override { return ports<Store>(); }
  Reader& reader() override { return ports<Reader>(); }
  Catalog& catalog() override { return ports<Catalog>(); }
  Bulks& bulks() override { return ports<Bulks>(); }
  Retention& retention() override { return ports<Retention>(); }
  DeadLetters& dead_letters() override { return ports<DeadLetters>(); }
  JobFiles& job_files() override { return ports<JobFiles>(); }
  PolicyStore& policy() override { return ports<PolicyStore>(); }
  PoolStore& pools() override { return ports<PoolStore>(); }
  Contacts& contacts() override { return ports<Contacts>(); }
  Accounts& accounts() override { return ports<Accounts>(); }
  Views& views() override { return ports<Views>(); }
  Outbox& outbox() override { return ports<Outbox>(); }
  void reopen() override {
    if (from_) promote();
    to_.reset();
    to_ = schema_.open();
  }

 private:
  template <class Port>
  Port& ports() {
    if (from_) return from_->store();
    return *to_;
  }
  void promote() {
    auto target = open_postgres_target(schema_.options());
    ASSERT_TRUE(target) << target.error().message;
    {
      auto source = from_->store().source();
      int64_t now = 0;
      Promotion promotion({*source, **target, [&now] { return now; }}, "a directory", "a schema");
      auto moved = promotion.run();
      ASSERT_TRUE(moved) << moved.error().message;
    }
    from_.reset();
  }
  std::unique_ptr<SqliteDirectory> from_;
  OwnSchema schema_;
  std::unique_ptr<PostgresStore> to_;
};

}  // namespace

std::vector<StoreKind> store_kinds() {
  return {{"memory", [] { return std::make_unique<MemoryUnderTest>(); }},
          {"sqlite", [] { return std::make_unique<SqliteUnderTest>(); }},
          {"postgres", [] { return std::make_unique<PostgresUnderTest>(); }},
          {"promoted", [] { return std::make_unique<PromotedUnderTest>(); }}};
}

CommitOutcome StoreContract::commit(RunWrite write) {
  CommitBatch batch;
  batch.runs.push_back(std::move(write));
  return store().commit(batch).at(0);
}

StoredRun StoreContract::load(const std::string& id) {
  RunId ids[] = {RunId(id)};
  auto loaded = store().load(ids);
  EXPECT_TRUE(loaded) << loaded.error().message;
  return loaded ? loaded->at(0) : StoredRun{};
}

RunSummary sample_run(const std::string& id) {
  RunSummary run;
  run.id = RunId(id);
  run.account = AccountId("acme");
  run.workflow = WorkflowId("orders");
  run.workflow_version = 3;
  run.definition = DefinitionHash(std::string(64, 'd'));
  run.started_at = Instant{1'700'000'000'000};
  run.request_hash = "request of " + id;
  return run;
}

RunWrite creation(RunSummary summary, uint32_t count) {
  HistoryChunk events{1, count, "events of " + summary.id.text()};
  summary.last_sequence = count;
  return {0, std::move(summary), std::move(events)};
}

RunWrite creation(const std::string& id, uint32_t count) { return creation(sample_run(id), count); }

RunWrite next_write(const StoredRun& run, uint32_t count) {
  RunWrite write{run.version, run.summary, {}};
  write.events = {run.summary.last_sequence + 1, count,
                  "version " + std::to_string(run.version + 1)};
  write.summary.last_sequence += count;
  return write;
}

AuditLine sample_line(const std::string& subject, const std::string& account) {
  AuditLine line;
  line.account = AccountId(account);
  line.at = Instant{1'700'000'000'123};
  line.actor = "key_1";
  line.action = "execution.start";
  line.subject = subject;
  line.reason = "because \"quoted\"";
  line.details = Value::object({{"n", Value(1)}, {"share", Value(0.1)}});
  return line;
}

std::vector<AuditEntry> audit_of(Reader& reader, const std::string& account) {
  AuditFilter filter;
  filter.account = AccountId(account);
  auto page = reader.audit(filter, 1000, "");
  EXPECT_TRUE(page) << page.error().message;
  return page ? page->items : std::vector<AuditEntry>{};
}

void expect_valid_chain(std::vector<AuditEntry> entries) {
  std::reverse(entries.begin(), entries.end());
  std::string hash = audit_hash_start();
  uint64_t sequence = 0;
  for (const AuditEntry& entry : entries) {
    EXPECT_EQ(entry.sequence, ++sequence);
    EXPECT_EQ(entry.prev_hash, hash);
    EXPECT_EQ(entry.hash, audit_hash(hash, sequence, entry.line));
    hash = entry.hash;
  }
}

std::string kind_name(const testing::TestParamInfo<StoreKind>& info) { return info.param.name; }

}  // namespace fermata
