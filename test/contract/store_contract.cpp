#include <algorithm>

#include "test/contract/stores.h"

namespace fermata {
namespace {

TEST_P(StoreContract, run_that_does_not_exist_has_version_zero) {
  StoredRun run = load("nobody");
  EXPECT_EQ(run.version, 0u);
  EXPECT_TRUE(run.history.empty());
}

TEST_P(StoreContract, created_run_is_loaded_as_it_was_written) {
  RunSummary run = sample_run("r1");
  run.status = RunStatus::failed;
  run.completed_at = Instant{1'700'000'000'777};
  run.next_due = Instant{-5};
  run.calls_pending = 4;
  run.contact_id = "contact";
  run.parent = RunId("r0");
  run.labels = Value::object({{"team", Value("blue")}, {"ключ", Value("значение")}});
  run.error_code = "boom";
  run.exit_reason = "because";
  RunWrite write = creation(run);
  write.events.bytes = std::string("zero \0 byte", 11);
  ASSERT_EQ(commit(write), CommitOutcome::done);
  reopen();
  StoredRun stored = load("r1");
  EXPECT_EQ(stored.version, 1u);
  EXPECT_EQ(stored.summary, write.summary);
  EXPECT_EQ(stored.history, std::vector{write.events});
}

TEST_P(StoreContract, history_is_kept_in_order_without_gaps) {
  ASSERT_EQ(commit(creation("r1", 3)), CommitOutcome::done);
  for (int i = 0; i < 5; ++i) {
    ASSERT_EQ(commit(next_write(load("r1"), 2)), CommitOutcome::done);
    reopen();
  }
  StoredRun run = load("r1");
  EXPECT_EQ(run.version, 6u);
  ASSERT_EQ(run.history.size(), 6u);
  uint64_t next = 1;
  for (const HistoryChunk& chunk : run.history) {
    EXPECT_EQ(chunk.first_sequence, next);
    next += chunk.count;
  }
  EXPECT_EQ(next, run.summary.last_sequence + 1);
  EXPECT_EQ(run.history.back().bytes, "version 6");
}

TEST_P(StoreContract, commit_without_events_changes_the_summary_alone) {
  ASSERT_EQ(commit(creation("r1")), CommitOutcome::done);
  RunWrite write = next_write(load("r1"), 0);
  write.events = {};
  write.summary.next_due = Instant{77};
  ASSERT_EQ(commit(write), CommitOutcome::done);
  StoredRun run = load("r1");
  EXPECT_EQ(run.version, 2u);
  EXPECT_EQ(run.summary.next_due, Instant{77});
  EXPECT_EQ(run.history.size(), 1u);
}

TEST_P(StoreContract, empty_history_bytes_are_kept) {
  RunWrite write = creation("r1", 1);
  write.events.bytes.clear();
  ASSERT_EQ(commit(write), CommitOutcome::done);
  EXPECT_EQ(load("r1").history, std::vector{write.events});
}

TEST_P(StoreContract, creating_a_run_twice_is_a_conflict) {
  ASSERT_EQ(commit(creation("r1")), CommitOutcome::done);
  EXPECT_EQ(commit(creation("r1", 5)), CommitOutcome::conflict);
  EXPECT_EQ(load("r1").summary.last_sequence, 2u);
}

TEST_P(StoreContract, writing_with_an_old_version_is_a_conflict) {
  ASSERT_EQ(commit(creation("r1")), CommitOutcome::done);
  RunWrite first = next_write(load("r1"));
  RunWrite second = first;
  EXPECT_EQ(commit(first), CommitOutcome::done);
  EXPECT_EQ(commit(second), CommitOutcome::conflict);
  EXPECT_EQ(load("r1").history.size(), 2u);
}

TEST_P(StoreContract, changing_a_run_that_does_not_exist_is_a_conflict) {
  RunWrite write = creation("r1");
  write.expected_version = 1;
  EXPECT_EQ(commit(write), CommitOutcome::conflict);
  EXPECT_EQ(load("r1").version, 0u);
}

TEST_P(StoreContract, conflict_leaves_the_other_runs_of_the_batch_alone) {
  ASSERT_EQ(commit(creation("old")), CommitOutcome::done);
  ASSERT_EQ(commit(creation("taken")), CommitOutcome::done);
  ASSERT_EQ(commit(creation("moved")), CommitOutcome::done);
  RunWrite stale = next_write(load("moved"));
  ASSERT_EQ(commit(next_write(load("moved"))), CommitOutcome::done);

  CommitBatch batch;
  batch.runs = {creation("new1"), creation("taken"), next_write(load("old")), stale,
                creation("new2")};
  std::vector<CommitOutcome> expected = {CommitOutcome::done, CommitOutcome::conflict,
                                         CommitOutcome::done, CommitOutcome::conflict,
                                         CommitOutcome::done};
  EXPECT_EQ(store().commit(batch), expected);
  reopen();
  EXPECT_EQ(load("new1").version, 1u);
  EXPECT_EQ(load("new2").version, 1u);
  EXPECT_EQ(load("old").version, 2u);
  EXPECT_EQ(load("moved").version, 2u);
  EXPECT_EQ(load("moved").history.size(), 2u);
  EXPECT_EQ(load("taken").version, 1u);
}

TEST_P(StoreContract, writes_of_one_group_take_effect_together_or_not_at_all) {
  ASSERT_EQ(commit(creation("r1")), CommitOutcome::done);
  RunWrite change = next_write(load("r1"));
  RunWrite stale = creation("r1");
  RunWrite beside = creation("r2");
  RunWrite alone = creation("r3");
  stale.group = beside.group = 7;
  std::vector<CommitOutcome> outcomes = store().commit({{beside, alone, stale}});
  EXPECT_EQ(outcomes,
            (std::vector{CommitOutcome::conflict, CommitOutcome::done, CommitOutcome::conflict}));
  EXPECT_EQ(load("r2").version, 0u);
  EXPECT_EQ(load("r3").version, 1u);
  change.group = beside.group = 9;
  outcomes = store().commit({{change, beside}});
  EXPECT_EQ(outcomes, (std::vector{CommitOutcome::done, CommitOutcome::done}));
  reopen();
  EXPECT_EQ(load("r1").version, 2u);
  EXPECT_EQ(load("r2").version, 1u);
}

// A store may write several runs with one statement.
TEST_P(StoreContract, conflicts_anywhere_in_a_large_batch_concern_their_runs_alone) {
  for (uint32_t every : {2u, 3u, 7u, 20u}) {
    CommitBatch batch;
    std::vector<CommitOutcome> expected;
    for (uint32_t i = 0; i < 40; ++i) {
      std::string id = std::to_string(every) + "." + std::to_string(i);
      bool taken = i % every == every - 1;
      if (taken) ASSERT_EQ(commit(creation(id, 5)), CommitOutcome::done);
      batch.runs.push_back(creation(id));
      expected.push_back(taken ? CommitOutcome::conflict : CommitOutcome::done);
    }
    EXPECT_EQ(store().commit(batch), expected);
    reopen();
    for (uint32_t i = 0; i < 40; ++i) {
      StoredRun run = load(batch.runs[i].summary.id.text());
      EXPECT_EQ(run.version, 1u);
      uint32_t events = expected[i] == CommitOutcome::done ? 2 : 5;
      EXPECT_EQ(run.summary.last_sequence, events);
      ASSERT_EQ(run.history.size(), 1u);
      EXPECT_EQ(run.history[0].count, events);
    }
  }
}

TEST_P(StoreContract, empty_batch_is_no_write) { EXPECT_TRUE(store().commit({}).empty()); }

TEST_P(StoreContract, load_answers_in_the_order_of_the_ids) {
  ASSERT_EQ(commit(creation("a")), CommitOutcome::done);
  ASSERT_EQ(commit(creation("b")), CommitOutcome::done);
  RunId ids[] = {RunId("b"), RunId("none"), RunId("a"), RunId("b")};
  auto loaded = store().load(ids);
  ASSERT_TRUE(loaded);
  ASSERT_EQ(loaded->size(), 4u);
  EXPECT_EQ(loaded->at(0).summary.id, RunId("b"));
  EXPECT_EQ(loaded->at(1).version, 0u);
  EXPECT_EQ(loaded->at(2).summary.id, RunId("a"));
  EXPECT_EQ(loaded->at(3).summary, loaded->at(0).summary);
}

TEST_P(StoreContract, large_batch_with_large_histories_is_kept) {
  CommitBatch batch;
  for (int i = 0; i < 300; ++i) {
    batch.runs.push_back(creation("run" + std::to_string(i)));
    batch.runs.back().events.bytes = std::string(static_cast<size_t>(i) * 100, char('a' + i % 26));
  }
  auto outcomes = store().commit(batch);
  EXPECT_EQ(std::count(outcomes.begin(), outcomes.end(), CommitOutcome::done), 300);
  reopen();
  for (int i = 0; i < 300; ++i) {
    EXPECT_EQ(load("run" + std::to_string(i)).history,
              std::vector{batch.runs[static_cast<size_t>(i)].events});
  }
}

// the chain is per account and grows with the commits that were made.
TEST_P(StoreContract, audit_lines_are_chained_per_account) {
  for (int i = 0; i < 3; ++i) {
    std::string id = "r" + std::to_string(i);
    CommitBatch batch;
    batch.runs = {creation(id)};
    batch.runs.front().audit = {sample_line(id), sample_line(id, "other"),
                                sample_line(id + " again")};
    ASSERT_EQ(store().commit(batch).at(0), CommitOutcome::done);
    reopen();
  }
  std::vector<AuditEntry> entries = audit_of(reader(), "acme");
  ASSERT_EQ(entries.size(), 6u);
  EXPECT_EQ(entries.front().line.subject, "r2 again");
  expect_valid_chain(entries);
  EXPECT_EQ(audit_of(reader(), "other").size(), 3u);
  expect_valid_chain(audit_of(reader(), "other"));
}

TEST_P(StoreContract, audit_of_a_run_that_was_not_written_is_dropped) {
  ASSERT_EQ(commit(creation("r1")), CommitOutcome::done);
  CommitBatch batch;
  batch.runs = {creation("r1"), creation("r2")};
  batch.runs.front().audit = {sample_line("r1")};
  EXPECT_EQ(store().commit(batch).at(0), CommitOutcome::conflict);
  EXPECT_TRUE(audit_of(reader(), "acme").empty());
}

std::vector<Store::Pending> all_pending(Store& store, size_t limit) {
  std::vector<Store::Pending> out;
  uint64_t after = 0;
  for (;;) {
    auto page = store.pending(after, limit);
    EXPECT_TRUE(page);
    if (!page) return out;
    EXPECT_LE(page->runs.size(), limit);
    out.insert(out.end(), page->runs.begin(), page->runs.end());
    if (!page->more) return out;
    EXPECT_GT(page->cursor, after);
    after = page->cursor;
  }
}

TEST_P(StoreContract, pending_lists_live_runs_with_a_due_time_or_calls) {
  for (int i = 0; i < 20; ++i) {
    RunSummary run = sample_run("r" + std::to_string(i));
    if (i % 4 == 1) run.next_due = Instant{i};
    if (i % 4 == 2) run.calls_pending = static_cast<uint32_t>(i);
    if (i % 4 == 3) {
      run.next_due = Instant{i};
      run.status = RunStatus::cancelled;
    }
    if (i % 8 == 1) run.status = RunStatus::waiting;
    ASSERT_EQ(commit(creation(run)), CommitOutcome::done);
  }
  reopen();
  for (size_t limit : {1u, 3u, 10u, 100u}) {
    std::vector<Store::Pending> pending = all_pending(store(), limit);
    ASSERT_EQ(pending.size(), 10u) << limit;
    std::sort(pending.begin(), pending.end(),
              [](const auto& a, const auto& b) { return a.id < b.id; });
    auto at = [&](const char* id) {
      return std::find_if(pending.begin(), pending.end(),
                          [&](const auto& p) { return p.id == RunId(id); });
    };
    ASSERT_NE(at("r9"), pending.end());
    EXPECT_EQ(at("r9")->next_due, Instant{9});
    EXPECT_EQ(at("r9")->calls_pending, 0u);
    ASSERT_NE(at("r14"), pending.end());
    EXPECT_EQ(at("r14")->next_due, std::nullopt);
    EXPECT_EQ(at("r14")->calls_pending, 14u);
    EXPECT_EQ(at("r3"), pending.end());
  }
}

TEST_P(StoreContract, run_leaves_the_pending_list_when_it_ends) {
  RunSummary run = sample_run("r1");
  run.status = RunStatus::waiting;
  run.next_due = Instant{5};
  ASSERT_EQ(commit(creation(run)), CommitOutcome::done);
  ASSERT_EQ(all_pending(store(), 10).size(), 1u);
  RunWrite write = next_write(load("r1"));
  write.summary.next_due = Instant{6};
  ASSERT_EQ(commit(write), CommitOutcome::done);
  ASSERT_EQ(all_pending(store(), 10).size(), 1u);
  EXPECT_EQ(all_pending(store(), 10)[0].next_due, Instant{6});
  write = next_write(load("r1"));
  write.summary.status = RunStatus::completed;
  write.summary.next_due.reset();
  ASSERT_EQ(commit(write), CommitOutcome::done);
  EXPECT_TRUE(all_pending(store(), 10).empty());
}

INSTANTIATE_TEST_SUITE_P(adapters, StoreContract, testing::ValuesIn(store_kinds()), kind_name);

}  // namespace
}  // namespace fermata
