#include <gtest/gtest.h>

#include "base/json.h"
#include "core/graph/check.h"
#include "core/run/decide.h"

/// What accounts and contacts mean to waits for signals, and how such waits are changed.
namespace fermata {
namespace {

constexpr Instant opened_at{1'769'421'600'000};  // 2026-01-26T10:00:00Z
constexpr int64_t hour_ms = 3'600'000;

struct Listening {
  explicit Listening(const std::string& config, graph::DefinitionLimits limits = {}) {
    auto checked =
        graph::check_definition(*parse_json(R"({"nodes":[{"id":"S","type":"manual","trigger":true},
            {"id":"W","type":"wait","parameters":{"wait_type":"for_event",)" +
                                            config + R"(}},{"id":"A","type":"noop"}],
            "edges":[{"id":"e1","src":"S","dst":"W"},{"id":"e2","src":"W","dst":"A"}]})"),
                                {}, limits);
    for (const Finding& finding : checked.errors) problems += finding.message;
    definition = checked.definition;
    contact.account = AccountId("acme");
    contact.id = "c-17";
    contact.version = 1;
  }
  std::string start() {
    StartRun body;
    body.account = AccountId("acme");
    body.workflow = WorkflowId("w");
    body.definition = definition;
    body.contact_id = contact.id;
    return tell(std::move(body));
  }
  std::string tell(CommandBody body) {
    Given given{now, 7, {}};
    given.account = std::make_shared<AccountSettings>(account);
    given.contact = std::make_shared<Contact>(contact);
    auto decision = decide(run, {RunId("r1"), std::move(body), "tester"}, given);
    if (!decision) return std::string(name_of(decision.error().code));
    for (const WaitRecord& record : decision->waits) wait = record.wait;
    return "";
  }
  std::string offer(const std::string& id, const std::string& type) {
    auto signal = std::make_shared<Signal>();
    signal->account = AccountId("acme");
    signal->id = id;
    signal->type = type;
    signal->contact_id = "c-17";
    signal->received_at = now;
    return tell(OfferSignal{std::move(signal), wait.id});
  }
  std::string told() const { return std::string(name_of(wait.status)) + "/" + wait.resumed_by; }

