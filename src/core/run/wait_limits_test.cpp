#include <gtest/gtest.h>

#include "base/json.h"
#include "core/graph/check.h"
#include "core/run/decide.h"
#include "core/run/history.h"
#include "core/run/snapshot.h"

/// Waits at the limits of their account, under other zone data, and what the next step sees of
/// them.
namespace fermata {
namespace {

constexpr Instant start_at{1'769'421'600'000};  // 2026-01-26T10:00:00Z, a Monday

std::shared_ptr<const ZoneTable> zones_of(const std::string& version, int hours) {
  auto zone = std::make_shared<const Zone>(Zone::fixed(hours * 3600, "LAW"));
  return std::make_shared<const ZoneTable>(
      version, std::vector<ZoneTable::Named>{{"Europe/Berlin", std::move(zone)}});
}

struct LimitedRun {
  explicit LimitedRun(const std::string& wait) {
    auto checked = graph::check_definition(*parse_json(
        R"({"nodes":[{"id":"t","type":"manual","trigger":true},{"id":"w","type":"wait",
            "parameters":)" +
        wait + R"(},{"id":"a","type":"noop"},{"id":"b","type":"noop"}],
            "edges":[{"id":"e","src":"t","dst":"w"},{"id":"to_a","src":"w","dst":"a"},
                     {"id":"to_b","src":"w","dst":"b"}]})"));
    for (const Finding& finding : checked.errors) ADD_FAILURE() << finding.message;
    StartRun body;
    body.account = AccountId("acme");
    body.workflow = WorkflowId("nurture");
    body.definition = checked.definition;
    body.contact_id = "c-17";
    start = std::move(body);
  }
  std::string tell(CommandBody body, Duration after = {}) {
    now = now + after;
    Given given{now, 7, {}, zones};
    given.room = room;
    given.retained = retained;
    auto decision = decide(run, {RunId("r1"), std::move(body), "tester"}, given);
    if (!decision) return std::string(name_of(decision.error().code));
    listeners = decision->listeners_opened;
    for (WaitRecord& record : decision->waits) last = record.wait;
    for (const Event& event : decision->events)
      if (const auto* resumed = std::get_if<WaitResumed>(&event.body)) seen = resumed->output;
    return "";
  }
  std::string told() const {
    return std::string(name_of(last.status)) + "/" + last.resumed_by + "/" + last.hold;
  }

