#include <algorithm>
#include <map>

#include "base/json.h"
#include "base/random.h"
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

/// What the numbers of a store must come to, counted row by row.
WaitTally counted_from(const std::map<std::string, WaitRecord>& rows, const WorkflowId& workflow,
                       Instant now) {
  TallyChanges counts;
  WaitTally total;
  for (const auto& [id, record] : rows) {
    if (!workflow.empty() && record.workflow != workflow) continue;
    tally_wait(counts, record, 1);
    tally_happened(counts, std::nullopt, record);
    const Wait& wait = record.wait;
    bool to_come = is_pending(wait.status) && wait.hold.empty() && wait.due && *wait.due >= now;
    if (to_come && *wait.due < now + Duration{3'600'000}) ++total.due_next_hour;
    if (to_come && *wait.due < now + Duration{86'400'000}) ++total.due_next_day;
  }
  for (const auto& [key, count] : counts) add_to(total, key, count, now);
  return total;
}

/// The same in one order.
WaitTally in_order(WaitTally tally) {
  auto by_name = [](const auto& a, const auto& b) {
    return std::tie(a.type, a.waits) < std::tie(b.type, b.waits);
  };
  std::sort(tally.pending.begin(), tally.pending.end(), [](const auto& a, const auto& b) {
    return std::tie(a.type, a.source, a.hold) < std::tie(b.type, b.source, b.hold);
  });
  std::sort(tally.ended.begin(), tally.ended.end(), [](const auto& a, const auto& b) {
    return std::tie(a.type, a.status, a.resumed_by) < std::tie(b.type, b.status, b.resumed_by);
  });
  std::sort(tally.opened.begin(), tally.opened.end(), by_name);
  return tally;
}