  std::string problems;
  graph::DefinitionRef definition;
  AccountSettings account;
  Contact contact;
  Instant now = opened_at;
  Run run;
  Wait wait;
};

// W-44, W-81
TEST(SignalSettings, timeout_that_is_not_said_is_the_accounts) {
  Listening usual(R"("event_type":"email_open")");
  usual.start();
  EXPECT_EQ(usual.wait.due, opened_at + Duration{168 * hour_ms});
  Listening chosen(R"("event_type":"email_open")");
  chosen.account.waits.default_timeout_hours = 5;
  chosen.start();
  EXPECT_EQ(chosen.wait.due, opened_at + Duration{5 * hour_ms});
}

// W-51, W-81
TEST(SignalSettings, types_of_the_account_are_known_in_definitions_and_at_the_step) {
  Listening unknown(R"("event_type":"cart_left")");
  EXPECT_NE(unknown.problems, "");
  graph::DefinitionLimits limits;
  limits.event_types = {"cart_left"};
  Listening known(R"("event_type":"cart_left")", limits);
  ASSERT_EQ(known.problems, "");
  EXPECT_TRUE(graph::compile_definition(known.definition->canonical)) << "what is stored is kept";
  known.account.signals.event_types = {"cart_left"};
  known.start();
  EXPECT_EQ(known.told(), "waiting/");
  EXPECT_EQ(known.offer("ev-1", "cart_left"), "");
  EXPECT_EQ(known.told(), "resumed/event");
}

// W-54, S-14
TEST(SignalSettings, listener_to_replies_has_the_contacts_phone) {
  Listening reply(R"("event_type":"sms_reply")");
  reply.contact.phone = "+1 212 555 0100";
  reply.start();
  EXPECT_EQ(reply.wait.listeners.at(0).phone, "+12125550100");
}

// W-56
TEST(SignalSettings, lookback_beyond_what_is_kept_is_warned_of) {
  Listening fits(R"("event_type":"email_open","lookback":120)");
  fits.account.signals.retention_hours = 2;
  fits.start();
  EXPECT_TRUE(fits.wait.intent.is_null());
  Listening longer(R"("event_type":"email_open","lookback":121)");
  longer.account.signals.retention_hours = 2;
  longer.start();
  EXPECT_EQ(longer.wait.intent.get("warnings").size(), 1u);
}

// W-65, W-81
TEST(SignalSettings, signal_that_comes_while_resumes_are_off_holds_the_wait) {
  Listening off(R"("event_type":"email_open")");
  off.start();
  off.account.waits.resumes_off = true;
  EXPECT_EQ(off.offer("ev-1", "email_open"), "");
  EXPECT_EQ(off.told(), "waiting/");
  EXPECT_EQ(off.wait.hold, "resumes_off");
  EXPECT_EQ(off.wait.listeners[0].status, ListenerStatus::active);
  off.account.waits.resumes_off = false;
  EXPECT_EQ(off.tell(ReleaseWaits{off.wait.id, "resumes_off"}), "");
  EXPECT_EQ(off.offer("ev-1", "email_open"), "");
  EXPECT_EQ(off.told(), "resumed/event");
}

// W-16
TEST(SignalSettings, timeout_and_events_of_a_pending_wait_can_be_changed) {
  Listening changed(R"("event_type":"email_open","timeout_hours":72)");
  changed.start();
  changed.now = opened_at + Duration{hour_ms};
  auto change = [&](const char* config, bool from_now = false) {
    return changed.tell(ChangeWait{changed.wait.id, *parse_json(config), from_now});
  };
  EXPECT_EQ(change(R"({"event_type":"email_open","timeout_hours":24})"), "");
  EXPECT_EQ(changed.wait.due, opened_at + Duration{24 * hour_ms});
  EXPECT_EQ(changed.wait.listeners[0].window_start, opened_at) << "it goes on as it was";
  EXPECT_EQ(change(R"({"event_type":"email_open","timeout_hours":24})", true), "");
  EXPECT_EQ(changed.wait.due, opened_at + Duration{25 * hour_ms});
  EXPECT_EQ(change(R"({"event_type":"email_eaten"})"), "unknown_event_type");
  EXPECT_EQ(change(R"({"duration":3,"unit":"days"})"), "unknown_field");
  EXPECT_EQ(change(R"({"event_type":"page_visit","timeout_hours":24})"), "");
  EXPECT_EQ(changed.wait.listeners[0].window_start, changed.now) << "new ones begin now";
  EXPECT_EQ(changed.wait.occurrence, 1u);
  EXPECT_EQ(changed.offer("ev-1", "email_open"), "not_listening");
  EXPECT_EQ(changed.offer("ev-2", "page_visit"), "");
  EXPECT_EQ(changed.told(), "resumed/event");
  EXPECT_EQ(change(R"({"event_type":"page_visit"})"), "wait_ended");
}

// W-16, W-62
TEST(SignalSettings, change_keeps_what_was_heard_and_never_ends_the_wait_by_itself) {
  Listening all(R"("events":[{"event_type":"email_open"},{"event_type":"page_visit"}],
                   "mode":"all")");
  all.start();
  EXPECT_EQ(all.offer("ev-1", "email_open"), "");
  auto change = [&](const char* config) {
    return all.tell(ChangeWait{all.wait.id, *parse_json(config), false});
  };
  EXPECT_EQ(change(R"({"event_type":"email_open"})"), "invalid_config");
  EXPECT_EQ(change(R"({"events":[{"event_type":"sms_reply"},{"event_type":"page_visit"}],
                       "mode":"all"})"),
            "invalid_config");
  EXPECT_EQ(change(R"({"events":[{"event_type":"email_open"},{"event_type":"sms_reply"}],
                       "mode":"all","timeout_hours":2})"),
            "");
  EXPECT_EQ(all.wait.listeners[0].matched_event, "ev-1");
  EXPECT_EQ(all.offer("ev-2", "sms_reply"), "");
  EXPECT_EQ(all.told(), "resumed/event");
}

// W-59
TEST(SignalSettings, goals_are_those_of_the_workflow_and_not_of_the_signal_that_started_the_run) {
  Listening run(R"("event_type":"email_open")");
  StartRun start;
  start.account = AccountId("acme");
  start.workflow = WorkflowId("w");
  start.definition = run.definition;
  start.trigger_kind = "event";
  start.trigger = Value::object({{"event_id", "ev-0"}});
  run.tell(start);
  auto goal = [&](const char* account, const char* workflow, const char* signal) {
    return run.tell(AchieveGoals{{"g"}, {}, signal, AccountId(account), WorkflowId(workflow)});
  };
  EXPECT_EQ(goal("acme", "other", "ev-1"), "not_listening");
  EXPECT_EQ(goal("other", "w", "ev-1"), "not_listening");
  EXPECT_EQ(goal("acme", "w", "ev-0"), "not_listening");
  EXPECT_EQ(goal("acme", "w", "ev-1"), "");
  EXPECT_EQ(run.run.exit_reason, "goal_achieved");
  EXPECT_EQ(run.told(), "cancelled/cancelled");
}

}  // namespace
}  // namespace fermata
