#include <gtest/gtest.h>

#include "adapters/postgres/postgres_store.h"
#include "test/postgres/postgres_server.h"

namespace fermata::test {
namespace {

/// What others may read with plain SQL (C-11, W-90), over a store of this test alone.
class PostgresViewsTest : public testing::Test {
 protected:
  PostgresViewsTest() {
    EXPECT_TRUE(server_.start()) << server_.log();
    PostgresOptions options;
    options.url = server_.url();
    options.holder = "test";
    auto opened = open_postgres(options);
    EXPECT_TRUE(opened) << opened.error().message;
    store_ = *std::move(opened);
    auto leads = store_->take_lead();
    EXPECT_TRUE(leads && *leads);
  }
  bool commit(CommitBatch batch) {
    bool done = true;
    for (CommitOutcome outcome : store_->commit(batch))
      done = done && outcome == CommitOutcome::done;
    return done;
  }
  /// How many rows of a view there are like this.
  int64_t rows(const std::string& view, const std::string& where) {
    return server_.number("select count(*) from fermata." + view + " where " + where);
  }

  PostgresServer server_;
  std::unique_ptr<PostgresStore> store_;
};

RunWrite waiting_run() {
  RunWrite write;
  write.summary.id = RunId("run-1");
  write.summary.account = AccountId("acme");
  write.summary.workflow = WorkflowId("orders");
  write.summary.status = RunStatus::waiting;
  write.summary.started_at = Instant{1'700'000'000'000};
  write.summary.last_sequence = 1;
  write.events = {1, 1, "started"};
  WaitRecord record{AccountId("acme"), WorkflowId("orders"), RunId("run-1"), "c-17", {}};
  Wait& wait = record.wait;
  wait.id = "wait-1";
  wait.step = "opened";
  wait.type = "for_event";
  wait.status = WaitStatus::waiting;
  wait.config = Value::object({{"zero", Value(std::string_view("a\0b", 3))}});
  wait.due = Instant{1'700'000'600'000};
  wait.reached_at = Instant{1'700'000'000'000};
  wait.updated_at = wait.reached_at;
  Listener listener;
  listener.event_type = "email_open";
  listener.scope = "contact";
  listener.window_start = wait.reached_at;
  wait.listeners = {listener};
  write.waits = {record};
  return write;
}

// C-11, W-90
TEST_F(PostgresViewsTest, waits_and_their_listeners_are_read_with_plain_sql) {
  CommitBatch batch;
  batch.runs.push_back(waiting_run());
  ASSERT_TRUE(commit(batch));
  EXPECT_EQ(rows("workflow_wait_executions",
                 "id = 'wait-1' and workflow_execution_id = 'run-1' and contact_id = 'c-17' and "
                 "status = 'waiting' and scheduled_at is null and event_timeout_at = "
                 "'2023-11-14T22:23:20Z' and not on_hold and wait_config ->> 'zero' = 'a\uFFFDb'"),
            1);
  EXPECT_EQ(rows("workflow_event_listeners",
                 "id = 'wait-1.1' and wait_execution_id = 'wait-1' and ordinal = 1 and event_type "
                 "= 'email_open' and status = 'active' and scope = 'contact' and expires_at = "
                 "'2023-11-14T22:23:20Z' and window_start = '2023-11-14T22:13:20Z'"),
            1);
  EXPECT_EQ(
      rows("workflow_executions", "id = 'run-1' and account_id = 'acme' and status = 'waiting'"),
      1);
  EXPECT_EQ(rows("executions",
                 "id = 'run-1' and type = 'workflow' and target_name = 'orders' and status = "
                 "'suspended' and completed_at is null"),
            1);
  EXPECT_EQ(rows("timer_tasks",
                 "id = 'wait-1' and fire_at = '2023-11-14T22:23:20Z' and "
                 "workflow_id = 'run-1' and timer_type = 'for_event'"),
            1);
}

// C-11
TEST_F(PostgresViewsTest, timers_go_in_the_commit_that_ends_their_wait) {
  CommitBatch batch;
  batch.runs.push_back(waiting_run());
  ASSERT_TRUE(commit(batch));
  RunWrite ended = waiting_run();
  ended.expected_version = 1;
  ended.summary.status = RunStatus::completed;
  ended.summary.completed_at = Instant{1'700'000'100'000};
  ended.summary.last_sequence = 2;
  ended.events = {2, 1, "resumed"};
  Wait& wait = ended.waits.front().wait;
  wait.status = WaitStatus::resumed;
  wait.ended_at = Instant{1'700'000'100'000};
  wait.resumed_by = "event";
  batch.runs = {ended};
  ASSERT_TRUE(commit(batch));
  EXPECT_EQ(rows("timer_tasks", "true"), 0);
  EXPECT_EQ(rows("workflow_wait_executions",
                 "status = 'resumed' and resumed_at = '2023-11-14T22:15:00Z'"),
            1);
  EXPECT_EQ(rows("executions", "status = 'completed' and completed_at is not null"), 1);
}

// W-90
TEST_F(PostgresViewsTest, signals_and_contacts_are_read_with_plain_sql) {
  CommitBatch batch;
  SignalWrite signal;
  signal.first = true;
  signal.record.signal.account = AccountId("acme");
  signal.record.signal.id = "event-1";
  signal.record.signal.type = "email_open";
  signal.record.signal.contact_id = "c-17";
  signal.record.signal.data = Value::object({{"message", Value("m-1")}});
  signal.record.signal.received_at = Instant{1'700'000'000'000};
  signal.record.expires_at = Instant{1'700'000'600'000};
  batch.signals.push_back(signal);
  Contact contact;
  contact.account = AccountId("acme");
  contact.id = "c-17";
  contact.timezone = "Europe/Paris";
  contact.created_at = contact.updated_at = Instant{1'700'000'000'000};
  contact.version = 1;
  batch.contacts.push_back({0, contact});
  ASSERT_TRUE(commit(batch));
  EXPECT_EQ(rows("workflow_signals",
                 "account_id = 'acme' and event_id = 'event-1' and execution_id is null and data "
                 "->> 'message' = 'm-1' and occurred_at is null and received_at = "
                 "'2023-11-14T22:13:20Z'"),
            1);
  EXPECT_EQ(rows("contacts",
                 "id = 'c-17' and timezone = 'Europe/Paris' and not opted_out and "
                 "deleted_at is null"),
            1);
}

// C-11
TEST_F(PostgresViewsTest, reader_with_rights_on_the_views_alone_reads_them) {
  ASSERT_TRUE(
      server_.run("create role fermata_reader; grant usage on schema fermata to "
                  "fermata_reader; grant select on fermata.executions, "
                  "fermata.workflow_wait_executions to fermata_reader"));
  EXPECT_TRUE(
      server_.run("set role fermata_reader; select * from fermata.executions; select * "
                  "from fermata.workflow_wait_executions"));
  EXPECT_FALSE(server_.run("set role fermata_reader; select * from fermata.roots"));
  EXPECT_FALSE(server_.run("set role fermata_reader; delete from fermata.executions"));
}

}  // namespace
}  // namespace fermata::test
