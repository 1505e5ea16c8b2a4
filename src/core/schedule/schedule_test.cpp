#include <gtest/gtest.h>

#include "core/schedule/schedule_fixture.h"

namespace fermata::schedule {
// F-61
TEST(Schedule, due_occurrence_starts_its_run_and_arms_the_next_in_one_decision) {
  TestSchedule test = hourly();
  ASSERT_TRUE(test.create());
  EXPECT_EQ(test.schedule.next, at("2026-01-26T01:00:00Z"));
  test.given.now = at("2026-01-26T01:00:00.250Z");
  auto decision = test.tell(WakeSchedule{at("2026-01-26T01:00:00Z")});
  ASSERT_TRUE(decision);
  ASSERT_EQ(decision->events.size(), 2u);
  const auto& started = std::get<OccurrenceStarted>(decision->events[0].body);
  EXPECT_EQ(started.occurrence, at("2026-01-26T01:00:00Z"));
  EXPECT_EQ(std::get<ScheduleArmed>(decision->events[1].body).next, at("2026-01-26T02:00:00Z"));
  ASSERT_EQ(test.orders.size(), 1u);
  const OrderScheduled& order = test.orders[0];
  EXPECT_EQ(order.run, run_of(test.schedule, started.occurrence));
  EXPECT_EQ(order.workflow, WorkflowId("report"));
  EXPECT_EQ(order.input, Value::object({{"n", 1}}));
  EXPECT_EQ(order.trigger, Value::object({{"schedule_id", "nightly"},
                                          {"scheduled_at", "2026-01-26T01:00:00.000Z"},
                                          {"cause", "rule"}}));
}

// F-61
TEST(Schedule, timer_for_another_occurrence_or_too_early_is_refused) {
  TestSchedule test = hourly();
  ASSERT_TRUE(test.create());
  test.given.now = at("2026-01-26T00:59:59.999Z");
  EXPECT_EQ(code_of(test.tell(WakeSchedule{})), "nothing_due");
  test.given.now = at("2026-01-26T01:00:00Z");
  EXPECT_EQ(code_of(test.tell(WakeSchedule{at("2026-01-26T02:00:00Z")})), "nothing_due");
  EXPECT_TRUE(test.tell(WakeSchedule{at("2026-01-26T01:00:00Z")}));
  EXPECT_EQ(code_of(test.tell(WakeSchedule{at("2026-01-26T01:00:00Z")})), "nothing_due");
  EXPECT_EQ(code_of(test.tell(WakeSchedule{})), "nothing_due");
  EXPECT_EQ(test.orders.size(), 1u);
}

// F-60: scenario 29
TEST(Schedule, nights_of_both_clock_changes_have_one_run_each) {
  auto night = [](std::string_view from, std::string_view to, GapPolicy gap,
                  std::string_view cron = "30 2 * * *") {
    TestSchedule test(from);
    test.spec.cron = cron;
    test.spec.timezone = "Europe/Berlin";
    test.spec.gap_policy = gap;
    test.spec.overlap = Overlap::allow;
    EXPECT_TRUE(test.create());
    test.run_to(to);
    return test.started();
  };
  EXPECT_EQ(night("2026-03-28T12:00:00Z", "2026-03-29T12:00:00Z", GapPolicy::gap_end),
            "2026-03-29T01:00:00.000Z");
  EXPECT_EQ(night("2026-03-28T12:00:00Z", "2026-03-29T12:00:00Z", GapPolicy::shift),
            "2026-03-29T01:30:00.000Z");
  EXPECT_EQ(night("2026-10-24T12:00:00Z", "2026-10-25T12:00:00Z", GapPolicy::gap_end),
            "2026-10-25T00:30:00.000Z");
  // Two passes of four quarters each, and the one at three o'clock.
  EXPECT_EQ(
      night("2026-10-24T23:59:00Z", "2026-10-25T02:00:00Z", GapPolicy::gap_end, "*/15 * * * *")
          .size(),
      9 * 25 - 1u);
}

// F-60
TEST(Schedule, intervals_count_elapsed_time_from_their_start_without_drift) {
  TestSchedule test("2026-01-26T00:00:00.500Z");
  test.spec.every_ms = 90'000;
  test.spec.overlap = Overlap::allow;
  ASSERT_TRUE(test.create());
  test.wake_late("2026-01-26T00:01:47Z");
  test.wake_late("2026-01-26T00:03:01.400Z");
  EXPECT_EQ(test.started(), "2026-01-26T00:01:30.500Z 2026-01-26T00:03:00.500Z");
  TestSchedule later("2026-01-26T00:00:00Z");
  later.spec.every_ms = 3'600'000;
  later.spec.start_at = at("2026-01-27T12:34:56Z");
  ASSERT_TRUE(later.create());
  EXPECT_EQ(later.schedule.next, at("2026-01-27T12:34:56Z"));
  TestSchedule earlier("2026-01-26T00:00:00Z");
  earlier.spec.every_ms = 3'600'000;
  earlier.spec.start_at = at("2026-01-20T00:30:00Z");
  ASSERT_TRUE(earlier.create());
  EXPECT_EQ(earlier.schedule.next, at("2026-01-26T00:30:00Z"));
}

// F-62: scenario 31
TEST(Schedule, downtime_of_six_hours_is_caught_up_as_told) {
  auto after_downtime = [](CatchUp catch_up) {
    TestSchedule test = hourly();
    test.spec.catch_up = catch_up;
    EXPECT_TRUE(test.create());
    test.wake_late("2026-01-26T06:30:00Z");
    EXPECT_EQ(test.schedule.next, at("2026-01-26T07:00:00Z"));
    return std::to_string(test.orders.size()) + " started; " + test.skipped();
  };
  EXPECT_EQ(after_downtime(CatchUp::one),
            "1 started; missed 5 2026-01-26T01:00:00.000Z..2026-01-26T05:00:00.000Z");
  EXPECT_EQ(after_downtime(CatchUp::all), "6 started; ");
  EXPECT_EQ(after_downtime(CatchUp::none),
            "0 started; missed 6 2026-01-26T01:00:00.000Z..2026-01-26T06:00:00.000Z");
}

// F-62
TEST(Schedule, catching_up_goes_back_no_farther_than_told) {
  TestSchedule test = hourly();
  test.spec.catch_up = CatchUp::all;
  test.spec.catch_up_ms = 2 * 3'600'000;
  ASSERT_TRUE(test.create());
  test.wake_late("2026-01-26T06:30:00Z");
  EXPECT_EQ(test.started(), "2026-01-26T05:00:00.000Z 2026-01-26T06:00:00.000Z");
  EXPECT_EQ(test.skipped(), "too_old 4 2026-01-26T01:00:00.000Z..2026-01-26T04:00:00.000Z");
}

// F-62
TEST(Schedule, occurrences_that_are_late_but_not_missed_all_start) {
  TestSchedule test("2026-01-26T00:00:00Z");
  test.spec.every_ms = 1'000;
  test.spec.overlap = Overlap::allow;
  test.spec.catch_up = CatchUp::none;
  ASSERT_TRUE(test.create());
  test.wake_late("2026-01-26T00:01:00Z");
  EXPECT_EQ(test.orders.size(), 60u);
  test.wake_late("2026-01-26T00:02:01.001Z");
  EXPECT_EQ(test.orders.size(), 60u);
  EXPECT_EQ(test.skipped(), "missed 61 2026-01-26T00:01:01.000Z..2026-01-26T00:02:01.000Z");
}

// F-62
TEST(Schedule, long_downtime_is_decided_in_several_commits_to_the_same_end) {
  auto after_downtime = [](CatchUp catch_up) {
    TestSchedule test("2026-01-26T00:00:00Z");
    test.spec.every_ms = 1'000;
    test.spec.overlap = Overlap::allow;
    test.spec.catch_up = catch_up;
    test.given.limits.occurrences_per_commit = 100;
    test.given.limits.catch_up_max = 250;
    EXPECT_TRUE(test.create());
    test.wake_late("2026-01-26T00:10:00Z");
    EXPECT_FALSE(test.schedule.catching_up);
    EXPECT_EQ(test.schedule.next, at("2026-01-26T00:10:01Z"));
    EXPECT_EQ(test.schedule.skipped + test.orders.size(), 600u);
    return test.orders.size();
  };
  EXPECT_EQ(after_downtime(CatchUp::one), 1u);
  EXPECT_EQ(after_downtime(CatchUp::all), 250u);
  EXPECT_EQ(after_downtime(CatchUp::none), 0u);
}

// F-62
TEST(Schedule, overlap_skip_leaves_out_what_comes_while_a_run_lives) {
  TestSchedule test = hourly();
  test.spec.overlap = Overlap::skip;
  ASSERT_TRUE(test.create());
  test.run_to("2026-01-26T03:30:00Z");
  EXPECT_EQ(test.started(), "2026-01-26T01:00:00.000Z");
  EXPECT_EQ(test.skipped(),
            "overlap 1 2026-01-26T02:00:00.000Z..2026-01-26T02:00:00.000Z; "
            "overlap 1 2026-01-26T03:00:00.000Z..2026-01-26T03:00:00.000Z");
  test.end_oldest_run();
  test.run_to("2026-01-26T04:30:00Z");
  EXPECT_EQ(test.started(), "2026-01-26T01:00:00.000Z 2026-01-26T04:00:00.000Z");
}

// F-62
TEST(Schedule, overlap_queue_starts_in_order_and_is_bounded) {
  TestSchedule test = hourly();
  test.spec.overlap = Overlap::queue;
  test.given.limits.queue_max = 2;
  ASSERT_TRUE(test.create());
  test.run_to("2026-01-26T05:30:00Z");
  EXPECT_EQ(test.started(), "2026-01-26T01:00:00.000Z");
  EXPECT_EQ(test.schedule.queue.size(), 2u);
  EXPECT_EQ(test.schedule.skipped, 2u);
  test.end_oldest_run("failed");
  EXPECT_EQ(test.started(), "2026-01-26T01:00:00.000Z 2026-01-26T02:00:00.000Z");
  test.end_oldest_run();
  test.end_oldest_run();
  EXPECT_EQ(test.started(),
            "2026-01-26T01:00:00.000Z 2026-01-26T02:00:00.000Z 2026-01-26T03:00:00.000Z");
  EXPECT_TRUE(test.schedule.live.empty());
}

// F-62
TEST(Schedule, overlap_cancel_previous_stops_what_lives_and_starts) {
  TestSchedule test = hourly();
  test.spec.overlap = Overlap::cancel_previous;
  ASSERT_TRUE(test.create());
  test.run_to("2026-01-26T02:30:00Z");
  EXPECT_EQ(test.orders.size(), 2u);
  EXPECT_EQ(test.stopped, std::vector<RunId>{test.orders[0].run});
  ASSERT_TRUE(test.tell(RunEnded{test.orders[0].run, "cancelled"}));
  EXPECT_EQ(test.schedule.live.size(), 1u);
}

// F-62
TEST(Schedule, overlap_allow_has_a_bound_of_live_runs) {
  TestSchedule test = hourly();
  test.given.limits.live_max = 2;
  ASSERT_TRUE(test.create());
  test.run_to("2026-01-26T03:30:00Z");
  EXPECT_EQ(test.orders.size(), 2u);
  EXPECT_EQ(test.skipped(), "live_limit 1 2026-01-26T03:00:00.000Z..2026-01-26T03:00:00.000Z");
}

TEST(Schedule, end_of_a_run_counts_once_and_only_of_its_own_runs) {
  TestSchedule test = hourly();
  ASSERT_TRUE(test.create());
  test.run_to("2026-01-26T01:30:00Z");
  RunId run = test.orders[0].run;
  EXPECT_EQ(code_of(test.tell(RunEnded{RunId("other"), "completed"})), "nothing_due");
  EXPECT_TRUE(test.tell(RunEnded{run, "completed"}));
  EXPECT_EQ(code_of(test.tell(RunEnded{run, "completed"})), "nothing_due");
}

TEST(Schedule, refused_start_is_recorded_and_counts_as_no_run) {
  TestSchedule test = hourly();
  test.spec.overlap = Overlap::skip;
  test.spec.max_runs = 5;
  ASSERT_TRUE(test.create());
  test.run_to("2026-01-26T01:30:00Z");
  EXPECT_TRUE(test.tell(RefuseStart{test.orders[0].run, "workflow_inactive", "asleep"}));
  EXPECT_EQ(test.schedule.runs_started, 0u);
  test.run_to("2026-01-26T02:30:00Z");
  EXPECT_EQ(test.orders.size(), 2u);
}

// F-62
TEST(Schedule, jitter_delays_the_start_by_a_fixed_function) {
  TestSchedule test = hourly();
  test.spec.jitter_ms = 600'000;
  ASSERT_TRUE(test.create());
  test.run_to("2026-01-27T00:30:00Z");
  std::set<int64_t> delays;
  for (const OrderScheduled& order : test.orders) {
    Instant occurrence = at(order.trigger.get("scheduled_at").as_string());
    Duration delay = order.start_at - occurrence;
    EXPECT_GE(delay.ms, 0);
    EXPECT_LE(delay.ms, 600'000);
    EXPECT_EQ(delay, jitter_of(test.schedule.id, occurrence, 600'000));
    delays.insert(delay.ms);
  }
  EXPECT_GT(delays.size(), 20u);
}

// F-60, W-48
TEST(Schedule, new_zone_data_moves_the_next_occurrence_and_repeats_none) {
  TestSchedule test("2026-07-01T00:00:00Z");
  test.spec.cron = "0 9 * * *";
  test.spec.timezone = "America/New_York";
  test.spec.overlap = Overlap::allow;
  ASSERT_TRUE(test.create());
  test.run_to("2026-07-01T13:30:00Z");
  EXPECT_EQ(test.started(), "2026-07-01T13:00:00.000Z");
  EXPECT_EQ(code_of(test.tell(ZonesChanged{})), "nothing_due");
  // Summer time is abolished: nine o'clock comes again today, but it has had its run.
  test.given.zones = test_zones("2026g", "EST5");
  ASSERT_TRUE(test.tell(ZonesChanged{}));
  EXPECT_EQ(test.schedule.next, at("2026-07-02T14:00:00Z"));
  EXPECT_EQ(code_of(test.tell(ZonesChanged{})), "nothing_due");
  // Clocks go three hours ahead: the next nine o'clock has just been, and is due at once.
  test.given.now = at("2026-07-02T12:00:00Z");
  test.given.zones = test_zones("2026h", "XXX2");
  ASSERT_TRUE(test.tell(ZonesChanged{}));
  EXPECT_EQ(test.schedule.next, at("2026-07-02T11:00:00Z"));
  test.wake_late("2026-07-02T12:00:00Z");
  EXPECT_EQ(test.started(), "2026-07-01T13:00:00.000Z 2026-07-02T11:00:00.000Z");
}

}  // namespace fermata::schedule
