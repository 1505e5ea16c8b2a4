#include "adapters/sqlite/run_tags.h"

#include "adapters/sqlite/run_queries.h"
#include "adapters/sqlite/test_support.h"

namespace fermata::sqlite {
namespace {

RunWrite tagged_run(const std::string& id, const std::string& contact) {
  RunWrite write = creation(id);
  write.summary.labels = Value::object({{"team", "blue"}, {"order", id}});
  write.summary.contact_id = contact;
  write.summary.parent = RunId("parent-of-" + id);
  return write;
}

size_t found(SqliteStore& store, RunFilter filter) {
  filter.account = creation("x").summary.account;
  auto page = store.list(filter, 100, "");
  EXPECT_TRUE(page);
  return page ? page->items.size() : 0;
}

TEST(RunTags, lists_seek_and_never_scan) {
  ScratchDirectory scratch;
  open_store(scratch / "data");
  auto database = Database::open(database_file(scratch / "data"), Database::Mode::read);
  ASSERT_TRUE(database);
  RunQueries queries(**database);
  auto statements = queries.list_statements();
  EXPECT_GE(statements.size(), 10u);
  for (const char* sql : statements) {
    std::string question = "EXPLAIN QUERY PLAN " + std::string(sql);
    Statement plan(**database, question.c_str());
    Rows rows = plan.query();
    bool any = false;
    while (rows.next()) {
      any = true;
      std::string detail(rows.text(3));
      EXPECT_TRUE(detail.starts_with("SEARCH")) << sql << ": " << detail;
      EXPECT_EQ(detail.find("TEMP B-TREE"), std::string::npos) << sql << ": " << detail;
    }
    EXPECT_TRUE(any) << sql;
  }
}

TEST(RunTags, run_that_changes_keeps_its_tags_and_gets_no_others) {
  ScratchDirectory scratch;
  auto store = open_store(scratch / "data");
  ASSERT_EQ(commit_one(*store, tagged_run("r1", "c1")), CommitOutcome::done);
  ASSERT_EQ(commit_one(*store, next_write(*load_one(*store, "r1"))), CommitOutcome::done);
  EXPECT_EQ(found(*store, {.contact_id = "c1"}), 1u);
  EXPECT_EQ(found(*store, {.label_key = "order", .label_value = "r1"}), 1u);
  EXPECT_EQ(found(*store, {.parent = RunId("parent-of-r1")}), 1u);
  store.reset();
  auto database = Database::open(database_file(scratch / "data"), Database::Mode::read);
  EXPECT_EQ(*(*database)->number("SELECT count(*) FROM tag"), 6);
}

TEST(RunTags, runs_from_before_there_were_tags_get_theirs) {
  ScratchDirectory scratch;
  {
    auto store = open_store(scratch / "data");
    for (int i = 0; i < 20; ++i) {
      RunWrite write = tagged_run("r" + std::to_string(i), "c" + std::to_string(i % 4));
      ASSERT_EQ(commit_one(*store, write), CommitOutcome::done);
    }
  }
  run_sql(scratch / "data",
          "DELETE FROM migration WHERE number >= "
          "(SELECT number FROM migration WHERE name = 'tags');"
          "DROP TABLE tag; DROP TABLE bulk; DROP TABLE bulk_selection;"
          "DROP TABLE garbage; DROP TABLE audit_root; DROP TABLE orphan;"
          "DROP TABLE job; DROP TABLE job_history;"
          "DROP TABLE dead_letter; DROP TABLE blob; DROP TABLE blob_bytes; DROP TABLE job_blob;"
          "DROP TABLE job_log; DROP TABLE job_garbage; DROP TABLE registration;"
          "DROP TABLE schedule; DROP TABLE schedule_history;" FERMATA_DROP_WHAT_FOLLOWED_WAITS
          "DROP VIEW workflow_event_listeners; DROP VIEW workflow_executions;"
          "DROP VIEW workflows; DROP TABLE workflow_wait_executions");
  CountingVisitor old;
  ASSERT_TRUE(visit_sqlite(scratch / "data", old));
  EXPECT_EQ(old.damages, std::vector<std::string>{});
  auto store = open_store(scratch / "data");
  EXPECT_EQ(found(*store, {.contact_id = "c3"}), 5u);
  EXPECT_EQ(found(*store, {.label_key = "team"}), 20u);
  EXPECT_EQ(found(*store, {.label_key = "order", .label_value = "r7"}), 1u);
}

TEST(RunTags, missing_and_foreign_tags_are_found_by_verifying) {
  ScratchDirectory scratch;
  ASSERT_EQ(commit_one(*open_store(scratch / "data"), tagged_run("r1", "c1")), CommitOutcome::done);
  CountingVisitor whole;
  ASSERT_TRUE(visit_sqlite(scratch / "data", whole));
  EXPECT_EQ(whole.damages, std::vector<std::string>{});
  run_sql(scratch / "data", "UPDATE tag SET key = 'c2' WHERE kind = 2");
  CountingVisitor damaged;
  ASSERT_TRUE(visit_sqlite(scratch / "data", damaged));
  EXPECT_EQ(damaged.damages.at(0), "run row 1 is damaged: one of its tags is missing");
  run_sql(scratch / "data",
          "UPDATE tag SET key = 'c1' WHERE kind = 2;"
          "INSERT INTO tag VALUES ('acme', 2, 'c9', '', 1)");
  CountingVisitor foreign;
  ASSERT_TRUE(visit_sqlite(scratch / "data", foreign));
  EXPECT_EQ(foreign.damages.at(0), "there are tags of runs that do not have them");
}

}  // namespace
}  // namespace fermata::sqlite
