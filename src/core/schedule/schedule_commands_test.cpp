#include <gtest/gtest.h>

#include "core/schedule/schedule_fixture.h"
#include "core/schedule/snapshot.h"
#include "core/schedule/view.h"

namespace fermata::schedule {
// F-58
TEST(Schedule, creating_twice_is_answered_once_and_another_request_is_refused) {
  TestSchedule test = hourly();
  ASSERT_TRUE(test.create());
  auto again = test.create();
  ASSERT_TRUE(again);
  EXPECT_TRUE(again->events.empty());
  EXPECT_EQ(code_of(test.tell(CreateSchedule{test.spec, false, "other"})), "schedule_exists");
}

// F-58, F-59
TEST(Schedule, wrong_specifications_are_refused_with_everything_that_is_wrong) {
  auto refusal = [](auto change) {
    TestSchedule test = hourly();
    change(test.spec);
    auto outcome = test.create();
    std::string told = code_of(outcome);
    if (!outcome)
      for (const Finding& finding : outcome.error().findings) told += " " + finding.path;
    return told;
  };
  EXPECT_EQ(refusal([](Spec& spec) { spec.cron = "0 0 30 2 *"; }), "schedule_never_fires /cron");
  EXPECT_EQ(refusal([](Spec& spec) { spec.cron = "61 * * * *"; }), "invalid_field /cron");
  EXPECT_EQ(refusal([](Spec& spec) { spec.timezone = "Mars/Base"; }), "unknown_timezone /timezone");
  EXPECT_EQ(refusal([](Spec& spec) { spec.every_ms = 5'000; }), "invalid_field /every_ms");
  EXPECT_EQ(refusal([](Spec& spec) {
              spec.cron.clear();
              spec.every_ms = 999;
            }),
            "invalid_field /every_ms");
  EXPECT_EQ(refusal([](Spec& spec) { spec.cron.clear(); }), "invalid_field /cron");
  EXPECT_EQ(refusal([](Spec& spec) {
              spec.workflow = {};
              spec.jitter_ms = -1;
              spec.catch_up_ms = catch_up_ms_max + 1;
              spec.start_at = Instant{2};
              spec.end_at = Instant{1};
            }),
            "invalid_field /workflow_id /jitter_ms /catch_up_ms /end_at");
}

// F-62
TEST(Schedule, pause_is_no_downtime) {
  TestSchedule test = hourly();
  test.spec.catch_up = CatchUp::all;
  ASSERT_TRUE(test.create());
  test.run_to("2026-01-26T01:30:00Z");
  ASSERT_TRUE(test.tell(PauseSchedule{}));
  EXPECT_TRUE(test.tell(PauseSchedule{})->events.empty());
  EXPECT_EQ(test.schedule.next, std::nullopt);
  test.given.now = at("2026-01-26T05:30:00Z");
  EXPECT_EQ(code_of(test.tell(WakeSchedule{})), "nothing_due");
  ASSERT_TRUE(test.tell(ResumeSchedule{}));
  test.run_to("2026-01-26T06:30:00Z");
  EXPECT_EQ(test.started(), "2026-01-26T01:00:00.000Z 2026-01-26T06:00:00.000Z");
  EXPECT_EQ(test.skipped(), "");
}

// F-58
TEST(Schedule, trigger_starts_at_once_whatever_else_runs_and_once_per_key) {
  TestSchedule test = hourly();
  test.spec.overlap = Overlap::skip;
  ASSERT_TRUE(test.create());
  test.run_to("2026-01-26T01:10:00Z");
  ASSERT_TRUE(test.tell(TriggerSchedule{"k1"}));
  ASSERT_TRUE(test.tell(TriggerSchedule{"k1"}));
  ASSERT_TRUE(test.tell(TriggerSchedule{"k2"}));
  EXPECT_EQ(test.orders.size(), 3u);
  EXPECT_EQ(test.orders[1].trigger.get("cause"), Value("trigger"));
  EXPECT_EQ(test.orders[1].start_at, test.given.now);
  EXPECT_EQ(test.schedule.next, at("2026-01-26T02:00:00Z"));
  EXPECT_EQ(test.schedule.runs_started, 1u);
  EXPECT_EQ(code_of(test.tell(TriggerSchedule{""})), "invalid_field");
}

// F-58
TEST(Schedule, trigger_whose_run_is_over_is_known_by_its_run) {
  TestSchedule test = hourly();
  ASSERT_TRUE(test.create());
  ASSERT_TRUE(test.tell(TriggerSchedule{"k1"}));
  test.end_oldest_run();
  auto again = test.tell(TriggerSchedule{"k1", true});
  ASSERT_TRUE(again);
  EXPECT_TRUE(again->events.empty());
  EXPECT_EQ(test.orders.size(), 1u);
}

// F-62
TEST(Schedule, runs_under_way_have_a_bound_for_every_way_to_start_one) {
  TestSchedule test = hourly();
  test.given.limits.live_max = 2;
  ASSERT_TRUE(test.create());
  test.run_to("2026-01-26T04:30:00Z");
  EXPECT_EQ(test.schedule.live.size(), 2u);
  EXPECT_EQ(test.skipped(),
            "live_limit 1 2026-01-26T03:00:00.000Z..2026-01-26T03:00:00.000Z; "
            "live_limit 1 2026-01-26T04:00:00.000Z..2026-01-26T04:00:00.000Z");
  EXPECT_EQ(code_of(test.tell(TriggerSchedule{"k1"})), "queue_full");
  EXPECT_EQ(
      code_of(test.tell(BackfillSchedule{at("2026-01-25T03:00:00Z"), at("2026-01-25T05:00:00Z")})),
      "queue_full");
}

TEST(Schedule, state_is_read_back_as_it_was_and_damage_is_noticed) {
  TestSchedule test = hourly();
  test.spec.overlap = Overlap::queue;
  test.spec.labels = Value::object({{"team", "blue"}});
  ASSERT_TRUE(test.create());
  test.run_to("2026-01-26T04:30:00Z");
  ASSERT_FALSE(test.schedule.queue.empty());
  std::string bytes = encode_state(test.schedule);
  EXPECT_TRUE(decode_state(bytes).value() == test.schedule);
  for (size_t size = 0; size < bytes.size(); ++size)
    EXPECT_FALSE(decode_state(bytes.substr(0, size))) << size;
  EXPECT_FALSE(decode_state(bytes + "x"));
  std::string other = bytes;
  other[0] = 9;
  EXPECT_FALSE(decode_state(other));
}

// F-58
TEST(Schedule, backfill_starts_past_occurrences_one_after_the_other) {
  TestSchedule test = hourly("2026-01-26T10:30:00Z");
  test.spec.overlap = Overlap::skip;
  ASSERT_TRUE(test.create());
  ASSERT_TRUE(test.tell(BackfillSchedule{at("2026-01-26T03:00:00Z"), at("2026-01-26T05:00:00Z")}));
  EXPECT_EQ(test.started(), "2026-01-26T03:00:00.000Z");
  test.run_to("2026-01-26T11:30:00Z");
  EXPECT_EQ(test.schedule.skipped, 1u);
  test.end_oldest_run();
  test.end_oldest_run();
  test.end_oldest_run();
  EXPECT_EQ(test.started(),
            "2026-01-26T03:00:00.000Z 2026-01-26T04:00:00.000Z 2026-01-26T05:00:00.000Z");
  EXPECT_EQ(test.schedule.runs_started, 0u);
}

// F-58
TEST(Schedule, backfill_with_allow_starts_all_and_names_the_runs_of_the_rule) {
  TestSchedule test = hourly();
  ASSERT_TRUE(test.create());
  test.run_to("2026-01-26T02:30:00Z");
  RunId first = test.orders[0].run;
  test.end_oldest_run();
  test.end_oldest_run();
  ASSERT_TRUE(test.tell(BackfillSchedule{at("2026-01-26T01:00:00Z"), at("2026-01-26T02:00:00Z")}));
  ASSERT_EQ(test.orders.size(), 4u);
  // The run that was there already refuses to start a second time.
  EXPECT_EQ(test.orders[2].run, first);
}

// F-58
TEST(Schedule, backfill_has_bounds) {
  TestSchedule test = hourly("2026-01-26T10:30:00Z");
  test.given.limits.backfill_max = 3;
  ASSERT_TRUE(test.create());
  auto code = [&](std::string_view from, std::string_view to) {
    return code_of(test.tell(BackfillSchedule{at(from), at(to)}));
  };
  EXPECT_EQ(code("2026-01-26T01:00:00Z", "2026-01-26T04:00:00Z"), "invalid_field");
  EXPECT_EQ(code("2026-01-26T02:00:00Z", "2026-01-26T01:00:00Z"), "invalid_field");
  EXPECT_EQ(code("2026-01-26T02:00:00Z", "2026-01-26T11:00:00Z"), "invalid_field");
  EXPECT_EQ(code("2026-01-26T01:00:00Z", "2026-01-26T03:00:00Z"), "accepted");
}

// F-58
TEST(Schedule, ends_after_its_last_run_or_its_end) {
  TestSchedule test = hourly();
  test.spec.max_runs = 2;
  ASSERT_TRUE(test.create());
  test.run_to("2026-01-26T09:00:00Z");
  EXPECT_EQ(test.orders.size(), 2u);
  EXPECT_EQ(test.schedule.ended, "max_runs");
  TestSchedule until = hourly();
  until.spec.end_at = at("2026-01-26T03:00:00Z");
  ASSERT_TRUE(until.create());
  until.run_to("2026-01-26T09:00:00Z");
  EXPECT_EQ(until.orders.size(), 3u);
  EXPECT_EQ(until.schedule.ended, "end_at");
  EXPECT_EQ(until.schedule.status(), Status::ended);
  // A later end wakes it up again, from then on.
  until.spec.end_at = at("2026-01-26T10:00:00Z");
  ASSERT_TRUE(until.tell(UpdateSchedule{until.spec, {}}));
  until.run_to("2026-01-26T12:00:00Z");
  EXPECT_EQ(until.orders.size(), 4u);
}

// F-58
TEST(Schedule, queue_counts_into_the_number_of_runs) {
  TestSchedule test = hourly();
  test.spec.overlap = Overlap::queue;
  test.spec.max_runs = 3;
  ASSERT_TRUE(test.create());
  test.run_to("2026-01-26T09:30:00Z");
  EXPECT_EQ(test.schedule.queue.size(), 2u);
  EXPECT_EQ(test.schedule.ended, "max_runs");
  test.end_oldest_run();
  test.end_oldest_run();
  test.end_oldest_run();
  EXPECT_EQ(test.orders.size(), 3u);
}

// F-58
TEST(Schedule, changed_rule_counts_from_now_and_another_change_keeps_the_next_occurrence) {
  TestSchedule test = hourly();
  ASSERT_TRUE(test.create());
  test.spec.input = Value::object({{"n", 2}});
  ASSERT_TRUE(test.tell(UpdateSchedule{test.spec, test.schedule.revision}));
  EXPECT_EQ(test.schedule.next, at("2026-01-26T01:00:00Z"));
  EXPECT_EQ(code_of(test.tell(UpdateSchedule{test.spec, 1})), "version_conflict");
  test.spec.cron = "45 * * * *";
  ASSERT_TRUE(test.tell(UpdateSchedule{test.spec, {}}));
  EXPECT_EQ(test.schedule.next, at("2026-01-26T00:45:00Z"));
  test.run_to("2026-01-26T01:30:00Z");
  EXPECT_EQ(test.started(), "2026-01-26T00:45:00.000Z");
  EXPECT_EQ(test.orders[0].input, Value::object({{"n", 2}}));
}

// F-58
TEST(Schedule, deleted_id_may_be_used_again_for_other_runs) {
  TestSchedule test = hourly();
  ASSERT_TRUE(test.create());
  test.run_to("2026-01-26T01:30:00Z");
  ASSERT_TRUE(test.tell(DeleteSchedule{}));
  EXPECT_EQ(code_of(test.tell(WakeSchedule{})), "schedule_not_found");
  EXPECT_EQ(code_of(test.tell(PauseSchedule{})), "schedule_not_found");
  RunId before = run_of(test.schedule, at("2026-01-26T02:00:00Z"));
  ASSERT_TRUE(test.create());
  EXPECT_NE(run_of(test.schedule, at("2026-01-26T02:00:00Z")), before);
  test.run_to("2026-01-26T02:30:00Z");
  EXPECT_EQ(test.orders.size(), 2u);
}

// F-58
TEST(Schedule, view_shows_what_was_told_and_what_is_going_on) {
  TestSchedule test = hourly();
  test.spec.timezone = "Europe/Berlin";
  ASSERT_TRUE(test.create());
  test.run_to("2026-01-26T01:30:00Z");
  Value shown = view(test.schedule);
  EXPECT_EQ(shown.get("cron"), Value("0 * * * *"));
  EXPECT_EQ(shown.get("overlap"), Value("allow"));
  EXPECT_EQ(shown.get("status"), Value("active"));
  EXPECT_EQ(shown.get("next"), Value("2026-01-26T02:00:00.000Z"));
  EXPECT_EQ(shown.get("live").size(), 1u);
  EXPECT_TRUE(shown.get("every_ms").is_null());
  auto events = decode_history(test.history.back()).value();
  Value event = view(events[0]);
  EXPECT_EQ(event.get("type"), Value("OccurrenceStarted"));
  EXPECT_EQ(event.get("execution_id"), Value(test.orders[0].run.text()));
  ScheduleSummary summary = summarize(test.schedule);
  EXPECT_EQ(summary.next_due, at("2026-01-26T02:00:00Z"));
  EXPECT_TRUE(summary.by_clock);
}

TEST(Schedule, damaged_history_is_found) {
  TestSchedule test = hourly();
  ASSERT_TRUE(test.create());
  HistoryChunk chunk = test.history[0];
  for (size_t size = 0; size < chunk.bytes.size(); ++size) {
    HistoryChunk cut = chunk;
    cut.bytes.resize(size);
    EXPECT_FALSE(fold(test.schedule.id, {cut})) << size;
  }
  HistoryChunk later = chunk;
  later.first_sequence = 2;
  EXPECT_FALSE(fold(test.schedule.id, {later}));
}

}  // namespace fermata::schedule
