#include <gtest/gtest.h>

#include "adapters/sqlite/directory.h"
#include "adapters/sqlite/sqlite_store.h"
#include "adapters/sqlite/test_support.h"
#include "adapters/sqlite/wait_rows.h"

/// What other programs may read with plain SQL, and how lists find their rows.
namespace fermata::sqlite {
namespace {

RunWrite heard_run() {
  RunWrite write;
  write.summary.id = RunId("r1");
  write.summary.account = AccountId("acme");
  write.summary.workflow = WorkflowId("nurture");
  write.summary.status = RunStatus::waiting;
  WaitRecord record{AccountId("acme"), WorkflowId("nurture"), RunId("r1"), "c-17", {}};
  record.wait.id = "w1";
  record.wait.step = "opened";
  record.wait.type = "for_event";
  record.wait.status = WaitStatus::waiting;
  record.wait.due = Instant{1'769'680'800'000};
  Listener listener;
  listener.event_type = "email_open";
  listener.criteria = Value::object({{"message_id", "m-9"}});
  listener.scope = "contact";
  record.wait.listeners = {listener};
  write.waits = {record};
  return write;
}

std::string row(Database& database, const char* sql) {
  Statement statement(database, sql);
  Rows rows = statement.query();
  std::string text;
  while (rows.next()) {
    if (!text.empty()) text += "\n";
    for (int i = 0; i < 4; ++i) text += (i > 0 ? "|" : "") + std::string(rows.text(i));
  }
  return rows.failed() ? "failed" : text;
}

// W-90
TEST(SqliteWaits, relations_are_read_with_plain_sql) {
  ScratchDirectory scratch;
  std::filesystem::path directory = scratch / "data";
  {
    auto store = open_sqlite(directory, {});
    ASSERT_TRUE(store) << store.error().message;
    CommitBatch batch;
    batch.runs.push_back(heard_run());
    ASSERT_EQ((*store)->commit(batch).at(0), CommitOutcome::done);
  }
  auto database = Database::open(database_file(directory), Database::Mode::read);
  ASSERT_TRUE(database);
  EXPECT_EQ(row(**database,
                "SELECT id, status, event_type, event_timeout_at "
                "FROM workflow_wait_executions"),
            "w1|waiting|email_open|2026-01-29T10:00:00.000Z");
  EXPECT_EQ(row(**database,
                "SELECT wait_execution_id, status, contact_id, match_criteria "
                "FROM workflow_event_listeners"),
            R"(w1|active|c-17|{"message_id":"m-9"})");
  EXPECT_EQ(row(**database, "SELECT id, account_id, workflow_id, status FROM workflow_executions"),
            "r1|acme|nurture|waiting");
}

// W-90
TEST(SqliteWaits, relations_are_read_with_the_shell) {
  ScratchDirectory scratch;
  std::filesystem::path directory = scratch / "data";
  {
    auto store = open_sqlite(directory, {});
    ASSERT_TRUE(store) << store.error().message;
    CommitBatch batch;
    batch.runs.push_back(heard_run());
    ASSERT_EQ((*store)->commit(batch).at(0), CommitOutcome::done);
  }
  auto asked = [&](const std::string& sql) {
    std::string command =
        "sqlite3 -readonly '" + database_file(directory).string() + "' \"" + sql + "\" 2>&1";
    FILE* shell = popen(command.c_str(), "r");
    std::string out;
    char buffer[4096];
    while (size_t count = fread(buffer, 1, sizeof buffer, shell)) out.append(buffer, count);
    return pclose(shell) == 0 ? out : "failed: " + out;
  };
  EXPECT_EQ(asked("SELECT id, account_id, workflow_id, step_id, wait_type, status, event_type, "
                  "event_timeout_at FROM workflow_wait_executions"),
            "w1|acme|nurture|opened|for_event|waiting|email_open|2026-01-29T10:00:00.000Z\n");
  EXPECT_EQ(asked("SELECT wait_execution_id, ordinal, event_type, scope, status "
                  "FROM workflow_event_listeners"),
            "w1|1|email_open|contact|active\n");
  EXPECT_EQ(asked("SELECT id, status FROM workflow_executions"), "r1|waiting\n");
  for (const char* relation : {"workflow_signals", "workflows", "contacts"})
    EXPECT_EQ(asked("SELECT count(*) FROM " + std::string(relation)), "0\n") << relation;
}

// W-95
TEST(SqliteWaits, lists_of_pending_waits_seek_and_need_no_sorting) {
  ScratchDirectory scratch;
  std::filesystem::path directory = scratch / "data";
  auto store = open_sqlite(directory, {});
  ASSERT_TRUE(store);
  auto database = Database::open(database_file(directory), Database::Mode::read);
  ASSERT_TRUE(database);
  WaitFilter filter;
  filter.account = AccountId("acme");
  filter.statuses = {WaitStatus::scheduled, WaitStatus::waiting};
  std::string sql = "EXPLAIN QUERY PLAN SELECT * FROM workflow_wait_executions" +
                    WaitQueries::question(filter).where + " ORDER BY due_at, id LIMIT 50";
  Statement statement(**database, sql.c_str());
  Rows rows = statement.query();
  std::string plan;
  while (rows.next()) plan += std::string(rows.text(3)) + "\n";
  EXPECT_NE(plan.find("USING INDEX wait_pending (account_id=?)"), std::string::npos) << plan;
  EXPECT_EQ(plan.find("TEMP B-TREE"), std::string::npos) << plan;
}

}  // namespace
}  // namespace fermata::sqlite
