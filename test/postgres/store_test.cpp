#include <gtest/gtest.h>

#include <future>

#include "adapters/postgres/postgres_store.h"
#include "test/postgres/postgres_server.h"
#include "test/postgres/relay.h"

namespace fermata::test {
namespace {

PostgresServer& database() {
  static PostgresServer server;
  static bool started = server.start();
  EXPECT_TRUE(started) << server.log();
  return server;
}

std::string url_of(int port) {
  return "postgres://fermata@127.0.0.1:" + std::to_string(port) + "/postgres";
}

PostgresOptions options_of(const std::string& schema, int port) {
  PostgresOptions options;
  options.url = url_of(port);
  options.schema = schema;
  options.holder = "test";
  options.reach_for = Duration{500};
  options.lease = Duration{3'000};
  return options;
}

/// A schema of this test alone, and a store over it that leads.
class PostgresStoreTest : public testing::Test {
 protected:
  PostgresStoreTest() {
    static int schemas = 0;
    schema_ = "store_" + std::to_string(++schemas);
  }
  ~PostgresStoreTest() override { database().run("drop schema if exists " + schema_ + " cascade"); }

  std::unique_ptr<PostgresStore> open(int port) {
    auto opened = open_postgres(options_of(schema_, port));
    EXPECT_TRUE(opened) << opened.error().message;
    return opened ? *std::move(opened) : nullptr;
  }
  std::unique_ptr<PostgresStore> leading(int port) {
    auto store = open(port);
    auto leads = store->take_lead();
    EXPECT_TRUE(leads && *leads);
    return store;
  }
  int64_t count(const std::string& table) {
    return database().number("select count(*) from " + schema_ + "." + table);
  }
  bool await_count(const std::string& table, int64_t wanted) {
    auto until = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (count(table) != wanted && std::chrono::steady_clock::now() < until)
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    return count(table) == wanted;
  }

  std::string schema_;
};

RunWrite start_of(const std::string& id) {
  RunWrite write;
  write.summary.id = RunId(id);
  write.summary.account = AccountId("acme");
  write.summary.workflow = WorkflowId("orders");
  write.summary.last_sequence = 1;
  write.events = {1, 1, "started " + id};
  return write;
}

CommitBatch batch_of(std::vector<RunWrite> runs) {
  CommitBatch batch;
  batch.runs = std::move(runs);
  return batch;
}

StoredRun loaded(PostgresStore& store, const std::string& id) {
  RunId ids[] = {RunId(id)};
  auto run = store.load(ids);
  EXPECT_TRUE(run) << run.error().message;
  return run ? run->at(0) : StoredRun{};
}

// C-15, C-202: the answer to a commit is lost after it was made: its mark says that it holds.
TEST_F(PostgresStoreTest, commit_whose_answer_was_lost_is_found_done_and_not_repeated) {
  Relay relay(database().port());
  auto store = leading(relay.port());
  ASSERT_EQ(store->commit(batch_of({start_of("first")})).at(0), CommitOutcome::done);
  relay.swallow_answers(true);
  auto outcome = std::async(std::launch::async,
                            [&] { return store->commit(batch_of({start_of("r1")})).at(0); });
  ASSERT_TRUE(await_count("commits", 2));
  relay.cut();
  EXPECT_EQ(outcome.get(), CommitOutcome::done);
  EXPECT_EQ(loaded(*store, "r1").version, 1u);
  EXPECT_EQ(count("roots"), 2);
  EXPECT_EQ(count("commits"), 2);
}

// C-15, C-202: the statement itself is lost: it is made void before anything else is sent.
TEST_F(PostgresStoreTest, commit_that_never_arrived_is_void_and_made_again) {
  Relay relay(database().port());
  auto store = leading(relay.port());
  ASSERT_EQ(store->commit(batch_of({start_of("first")})).at(0), CommitOutcome::done);
  relay.swallow_requests(true);
  size_t before = relay.swallowed();
  auto outcome = std::async(std::launch::async,
                            [&] { return store->commit(batch_of({start_of("r1")})).at(0); });
  while (relay.swallowed() == before) std::this_thread::yield();
  relay.cut();
  EXPECT_EQ(outcome.get(), CommitOutcome::done);
  EXPECT_EQ(loaded(*store, "r1").version, 1u);
  // The void mark, and those of both commits.
  EXPECT_EQ(database().number("select count(*) from " + schema_ + ".commits where won is null"), 1);
  EXPECT_EQ(count("commits"), 3);
}

// C-90: the fence of the lead is checked by every statement that writes.
TEST_F(PostgresStoreTest, former_leader_writes_nothing) {
  auto first = leading(database().port());
  ASSERT_EQ(first->commit(batch_of({start_of("r1")})).at(0), CommitOutcome::done);
  auto second = open(database().port());
  auto leads = second->take_lead();
  ASSERT_TRUE(leads);
  EXPECT_FALSE(*leads);
  ASSERT_TRUE(database().run("update " + schema_ + ".leases set until = now() - interval '1 s'"));
  leads = second->take_lead();
  ASSERT_TRUE(leads);
  EXPECT_TRUE(*leads);
  EXPECT_EQ(first->commit(batch_of({start_of("r2")})).at(0), CommitOutcome::unavailable);
  AuditLine line;
  line.account = AccountId("acme");
  EXPECT_FALSE(first->put_account({}, line));
  EXPECT_EQ(count("roots"), 1);
  EXPECT_EQ(second->commit(batch_of({start_of("r2")})).at(0), CommitOutcome::done);

  // It may lead again, under a new fence, once it knows that it does not.
  second.reset();
  auto until = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  bool again = false;
  while (!again && std::chrono::steady_clock::now() < until) {
    auto taken = first->take_lead();
    again =
        taken && *taken && first->commit(batch_of({start_of("r3")})).at(0) == CommitOutcome::done;
  }
  EXPECT_TRUE(again);
  EXPECT_EQ(database().number("select fence from " + schema_ + ".leases"), 3);
}

// C-12: more than one statement holds is split between groups, never within one.
TEST_F(PostgresStoreTest, large_batch_is_written_whole_and_what_cannot_be_taken_is_refused_alone) {
  auto store = leading(database().port());
  std::vector<RunWrite> runs;
  for (int i = 0; i < 600; ++i) runs.push_back(start_of("r" + std::to_string(i)));
  runs[300].summary.id = RunId(std::string("zero\0byte", 9));
  auto outcomes = store->commit(batch_of(std::move(runs)));
  for (size_t i = 0; i < outcomes.size(); ++i)
    EXPECT_EQ(outcomes[i], i == 300 ? CommitOutcome::refused : CommitOutcome::done) << i;
  EXPECT_EQ(count("roots"), 599);
  auto page = store->list({.account = AccountId("acme")}, 3, "");
  ASSERT_TRUE(page);
  EXPECT_EQ(page->items.at(0).id.text(), "r599");
}

// C-21: a schema of a later program, or another than was recorded, is left alone.
TEST_F(PostgresStoreTest, newer_or_changed_schema_is_refused) {
  open(database().port());
  std::string table = schema_ + ".schema_migrations";
  ASSERT_TRUE(database().run("insert into " + table + " values (999, 'later', 'x', now())"));
  auto newer = open_postgres(options_of(schema_, database().port()));
  ASSERT_FALSE(newer);
  EXPECT_EQ(newer.error().code, ErrorCode::schema_newer);
  ASSERT_TRUE(database().run("delete from " + table + " where number = 999; update " + table +
                             " set sha256 = 'other' where number = 1"));
  auto changed = open_postgres(options_of(schema_, database().port()));
  ASSERT_FALSE(changed);
  EXPECT_EQ(changed.error().code, ErrorCode::data_damaged);
}

// C-4, C-6: errors name the address and never a password.
TEST_F(PostgresStoreTest, unreachable_server_is_named_without_its_password) {
  PostgresOptions options = options_of(schema_, 1);
  options.url = "postgres://fermata:s3cret@127.0.0.1:1/postgres";
  auto opened = open_postgres(options);
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code, ErrorCode::store_unavailable);
  EXPECT_NE(opened.error().message.find("127.0.0.1:1/postgres"), std::string::npos);
  EXPECT_EQ(opened.error().message.find("s3cret"), std::string::npos);
  options.url = "postgres://fermata:s3cret@[::1";
  opened = open_postgres(options);
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code, ErrorCode::invalid_setting);
  EXPECT_EQ(opened.error().message.find("s3cret"), std::string::npos);
}

// C-11: what others read with plain SQL follows from the commit at once.
TEST_F(PostgresStoreTest, views_show_what_was_committed) {
  auto store = leading(database().port());
  RunWrite ended = start_of("r2");
  ended.summary.status = RunStatus::completed;
  ASSERT_EQ(store->commit(batch_of({start_of("r1"), ended})).at(1), CommitOutcome::done);
  std::string executions =
      schema_ + ".executions where type = 'workflow' and target_name = 'orders'";
  EXPECT_EQ(database().number("select count(*) from " + executions + " and status = 'running'"), 1);
  EXPECT_EQ(database().number("select count(*) from " + executions +
                              " and status = 'completed' and completed_at is not null"),
            1);
  EXPECT_EQ(count("workflow_executions"), 2);
  for (const char* view : {"timer_tasks", "workflow_wait_executions", "workflow_event_listeners",
                           "workflow_signals", "contacts", "workflows"})
    EXPECT_EQ(count(view), 0) << view;
}

// C-23: lines are chained by themselves soon after their commit.
TEST_F(PostgresStoreTest, lines_of_audit_are_chained_without_being_read) {
  auto store = leading(database().port());
  RunWrite write = start_of("r1");
  AuditLine line;
  line.account = AccountId("acme");
  line.action = "execution.start";
  write.audit = {line, line};
  ASSERT_EQ(store->commit(batch_of({write})).at(0), CommitOutcome::done);
  EXPECT_TRUE(await_count("audit", 2));
  EXPECT_EQ(count("audit_tail"), 0);
}

}  // namespace
}  // namespace fermata::test
