#include <gtest/gtest.h>

#include "base/json.h"
#include "core/graph/check.h"
#include "core/run/decide.h"
#include "core/run/history.h"
#include "core/run/snapshot.h"
#include "core/run/waiting.h"

/// Wait nodes that listen to signals, command by command.
namespace fermata {
namespace {

constexpr Instant start_at{1'769'421'600'000};  // 2026-01-26T10:00:00Z
constexpr int64_t hour = 3'600'000;

/// {S → W → A, B}: what W is, and its own edges, are given.
std::string graph_of(std::string_view config) {
  return R"({"nodes": [{"id": "S", "type": "manual", "trigger": true},
    {"id": "W", "type": "wait", "parameters": {"wait_type": "for_event", )" +
         std::string(config) + R"(}}, {"id": "A", "type": "noop"}, {"id": "B", "type": "noop"}],
    "edges": [{"id": "e1", "src": "S", "dst": "W"}, {"id": "e2", "src": "W", "dst": "A"},
              {"id": "e3", "src": "W", "dst": "B"}]})";
}

struct Told {
  explicit Told(const std::string& json, std::string contact = "c-17", bool starts = true) {
    auto checked = graph::check_definition(*parse_json(json));
    for (const Finding& finding : checked.errors) ADD_FAILURE() << finding.message;
    run.id = RunId("r1");
    start.account = AccountId("acme");
    start.workflow = WorkflowId("w");
    start.workflow_version = 1;
    start.definition = checked.definition;
    start.contact_id = std::move(contact);
    if (starts) tell(start);
  }
  std::string tell(CommandBody body, std::vector<SignalRef> retained = {}) {
    Given given{now, 7, {}};
    given.retained = std::move(retained);
    auto decision = decide(run, {RunId("r1"), std::move(body), "tester"}, given);
    if (!decision) return std::string(name_of(decision.error().code));
    for (WaitRecord& record : decision->waits) rows[record.wait.id] = record;
    if (!decision->events.empty()) history.push_back(encode_history(decision->events));
    return "";
  }
  SignalRef signal(std::string id, std::string type = "email_open", Value data = {}) {
    Signal made;
    made.account = AccountId("acme");
    made.id = std::move(id);
    made.type = std::move(type);
    made.contact_id = "c-17";
    made.data = std::move(data);
    made.received_at = now;
    return std::make_shared<const Signal>(std::move(made));
  }
  std::string offer(SignalRef signal, uint32_t occurrence = 1) {
    return tell(OfferSignal{std::move(signal), wait(occurrence).id});
  }
  const Wait& wait(uint32_t occurrence = 1) {
    for (const auto& [id, record] : rows)
      if (record.wait.occurrence == occurrence) return record.wait;
    static const Wait none;
    ADD_FAILURE() << "no such wait";
    return none;
  }
  std::string told(uint32_t occurrence = 1) {
    const Wait& found = wait(occurrence);
    return std::string(name_of(found.status)) + "/" + found.resumed_by;
  }
  bool reached(const char* node) const {
    return run.done.contains(*run.definition->node_by_id(node));
  }
  /// What the steps after the wait see.
  Value output() {
    for (const HistoryChunk& chunk : history)
      for (const Event& event : *decode_history(chunk))
        if (const auto* resumed = std::get_if<WaitResumed>(&event.body)) last = resumed->output;
    return last;
  }

