#include <gtest/gtest.h>

#include "base/json.h"
#include "base/uuid.h"
#include "core/graph/check.h"
#include "core/run/decide.h"
#include "core/run/history.h"
#include "core/run/snapshot.h"
#include "core/run/wait_events.h"
#include "core/run/wait_view.h"

/// What commands make of waits; the rest of a run's life is told by test/scenario.
namespace fermata {
namespace {

constexpr Instant start_at{1'772'359'200'000};  // 2026-03-01T10:00:00Z

/// A run whose commands leave the rows that a store would hold.
struct Told {
  explicit Told(const char* json) {
    auto checked = graph::check_definition(*parse_json(json));
    EXPECT_TRUE(checked.definition);
    run.id = RunId("r1");
    StartRun body;
    body.account = AccountId("acme");
    body.workflow = WorkflowId("w");
    body.workflow_version = 1;
    body.definition = checked.definition;
    tell(std::move(body));
  }
  /// The code of the refusal, or empty.
  std::string tell(CommandBody body, Duration after = {}) {
    now = now + after;
    auto decision = decide(run, {RunId("r1"), std::move(body), "tester"}, {now, 7, {}});
    if (!decision) return std::string(name_of(decision.error().code));
    for (WaitRecord& record : decision->waits) rows[record.wait.id] = record;
    if (!decision->events.empty()) history.push_back(encode_history(decision->events));
    return "";
  }
  const Wait& wait(const std::string& step, uint32_t occurrence = 1) {
    for (const auto& [id, record] : rows)
      if (record.wait.step == step && record.wait.occurrence == occurrence) return record.wait;
    static const Wait none;
    ADD_FAILURE() << "no wait at " << step;
    return none;
  }
  std::string told(const std::string& step, uint32_t occurrence = 1) {
    const Wait& found = wait(step, occurrence);
    return std::string(name_of(found.status)) + "/" + found.resumed_by;
  }

  Instant now = start_at;
  Run run;
  std::map<std::string, WaitRecord> rows;
  std::vector<HistoryChunk> history;
};

const char* waiting =
    R"({"nodes":[{"id":"t","type":"manual","trigger":true},
                 {"id":"w","type":"wait","parameters":{"amount":10,"unit":"minutes"}},
                 {"id":"a","type":"noop"},{"id":"b","type":"noop"}],
        "edges":[{"id":"e","src":"t","dst":"w"},{"id":"to_a","src":"w","dst":"a"},
                 {"id":"to_b","src":"w","dst":"b"}]})";
const char* hearing =
    R"({"nodes":[{"id":"t","type":"manual","trigger":true},
                 {"id":"h","type":"wait_for_signal",
                  "parameters":{"name":"news","timeout_ms":60000,"on_timeout":"continue"}}],
        "edges":[{"id":"e","src":"t","dst":"h"}]})";