  StartRun start;
  std::shared_ptr<const ZoneTable> zones = zones_of("2026a", 1);
  WaitRoom room;
  std::vector<SignalRef> retained;
  Instant now = start_at;
  Run run;
  Wait last;
  Value seen;
  int64_t listeners = 0;
};

const char* half_an_hour = R"({"wait_type":"fixed_time","duration":30,"unit":"minutes"})";
const char* mail = R"({"wait_type":"for_event","event_type":"email_open","timeout_hours":1})";

// W-80
TEST(WaitLimits, wait_without_room_is_held_and_comes_in_when_it_is_let) {
  LimitedRun full(half_an_hour);
  full.room.waits = 0;
  EXPECT_EQ(full.tell(full.start), "");
  EXPECT_EQ(full.told(), "scheduled//limit");
  EXPECT_EQ(full.run.waits_counted, 0u);
  EXPECT_EQ(full.last.reached_at, start_at);
  EXPECT_EQ(full.tell(ReleaseWaits{full.last.id, "limit"}, Duration{60'000}), "");
  EXPECT_EQ(full.told(), "scheduled//");
  EXPECT_EQ(full.run.waits_counted, 1u);
  EXPECT_EQ(*full.last.due, start_at + Duration{30 * 60'000});
  auto again = decode_snapshot(encode_snapshot(full.run), full.run.definition);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->waits_counted, 1u);
  EXPECT_EQ(full.tell(WakeRun{}, Duration{29 * 60'000}), "");
  EXPECT_EQ(full.told(), "resumed/scheduler/");
  EXPECT_EQ(full.run.waits_counted, 0u);
}

// W-80
TEST(WaitLimits, instant_that_comes_first_resumes_what_stands_in_line) {
  LimitedRun full(half_an_hour);
  full.room.waits = 0;
  full.tell(full.start);
  EXPECT_EQ(full.tell(WakeRun{}, Duration{30 * 60'000}), "");
  EXPECT_EQ(full.told(), "resumed/scheduler/");
}

// W-80, W-57
TEST(WaitLimits, signal_that_came_while_it_stood_in_line_wins_over_the_timeout) {
  for (bool heard : {false, true}) {
    LimitedRun full(mail);
    full.room.listeners = 0;
    full.tell(full.start);
    EXPECT_EQ(full.told(), "waiting//limit");
    EXPECT_EQ(full.listeners, 0);
    if (heard) {
      Signal made;
      made.account = AccountId("acme");
      made.id = "ev-1";
      made.type = "email_open";
      made.contact_id = "c-17";
      made.received_at = start_at + Duration{1'000};
      full.retained = {std::make_shared<const Signal>(std::move(made))};
    }
    EXPECT_EQ(full.tell(WakeRun{}, Duration{3'600'000}), "");
    EXPECT_EQ(full.told(), heard ? "resumed/event/" : "timeout/timeout/");
  }
}

// W-80
TEST(WaitLimits, plain_intervals_are_not_counted) {
  LimitedRun plain(R"({"amount":30,"unit":"minutes"})");
  plain.room.waits = 0;
  plain.tell(plain.start);
  EXPECT_EQ(plain.told(), "scheduled//");
  EXPECT_EQ(plain.run.waits_counted, 0u);
}

// W-80
TEST(WaitLimits, waits_of_the_api_are_refused_by_name) {
  LimitedRun run(half_an_hour);
  run.tell(run.start);
  OpenWait open;
  open.step = "side";
  open.type = "fixed_time";
  open.config = *parse_json(R"({"duration":1,"unit":"hours"})");
  run.room.waits = 0;
  EXPECT_EQ(run.tell(open), "wait_limit_account");
  run.room = {.per_execution = 1};
  EXPECT_EQ(run.tell(open), "");
  open.step = "other";
  EXPECT_EQ(run.tell(open), "wait_limit_execution");
  run.room = {.per_execution = 0, .waits = 5, .listeners = 1};
  open.type = "for_event";
  open.config = *parse_json(R"({"events":[{"event_type":"email_open"},{"event_type":"sms_reply"}],
                                "timeout_hours":1})");
  EXPECT_EQ(run.tell(open), "listener_rate");
  run.room.listeners = 2;
  EXPECT_EQ(run.tell(open), "");
  EXPECT_EQ(run.listeners, 2);
}

// W-48, S-38
TEST(WaitZones, pending_wait_follows_the_law_and_fires_at_the_new_instant_only) {
  LimitedRun run(R"({"wait_type":"until_time","target_time":"18:00","timezone":"Europe/Berlin"})");
  run.tell(run.start);
  EXPECT_EQ(to_rfc3339(*run.last.due), "2026-01-26T17:00:00.000Z");
  run.zones = zones_of("2026b", 3);
  EXPECT_EQ(run.tell(FollowZones{}, Duration{60'000}), "");
  EXPECT_EQ(to_rfc3339(*run.last.due), "2026-01-26T15:00:00.000Z");
  EXPECT_EQ(run.last.intent.get("tzdata_version"), Value("2026b"));
  EXPECT_EQ(run.last.intent.get("rescheduled_from"), Value("2026-01-26T17:00:00.000Z"));
  // Told again, it has followed already.
  Wait before = run.last;
  EXPECT_EQ(run.tell(FollowZones{}), "");
  EXPECT_EQ(run.last, before);
  EXPECT_EQ(run.tell(WakeRun{}, Duration{4 * 3'600'000}), "nothing_due");
  EXPECT_EQ(run.tell(WakeRun{}, Duration{3'600'000}), "");
  EXPECT_EQ(run.told(), "resumed/scheduler/");
}

// W-48
TEST(WaitZones, instant_that_has_passed_under_the_new_law_is_due_at_once) {
  LimitedRun run(R"({"wait_type":"until_time","target_time":"18:00","timezone":"Europe/Berlin"})");
  run.tell(run.start);
  run.now = *parse_rfc3339("2026-01-26T16:30:00Z");
  run.zones = zones_of("2026b", 2);
  EXPECT_EQ(run.tell(FollowZones{}), "");
  EXPECT_EQ(run.told(), "resumed/scheduler/");
  EXPECT_EQ(run.last.due, run.now);
  // Zone data that has lost the zone, or does not move it, leaves the instant alone.
  LimitedRun same(R"({"wait_type":"until_time","target_time":"18:00","timezone":"Europe/Berlin"})");
  same.tell(same.start);
  same.zones = std::make_shared<const ZoneTable>("2026c", std::vector<ZoneTable::Named>{});
  EXPECT_EQ(same.tell(FollowZones{}), "");
  EXPECT_EQ(to_rfc3339(*same.last.due), "2026-01-26T17:00:00.000Z");
  EXPECT_EQ(same.last.intent.find("rescheduled_from"), nullptr);
}

// W-47
TEST(WaitOutputs, next_step_sees_how_a_wait_for_an_instant_went_on) {
  LimitedRun run(half_an_hour);
  run.tell(run.start);
  run.tell(WakeRun{}, Duration{30 * 60'000 + 5});
  EXPECT_EQ(run.seen.get("resumed_by"), Value("scheduler"));
  EXPECT_EQ(run.seen.get("timed_out"), Value(false));
  EXPECT_TRUE(run.seen.get("event").is_null());
  EXPECT_EQ(run.seen.get("events"), Value::array());
  EXPECT_TRUE(run.seen.get("branch").is_null());
  EXPECT_EQ(run.seen.get("waited_ms"), Value(30 * 60'000 + 5));
  EXPECT_EQ(run.seen.get("occurrence"), Value(1));
  EXPECT_EQ(run.seen.get("scheduled_at"), Value("2026-01-26T10:30:00.000Z"));
  LimitedRun hand(half_an_hour);
  hand.tell(hand.start);
  hand.tell(ResumeWait{hand.last.id, Value("by hand"), "b", "", false}, Duration{1'000});
  EXPECT_EQ(hand.seen.get("resumed_by"), Value("manual"));
  EXPECT_EQ(hand.seen.get("event"), Value("by hand"));
  EXPECT_EQ(hand.seen.get("branch"), Value("to_b"));
  EXPECT_EQ(hand.seen.get("waited_ms"), Value(1'000));
}

}  // namespace
}  // namespace fermata