// W-20, W-21, W-80: whatever happens to waits, the numbers are those of the rows.
TEST_P(WaitContract, numbers_of_waits_follow_every_change) {
  Random dice(20'26);
  Instant now{1'700'000'000'000};
  std::map<std::string, WaitRecord> rows;
  const char* types[] = {"fixed_time", "until_time", "for_event"};
  for (int round = 0; round < 120; ++round) {
    std::string run = "r" + std::to_string(dice.below(6));
    auto step = static_cast<uint32_t>(dice.below(4));
    std::string id = run + "-w-" + std::to_string(step + 1);
    auto known = rows.find(id);
    WaitRecord record = known == rows.end() ? sample_wait(run, "w", step + 1) : known->second;
    Wait& wait = record.wait;
    if (known == rows.end()) {
      record.workflow = WorkflowId(dice.chance(0.5) ? "orders" : "nurture");
      wait.type = types[dice.below(3)];
      wait.reached_at = now - Duration{static_cast<int64_t>(dice.below(200)) * 60'000};
      if (wait.is_for_event()) {
        wait.status = WaitStatus::waiting;
        wait.config = Value::object({{"event_type", "email_open"}});
        wait.listeners.resize(1 + dice.below(2));
        for (Listener& listener : wait.listeners) listener.event_type = "email_open";
      }
    } else if (!is_pending(wait.status)) {
      continue;
    }
    wait.due = now + Duration{static_cast<int64_t>(dice.below(3'000)) * 60'000};
    const char* holds[] = {"", "limit", "operator", "resumes_off"};
    wait.hold = holds[dice.below(4)];
    if (dice.chance(0.3)) {
      wait.status = dice.chance(0.5) ? WaitStatus::resumed : WaitStatus::cancelled;
      wait.resumed_by = wait.status == WaitStatus::resumed ? "scheduler" : "cancelled";
      wait.ended_at = now;
      wait.hold.clear();
      for (Listener& listener : wait.listeners) listener.status = ListenerStatus::cancelled;
    }
    ASSERT_EQ(put(run, {record}), CommitOutcome::done);
    rows[id] = record;
  }
  for (const char* workflow : {"", "orders"}) {
    auto kept = reader().wait_tally(AccountId("acme"), WorkflowId(workflow), now);
    ASSERT_TRUE(kept) << kept.error().message;
    EXPECT_EQ(in_order(*kept), in_order(counted_from(rows, WorkflowId(workflow), now)));
  }
  EXPECT_EQ(in_order(*reader().wait_tally(AccountId(), WorkflowId(), now)),
            in_order(counted_from(rows, WorkflowId(), now)));
  EXPECT_TRUE(reader().wait_tally(AccountId("rival"), WorkflowId(), now)->pending.empty());
  EXPECT_EQ(*reader().wait_accounts(), std::vector<AccountId>{AccountId("acme")});
  uint64_t counted = 0, overdue = 0;
  Instant later = now + Duration{2'500 * 60'000};
  for (const auto& [id, record] : rows) {
    counted += counts_in_limit(record.wait) ? 1 : 0;
    overdue += is_overdue(record.wait, later) ? 1 : 0;
  }
  using Counts = std::vector<std::pair<AccountId, uint64_t>>;
  EXPECT_EQ(*store().counted_waits(), (Counts{{AccountId("acme"), counted}}));
  auto late = reader().overdue_waits(AccountId(), later);
  ASSERT_TRUE(late);
  ASSERT_EQ(late->size(), 1u);
  EXPECT_EQ(late->front().waits, overdue);
  WaitFilter filter{.account = AccountId("acme"),
                    .statuses = {WaitStatus::scheduled, WaitStatus::waiting}};
  EXPECT_EQ(reader().list_waits(filter, 1, {})->total, listed(filter, 50).size());
  filter.unheld = true;
  filter.due_to = later;
  EXPECT_EQ(reader().list_waits(filter, 1, {})->total, overdue);
  // A calendar that begins and ends within quarters of an hour.
  filter = {.account = AccountId("acme"),
            .statuses = {WaitStatus::scheduled, WaitStatus::waiting},
            .on_hold = false,
            .due_from = now + Duration{7 * 60'000},
            .due_to = now + Duration{2'000 * 60'000}};
  uint64_t to_come = 0;
  for (const WaitSlot& slot : *reader().wait_slots(filter)) to_come += slot.waits;
  EXPECT_EQ(to_come, listed(filter, 50).size());
}

// W-80, W-48
TEST_P(WaitContract, engine_finds_what_waits_for_room_and_what_follows_zones) {
  WaitRecord late = sample_wait("r1", "w"), early = sample_wait("r2", "w");
  late.wait.hold = early.wait.hold = "limit";
  early.wait.reached_at = late.wait.reached_at - Duration{1};
  WaitRecord held = sample_wait("r3", "w");
  held.wait.hold = "operator";
  ASSERT_EQ(put("r1", {late}), CommitOutcome::done);
  ASSERT_EQ(put("r2", {early}), CommitOutcome::done);
  ASSERT_EQ(put("r3", {held}), CommitOutcome::done);
  auto limited = store().limited_waits(0, 10);
  ASSERT_TRUE(limited);
  ASSERT_EQ(limited->size(), 2u);
  EXPECT_EQ(limited->at(0).run, RunId("r2"));
  EXPECT_EQ(store().limited_waits(1, 10)->size(), 1u);
  WaitRecord old = sample_wait("r4", "w"), fresh = sample_wait("r5", "w");
  old.wait.intent = Value::object({{"timezone", "Europe/Berlin"}, {"tzdata_version", "2026a"}});
  fresh.wait.intent = Value::object({{"timezone", "Europe/Berlin"}, {"tzdata_version", "2026b"}});
  WaitRecord gone = sample_wait("r6", "w");
  gone.wait.intent = old.wait.intent;
  gone.wait.status = WaitStatus::resumed;
  gone.wait.ended_at = gone.wait.due;
  for (const WaitRecord& one : {old, fresh, gone})
    ASSERT_EQ(put(one.run.text(), {one}), CommitOutcome::done);
  using Runs = std::vector<RunId>;
  EXPECT_EQ(*store().runs_of_other_zones("2026b", RunId(), 10), Runs{RunId("r4")});
  EXPECT_EQ(*store().runs_of_other_zones("2026c", RunId(), 10), (Runs{RunId("r4"), RunId("r5")}));
  EXPECT_EQ(*store().runs_of_other_zones("2026c", RunId("r4"), 10), Runs{RunId("r5")});
  EXPECT_EQ(*store().runs_of_other_zones("2026c", RunId(), 1), Runs{RunId("r4")});
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
