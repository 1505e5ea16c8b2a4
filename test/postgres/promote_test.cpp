#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "adapters/postgres/connection.h"
#include "adapters/postgres/postgres_store.h"
#include "adapters/sqlite/sqlite_store.h"
#include "host/promotion.h"
#include "test/postgres/postgres_server.h"

/// A store in a directory that moves to PostgreSQL while it is used (C-105, C-233). That everything
/// of every kind comes along is shown by the contracts of stores, which are run on a moved one too.
namespace fermata::test {
namespace {

constexpr int runs_before = 60;

PostgresServer& promoted_database() {
  static PostgresServer server;
  static bool started = server.start();
  EXPECT_TRUE(started) << server.log();
  return server;
}

int64_t now_ms() {
  auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
}

WaitRecord wait_of(const RunSummary& run) {
  WaitRecord record{run.account, run.workflow, run.id, "c-17", {}};
  record.wait.id = run.id.text() + "-w";
  record.wait.step = "w";
  record.wait.occurrence = 1;
  record.wait.type = "fixed_time";
  record.wait.due = Instant{1'700'000'000'000};
  record.wait.reached_at = record.wait.updated_at = Instant{1'600'000'000'000};
  return record;
}

RunWrite start_of(int number) {
  RunWrite write;
  write.summary.id = RunId("run-" + std::to_string(number));
  write.summary.account = AccountId("acme");
  write.summary.workflow = WorkflowId("orders");
  write.summary.started_at = Instant{1'600'000'000'000 + number};
  write.summary.labels = Value::object({{"n", std::to_string(number % 7)}});
  write.summary.last_sequence = 1;
  write.events = {1, 1, "started " + std::to_string(number)};
  write.waits = {wait_of(write.summary)};
  AuditLine line;
  line.account = write.summary.account;
  line.action = "execution.start";
  line.subject = write.summary.id.text();
  write.audit = {line};
  return write;
}

RunWrite next_of(const StoredRun& run) {
  RunWrite write{run.version, run.summary, {}};
  write.events = {run.summary.last_sequence + 1, 1, "went on"};
  ++write.summary.last_sequence;
  WaitRecord ended = wait_of(run.summary);
  ended.wait.status = WaitStatus::resumed;
  ended.wait.ended_at = Instant{1'600'000'001'000};
  write.waits = {ended};
  write.summary.status = RunStatus::completed;
  write.summary.completed_at = Instant{1'600'000'001'000};
  return write;
}

template <class Kind>
StoredRun run_in(Kind& store, const std::string& id) {
  RunId ids[] = {RunId(id)};
  auto loaded = store.load(ids, 0);
  EXPECT_TRUE(loaded) << loaded.error().message;
  return loaded ? loaded->at(0) : StoredRun{};
}

void write_run(SqliteStore& store, RunWrite write) {
  CommitBatch batch;
  batch.runs = {std::move(write)};
  ASSERT_EQ(store.commit(batch).at(0), CommitOutcome::done);
}

class PromoteTest : public testing::Test {
 protected:
  PromoteTest() {
    // Before a test begins another process, which must not start one of its own.
    promoted_database();
    static int schemas = 0;
    schema_ = "promote_" + std::to_string(++schemas);
    std::string name = std::filesystem::temp_directory_path() / "fermata-promote-XXXXXX";
    EXPECT_NE(mkdtemp(name.data()), nullptr);
    directory_ = name;
  }
  ~PromoteTest() override {
    promoted_database().run("drop schema if exists " + schema_ + " cascade");
    std::error_code ignored;
    std::filesystem::remove_all(directory_, ignored);
  }