// W-1, W-63
TEST(WaitEvents, wait_is_told_when_it_opens_and_when_its_instant_comes) {
  Told told(waiting);
  EXPECT_EQ(told.told("w"), "scheduled/");
  EXPECT_EQ(told.wait("w").due, start_at + Duration{600'000});
  EXPECT_EQ(told.wait("w").config, Value::object({{"amount", 10}, {"unit", "minutes"}}));
  EXPECT_EQ(told.tell(WakeRun{}, {599'999}), "nothing_due");
  EXPECT_EQ(told.tell(WakeRun{}, {1}), "");
  EXPECT_EQ(told.told("w"), "resumed/scheduler");
  EXPECT_EQ(told.wait("w").ended_at, told.now);
  EXPECT_FALSE(told.wait("w").parked);
  EXPECT_TRUE(told.run.waits.empty());
}

// W-4
TEST(WaitEvents, id_is_a_uuid_that_begins_as_that_of_its_run) {
  fermata::Run run;
  run.id = RunId("0198f3a2-1234-7abc-8def-0123456789ab");
  std::string id = next_wait_id(run, "w");
  EXPECT_TRUE(is_uuid(id));
  EXPECT_EQ(id.substr(0, 15), "0198f3a2-1234-8");
  run.waits_opened["w"] = 1;
  EXPECT_NE(next_wait_id(run, "w"), id);
  EXPECT_NE(next_wait_id(run, "v"), id);
}

// W-2, W-15
TEST(WaitEvents, user_lets_it_go_on_with_an_event_and_along_one_branch) {
  Told told(waiting);
  std::string id = told.wait("w").id;
  EXPECT_EQ(told.tell(ResumeWait{id, {}, "nowhere", "", false}), "unknown_step");
  EXPECT_EQ(told.tell(ResumeWait{id, {}, "a", "", true}), "");
  EXPECT_EQ(told.told("w"), "scheduled/") << "a dry run changes nothing";
  EXPECT_EQ(told.tell(ResumeWait{id, Value("yes"), "a", "called", false}), "");
  EXPECT_EQ(told.told("w"), "resumed/manual");
  EXPECT_EQ(told.run.status, RunStatus::completed);
  EXPECT_EQ(told.run.ended.size(), 1u) << "only the branch that was named";
  EXPECT_EQ(told.tell(ResumeWait{id, {}, "", "", false}), "wait_ended");
  EXPECT_EQ(told.tell(CancelWait{id, ""}), "wait_ended");
}

// W-13, W-64, S-23
TEST(WaitEvents, cancelled_wait_never_resumes_and_its_token_can_be_let_go) {
  Told told(waiting);
  std::string id = told.wait("w").id;
  EXPECT_EQ(told.tell(CancelWait{id, "no more"}), "");
  EXPECT_EQ(told.told("w"), "cancelled/cancelled");
  EXPECT_EQ(told.wait("w").ended_reason, "no more");
  EXPECT_TRUE(told.wait("w").parked);
  EXPECT_TRUE(told.run.timers.empty());
  EXPECT_EQ(told.tell(WakeRun{}, {3'600'000}), "nothing_due");
  EXPECT_EQ(shown_status(told.run), RunStatus::waiting);
  EXPECT_EQ(told.tell(CancelWait{id, "again"}), "");
  EXPECT_EQ(told.wait("w").ended_reason, "no more");
  EXPECT_EQ(told.tell(ChangeWait{id, {}, true}), "wait_ended");
  EXPECT_EQ(told.tell(ResumeWait{id, {}, "", "", false}), "");
  EXPECT_EQ(told.told("w"), "cancelled/cancelled");
  EXPECT_FALSE(told.wait("w").parked);
  EXPECT_EQ(told.run.status, RunStatus::completed);
}

// W-16
TEST(WaitEvents, changed_wait_keeps_its_occurrence_and_has_another_instant) {
  Told told(waiting);
  std::string id = told.wait("w").id;
  Value hours = Value::object({{"duration", 2}, {"unit", "hours"}});
  EXPECT_EQ(told.tell(ChangeWait{id, hours, false}, {60'000}), "");
  EXPECT_EQ(told.wait("w").due, start_at + Duration{7'200'000});
  EXPECT_EQ(told.tell(ChangeWait{id, hours, true}), "");
  EXPECT_EQ(told.wait("w").due, told.now + Duration{7'200'000});
  EXPECT_EQ(told.wait("w").occurrence, 1u);
  EXPECT_EQ(told.tell(ChangeWait{id, Value::object({{"duration", 99}, {"unit", "hours"}}), true}),
            "duration_out_of_range");
  EXPECT_EQ(told.tell(WakeRun{}, {600'000}), "nothing_due") << "the old instant is gone";
  Value past = Value::object({{"duration", 1}, {"unit", "minutes"}});
  EXPECT_EQ(told.tell(ChangeWait{id, past, false}), "");
  EXPECT_EQ(told.told("w"), "resumed/scheduler") << "what is not in the future is due now";
}

// W-16
TEST(WaitEvents, interval_without_a_new_configuration_is_counted_anew) {
  Told told(waiting);
  std::string id = told.wait("w").id;
  EXPECT_EQ(told.tell(ChangeWait{id, {}, true}, {60'000}), "");
  EXPECT_EQ(told.wait("w").due, start_at + Duration{660'000});
}

// W-65
TEST(WaitEvents, held_wait_fires_when_it_is_released) {
  Told told(waiting);
  EXPECT_EQ(told.tell(HoldWaits{"", "operator"}), "");
  EXPECT_EQ(told.wait("w").hold, "operator");
  EXPECT_EQ(told.tell(WakeRun{}, {3'600'000}), "nothing_due");
  EXPECT_EQ(told.tell(ReleaseWaits{"", "workflow_inactive"}), "") << "held for another reason";
  EXPECT_EQ(told.wait("w").hold, "operator");
  EXPECT_EQ(told.tell(ReleaseWaits{"", "operator"}), "");
  EXPECT_EQ(told.told("w"), "resumed/scheduler");
  EXPECT_EQ(told.wait("w").hold, "");
}

// W-63, W-65
TEST(WaitEvents, pause_of_the_run_holds_its_waits) {
  Told told(waiting);
  EXPECT_EQ(told.tell(PauseRun{}), "");
  EXPECT_EQ(told.wait("w").hold, "run_paused");
  EXPECT_EQ(told.tell(ResumeWait{told.wait("w").id, {}, "", "", false}), "run_paused");
  EXPECT_EQ(told.tell(ResumeRun{}, {3'600'000}), "");
  EXPECT_EQ(told.told("w"), "resumed/scheduler");
}

// W-62, W-63
TEST(WaitEvents, signal_wait_has_a_listener_that_ends_with_it) {
  for (bool heard : {true, false}) {
    Told told(hearing);
    EXPECT_EQ(told.told("h"), "waiting/");
    ASSERT_EQ(told.wait("h").listeners.size(), 1u);
    EXPECT_EQ(told.wait("h").listeners[0].event_type, "news");
    if (heard) {
      EXPECT_EQ(told.tell(SignalRun{"news", Value(1), "ev-1"}), "");
      EXPECT_EQ(told.told("h"), "resumed/event");
      EXPECT_EQ(told.wait("h").listeners[0].status, ListenerStatus::matched);
      EXPECT_EQ(told.wait("h").listeners[0].matched_event, "ev-1");
    } else {
      EXPECT_EQ(told.tell(WakeRun{}, {60'000}), "");
      EXPECT_EQ(told.told("h"), "timeout/timeout");
      EXPECT_EQ(told.wait("h").listeners[0].status, ListenerStatus::expired);
    }
  }
}

TEST(WaitEvents, held_or_cancelled_signal_wait_hears_nothing) {
  Told told(hearing);
  std::string id = told.wait("h").id;
  EXPECT_EQ(told.tell(HoldWaits{id, "operator"}), "");
  EXPECT_EQ(told.tell(SignalRun{"news", Value(1), "ev-1"}), "");
  EXPECT_EQ(told.told("h"), "waiting/");
  EXPECT_EQ(told.tell(ReleaseWaits{id, ""}), "");
  EXPECT_EQ(told.told("h"), "resumed/event") << "what came meanwhile comes first";
  Told other(hearing);
  EXPECT_EQ(other.tell(CancelWait{other.wait("h").id, ""}), "");
  EXPECT_EQ(other.tell(SignalRun{"news", Value(1), "ev-1"}), "");
  EXPECT_EQ(other.told("h"), "cancelled/cancelled");
}

// W-63
TEST(WaitEvents, end_of_the_run_cancels_its_waits_with_the_reason) {
  Told told(waiting);
  EXPECT_EQ(told.tell(CancelRun{"manual_removal"}), "");
  EXPECT_EQ(told.told("w"), "cancelled/cancelled");
  EXPECT_EQ(told.wait("w").ended_reason, "manual_removal");
  EXPECT_FALSE(told.wait("w").parked);
}

// W-63, S-6
TEST(WaitEvents, date_that_has_passed_leaves_an_ended_wait) {
  Told told(R"({"nodes":[{"id":"t","type":"manual","trigger":true},
      {"id":"w","type":"wait","parameters":{"wait_type":"until_date","target_date":"2026-01-01"}}],
      "edges":[{"id":"e","src":"t","dst":"w"}]})");
  EXPECT_EQ(told.told("w"), "resumed/past_date");
  EXPECT_EQ(told.run.status, RunStatus::completed);
}

// W-3
TEST(WaitEvents, every_opening_at_a_step_takes_the_next_occurrence) {
  Told told(R"({"nodes":[{"id":"t","type":"manual","trigger":true},
      {"id":"s","type":"split","parameters":{"input_array":[1,2,3]}},
      {"id":"w","type":"wait","parameters":{"amount":1,"unit":"hours"}},
      {"id":"g","type":"aggregator"}],
      "edges":[{"id":"1","src":"t","dst":"s"},{"id":"2","src":"s","dst":"w"},
               {"id":"3","src":"w","dst":"g"}]})");
  ASSERT_EQ(told.rows.size(), 3u);
  EXPECT_EQ(told.tell(ResumeWait{told.wait("w", 2).id, {}, "", "", false}), "");
  EXPECT_EQ(told.told("w", 1), "scheduled/");
  EXPECT_EQ(told.told("w", 2), "resumed/manual");
  EXPECT_EQ(told.told("w", 3), "scheduled/");
}

// W-63: how an execution ended is told by name, also when nobody gave a reason.
TEST(WaitEvents, ends_of_runs_have_the_names_of_their_causes) {
  Told cancelled(waiting);
  EXPECT_EQ(cancelled.tell(CancelRun{""}), "");
  EXPECT_EQ(cancelled.run.exit_reason, "manual_removal");
  Told said(waiting);
  EXPECT_EQ(said.tell(CancelRun{"enough"}), "");
  EXPECT_EQ(said.run.exit_reason, "enough");
}

// W-68
TEST(WaitEvents, fold_and_snapshot_hold_the_waits) {
  Told told(waiting);
  EXPECT_EQ(told.tell(HoldWaits{"", "operator"}), "");
  auto folded =
      fold(RunId("r1"), told.history, [&](const DefinitionHash&) { return told.run.definition; });
  ASSERT_TRUE(folded);
  EXPECT_EQ(folded->waits, told.run.waits);
  EXPECT_TRUE(folded->wait_changes.empty());
  auto again = decode_snapshot(encode_snapshot(told.run), told.run.definition);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->waits, told.run.waits);
  EXPECT_EQ(again->waits_opened, told.run.waits_opened);
}

TEST(WaitView, shows_the_whole_of_a_wait) {
  Told told(waiting);
  Value shown = view::wait(told.rows.begin()->second, start_at + Duration{601'000});
  EXPECT_EQ(shown.get("status"), Value("scheduled"));
  EXPECT_EQ(shown.get("due_at"), Value("2026-03-01T10:10:00.000Z"));
  EXPECT_EQ(shown.get("overdue_s"), Value(1));
  EXPECT_EQ(shown.get("wait_type"), Value("fixed_time"));
  EXPECT_EQ(shown.get("event_timeout_at"), Value());
}

}  // namespace
}  // namespace fermata