  Instant now = start_at;
  StartRun start;
  Run run;
  Value last;
  std::map<std::string, WaitRecord> rows;
  std::vector<HistoryChunk> history;
};

// W-44, W-62, S-12
TEST(EventWaits, opens_with_a_listener_and_a_timeout) {
  Told told(graph_of(R"("event_type": "email_opened", "timeout_hours": 72,
                        "criteria": {"message_id": "email-123"})"));
  EXPECT_EQ(told.told(), "waiting/");
  const Wait& wait = told.wait();
  EXPECT_EQ(wait.due, start_at + Duration{72 * hour});
  ASSERT_EQ(wait.listeners.size(), 1u);
  EXPECT_EQ(wait.listeners[0].event_type, "email_open");
  EXPECT_EQ(wait.listeners[0].scope, "contact");
  EXPECT_EQ(wait.listeners[0].window_start, start_at);
  EXPECT_EQ(summarize(told.run).status, RunStatus::waiting);
  EXPECT_EQ(waiting_of(told.run).items()[0].get("what"), Value("email_open"));
  auto read = decode_snapshot(encode_snapshot(told.run), told.run.definition);
  ASSERT_TRUE(read);
  EXPECT_EQ(encode_snapshot(*read), encode_snapshot(told.run));
}

// W-47, W-58, W-63, S-13, S-20
TEST(EventWaits, signal_ends_it_once_and_the_next_step_sees_it) {
  Told told(graph_of(R"("event_type": "email_open", "criteria": {"message_id": "m"})"));
  told.now = told.now + Duration{5'000};
  EXPECT_EQ(told.offer(told.signal("ev-0", "email_open", Value::object({{"message_id", "x"}}))),
            "not_listening");
  EXPECT_EQ(told.offer(told.signal("ev-1", "email_open", Value::object({{"message_id", "m"}}))),
            "");
  EXPECT_EQ(told.told(), "resumed/event");
  EXPECT_EQ(told.wait().signal_id, "ev-1");
  EXPECT_EQ(told.wait().listeners[0].status, ListenerStatus::matched);
  EXPECT_EQ(told.wait().listeners[0].matched_event, "ev-1");
  EXPECT_TRUE(told.reached("A"));
  EXPECT_TRUE(told.reached("B"));
  Value seen = told.output();
  EXPECT_EQ(seen.get("resumed_by"), Value("event"));
  EXPECT_EQ(seen.get("timed_out"), Value(false));
  EXPECT_EQ(seen.get("event").get("data"), Value::object({{"message_id", "m"}}));
  EXPECT_EQ(seen.get("waited_ms"), Value(5'000));
  EXPECT_EQ(seen.get("occurrence"), Value(1));
  EXPECT_EQ(seen.get("events").size(), 1u);
  EXPECT_EQ(told.offer(told.signal("ev-2")), "run_finished");
}

// W-57, W-63, S-15
TEST(EventWaits, timeout_goes_on_unless_a_signal_came_up_to_it) {
  Told told(graph_of(R"("event_type": "email_open", "timeout_hours": 24)"));
  told.now = start_at + Duration{24 * hour};
  SignalRef last = told.signal("ev-1");
  told.now = told.now + Duration{1};
  SignalRef late = told.signal("ev-2");
  EXPECT_EQ(told.offer(late), "not_listening");
  Told same = told;
  EXPECT_EQ(told.tell(WakeRun{}, {late}), "");
  EXPECT_EQ(told.told(), "timeout/timeout");
  EXPECT_EQ(told.wait().listeners[0].status, ListenerStatus::expired);
  EXPECT_EQ(told.output().get("timed_out"), Value(true));
  EXPECT_TRUE(told.reached("A"));
  EXPECT_EQ(same.tell(WakeRun{}, {last, late}), "");
  EXPECT_EQ(same.told(), "resumed/event") << "a timeout never overtakes";
  EXPECT_EQ(same.wait().signal_id, "ev-1");
}

// W-47, W-63, G-94, S-16
TEST(EventWaits, exit_at_the_timeout_ends_the_whole_run) {
  Told told(graph_of(R"("event_type": "email_click", "timeout_hours": 72,
                        "timeout_action": "exit")"));
  told.now = start_at + Duration{72 * hour};
  EXPECT_EQ(told.tell(WakeRun{}), "");
  EXPECT_EQ(told.told(), "timeout/timeout");
  EXPECT_EQ(told.run.status, RunStatus::cancelled);
  EXPECT_EQ(told.run.exit_reason, "wait_timeout");
  EXPECT_FALSE(told.reached("A"));
}

// W-44, W-47
TEST(EventWaits, branches_of_events_and_of_the_timeout_are_taken_alone) {
  std::string config = R"("events": [{"event_type": "email_open", "branch": "B"},
      {"event_type": "email_click"}], "timeout_action": "branch", "timeout_step": "B")";
  Told opened(graph_of(config));
  EXPECT_EQ(opened.offer(opened.signal("ev-1", "email_open")), "");
  EXPECT_TRUE(opened.reached("B"));
  EXPECT_FALSE(opened.reached("A"));
  EXPECT_EQ(opened.output().get("branch"), Value("B"));
  EXPECT_EQ(opened.wait().listeners[1].status, ListenerStatus::cancelled);
  Told clicked(graph_of(config));
  EXPECT_EQ(clicked.offer(clicked.signal("ev-1", "email_click")), "");
  EXPECT_TRUE(clicked.reached("A"));
  EXPECT_FALSE(clicked.reached("B"));
  Told late(graph_of(config));
  late.now = start_at + Duration{168 * hour};
  EXPECT_EQ(late.tell(WakeRun{}), "");
  EXPECT_FALSE(late.reached("A"));
  EXPECT_TRUE(late.reached("B"));
}

// W-44, W-62
TEST(EventWaits, all_of_them_are_needed_once_each) {
  Told told(graph_of(R"("events": [{"event_type": "email_open"}, {"event_type": "sms_reply"}],
                        "mode": "all")"));
  EXPECT_EQ(told.offer(told.signal("ev-1", "email_open")), "");
  EXPECT_EQ(told.told(), "waiting/");
  EXPECT_EQ(told.wait().listeners[0].status, ListenerStatus::matched);
  EXPECT_EQ(told.offer(told.signal("ev-1", "email_open")), "") << "offered again, it was taken";
  EXPECT_EQ(told.offer(told.signal("ev-2", "email_open")), "not_listening");
  EXPECT_EQ(told.offer(told.signal("ev-3", "sms_reply")), "");
  EXPECT_EQ(told.told(), "resumed/event");
  EXPECT_EQ(told.output().get("events").size(), 2u);
  EXPECT_EQ(told.output().get("event").get("event_id"), Value("ev-3"));
}

// W-54, W-65
TEST(EventWaits, held_wait_hears_what_was_retained_when_it_is_released) {
  Told told(graph_of(R"("event_type": "email_open", "timeout_hours": 1)"));
  std::string id = told.wait().id;
  EXPECT_EQ(told.tell(HoldWaits{id, "operator"}), "");
  SignalRef signal = told.signal("ev-1");
  EXPECT_EQ(told.offer(signal), "not_listening");
  told.now = start_at + Duration{2 * hour};
  Told forgotten = told;
  EXPECT_EQ(told.tell(ReleaseWaits{id, ""}, {signal}), "");
  EXPECT_EQ(told.told(), "resumed/event");
  EXPECT_EQ(forgotten.tell(ReleaseWaits{id, ""}), "");
  EXPECT_EQ(forgotten.told(), "timeout/timeout");
  Told paused(graph_of(R"("event_type": "email_open", "timeout_hours": 1)"));
  EXPECT_EQ(paused.tell(PauseRun{}), "");
  EXPECT_EQ(paused.offer(signal), "not_listening");
  EXPECT_EQ(paused.tell(ResumeRun{}, {signal}), "");
  EXPECT_EQ(paused.told(), "resumed/event");
}

// W-56, W-58
TEST(EventWaits, second_occurrence_begins_after_the_first_and_reuses_nothing) {
  Told told(R"({"nodes": [{"id": "S", "type": "manual", "trigger": true},
    {"id": "W", "type": "wait", "max_visits": 9,
     "parameters": {"wait_type": "for_event", "event_type": "email_open",
                    "lookback": "run_start"}},
    {"id": "A", "type": "noop", "max_visits": 9}],
    "edges": [{"id": "e1", "src": "S", "dst": "W"}, {"id": "e2", "src": "W", "dst": "A"},
              {"id": "e3", "src": "A", "dst": "W"}]})");
  told.now = start_at + Duration{1'000};
  SignalRef first = told.signal("ev-1"), other = told.signal("ev-2");
  EXPECT_EQ(told.offer(first), "");
  EXPECT_EQ(told.told(2), "waiting/");
  EXPECT_EQ(told.wait(2).listeners[0].window_start, told.now);
  EXPECT_EQ(told.offer(first, 2), "not_listening") << "it ended a wait at this step";
  EXPECT_EQ(told.offer(other, 2), "") << "received at the same instant, but another";
  EXPECT_EQ(told.offer(other, 1), "wait_ended");
}

// W-56
TEST(EventWaits, window_begins_at_the_related_step_the_run_or_where_it_is_told) {
  auto graph = [](const char* lookback) {
    return R"({"nodes": [{"id": "S", "type": "manual", "trigger": true},
      {"id": "P", "type": "wait", "parameters": {"amount": 1, "unit": "hours"}},
      {"id": "M", "type": "wait", "parameters": {"amount": 1, "unit": "hours"}},
      {"id": "W", "type": "wait", "parameters": {"wait_type": "for_event", )" +
           std::string(lookback) + R"("event_type": "email_open"}}],
      "edges": [{"id": "e1", "src": "S", "dst": "P"}, {"id": "e2", "src": "P", "dst": "M"},
                {"id": "e3", "src": "M", "dst": "W"}]})";
  };
  for (auto [lookback, after] : {std::pair{"", int64_t{0}},
                                 {R"("related_step": "M", )", 1 * hour},
                                 {R"("related_step": "P", )", int64_t{0}},
                                 {R"("lookback": "run_start", )", int64_t{0}},
                                 {R"("lookback": "none", )", 2 * hour},
                                 {R"("lookback": 30, )", 2 * hour - hour / 2},
                                 {R"("related_at": "2026-01-26T10:20:00Z", )", hour / 3}}) {
    Told told(graph(lookback));
    told.now = start_at + Duration{hour};
    EXPECT_EQ(told.tell(WakeRun{}), "");
    told.now = start_at + Duration{2 * hour};
    EXPECT_EQ(told.tell(WakeRun{}), "");
    for (const auto& [id, record] : told.rows) {
      if (record.wait.step != "W") continue;
      EXPECT_EQ(record.wait.listeners[0].window_start, start_at + Duration{after}) << lookback;
    }
    auto read = decode_snapshot(encode_snapshot(told.run), told.run.definition);
    ASSERT_TRUE(read);
    EXPECT_EQ(encode_snapshot(*read), encode_snapshot(told.run));
  }
}

// W-53, W-40
TEST(EventWaits, without_a_contact_only_signals_to_the_run_count) {
  Told told(graph_of(R"("event_type": "email_open")"), "");
  EXPECT_EQ(told.wait().listeners[0].scope, "execution");
  EXPECT_EQ(told.offer(told.signal("ev-1")), "not_listening");
  Signal addressed = *told.signal("ev-2");
  addressed.contact_id = "";
  addressed.run = RunId("r1");
  EXPECT_EQ(told.offer(std::make_shared<const Signal>(addressed)), "");
  EXPECT_EQ(told.told(), "resumed/event");
  Told refused(graph_of(R"("event_type": "email_open", "scope": "contact")"), "");
  EXPECT_EQ(refused.run.status, RunStatus::failed);
  EXPECT_EQ(refused.run.error.get("code"), Value("wait_invalid"));
  EXPECT_EQ(refused.run.error.get("details").get("code"), Value("invalid_config"));
}

// W-56
TEST(EventWaits, signal_that_started_the_run_is_not_its_own_match) {
  Told told(graph_of(R"("event_type": "email_open", "lookback": "run_start")"), "c-17", false);
  told.start.trigger_kind = "event";
  told.start.trigger = Value::object({{"event_id", "ev-1"}});
  told.tell(told.start);
  EXPECT_EQ(told.offer(told.signal("ev-1")), "not_listening");
  EXPECT_EQ(told.offer(told.signal("ev-2")), "");
}

// W-58
TEST(EventWaits, signal_to_the_run_itself_is_kept_for_who_takes_signals_in_order) {
  Told told(R"({"nodes": [{"id": "S", "type": "manual", "trigger": true},
    {"id": "P", "type": "wait", "parameters": {"amount": 1, "unit": "hours"}},
    {"id": "H", "type": "wait_for_signal", "parameters": {"name": "approved"}}],
    "edges": [{"id": "e1", "src": "S", "dst": "P"}, {"id": "e2", "src": "P", "dst": "H"}]})");
  EXPECT_EQ(told.tell(OfferSignal{told.signal("ev-1", "approved", Value(7)), ""}), "");
  EXPECT_EQ(told.tell(OfferSignal{told.signal("ev-1", "approved", Value(7)), ""}), "");
  EXPECT_EQ(told.run.signals.size(), 1u);
  told.now = start_at + Duration{hour};
  EXPECT_EQ(told.tell(WakeRun{}), "");
  EXPECT_EQ(told.run.status, RunStatus::completed);
  Told deaf(graph_of(R"("event_type": "email_open")"));
  EXPECT_EQ(deaf.tell(OfferSignal{deaf.signal("ev-1", "approved"), ""}), "not_listening");
}

// W-44
TEST(EventWaits, definitions_are_checked_when_they_are_stored) {
  auto codes = [](std::string_view config) {
    auto checked = graph::check_definition(*parse_json(graph_of(config)));
    std::string out;
    for (const Finding& finding : checked.errors) out += finding.code + " " + finding.path + ";";
    return out;
  };
  EXPECT_EQ(codes(R"("event_type": "email_eaten")"),
            "parameter_invalid /nodes/1/parameters/event_type;");
  EXPECT_EQ(codes(R"("timeout_hours": 5)"), "parameter_missing /nodes/1/parameters/event_type;");
  EXPECT_EQ(codes(R"("event_type": "email_open", "timeout_hours": 5000)"),
            "parameter_invalid /nodes/1/parameters/timeout_hours;");
  EXPECT_EQ(codes(R"("event_type": "email_open", "related_step": "X")"),
            "parameter_invalid /nodes/1/parameters/related_step;");
  EXPECT_EQ(codes(R"("event_type": "email_open", "timeout_action": "branch",
                     "timeout_step": "X")"),
            "edge_reference_unknown /nodes/1/parameters/timeout_step;");
  EXPECT_EQ(codes(R"("events": [{"event_type": "email_open", "branch": "X"}])"),
            "edge_reference_unknown /nodes/1/parameters/events/0/branch;");
}

}  // namespace
}  // namespace fermata
