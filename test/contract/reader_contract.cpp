#include <algorithm>
#include <set>

#include "test/contract/stores.h"

namespace fermata {
namespace {

class ReaderContract : public StoreContract {
 protected:
  /// Ids of all pages of a list, checking that each page keeps to the limit.
  std::vector<std::string> ids(const RunFilter& filter, size_t limit = 1000,
                               RunOrder order = RunOrder::newest_first) {
    std::vector<std::string> out;
    std::string cursor;
    do {
      auto page = reader().list(filter, limit, cursor, order);
      EXPECT_TRUE(page) << page.error().message;
      if (!page) return out;
      EXPECT_LE(page->items.size(), limit);
      for (const RunSummary& run : page->items) out.push_back(run.id.text());
      cursor = page->next_cursor;
    } while (!cursor.empty());
    return out;
  }
  void create(RunSummary run) { ASSERT_EQ(commit(creation(std::move(run))), CommitOutcome::done); }
  using Ids = std::vector<std::string>;
};

TEST_P(ReaderContract, find_answers_a_run_or_version_zero) {
  create(sample_run("r1"));
  auto run = reader().find(RunId("r1"));
  ASSERT_TRUE(run);
  EXPECT_EQ(run->version, 1u);
  EXPECT_EQ(run->summary, load("r1").summary);
  EXPECT_EQ(run->history, load("r1").history);
  EXPECT_EQ(reader().find(RunId("nobody"))->version, 0u);
  EXPECT_EQ(*reader().summary(RunId("r1")), run->summary);
  EXPECT_EQ(*reader().summary(RunId("nobody")), std::nullopt);
}

TEST_P(ReaderContract, history_is_paged_by_whole_chunks) {
  ASSERT_EQ(commit(creation("r1", 3)), CommitOutcome::done);          // 1–3
  ASSERT_EQ(commit(next_write(load("r1"), 4)), CommitOutcome::done);  // 4–7
  ASSERT_EQ(commit(next_write(load("r1"), 2)), CommitOutcome::done);  // 8–9
  auto firsts = [&](uint64_t first_sequence, size_t events_max) {
    std::vector<uint64_t> out;
    auto run = reader().find(RunId("r1"), first_sequence, events_max);
    EXPECT_TRUE(run);
    for (const HistoryChunk& chunk : run->history) {
      out.push_back(chunk.first_sequence);
      EXPECT_FALSE(chunk.bytes.empty());
    }
    return out;
  };
  using Firsts = std::vector<uint64_t>;
  EXPECT_EQ(firsts(1, SIZE_MAX), (Firsts{1, 4, 8}));
  EXPECT_EQ(firsts(3, SIZE_MAX), (Firsts{1, 4, 8}));
  EXPECT_EQ(firsts(4, SIZE_MAX), (Firsts{4, 8}));
  EXPECT_EQ(firsts(9, SIZE_MAX), (Firsts{8}));
  EXPECT_EQ(firsts(10, SIZE_MAX), (Firsts{}));
  EXPECT_EQ(firsts(1, 7), (Firsts{1, 4}));
  EXPECT_EQ(firsts(1, 6), (Firsts{1}));
  EXPECT_EQ(firsts(5, 1), (Firsts{4}));
  EXPECT_EQ(firsts(4, 6), (Firsts{4, 8}));
}

TEST_P(ReaderContract, list_shows_the_newest_first) {
  for (const char* id : {"b", "a", "c"}) create(sample_run(id));
  EXPECT_EQ(ids({}), (Ids{"c", "a", "b"}));
  reopen();
  EXPECT_EQ(ids({}, 1), (Ids{"c", "a", "b"}));
}

// U-2: whatever is filtered, the other order is the same list from its other end.
TEST_P(ReaderContract, list_with_the_oldest_first_is_the_same_from_its_other_end) {
  for (int i = 0; i < 40; ++i) {
    RunSummary run = sample_run("r" + std::to_string(i));
    if (i % 2 == 0) run.workflow = WorkflowId("orders");
    if (i % 3 == 0) run.contact_id = "c1";
    if (i % 4 == 0) run.labels = Value::object({{"team", "blue"}});
    if (i % 5 == 0) run.status = RunStatus::waiting;
    if (i % 7 == 0) run.account = AccountId("other");
    create(run);
  }
  AccountId acme("acme");
  for (const RunFilter& filter :
       {RunFilter{}, RunFilter{.account = acme},
        RunFilter{.account = acme, .workflow = WorkflowId("orders")},
        RunFilter{.account = acme, .contact_id = "c1"},
        RunFilter{.account = acme, .label_key = "team", .label_value = "blue"},
        RunFilter{.statuses = {RunStatus::running, RunStatus::waiting}},
        RunFilter{.account = acme, .statuses = {RunStatus::waiting}}}) {
    Ids newest = ids(filter);
    ASSERT_GT(newest.size(), 3u);
    std::reverse(newest.begin(), newest.end());
    for (size_t limit : {1, 3, 1000})
      EXPECT_EQ(ids(filter, limit, RunOrder::oldest_first), newest) << limit;
  }
  // Those that come later come last.
  auto page = reader().list({}, 2, "", RunOrder::oldest_first);
  create(sample_run("later"));
  EXPECT_EQ(ids({}, 1000, RunOrder::oldest_first).back(), "later");
  auto next = reader().list({}, 1, page->next_cursor, RunOrder::oldest_first);
  EXPECT_EQ(next->items[0].id, RunId("r2"));
}

TEST_P(ReaderContract, cursor_of_one_order_is_none_of_the_other) {
  for (int i = 0; i < 4; ++i) create(sample_run("r" + std::to_string(i)));
  for (RunOrder order : {RunOrder::newest_first, RunOrder::oldest_first}) {
    auto page = reader().list({}, 1, "", order);
    ASSERT_FALSE(page->next_cursor.empty());
    bool newest = order == RunOrder::newest_first;
    auto other = reader().list({}, 1, page->next_cursor,
                               newest ? RunOrder::oldest_first : RunOrder::newest_first);
    ASSERT_FALSE(other);
    EXPECT_EQ(other.error().code, ErrorCode::invalid_query);
  }
  EXPECT_FALSE(reader().list({}, 1, "up.", RunOrder::oldest_first));
}

TEST_P(ReaderContract, list_filters_by_every_field) {
  RunSummary run = sample_run("r1");
  create(run);
  run = sample_run("r2");
  run.account = AccountId("other");
  create(run);
  run = sample_run("r3");
  run.workflow = WorkflowId("refunds");
  run.status = RunStatus::waiting;
  create(run);
  run = sample_run("r4");
  run.labels = Value::object({{"team", Value("blue")}, {"tier", Value("1")}});
  run.contact_id = "contact9";
  create(run);
  run = sample_run("r5");
  run.parent = RunId("r1");
  run.started_at = Instant{1'800'000'000'000};
  run.status = RunStatus::failed;
  run.error_code = "http_Error";
  create(run);
  run = sample_run("r6");
  run.status = RunStatus::completed;
  create(run);

  EXPECT_EQ(ids({.account = AccountId("other")}), (Ids{"r2"}));
  EXPECT_EQ(ids({.account = AccountId("nobody")}), (Ids{}));
  EXPECT_EQ(ids({.account = AccountId("acme")}), (Ids{"r6", "r5", "r4", "r3", "r1"}));
  EXPECT_EQ(ids({.workflow = WorkflowId("refunds")}), (Ids{"r3"}));
  EXPECT_EQ(ids({.account = AccountId("acme"), .workflow = WorkflowId("orders")}),
            (Ids{"r6", "r5", "r4", "r1"}));
  EXPECT_EQ(ids({.account = AccountId("other"), .workflow = WorkflowId("refunds")}), (Ids{}));
  EXPECT_EQ(ids({.statuses = {RunStatus::waiting}}), (Ids{"r3"}));
  EXPECT_EQ(ids({.statuses = {RunStatus::waiting, RunStatus::failed}}), (Ids{"r5", "r3"}));
  EXPECT_EQ(ids({.account = AccountId("acme"), .statuses = {RunStatus::running}}),
            (Ids{"r4", "r1"}));
  EXPECT_EQ(ids({.statuses = {RunStatus::completed, RunStatus::failed}}), (Ids{"r6", "r5"}));
  EXPECT_EQ(ids({.label_key = "team"}), (Ids{"r4"}));
  EXPECT_EQ(ids({.label_key = "team", .label_value = "blue"}), (Ids{"r4"}));
  EXPECT_EQ(ids({.label_key = "team", .label_value = "red"}), (Ids{}));
  EXPECT_EQ(ids({.contact_id = "contact9"}), (Ids{"r4"}));
  EXPECT_EQ(ids({.parent = RunId("r1")}), (Ids{"r5"}));
  EXPECT_EQ(ids({.from = Instant{1'800'000'000'000}}), (Ids{"r5"}));
  EXPECT_EQ(ids({.account = AccountId("other"), .to = Instant{1'800'000'000'000}}), (Ids{"r2"}));
  EXPECT_EQ(ids({.q = "HTTP_"}), (Ids{"r5"}));
  EXPECT_EQ(ids({.q = "fund"}), (Ids{"r3"}));
}

TEST_P(ReaderContract, list_by_status_follows_the_run) {
  create(sample_run("r1"));
  RunWrite write = next_write(load("r1"));
  write.summary.status = RunStatus::waiting;
  ASSERT_EQ(commit(write), CommitOutcome::done);
  EXPECT_EQ(ids({.statuses = {RunStatus::running}}), (Ids{}));
  EXPECT_EQ(ids({.statuses = {RunStatus::waiting}}), (Ids{"r1"}));
  write = next_write(load("r1"));
  write.summary.status = RunStatus::completed;
  ASSERT_EQ(commit(write), CommitOutcome::done);
  EXPECT_EQ(ids({.statuses = {RunStatus::waiting, RunStatus::paused}}), (Ids{}));
  EXPECT_EQ(ids({.statuses = {RunStatus::completed}}), (Ids{"r1"}));
}

TEST_P(ReaderContract, list_by_label_contact_and_parent_keeps_to_the_account_and_all_else) {
  for (int i = 0; i < 60; ++i) {
    RunSummary run = sample_run("r" + std::to_string(i));
    run.account = AccountId(i % 2 == 0 ? "acme" : "other");
    run.labels = Value::object(
        {{"team", Value(i % 3 == 0 ? "blue" : "red")}, {"order", Value(std::to_string(i))}});
    run.contact_id = "c" + std::to_string(i % 5);
    if (i % 4 == 0) run.parent = RunId("r1");
    run.status = i % 6 == 0 ? RunStatus::completed : RunStatus::running;
    create(run);
  }
  AccountId acme("acme");
  EXPECT_EQ(ids({.account = acme, .label_key = "team"}, 7).size(), 30u);
  EXPECT_EQ(ids({.account = acme, .label_key = "team", .label_value = "blue"}, 7).size(), 10u);
  EXPECT_EQ(ids({.account = acme, .label_key = "order", .label_value = "10"}), (Ids{"r10"}));
  EXPECT_EQ(ids({.account = acme, .label_key = "order", .label_value = "11"}), (Ids{}));
  EXPECT_EQ(ids({.account = acme, .contact_id = "c3"}, 2),
            (Ids{"r58", "r48", "r38", "r28", "r18", "r8"}));
  EXPECT_EQ(ids({.account = acme, .parent = RunId("r1")}, 4).size(), 15u);
  EXPECT_EQ(ids({.account = acme,
                 .statuses = {RunStatus::completed},
                 .label_key = "team",
                 .label_value = "blue",
                 .contact_id = "c0",
                 .parent = RunId("r1")}),
            (Ids{"r0"}));
  EXPECT_EQ(ids({.account = acme, .label_key = "team", .label_value = "blue", .q = "R1"}, 1),
            (Ids{"r18", "r12"}));
  EXPECT_EQ(ids({.account = acme, .label_key = "tea"}), (Ids{}));
}

// a cursor stays where it is when new runs come.
TEST_P(ReaderContract, paging_is_stable_under_inserts) {
  for (const RunFilter& filter :
       {RunFilter{}, RunFilter{.account = AccountId("acme")},
        RunFilter{.account = AccountId("acme"), .workflow = WorkflowId("orders")},
        RunFilter{.account = AccountId("acme"), .contact_id = "c1"},
        RunFilter{.statuses = {RunStatus::running, RunStatus::waiting}}}) {
    auto first = reader().list({}, 1, "");
    ASSERT_TRUE(first);
    std::string tag = "f" + std::to_string(ids({}).size());
    for (int i = 0; i < 10; ++i) {
      RunSummary run = sample_run(tag + "-" + std::to_string(i));
      if (i % 2 == 0) run.status = RunStatus::waiting;
      run.contact_id = "c1";
      create(run);
    }
    std::vector<std::string> before = ids(filter);
    std::vector<std::string> seen;
    std::string cursor;
    int extra = 0;
    do {
      auto page = reader().list(filter, 3, cursor);
      ASSERT_TRUE(page);
      for (const RunSummary& run : page->items) seen.push_back(run.id.text());
      cursor = page->next_cursor;
      RunSummary added = sample_run(tag + "-extra" + std::to_string(extra++));
      added.contact_id = "c1";
      create(added);
    } while (!cursor.empty());
    EXPECT_EQ(seen, before);
  }
}

TEST_P(ReaderContract, last_page_has_no_cursor) {
  for (int i = 0; i < 4; ++i) create(sample_run("r" + std::to_string(i)));
  auto page = reader().list({}, 4, "");
  ASSERT_TRUE(page);
  EXPECT_EQ(page->items.size(), 4u);
  EXPECT_EQ(page->next_cursor, "");
  EXPECT_EQ(reader().list({}, 3, "")->next_cursor.empty(), false);
}

TEST_P(ReaderContract, cursor_that_no_list_gave_is_refused) {
  auto page = reader().list({}, 3, "not a cursor");
  ASSERT_FALSE(page);
  EXPECT_EQ(page.error().code, ErrorCode::invalid_query);
  EXPECT_EQ(reader().audit({}, 3, "-1").error().code, ErrorCode::invalid_query);
}

TEST_P(ReaderContract, counts_follow_every_commit) {
  using Counts = std::vector<std::pair<RunStatus, uint64_t>>;
  EXPECT_EQ(*reader().counts({}), (Counts{}));
  for (int i = 0; i < 5; ++i) create(sample_run("r" + std::to_string(i)));
  RunSummary other = sample_run("o");
  other.account = AccountId("other");
  other.status = RunStatus::completed;
  create(other);
  EXPECT_EQ(commit(creation("r1")), CommitOutcome::conflict);
  RunWrite write = next_write(load("r3"));
  write.summary.status = RunStatus::completed;
  ASSERT_EQ(commit(write), CommitOutcome::done);
  for (int round = 0; round < 2; ++round) {
    EXPECT_EQ(*reader().counts(AccountId("acme")),
              (Counts{{RunStatus::running, 4}, {RunStatus::completed, 1}}));
    EXPECT_EQ(*reader().counts({}), (Counts{{RunStatus::running, 4}, {RunStatus::completed, 2}}));
    EXPECT_EQ(*reader().counts(AccountId("nobody")), (Counts{}));
    reopen();
  }
}

// the audit is listed newest first, by filters, in pages.
TEST_P(ReaderContract, audit_is_filtered_and_paged) {
  CommitBatch batch;
  batch.runs = {creation("r1")};
  for (int i = 0; i < 9; ++i) {
    AuditLine line = sample_line("s" + std::to_string(i % 3), i % 2 == 0 ? "acme" : "other");
    line.action = i < 5 ? "execution.start" : "key.create";
    line.actor = i == 8 ? "root" : "key_1";
    line.at = Instant{i};
    batch.runs.front().audit.push_back(line);
  }
  ASSERT_EQ(store().commit(batch).at(0), CommitOutcome::done);
  auto times = [&](AuditFilter filter) {
    std::vector<int64_t> out;
    std::string cursor;
    do {
      auto page = reader().audit(filter, 2, cursor);
      EXPECT_TRUE(page);
      EXPECT_LE(page->items.size(), 2u);
      for (const AuditEntry& entry : page->items) out.push_back(entry.line.at.ms);
      cursor = page->next_cursor;
    } while (!cursor.empty());
    return out;
  };
  using Times = std::vector<int64_t>;
  EXPECT_EQ(times({}), (Times{8, 7, 6, 5, 4, 3, 2, 1, 0}));
  EXPECT_EQ(times({.account = AccountId("acme")}), (Times{8, 6, 4, 2, 0}));
  EXPECT_EQ(times({.action = "execution."}), (Times{4, 3, 2, 1, 0}));
  EXPECT_EQ(times({.action = "execution"}), (Times{}));
  EXPECT_EQ(times({.action = "key.create"}), (Times{8, 7, 6, 5}));
  EXPECT_EQ(times({.subject = "s1"}), (Times{7, 4, 1}));
  EXPECT_EQ(times({.account = AccountId("acme"), .actor = "root"}), (Times{8}));
  EXPECT_EQ(times({.from = Instant{2}, .to = Instant{4}}), (Times{3, 2}));
}

// G-36
TEST_P(ReaderContract, live_runs_with_a_label_are_found_newest_first) {
  for (const char* id : {"r1", "r2", "r3", "r4", "r5"}) {
    RunSummary run = sample_run(id);
    run.labels = Value::object({{"order", id[1] == '4' ? "18" : "17"}});
    if (id[1] == '2') run.status = RunStatus::completed;
    if (id[1] == '3') run.status = RunStatus::paused;
    if (id[1] == '5') run.account = AccountId("other");
    create(run);
  }
  AccountId acme("acme");
  auto all = store().live_runs_with(acme, "order", "17", 10);
  ASSERT_TRUE(all);
  EXPECT_EQ(*all, (std::vector<RunId>{RunId("r3"), RunId("r1")}));
  EXPECT_EQ(*store().live_runs_with(acme, "order", "17", 1), std::vector<RunId>{RunId("r3")});
  EXPECT_TRUE(store().live_runs_with(acme, "order", "19", 10)->empty());
}

INSTANTIATE_TEST_SUITE_P(adapters, ReaderContract, testing::ValuesIn(store_kinds()), kind_name);

}  // namespace
}  // namespace fermata
