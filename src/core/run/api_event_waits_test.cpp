#include <gtest/gtest.h>

#include "core/run/api_waits.h"
#include "core/run/script_definition.h"

/// Waits of the API for signals (W-11, W-44, W-58).
namespace fermata {
namespace {

constexpr Instant listening_at{1'772'359'200'000};  // 2026-03-01T10:00:00Z

struct ListeningRun {
  ListeningRun() {
    StartRun body;
    body.account = AccountId("acme");
    body.workflow = WorkflowId("w");
    body.contact_id = "c-17";
    Value hook = Value::object({{"url", "https://crm.example/hook"}});
    body.definition =
        make_external_definition(Value::object({{"language", "external"}, {"callback", hook}}));
    run.id = RunId("r1");
    tell(std::move(body));
  }
  std::string tell(CommandBody body, Duration after = {}) {
    now = now + after;
    auto decision = decide(run, {RunId("r1"), std::move(body), "tester"}, {now, 7, {}});
    if (!decision) return std::string(name_of(decision.error().code));
    for (Delivery& delivery : decision->deliveries) told.push_back(std::move(delivery));
    return "";
  }
  std::string open(Value config) {
    return tell(OpenWait{"opened", "for_event", std::move(config), {}, {}, {}, ""});
  }
  std::string offer(const std::string& type, const std::string& id, const std::string& contact) {
    auto signal = std::make_shared<Signal>();
    signal->account = AccountId("acme");
    signal->id = id;
    signal->type = type;
    signal->contact_id = contact;
    signal->received_at = now;
    return tell(OfferSignal{signal, run.waits.begin()->second.id});
  }
  Instant now = listening_at;
  Run run;
  std::vector<Delivery> told;
};

Value email_open(const char* action) {
  return Value::object(
      {{"event_type", "email_open"}, {"timeout_hours", 72}, {"timeout_action", action}});
}

TEST(ApiEventWaits, are_resumed_by_the_first_signal_of_their_contact) {
  ListeningRun run;
  EXPECT_EQ(run.open(email_open("continue")), "");
  EXPECT_EQ(run.run.waits.begin()->second.status, WaitStatus::waiting);
  EXPECT_EQ(shown_status(run.run), RunStatus::waiting);
  EXPECT_EQ(run.offer("email_open", "ev-1", "c-18"), "not_listening");
  EXPECT_EQ(run.offer("email_open", "ev-2", "c-17"), "");
  ASSERT_EQ(run.told.size(), 1u);
  EXPECT_EQ(run.told[0].type, "wait.resumed");
  EXPECT_EQ(run.told[0].body.get("event").get("event_id"), Value("ev-2"));
  EXPECT_EQ(shown_status(run.run), RunStatus::running);
}

TEST(ApiEventWaits, end_their_run_when_the_timeout_says_so) {
  ListeningRun run;
  EXPECT_EQ(run.open(email_open("exit")), "");
  EXPECT_EQ(run.tell(WakeRun{}, Duration{int64_t{72} * 3'600'000}), "");
  EXPECT_EQ(run.run.status, RunStatus::cancelled);
  EXPECT_EQ(run.run.exit_reason, "wait_timeout");
  ASSERT_EQ(run.told.size(), 2u);
  EXPECT_EQ(run.told[0].type, "wait.timeout");
  EXPECT_EQ(run.told[1].type, "execution.ended");
}

// W-56: without a program every wait before is a step, also one for an instant.
TEST(ApiEventWaits, look_back_to_the_end_of_the_wait_before) {
  ListeningRun run;
  Value nap = Value::object({{"duration", 5}, {"unit", "minutes"}});
  EXPECT_EQ(run.tell(OpenWait{"nap", "fixed_time", nap, {}, {}, {}, ""}), "");
  EXPECT_EQ(run.tell(WakeRun{}, Duration{300'000}), "");
  run.now = run.now + Duration{60'000};
  EXPECT_EQ(run.open(email_open("continue")), "");
  EXPECT_EQ(run.run.waits.begin()->second.listeners[0].window_start,
            listening_at + Duration{300'000});
}

TEST(ApiEventWaits, name_a_step_to_look_back_to_that_there_is) {
  ListeningRun run;
  Value config = email_open("continue");
  config.set("related_step", "nowhere");
  EXPECT_EQ(run.open(config), "unknown_step");
}

TEST(ApiEventWaits, are_refused_with_the_codes_of_their_type) {
  ListeningRun run;
  EXPECT_EQ(run.open(Value::object({{"event_type", "email_eaten"}})), "unknown_event_type");
  EXPECT_EQ(run.open(Value::object({{"event_type", "email_open"}, {"timeout_hours", 0}})),
            "timeout_out_of_range");
}

}  // namespace
}  // namespace fermata
