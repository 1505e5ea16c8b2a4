#include <gtest/gtest.h>

#include <algorithm>

#include "base/random.h"
#include "core/schedule/schedule_fixture.h"
#include "core/schedule/snapshot.h"

/// Lives of schedules by dice: late and repeated timers, decisions that are lost before they are
/// committed, reports that come twice or late, pauses. Whatever happens, the occurrences of the
/// rule are each decided once and none is left out.
namespace fermata::schedule {
namespace {

class Life {
 public:
  explicit Life(uint64_t seed) : random_(seed) {
    given_.now =
        at("2026-03-01T00:00:00Z") + Duration{static_cast<int64_t>(random_.below(86'400'000))};
    given_.zones = test_zones();
    given_.limits.queue_max = 1 + random_.below(5);
    given_.limits.occurrences_per_commit = 1 + random_.below(50);
    given_.limits.catch_up_max = random_.below(30);
    schedule_.id = folded_.id = ScheduleId("s");
    make_spec();
  }

  void play() {
    while (!schedule_.exists()) tell(CreateSchedule{spec_, false, "hash"});
    expected_from_ = schedule_.counted_to;
    for (int i = 0; i < 120; ++i) {
      step();
      if (::testing::Test::HasFailure()) return;
    }
    count_decided(schedule_.counted_to);
    EXPECT_TRUE(fold(schedule_.id, history_).value() == schedule_);
    EXPECT_TRUE(decode_state(encode_state(schedule_)).value() == schedule_);
  }

 private:
  void make_spec() {
    constexpr std::string_view rules[] = {"*/7 * * * *", "30 2 * * *", "0 */2 * * *",
                                          "15 1,2,3 * * *", "*/20 2 * * SUN"};
    constexpr std::string_view zones[] = {"UTC", "Europe/Berlin", "America/New_York"};
    spec_.workflow = WorkflowId("w");
    if (random_.chance(0.3)) {
      spec_.every_ms = 1'000 + static_cast<int64_t>(random_.below(7'200'000));
    } else {
      spec_.cron = rules[random_.below(std::size(rules))];
    }
    spec_.timezone = zones[random_.below(std::size(zones))];
    spec_.gap_policy = static_cast<GapPolicy>(random_.below(2));
    spec_.overlap = static_cast<Overlap>(random_.below(4));
    spec_.catch_up = static_cast<CatchUp>(random_.below(3));
    spec_.catch_up_ms = static_cast<int64_t>(random_.below(86'400'000));
    spec_.jitter_ms = static_cast<int64_t>(random_.below(3)) * 1'000;
    if (random_.chance(0.2)) spec_.max_runs = 1 + random_.below(40);
  }

  template <class Body>
  bool tell(Body body) {
    Command command{{AccountId("acme"), schedule_.id}, std::move(body), "dice"};
    auto decision = decide(schedule_, command, given_);
    if (!decision) return false;
    if (decision->events.empty()) return true;
    if (random_.chance(0.1)) {
      // The process dies before the commit: nothing of it has happened.
      schedule_ = folded_;
      return true;
    }
    history_.push_back(encode_history(decision->events));
    // The whole fold is looked at in the end: what each commit adds to the one before is enough.
    folded_ = fold_on(std::move(folded_), {history_.back()}).value();
    EXPECT_TRUE(folded_ == schedule_);
    for (const Event& event : decision->events) remember(event);
    size_t starts = static_cast<size_t>(std::count_if(
        decision->events.begin(), decision->events.end(),
        [](const Event& event) { return std::holds_alternative<OccurrenceStarted>(event.body); }));
    size_t orders = static_cast<size_t>(std::count_if(
        decision->posts.begin(), decision->posts.end(),
        [](const SchedulePost& post) { return std::holds_alternative<OrderScheduled>(post); }));
    EXPECT_EQ(starts, orders);
    return true;
  }

  void remember(const Event& event) {
    if (const auto* started = std::get_if<OccurrenceStarted>(&event.body)) {
      EXPECT_TRUE(runs_.insert(started->run).second) << "a run was started twice";
      if (!started->queued) decided_.push_back(started->occurrence);
    }
    if (const auto* queued = std::get_if<OccurrenceQueued>(&event.body))
      decided_.push_back(queued->occurrence);
    if (const auto* skipped = std::get_if<OccurrencesSkipped>(&event.body)) {
      Rule rule = Rule::of(spec_, schedule_.created_at, *given_.zones).value();
      uint64_t count = 0;
      for (auto one = rule.next(skipped->first - Duration{1}); one && *one <= skipped->last;
           one = rule.next(*one), ++count)
        decided_.push_back(*one);
      EXPECT_EQ(count, skipped->count);
    }
  }

  /// Everything the rule names since the last look was decided once, in order.
  void count_decided(Instant to) {
    Rule rule = Rule::of(spec_, schedule_.created_at, *given_.zones).value();
    std::vector<Instant> expected;
    for (auto one = rule.next(expected_from_); one && *one <= to; one = rule.next(*one))
      expected.push_back(*one);
    EXPECT_EQ(decided_.size(), expected.size());
    EXPECT_TRUE(decided_ == expected) << spec_.cron << " " << spec_.timezone;
    decided_.clear();
    expected_from_ = to;
  }

  void pause_and_resume() {
    while (!schedule_.paused) tell(PauseSchedule{});
    count_decided(schedule_.counted_to);
    given_.now = given_.now + Duration{static_cast<int64_t>(random_.below(20'000'000))};
    tell(WakeSchedule{});
    while (schedule_.paused) tell(ResumeSchedule{});
    expected_from_ = schedule_.counted_to;
  }

  void step() {
    switch (random_.below(8)) {
      case 0:
        given_.now = given_.now + Duration{static_cast<int64_t>(random_.below(30'000'000))};
        break;
      case 1:
        if (schedule_.ended.empty()) pause_and_resume();
        return;
      case 2:
      case 3: end_some_run(); return;
      case 4: tell(WakeSchedule{Instant{given_.now.ms - 1}}); return;
      case 5: tell(ZonesChanged{}); return;
      default:
        if (schedule_.next && *schedule_.next > given_.now)
          given_.now = *schedule_.next + Duration{static_cast<int64_t>(random_.below(2'000))};
        break;
    }
    tell(WakeSchedule{});
    if (random_.chance(0.3)) tell(WakeSchedule{});
  }

  void end_some_run() {
    if (!schedule_.live.empty() && random_.chance(0.8)) {
      auto run = schedule_.live.begin();
      std::advance(run, static_cast<long>(random_.below(schedule_.live.size())));
      ended_.push_back(run->first);
    }
    if (ended_.empty()) return;
    // Reports come twice, or long after they were sent.
    RunId run = ended_[random_.below(ended_.size())];
    bool known = schedule_.live.contains(run);
    EXPECT_EQ(tell(RunEnded{run, "completed"}), known);
  }

  Random random_;
  Schedule schedule_;
  Spec spec_;
  Given given_;
  std::vector<HistoryChunk> history_;
  Schedule folded_;               ///< what the history means
  std::vector<Instant> decided_;  ///< of the rule since the last look
  std::set<RunId> runs_;
  std::vector<RunId> ended_;
  Instant expected_from_;
};

}  // namespace

// F-61, F-62
TEST(ScheduleLives, no_occurrence_is_decided_twice_and_none_is_missing) {
  for (uint64_t seed = 0; seed < 2'000; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Life(seed).play();
    if (::testing::Test::HasFailure()) return;
  }
}

}  // namespace fermata::schedule
