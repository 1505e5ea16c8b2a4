#pragma once
#include <gtest/gtest.h>

#include "core/schedule/decide.h"
#include "core/schedule/history.h"

/// For tests: one schedule in a small world. Every decision is committed; after each the fold of
/// the history must be the state.
namespace fermata::schedule {

inline Instant at(std::string_view text) { return parse_rfc3339(text).value(); }

inline std::shared_ptr<const Zone> zone_by(std::string_view rule_text) {
  auto rule = parse_zone_rule(rule_text).value();
  return std::make_shared<const Zone>(Zone::from({{rule.standard}, {}, {}, rule}).value());
}

inline std::shared_ptr<const ZoneTable> test_zones(
    std::string version = "2026f", std::string_view new_york = "EST5EDT,M3.2.0,M11.1.0") {
  return std::make_shared<const ZoneTable>(
      std::move(version),
      std::vector<ZoneTable::Named>{{"UTC", zone_by("UTC0")},
                                    {"Europe/Berlin", zone_by("CET-1CEST,M3.5.0,M10.5.0/3")},
                                    {"America/New_York", zone_by(new_york)}});
}

class TestSchedule {
 public:
  explicit TestSchedule(std::string_view now) {
    given.now = at(now);
    given.zones = test_zones();
    schedule.id = ScheduleId("nightly");
    spec.workflow = WorkflowId("report");
    spec.input = Value::object({{"n", 1}});
  }

  template <class Body>
  Outcome<Decision> tell(Body body) {
    Command command{{AccountId("acme"), schedule.id}, std::move(body), "local"};
    auto decision = decide(schedule, command, given);
    if (!decision) return decision;
    if (!decision->events.empty()) history.push_back(encode_history(decision->events));
    auto folded = fold(schedule.id, history);
    EXPECT_TRUE(folded);
    if (folded) {
      EXPECT_TRUE(*folded == schedule) << "the fold of the history is not the state";
    }
    for (const SchedulePost& post : decision->posts) {
      if (const auto* order = std::get_if<OrderScheduled>(&post)) orders.push_back(*order);
      if (const auto* stop = std::get_if<StopRun>(&post)) stopped.push_back(stop->run);
    }
    return decision;
  }
  Outcome<Decision> create() { return tell(CreateSchedule{spec, false, "hash"}); }
  /// Moves the clock, stopping at every due time on the way as the alarm does.
  void run_to(std::string_view until) {
    while (schedule.next && *schedule.next <= at(until)) {
      if (*schedule.next > given.now) given.now = *schedule.next;
      EXPECT_TRUE(tell(WakeSchedule{schedule.next}));
    }
    given.now = at(until);
  }
  /// Moves the clock while nobody looks, then looks once.
  void wake_late(std::string_view now) {
    given.now = at(now);
    while (schedule.next && *schedule.next <= given.now) EXPECT_TRUE(tell(WakeSchedule{}));
  }
  void end_oldest_run(std::string status = "completed") {
    ASSERT_FALSE(schedule.live.empty());
    auto oldest = schedule.live.begin();
    for (auto it = schedule.live.begin(); it != schedule.live.end(); ++it)
      if (it->second.occurrence < oldest->second.occurrence) oldest = it;
    EXPECT_TRUE(tell(RunEnded{RunId(oldest->first), std::move(status)}));
  }
  /// When the runs started were due, in the order of their starts.
  std::string started() const {
    std::string all;
    for (const OrderScheduled& order : orders)
      all += (all.empty() ? "" : " ") + std::string(order.trigger.get("scheduled_at").as_string());
    return all;
  }
  /// `reason count first..last` of everything skipped.
  std::string skipped() const {
    std::string all;
    for (const HistoryChunk& chunk : history) {
      for (const Event& event : decode_history(chunk).value()) {
        const auto* skip = std::get_if<OccurrencesSkipped>(&event.body);
        if (!skip) continue;
        all += (all.empty() ? "" : "; ") + skip->reason + " " + std::to_string(skip->count) + " " +
               to_rfc3339(skip->first) + ".." + to_rfc3339(skip->last);
      }
    }
    return all;
  }

  Schedule schedule;
  Spec spec;
  Given given;
  std::vector<HistoryChunk> history;
  std::vector<OrderScheduled> orders;
  std::vector<RunId> stopped;
};

inline std::string code_of(const Outcome<Decision>& outcome) {
  return outcome ? "accepted" : std::string(fermata::name_of(outcome.error().code));
}

/// Every hour on the hour, whatever else runs.
inline TestSchedule hourly(std::string_view now = "2026-01-26T00:30:00Z") {
  TestSchedule test(now);
  test.spec.cron = "0 * * * *";
  test.spec.overlap = Overlap::allow;
  return test;
}

}  // namespace fermata::schedule