  PostgresOptions options() const {
    PostgresOptions options;
    options.url = promoted_database().url();
    options.schema = schema_;
    options.holder = "test";
    options.reach_for = Duration{5'000};
    options.lease = Duration{1'000};
    options.lock_timeout = lock_timeout_;
    return options;
  }
  std::unique_ptr<SqliteStore> file() {
    auto opened = open_sqlite(directory_);
    EXPECT_TRUE(opened) << opened.error().message;
    return opened ? *std::move(opened) : nullptr;
  }
  void fill() {
    auto store = file();
    for (int i = 0; i < runs_before; ++i) write_run(*store, start_of(i));
  }
  std::unique_ptr<PostgresStore> database() {
    auto opened = open_postgres(options());
    EXPECT_TRUE(opened) << opened.error().message;
    return opened ? *std::move(opened) : nullptr;
  }
  /// Moves the store of the directory, or finishes a move that was cut off after the mark.
  Outcome<PromotionReport> promote(PromotionSettings settings = {},
                                   std::function<void(std::string_view, SqliteStore&)> step = {},
                                   std::function<int64_t()> clock = now_ms) {
    FERMATA_TRY(moved, moved_sqlite(directory_));
    FERMATA_TRY(target, open_postgres_target(options()));
    if (moved) {
      FERMATA_TRY_VOID(target->finish(moved->token));
      return PromotionReport{};
    }
    FERMATA_TRY(store, open_sqlite(directory_));
    auto source = store->source();
    Promotion promotion({*source, *target, std::move(clock)}, directory_, "postgres://here",
                        settings, [&](std::string_view name) {
                          if (step) step(name, *store);
                        });
    return promotion.run();
  }

  std::string schema_;
  std::filesystem::path directory_;
  Duration lock_timeout_{2'000};
};

// C-105: runs that begin, go on and are removed while others are copied are there as they are now.
TEST_F(PromoteTest, what_changes_while_it_is_copied_comes_along) {
  fill();
  int started = runs_before, changed = 0;
  auto report = promote({}, [&](std::string_view step, SqliteStore& store) {
    if (step == "rest" || step == "leave" || step == "finish") return;
    for (int i = 0; i < 5; ++i) write_run(store, start_of(started++));
    write_run(store, next_of(run_in(store, "run-" + std::to_string(changed++))));
    if (step == "compare") {
      AuditLine line;
      line.account = AccountId("acme");
      auto removed = store.remove_run(RunId("run-0"), line);
      ASSERT_TRUE(removed) << removed.error().message;
    }
  });
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_GE(report->rounds, 2u);
  EXPECT_GT(report->things, static_cast<uint64_t>(runs_before));
  ASSERT_GT(changed, 3);

  auto store = database();
  EXPECT_EQ(run_in(*store, "run-0").version, 0u);
  for (int i = 1; i < started; ++i) {
    StoredRun run = run_in(*store, "run-" + std::to_string(i));
    ASSERT_EQ(run.version, i < changed ? 2u : 1u) << i;
    ASSERT_EQ(run.history.size(), run.version) << i;
    EXPECT_EQ(run.history.at(0).bytes, "started " + std::to_string(i));
  }
  // Lists keep the order of the file, and numbers of waits go on from where they were.
  auto newest = store->list({.account = AccountId("acme")}, 2, "");
  ASSERT_TRUE(newest);
  EXPECT_EQ(newest->items.at(0).id.text(), "run-" + std::to_string(started - 1));
  auto found =
      store->list({.account = AccountId("acme"), .label_key = "n", .label_value = "3"}, 100, "");
  ASSERT_TRUE(found);
  EXPECT_GT(found->items.size(), 5u);
  auto tally = store->wait_tally(AccountId("acme"), {}, Instant{1'600'000'000'000});
  ASSERT_TRUE(tally);
  uint64_t pending = 0;
  for (const auto& one : tally->pending) pending += one.waits;
  EXPECT_EQ(pending, static_cast<uint64_t>(started - changed));

  // What is written next follows: numbers, audit, the lot.
  auto leads = store->take_lead();
  ASSERT_TRUE(leads && *leads);
  CommitBatch batch;
  batch.runs = {start_of(started)};
  ASSERT_EQ(store->commit(batch).at(0), CommitOutcome::done);
  newest = store->list({.account = AccountId("acme")}, 1, "");
  EXPECT_EQ(newest->items.at(0).id.text(), "run-" + std::to_string(started));
  auto audit = store->audit({.account = AccountId("acme")}, 2, "");
  ASSERT_TRUE(audit);
  EXPECT_EQ(audit->items.at(0).prev_hash, audit->items.at(1).hash);
  EXPECT_EQ(audit->items.at(0).sequence, audit->items.at(1).sequence + 1);
}

// C-233: wherever it is cut off, one of both is the truth, and the next try comes to the end.
TEST_F(PromoteTest, killed_at_every_step_leaves_the_truth_in_one_place) {
  fill();
  size_t steps = 0;
  for (bool over = false; !over; ++steps) {
    ASSERT_LT(steps, 40u);
    pid_t child = fork();
    if (child == 0) {
      size_t seen = 0;
      auto moved = promote({}, [&](std::string_view, SqliteStore&) {
        if (seen++ == steps) ::kill(getpid(), SIGKILL);
      });
      _exit(moved ? 0 : 1);
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    over = WIFEXITED(status);
    if (over) EXPECT_EQ(WEXITSTATUS(status), 0);

    auto moved = moved_sqlite(directory_);
    ASSERT_TRUE(moved) << moved.error().message;
    auto here = open_sqlite(directory_);
    EXPECT_EQ(static_cast<bool>(here), !moved->has_value()) << steps;
    if (*moved) {
      EXPECT_EQ(here.error().code, ErrorCode::data_locked);
      EXPECT_NE(here.error().message.find("postgres://here"), std::string::npos);
    } else {
      EXPECT_EQ(run_in(**here, "run-7").version, 1u);
      // What lies half there is served by nobody.
      auto half = open_postgres(options());
      if (half) EXPECT_EQ(run_in(**half, "run-7").version, 0u) << steps;
    }
    if (*moved && !over) {
      // Killed between the mark and the end: finished by asking again.
      EXPECT_FALSE(open_postgres(options()));
      auto finished = promote();
      ASSERT_TRUE(finished) << finished.error().message;
      over = true;
    }
  }
  EXPECT_GE(steps, 8u);
  auto store = database();
  ASSERT_TRUE(store);
  for (int i = 0; i < runs_before; ++i)
    EXPECT_EQ(run_in(*store, "run-" + std::to_string(i)).version, 1u);
  EXPECT_FALSE(open_sqlite(directory_));
}

TEST_F(PromoteTest, hold_that_takes_too_long_is_given_up_and_the_file_goes_on) {
  fill();
  int64_t now = 0;
  bool slow = false;
  PromotionSettings settings;
  settings.holds_max = 2;
  auto report = promote(
      settings,
      [&](std::string_view step, SqliteStore& store) {
        if (step == "follow" && slow) write_run(store, start_of(runs_before));
        slow = step == "rest";
      },
      [&] { return now += slow ? 3'000 : 0; });
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code, ErrorCode::store_unavailable);
  EXPECT_NE(report.error().message.find("2000 ms"), std::string::npos);
  auto store = file();
  ASSERT_TRUE(store);
  EXPECT_EQ(run_in(*store, "run-0").version, 1u);
  EXPECT_FALSE(open_postgres(options()));
  store.reset();
  auto again = promote();
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(run_in(*database(), "run-0").version, 1u);
}

// C-105: a server that does not answer must not keep writes waiting; the promise is `at most`.
TEST_F(PromoteTest, database_that_hangs_while_writes_are_held_is_cut_off) {
  fill();
  postgres::Server server{.url = promoted_database().url(), .password = "", .schema = schema_};
  server.statement_timeout = Duration{};
  postgres::Connection blocking(server);
  PromotionSettings settings;
  settings.hold_ms_max = 300;
  lock_timeout_ = Duration{};
  auto report = promote(settings, [&](std::string_view step, SqliteStore& store) {
    if (step == "hold") write_run(store, start_of(runs_before));
    if (step != "rest") return;
    ASSERT_TRUE(blocking.ensure());
    ASSERT_EQ(blocking.script("begin; lock table roots in access exclusive mode").trouble,
              postgres::Trouble::none);
  });
  ASSERT_FALSE(report);
  write_run(*file(), start_of(runs_before + 1));
  ASSERT_EQ(blocking.script("rollback").trouble, postgres::Trouble::none);
  auto again = promote();
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(run_in(*database(), "run-" + std::to_string(runs_before + 1)).version, 1u);
}

TEST_F(PromoteTest, store_that_holds_something_or_is_used_is_left_alone) {
  fill();
  {
    auto other = database();
    auto leads = other->take_lead();
    ASSERT_TRUE(leads && *leads);
    auto used = promote();
    ASSERT_FALSE(used);
    EXPECT_NE(used.error().message.find("is used by test"), std::string::npos)
        << used.error().message;
    CommitBatch batch;
    batch.runs = {start_of(1'000)};
    ASSERT_EQ(other->commit(batch).at(0), CommitOutcome::done);
  }
  auto full = promote();
  ASSERT_FALSE(full);
  EXPECT_EQ(full.error().code, ErrorCode::data_locked);
  EXPECT_EQ(run_in(*database(), "run-1000").version, 1u);
  EXPECT_EQ(run_in(*file(), "run-0").version, 1u);
}

// Digests are what tells: a row that is another in PostgreSQL keeps the file from being left.
TEST_F(PromoteTest, row_that_differs_is_noticed_before_the_mark) {
  fill();
  auto report = promote({}, [&](std::string_view step, SqliteStore&) {
    if (step == "compare")
      ASSERT_TRUE(promoted_database().run("update " + schema_ +
                                          ".waits set step = 'x' where id = 'run-9-w'"));
  });
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code, ErrorCode::data_damaged);
  EXPECT_NE(report.error().message.find("table waits"), std::string::npos);
  EXPECT_EQ(run_in(*file(), "run-9").version, 1u);
}

}  // namespace
}  // namespace fermata::test
