#include "core/schedule/history.h"
#include "host/schedule_cache.h"
#include "test/partition/waiting_store.h"

namespace fermata {
namespace {

/// A host with a schedule, 2023-11-14T22:13:20Z at first.
class SchedulesTest : public HostTest {
 protected:
  SchedulesTest() {
    spec.workflow = WorkflowId("w");
    spec.every_ms = 60'000;
    spec.overlap = schedule::Overlap::allow;
  }

  void order(schedule::CommandBody body) {
    bool taken = host().submit_schedule(
        {key, std::move(body), "tester"},
        [this](Outcome<ScheduleTold> outcome) { answer = std::move(outcome); });
    EXPECT_TRUE(taken);
    settle();
  }
  void create() { order(schedule::CreateSchedule{spec, false, "hash"}); }
  schedule::Schedule state() {
    StoredSchedule stored = *store.memory.find_schedule(key);
    EXPECT_GT(stored.version, 0u);
    return *open_schedule(key.id, stored);
  }
  /// Types of its events, oldest first.
  std::vector<std::string> history() {
    std::vector<std::string> types;
    auto chunks = *store.memory.schedule_history(key, UINT64_MAX, SIZE_MAX);
    for (auto chunk = chunks.rbegin(); chunk != chunks.rend(); ++chunk)
      for (const schedule::Event& event : *schedule::decode_history(*chunk))
        types.push_back(std::string(schedule::type_name(event.body)));
    return types;
  }
  size_t count(const std::string& type) {
    auto types = history();
    return static_cast<size_t>(std::count(types.begin(), types.end(), type));
  }
  RunStatus status(const RunId& run) {
    auto summary = *store.memory.summary(run);
    EXPECT_TRUE(summary) << run.text();
    return summary ? summary->status : RunStatus::failed;
  }
  size_t runs() { return store.memory.list({}, 1'000, "")->items.size(); }
  void advance(int64_t ms) {
    Instant target = clock.now() + Duration{ms};
    bool done = false;
    host().advance_clock(target, [this](Instant at) { clock.set(at); }, [&] { done = true; });
    for (int i = 0; i < 10'000 && !done; ++i) host().turn();
    EXPECT_TRUE(done);
  }

  schedule::Key key{AccountId("acme"), ScheduleId("s")};
  schedule::Spec spec;
  Outcome<ScheduleTold> answer = fail(ErrorCode::internal, "nothing was answered");
};

// F-61
TEST_F(SchedulesTest, occurrence_and_its_run_are_one_commit) {
  create();
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_TRUE(answer->changed);
  EXPECT_EQ(answer->schedule.next, clock.now() + Duration{60'000});
  clock.advance(Duration{60'000});
  store.holds = true;
  settle();
  ASSERT_TRUE(store.flying);
  ASSERT_EQ(store.flying->runs.size(), 1u);
  ASSERT_EQ(store.flying->schedules.size(), 1u);
  EXPECT_NE(store.flying->runs[0].group, 0u);
  EXPECT_EQ(store.flying->runs[0].group, store.flying->schedules[0].group);
  store.holds = false;
  settle();
  EXPECT_EQ(runs(), 1u);
  RunId run = state().last_run;
  EXPECT_EQ(status(run), RunStatus::waiting);
  EXPECT_EQ(state().live.size(), 1u);
  EXPECT_EQ(state().next, clock.now() + Duration{60'000});
}

// F-61
TEST_F(SchedulesTest, commit_that_fails_is_made_again_and_nothing_fires_twice) {
  create();
  for (CommitOutcome trouble :
       {CommitOutcome::conflict, CommitOutcome::unavailable, CommitOutcome::unknown}) {
    clock.advance(Duration{60'000});
    store.fails_once_with = trouble;
    settle();
    clock.advance(Duration{2'000});
    settle();
    clock.advance(Duration{-2'000});
  }
  EXPECT_EQ(runs(), 3u);
  EXPECT_EQ(count("OccurrenceStarted"), 3u);
}

// F-61
TEST_F(SchedulesTest, restart_finds_what_is_due) {
  create();
  clock.advance(Duration{61'000});
  restart();
  ASSERT_TRUE(host().recover());
  settle();
  EXPECT_EQ(runs(), 1u);
  EXPECT_EQ(state().next, clock.now() + Duration{59'000});
}

// F-62
TEST_F(SchedulesTest, end_of_a_run_starts_the_next_of_the_queue_in_one_commit) {
  spec.overlap = schedule::Overlap::queue;
  create();
  advance(180'000);
  EXPECT_EQ(runs(), 1u);
  EXPECT_EQ(state().queue.size(), 2u);
  RunId first = state().last_run;
  send(first.text(), CancelRun{"enough"});
  settle();
  EXPECT_EQ(runs(), 2u);
  EXPECT_EQ(state().queue.size(), 1u);
  EXPECT_NE(state().last_run, first);
  EXPECT_EQ(count("ScheduledRunEnded"), 1u);
}

// F-62
TEST_F(SchedulesTest, next_occurrence_cancels_the_run_before_it) {
  spec.overlap = schedule::Overlap::cancel_previous;
  create();
  advance(60'000);
  RunId first = state().last_run;
  advance(60'000);
  EXPECT_EQ(status(first), RunStatus::cancelled);
  EXPECT_EQ(status(state().last_run), RunStatus::waiting);
  EXPECT_EQ(state().live.size(), 1u);
}

// F-58
TEST_F(SchedulesTest, trigger_key_is_known_while_its_run_lives_and_after_its_end) {
  create();
  order(schedule::TriggerSchedule{"k1"});
  ASSERT_TRUE(answer);
  EXPECT_TRUE(answer->changed);
  RunId run = schedule::triggered_run_of(state(), "k1");
  order(schedule::TriggerSchedule{"k1"});
  EXPECT_FALSE(answer->changed);
  send(run.text(), CancelRun{"enough"});
  settle();
  EXPECT_TRUE(state().live.empty());
  restart();
  ASSERT_TRUE(host().recover());
  order(schedule::TriggerSchedule{"k1"});
  ASSERT_TRUE(answer);
  EXPECT_FALSE(answer->changed);
  EXPECT_EQ(runs(), 1u);
}

// F-58
TEST_F(SchedulesTest, backfill_passes_over_occurrences_that_had_their_run) {
  create();
  advance(120'000);
  RunPage page = *store.memory.list({}, 10, "");
  for (const RunSummary& run : page.items) send(run.id.text(), CancelRun{"enough"});
  settle();
  EXPECT_TRUE(state().live.empty());
  Instant now = clock.now();
  order(schedule::BackfillSchedule{now - Duration{119'000}, now});
  ASSERT_TRUE(answer) << answer.error().message;
  // Those that are over are reported at once, and nothing waits for them.
  EXPECT_EQ(runs(), 2u);
  EXPECT_TRUE(state().live.empty());
}

TEST_F(SchedulesTest, start_that_is_refused_is_recorded_and_the_schedule_goes_on) {
  create();
  graph::DefinitionRef kept = std::exchange(definitions.only, nullptr);
  definitions.refusal = Error{ErrorCode::workflow_not_found, "there is no workflow w", {}};
  advance(60'000);
  EXPECT_EQ(count("StartRefused"), 1u);
  EXPECT_TRUE(state().live.empty());
  definitions.only = kept;
  definitions.refusal.reset();
  definitions.active = false;
  advance(60'000);
  EXPECT_EQ(count("StartRefused"), 2u);
  definitions.active = true;
  advance(60'000);
  EXPECT_EQ(runs(), 1u);
}

TEST_F(SchedulesTest, long_history_is_opened_from_its_newest_state_and_its_beginning_is_let_go) {
  settings.schedule_checkpoint_events = 10;
  settings.schedule_history_events_max = 30;
  spec.overlap = schedule::Overlap::skip;
  create();
  advance(60'000 * 40);
  StoredSchedule stored = *store.memory.find_schedule(key);
  ASSERT_TRUE(stored.checkpoint);
  EXPECT_LT(stored.history.size(), 10u);
  EXPECT_LT(history().size(), 50u);
  schedule::Schedule before = state();
  EXPECT_EQ(before.runs_started, 1u);
  EXPECT_EQ(before.skipped, 39u);
  restart();
  ASSERT_TRUE(host().recover());
  advance(60'000);
  EXPECT_EQ(state().skipped, 40u);
}

TEST_F(SchedulesTest, one_that_does_not_exist_is_told_so) {
  order(schedule::PauseSchedule{});
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, ErrorCode::schedule_not_found);
}

// F-61: a round of sweeping arms what no alarm knows of.
TEST_F(SchedulesTest, sweeping_arms_what_another_has_made) {
  settings.sweep_interval_ms = 1'000;
  host().turn();
  {
    Host other(HostPorts{store.memory, timers, calls, clock, entropy, told, definitions}, settings);
    bool made = false;
    EXPECT_TRUE(other.submit_schedule(
        {key, schedule::CreateSchedule{spec, false, "hash"}, "x"},
        [&](const Outcome<ScheduleTold>& told) { made = static_cast<bool>(told); }));
    while (other.turn().at_once) {
    }
    EXPECT_TRUE(made);
  }
  clock.advance(Duration{60'000});
  settle();
  EXPECT_EQ(runs(), 1u);
}

}  // namespace
}  // namespace fermata
