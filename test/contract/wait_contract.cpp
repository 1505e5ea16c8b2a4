#include "base/json.h"
#include "test/contract/stores.h"

/// Waits are written with their run and read beside it (W-90).
namespace fermata {
namespace {

WaitRecord sample_wait(const std::string& run, const std::string& step, uint32_t occurrence = 1) {
  WaitRecord record{AccountId("acme"), WorkflowId("orders"), RunId(run), "c-17", {}};
  Wait& wait = record.wait;
  wait.id = run + "-" + step + "-" + std::to_string(occurrence);
  wait.step = step;
  wait.occurrence = occurrence;
  wait.type = "fixed_time";
  wait.config = Value::object({{"duration", 30}, {"unit", "minutes"}});
  wait.due = Instant{1'700'000'000'000};
  wait.reached_at = Instant{1'600'000'000'000};
  wait.updated_at = Instant{1'600'000'000'001};
  return record;
}

class WaitContract : public StoreContract {
 protected:
  /// A run with these waits, or its next commit.
  CommitOutcome put(const std::string& run, std::vector<WaitRecord> waits) {
    StoredRun stored = load(run);
    RunWrite write = stored.version == 0 ? creation(run) : next_write(stored);
    write.waits = std::move(waits);
    return commit(std::move(write));
  }
  std::vector<std::string> listed(const WaitFilter& filter, size_t limit = 2) {
    std::vector<std::string> ids;
    WaitStart start;
    do {
      auto page = reader().list_waits(filter, limit, start);
      EXPECT_TRUE(page) << page.error().message;
      if (!page) return ids;
      for (const WaitRecord& record : page->items) ids.push_back(record.wait.id);
      EXPECT_GE(page->total, ids.size());
      start.cursor = page->next_cursor;
    } while (!start.cursor.empty());
    return ids;
  }
  using Ids = std::vector<std::string>;
};

// W-90, W-5
TEST_P(WaitContract, wait_is_read_as_it_was_written) {
  WaitRecord record = sample_wait("r1", "w");
  Wait& wait = record.wait;
  wait.type = "until_time";
  wait.source = WaitSource::flow;
  wait.intent = Value::object({{"timezone", "Europe/Berlin"}, {"plus_ms", 0}});
  wait.hold = "operator";
  WaitRecord heard = sample_wait("r1", "e");
  heard.contact_id.clear();
  heard.wait.type = "for_event";
  heard.wait.status = WaitStatus::resumed;
  heard.wait.due.reset();
  heard.wait.parked = false;
  heard.wait.ended_at = Instant{1'650'000'000'000};
  heard.wait.resumed_by = "event";
  heard.wait.signal_id = "ev-1";
  Listener listener;
  listener.event_type = "email_open";
  listener.criteria = Value::object({{"message_id", "m"}});
  listener.scope = "contact";
  listener.status = ListenerStatus::matched;
  listener.matched_at = Instant{1'650'000'000'000};
  listener.matched_event = "ev-1";
  heard.wait.listeners = {listener};
  heard.wait.callback = Value::object({{"url", "https://crm.example/hook"}});
  heard.wait.metadata = Value::object({{"deal", 7}});
  heard.wait.outcome = Value::object({{"branch", "won"}});
  heard.wait.request = "key:body";
  heard.wait.last_error = "none";
  heard.wait.ending = 3;
  ASSERT_EQ(put("r1", {record, heard}), CommitOutcome::done);
  reopen();
  EXPECT_EQ(reader().find_wait("r1-w-1")->value(), record);
  EXPECT_EQ(reader().find_wait("r1-e-1")->value(), heard);
  EXPECT_FALSE(reader().find_wait("nobody")->has_value());
}

// W-3
TEST_P(WaitContract, waits_of_a_step_come_by_occurrence) {
  ASSERT_EQ(put("r1", {sample_wait("r1", "w", 1), sample_wait("r1", "v")}), CommitOutcome::done);
  ASSERT_EQ(put("r1", {sample_wait("r1", "w", 2)}), CommitOutcome::done);
  ASSERT_EQ(put("r2", {sample_wait("r2", "w")}), CommitOutcome::done);
  auto at_step = *reader().waits_of(RunId("r1"), "w");
  ASSERT_EQ(at_step.size(), 2u);
  EXPECT_EQ(at_step[0].wait.occurrence, 1u);
  EXPECT_EQ(at_step[1].wait.occurrence, 2u);
  EXPECT_EQ(reader().waits_of(RunId("r1"), "")->size(), 3u);
  EXPECT_TRUE(reader().waits_of(RunId("r1"), "x")->empty());
}

TEST_P(WaitContract, what_changed_takes_the_place_of_what_was) {
  WaitRecord record = sample_wait("r1", "w");
  ASSERT_EQ(put("r1", {record}), CommitOutcome::done);
  EXPECT_EQ(listed({.statuses = {WaitStatus::scheduled}}), Ids{"r1-w-1"});
  record.wait.status = WaitStatus::cancelled;
  record.wait.ended_reason = "asked for";
  record.wait.due = Instant{1'800'000'000'000};
  ASSERT_EQ(put("r1", {record}), CommitOutcome::done);
  EXPECT_EQ(reader().find_wait("r1-w-1")->value(), record);
  EXPECT_EQ(listed({.statuses = {WaitStatus::scheduled}}), Ids{});
  EXPECT_EQ(listed({.statuses = {WaitStatus::cancelled}}), Ids{"r1-w-1"});
}

TEST_P(WaitContract, waits_of_a_commit_that_conflicts_are_not_written) {
  ASSERT_EQ(put("r1", {}), CommitOutcome::done);
  RunWrite late = creation("r1");
  late.waits = {sample_wait("r1", "w")};
  EXPECT_EQ(commit(std::move(late)), CommitOutcome::conflict);
  EXPECT_FALSE(reader().find_wait("r1-w-1")->has_value());
}

// W-14, S-34
TEST_P(WaitContract, lists_go_by_due_time_without_gap_or_repeat) {
  std::vector<WaitRecord> waits;
  Ids expected;
  for (uint32_t i = 1; i <= 7; ++i) {
    waits.push_back(sample_wait("r1", "w", i));
    // The later ones are due first; two at a time are due together.
    waits.back().wait.due = Instant{1'700'000'000'000 - (i / 2) * 1000};
  }
  waits[0].wait.due.reset();
  ASSERT_EQ(put("r1", waits), CommitOutcome::done);
  for (uint32_t i : {6, 7, 4, 5, 2, 3, 1}) expected.push_back("r1-w-" + std::to_string(i));
  EXPECT_EQ(listed({.account = AccountId("acme")}), expected);
  Ids passed;
  for (size_t offset : {0, 3, 6}) {
    auto page = reader().list_waits({}, 3, {"", offset});
    EXPECT_EQ(page->total, 7u);
    for (const WaitRecord& record : page->items) passed.push_back(record.wait.id);
  }
  EXPECT_EQ(passed, expected);
  for (const char* wrong : {"x", "12", ".r", "-", "99999999999999999999.x"})
    EXPECT_FALSE(reader().list_waits({}, 3, {wrong, 0})) << wrong;
}

// W-14, W-17
TEST_P(WaitContract, every_filter_narrows) {
  WaitRecord a = sample_wait("r1", "a"), b = sample_wait("r2", "b"), c = sample_wait("r3", "c");
  a.contact_id = "other";
  a.wait.due = Instant{1'000};
  b.workflow = WorkflowId("billing");
  b.wait.type = "for_event";
  b.wait.status = WaitStatus::waiting;
  b.wait.due = Instant{2'000};
  Listener listener;
  listener.event_type = "email_open";
  b.wait.listeners = {listener};
  c.account = AccountId("rival");
  c.wait.source = WaitSource::api;
  c.wait.hold = "operator";
  c.wait.due = Instant{3'000};
  ASSERT_EQ(put("r1", {a}), CommitOutcome::done);
  ASSERT_EQ(put("r2", {b}), CommitOutcome::done);
  ASSERT_EQ(put("r3", {c}), CommitOutcome::done);
  const std::string A = "r1-a-1", B = "r2-b-1", C = "r3-c-1";
  EXPECT_EQ(listed({}), (Ids{A, B, C}));
  EXPECT_EQ(listed({.account = AccountId("rival")}), Ids{C});
  EXPECT_EQ(listed({.type = "for_event"}), Ids{B});
  EXPECT_EQ(listed({.workflow = WorkflowId("billing")}), Ids{B});
  EXPECT_EQ(listed({.run = RunId("r1")}), Ids{A});
  EXPECT_EQ(listed({.contact_id = "other"}), Ids{A});
  EXPECT_EQ(listed({.step = "b"}), Ids{B});
  EXPECT_EQ(listed({.event_type = "email_open"}), Ids{B});
  EXPECT_EQ(listed({.source = WaitSource::api}), Ids{C});
  EXPECT_EQ(listed({.on_hold = true}), Ids{C});
  EXPECT_EQ(listed({.on_hold = false}), (Ids{A, B}));
  EXPECT_EQ(listed({.due_from = Instant{2'000}}), (Ids{B, C}));
  EXPECT_EQ(listed({.due_to = Instant{2'000}}), Ids{A});
  EXPECT_EQ(listed({.q = "BILL"}), Ids{B});
  EXPECT_EQ(listed({.statuses = {WaitStatus::waiting}}), Ids{B});
}

// W-21
TEST_P(WaitContract, waits_are_counted_by_quarter_of_an_hour_and_type) {
  std::vector<WaitRecord> waits;
  for (uint32_t i = 1; i <= 4; ++i) waits.push_back(sample_wait("r1", "w", i));
  constexpr int64_t slot = 900'000;
  waits[0].wait.due = Instant{slot * 10};
  waits[1].wait.due = Instant{slot * 11 - 1};
  waits[2].wait.due = Instant{slot * 11};
  waits[3].wait.due = Instant{slot * 11};
  waits[3].wait.type = "until_time";
  ASSERT_EQ(put("r1", waits), CommitOutcome::done);
  std::vector<WaitSlot> expected{{Instant{slot * 10}, "fixed_time", 2},
                                 {Instant{slot * 11}, "fixed_time", 1},
                                 {Instant{slot * 11}, "until_time", 1}};
  EXPECT_EQ(*reader().wait_slots({.account = AccountId("acme")}), expected);
  EXPECT_EQ(reader().wait_slots({.type = "until_time"})->size(), 1u);
  EXPECT_TRUE(reader().wait_slots({.account = AccountId("rival")})->empty());
}

TEST_P(WaitContract, waits_go_with_their_run) {
  RunSummary run = sample_run("r1");
  run.status = RunStatus::completed;
  run.completed_at = Instant{1'000};
  RunWrite write = creation(run);
  write.waits = {sample_wait("r1", "w")};
  ASSERT_EQ(commit(std::move(write)), CommitOutcome::done);
  ASSERT_EQ(put("r2", {sample_wait("r2", "w")}), CommitOutcome::done);
  ASSERT_TRUE(retention().remove_run(RunId("r1"), sample_line("r1")));
  EXPECT_EQ(listed({}), Ids{"r2-w-1"});
  EXPECT_TRUE(reader().waits_of(RunId("r1"), "")->empty());
}

INSTANTIATE_TEST_SUITE_P(adapters, WaitContract, testing::ValuesIn(store_kinds()), kind_name);

}  // namespace
}  // namespace fermata
