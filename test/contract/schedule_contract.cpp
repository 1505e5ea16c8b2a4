#include "test/contract/stores.h"

namespace fermata {
namespace {

schedule::Key key_of(const std::string& id, const std::string& account = "acme") {
  return {AccountId(account), ScheduleId(id)};
}

schedule::ScheduleSummary sample_schedule(const std::string& id,
                                          const std::string& account = "acme") {
  schedule::ScheduleSummary schedule;
  schedule.id = ScheduleId(id);
  schedule.account = AccountId(account);
  schedule.workflow = WorkflowId("report");
  schedule.next_due = Instant{1'700'000'000'000};
  schedule.request_hash = "hash of " + id;
  return schedule;
}

ScheduleWrite creation_of(schedule::ScheduleSummary summary, uint32_t count = 2) {
  ScheduleWrite write;
  write.events = {1, count, "events of " + summary.id.text()};
  summary.last_sequence = count;
  write.summary = std::move(summary);
  return write;
}

class ScheduleContract : public StoreContract {
 protected:
  CommitOutcome put(ScheduleWrite write) {
    CommitBatch batch;
    batch.schedules.push_back(std::move(write));
    return store().commit(batch).at(0);
  }
  StoredSchedule load_schedule(const schedule::Key& key) {
    auto loaded = store().load_schedules(std::span(&key, 1));
    EXPECT_TRUE(loaded) << loaded.error().message;
    return loaded ? loaded->at(0) : StoredSchedule{};
  }
  ScheduleWrite next_of(const std::string& id, uint32_t count = 1) {
    StoredSchedule stored = load_schedule(key_of(id));
    ScheduleWrite write;
    write.expected_version = stored.version;
    write.summary = stored.summary;
    write.events = {stored.summary.last_sequence + 1, count,
                    "version " + std::to_string(stored.version + 1)};
    write.summary.last_sequence += count;
    return write;
  }
  std::string listed(const ScheduleFilter& filter) {
    std::string ids, cursor;
    do {
      auto page = reader().list_schedules(filter, 2, cursor);
      EXPECT_TRUE(page) << page.error().message;
      if (!page) return ids;
      for (const auto& one : page->items) ids += one.account.text() + "/" + one.id.text() + " ";
      cursor = page->next_cursor;
    } while (!cursor.empty());
    return ids;
  }
  std::string open() {
    std::string ids;
    uint64_t cursor = 0;
    for (bool more = true; more;) {
      auto page = store().open_schedules(cursor, 2);
      EXPECT_TRUE(page) << page.error().message;
      if (!page) return ids;
      for (const auto& one : page->schedules) ids += one.id.text() + " ";
      cursor = page->cursor;
      more = page->more;
    }
    return ids;
  }
};

TEST_P(ScheduleContract, schedule_that_does_not_exist_has_version_zero) {
  EXPECT_EQ(load_schedule(key_of("nobody")).version, 0u);
  EXPECT_EQ(reader().find_schedule(key_of("nobody"))->version, 0u);
  EXPECT_TRUE(reader().schedule_history(key_of("nobody"), UINT64_MAX, 10)->empty());
}

TEST_P(ScheduleContract, created_schedule_is_loaded_as_it_was_written) {
  schedule::ScheduleSummary summary = sample_schedule("s1");
  summary.by_clock = true;
  summary.tzdata_version = "2026f";
  summary.next_due = Instant{-5};
  ScheduleWrite write = creation_of(summary);
  EXPECT_EQ(put(write), CommitOutcome::done);
  StoredSchedule stored = load_schedule(key_of("s1"));
  EXPECT_EQ(stored.version, 1u);
  EXPECT_EQ(stored.summary, write.summary);
  EXPECT_EQ(stored.history, std::vector{write.events});
  EXPECT_EQ(stored.checkpoint, std::nullopt);
  EXPECT_EQ(reader().find_schedule(key_of("s1"))->summary, write.summary);
}

TEST_P(ScheduleContract, ids_belong_to_their_account) {
  EXPECT_EQ(put(creation_of(sample_schedule("s1", "acme"))), CommitOutcome::done);
  EXPECT_EQ(put(creation_of(sample_schedule("s1", "other"))), CommitOutcome::done);
  EXPECT_EQ(load_schedule(key_of("s1", "other")).summary.account, AccountId("other"));
  EXPECT_EQ(listed({}), "other/s1 acme/s1 ");
  EXPECT_EQ(listed({.account = AccountId("acme")}), "acme/s1 ");
}

TEST_P(ScheduleContract, write_with_another_version_conflicts_and_changes_nothing) {
  EXPECT_EQ(put(creation_of(sample_schedule("s1"))), CommitOutcome::done);
  EXPECT_EQ(put(creation_of(sample_schedule("s1"))), CommitOutcome::conflict);
  ScheduleWrite late = next_of("s1");
  EXPECT_EQ(put(next_of("s1", 3)), CommitOutcome::done);
  EXPECT_EQ(put(late), CommitOutcome::conflict);
  ScheduleWrite unborn = next_of("s1");
  unborn.summary.id = ScheduleId("nobody");
  EXPECT_EQ(put(unborn), CommitOutcome::conflict);
  StoredSchedule stored = load_schedule(key_of("s1"));
  EXPECT_EQ(stored.version, 2u);
  EXPECT_EQ(stored.history.size(), 2u);
}

TEST_P(ScheduleContract, newest_state_stands_for_the_history_before_it) {
  EXPECT_EQ(put(creation_of(sample_schedule("s1"))), CommitOutcome::done);
  ScheduleWrite with_state = next_of("s1", 2);
  with_state.checkpoint = Checkpoint{4, "state after 4"};
  EXPECT_EQ(put(with_state), CommitOutcome::done);
  ScheduleWrite after = next_of("s1");
  EXPECT_EQ(put(after), CommitOutcome::done);
  StoredSchedule stored = load_schedule(key_of("s1"));
  EXPECT_EQ(stored.checkpoint, with_state.checkpoint);
  EXPECT_EQ(stored.history, std::vector{after.events});
  // Nothing of it is gone.
  auto history = reader().schedule_history(key_of("s1"), UINT64_MAX, 100);
  ASSERT_TRUE(history);
  ASSERT_EQ(history->size(), 3u);
  EXPECT_EQ(history->front(), after.events);
  EXPECT_EQ(history->back().first_sequence, 1u);
}

TEST_P(ScheduleContract, old_history_is_let_go_with_a_state) {
  EXPECT_EQ(put(creation_of(sample_schedule("s1"))), CommitOutcome::done);
  for (int i = 0; i < 6; ++i) EXPECT_EQ(put(next_of("s1", 2)), CommitOutcome::done);
  ScheduleWrite write = next_of("s1", 2);
  write.checkpoint = Checkpoint{16, "state"};
  write.history_from = 10;  // within the chunk of 9 and 10, which therefore stays
  EXPECT_EQ(put(write), CommitOutcome::done);
  auto history = reader().schedule_history(key_of("s1"), UINT64_MAX, 100);
  ASSERT_TRUE(history);
  ASSERT_EQ(history->size(), 4u);
  EXPECT_EQ(history->back().first_sequence, 9u);
  EXPECT_TRUE(load_schedule(key_of("s1")).history.empty());
  EXPECT_EQ(put(next_of("s1")), CommitOutcome::done);
  EXPECT_EQ(load_schedule(key_of("s1")).history.size(), 1u);
}

TEST_P(ScheduleContract, history_is_read_backwards_in_pages) {
  EXPECT_EQ(put(creation_of(sample_schedule("s1"))), CommitOutcome::done);
  for (int i = 0; i < 4; ++i) EXPECT_EQ(put(next_of("s1", 2)), CommitOutcome::done);
  auto page = reader().schedule_history(key_of("s1"), UINT64_MAX, 3);
  ASSERT_TRUE(page);
  ASSERT_EQ(page->size(), 2u);
  EXPECT_EQ(page->at(0).first_sequence, 9u);
  EXPECT_EQ(page->at(1).first_sequence, 7u);
  page = reader().schedule_history(key_of("s1"), 7, 1);
  ASSERT_EQ(page->size(), 1u);
  EXPECT_EQ(page->at(0).first_sequence, 5u);
}

TEST_P(ScheduleContract, list_shows_the_newest_first_and_filters) {
  for (int i = 1; i <= 5; ++i) {
    auto summary = sample_schedule("s" + std::to_string(i));
    if (i % 2 == 0) summary.workflow = WorkflowId("other");
    if (i == 3) summary.status = schedule::Status::paused;
    if (i == 5) summary.status = schedule::Status::deleted;
    EXPECT_EQ(put(creation_of(summary)), CommitOutcome::done);
  }
  EXPECT_EQ(listed({}), "acme/s4 acme/s3 acme/s2 acme/s1 ");
  EXPECT_EQ(listed({.workflow = WorkflowId("other")}), "acme/s4 acme/s2 ");
  EXPECT_EQ(listed({.status = schedule::Status::paused}), "acme/s3 ");
  EXPECT_EQ(listed({.account = AccountId("none")}), "");
  EXPECT_FALSE(reader().list_schedules({}, 2, "garbage"));
}

TEST_P(ScheduleContract, those_that_expect_an_occurrence_are_found_at_start) {
  for (int i = 1; i <= 6; ++i) {
    auto summary = sample_schedule("s" + std::to_string(i));
    if (i == 2) summary.status = schedule::Status::paused;
    if (i == 2) summary.next_due.reset();
    EXPECT_EQ(put(creation_of(summary)), CommitOutcome::done);
  }
  EXPECT_EQ(open(), "s1 s3 s4 s5 s6 ");
  ScheduleWrite ends = next_of("s4");
  ends.summary.status = schedule::Status::ended;
  ends.summary.next_due.reset();
  EXPECT_EQ(put(ends), CommitOutcome::done);
  EXPECT_EQ(open(), "s1 s3 s5 s6 ");
}

// F-61
TEST_P(ScheduleContract, schedule_and_the_run_it_starts_are_written_together_or_not_at_all) {
  CommitBatch batch;
  batch.runs.push_back(creation("r1"));
  batch.schedules.push_back(creation_of(sample_schedule("s1")));
  batch.runs[0].group = batch.schedules[0].group = 7;
  batch.schedules[0].expected_version = 3;
  batch.schedules.push_back(creation_of(sample_schedule("s2")));
  EXPECT_EQ(store().commit(batch),
            (std::vector{CommitOutcome::conflict, CommitOutcome::conflict, CommitOutcome::done}));
  EXPECT_EQ(load_schedule(key_of("s1")).version, 0u);
  EXPECT_EQ(reader().find(RunId("r1"))->version, 0u);
  batch.schedules[0].expected_version = 0;
  batch.schedules.pop_back();
  EXPECT_EQ(store().commit(batch), (std::vector{CommitOutcome::done, CommitOutcome::done}));
  EXPECT_EQ(load_schedule(key_of("s1")).version, 1u);
  EXPECT_EQ(reader().find(RunId("r1"))->version, 1u);
}

TEST_P(ScheduleContract, outlives_the_process) {
  ScheduleWrite write = creation_of(sample_schedule("s1"));
  write.checkpoint = Checkpoint{2, std::string("a\0b", 3)};
  write.audit.push_back({AccountId("acme"), Instant{1}, "local", "schedule.create", "s1", "", {}});
  EXPECT_EQ(put(write), CommitOutcome::done);
  reopen();
  StoredSchedule stored = load_schedule(key_of("s1"));
  EXPECT_EQ(stored.version, 1u);
  EXPECT_EQ(stored.checkpoint, write.checkpoint);
  EXPECT_EQ(put(next_of("s1")), CommitOutcome::done);
  EXPECT_EQ(put(creation_of(sample_schedule("s2"))), CommitOutcome::done);
  EXPECT_EQ(reader().audit({.action = "schedule.create"}, 10, "")->items.size(), 1u);
}

// F-61: what was deleted goes when it has been gone for long enough; its id may be used again.
TEST_P(ScheduleContract, deleted_schedules_are_removed_after_their_time) {
  for (const char* id : {"kept", "gone", "revived"})
    ASSERT_EQ(put(creation_of(sample_schedule(id))), CommitOutcome::done);
  auto set = [&](const std::string& id, schedule::Status status) {
    ScheduleWrite write = next_of(id);
    write.summary.status = status;
    write.summary.next_due.reset();
    ASSERT_EQ(put(write), CommitOutcome::done);
  };
  set("gone", schedule::Status::deleted);
  set("revived", schedule::Status::deleted);
  Duration day{86'400'000};
  Instant now{1'700'000'000'000};
  EXPECT_EQ(retention().remove_schedules(now, day, 10)->removed, 0u);
  set("revived", schedule::Status::paused);
  reopen();
  EXPECT_EQ(retention().remove_schedules(now + Duration{day.ms - 1}, day, 10)->removed, 0u);
  // Found again only now: what has happened to its id since counts from here.
  set("revived", schedule::Status::deleted);
  auto swept = retention().remove_schedules(now + day, day, 10);
  ASSERT_TRUE(swept);
  EXPECT_EQ(swept->removed, 1u);
  EXPECT_FALSE(swept->more);
  EXPECT_EQ(load_schedule(key_of("gone")).version, 0u);
  EXPECT_TRUE(reader().schedule_history(key_of("gone"), UINT64_MAX, 10)->empty());
  EXPECT_EQ(load_schedule(key_of("revived")).version, 4u);
  EXPECT_EQ(listed({.account = AccountId("acme")}), "acme/kept ");
  ASSERT_EQ(put(creation_of(sample_schedule("gone"))), CommitOutcome::done);
  EXPECT_EQ(load_schedule(key_of("gone")).version, 1u);
}

INSTANTIATE_TEST_SUITE_P(adapters, ScheduleContract, testing::ValuesIn(store_kinds()), kind_name);

}  // namespace
}  // namespace fermata
