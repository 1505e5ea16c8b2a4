#include <gtest/gtest.h>

#include "base/json.h"
#include "core/flow/script.h"
#include "core/graph/check.h"
#include "core/run/decide.h"
#include "core/run/history.h"
#include "core/run/script_definition.h"
#include "core/run/snapshot.h"

/// Waits that look at the run's contact, its account and its workflow.
namespace fermata {
namespace {

constexpr Instant start_at{1'769'454'000'000};  // 2026-01-26T19:00:00Z, a Monday

std::shared_ptr<const ZoneTable> zones() {
  auto data = [](const char* text) {
    auto rule = parse_zone_rule(text);
    auto zone = Zone::from({{rule->standard}, {}, {}, rule});
    EXPECT_TRUE(zone) << text;
    return std::make_shared<const Zone>(*std::move(zone));
  };
  static const auto table = std::make_shared<const ZoneTable>(
      "test", std::vector<ZoneTable::Named>{{"America/New_York", data("EST5EDT,M3.2.0,M11.1.0")},
                                            {"Asia/Tokyo", data("JST-9")}});
  return table;
}

struct Run1 {
  explicit Run1(const std::string& wait, std::string contact_id = "c-17") {
    auto checked = graph::check_definition(*parse_json(
        R"({"nodes":[{"id":"t","type":"manual","trigger":true},{"id":"w","type":"wait",
            "parameters":)" +
        wait + R"(},{"id":"a","type":"noop"},{"id":"b","type":"noop"}],
            "edges":[{"id":"e","src":"t","dst":"w"},{"id":"to_a","src":"w","dst":"a"},
                     {"id":"to_b","src":"w","dst":"b"}]})"));
    EXPECT_TRUE(checked.definition) << wait;
    definition = checked.definition;
    contact.account = AccountId("acme");
    contact.id = std::move(contact_id);
    contact.version = 1;
  }
  std::string start() {
    StartRun body;
    body.account = AccountId("acme");
    body.workflow = WorkflowId("nurture");
    body.definition = definition;
    body.contact_id = contact.id;
    return tell(std::move(body));
  }
  std::string tell(CommandBody body, Duration after = {}) {
    now = now + after;
    Given given{now, 7, {}, zones()};
    given.account = std::make_shared<AccountSettings>(account);
    if (!contact.id.empty()) given.contact = std::make_shared<Contact>(contact);
    given.workflow = workflow;
    auto decision = decide(run, {RunId("r1"), std::move(body), "tester"}, given);
    if (!decision) return std::string(name_of(decision.error().code));
    for (WaitRecord& record : decision->waits) last = record.wait;
    if (!decision->events.empty()) history.push_back(encode_history(decision->events));
    return "";
  }
  AchieveGoals goals(std::vector<std::string> reached, std::vector<std::string> needed,
                     std::string signal) {
    return {std::move(reached), std::move(needed), std::move(signal), AccountId("acme"),
            WorkflowId("nurture")};
  }
  std::string due() const { return last.due ? to_rfc3339(*last.due) : ""; }
  std::string told() const { return std::string(name_of(last.status)) + "/" + last.resumed_by; }

  graph::DefinitionRef definition;
  Contact contact;
  AccountSettings account;
  OnInactive workflow = OnInactive::active;
  Instant now = start_at;
  Run run;
  Wait last;
  std::vector<HistoryChunk> history;
};

const char* at_nine = R"({"wait_type":"until_time","target_time":"09:00"})";
const char* renewal =
    R"({"wait_type":"until_date","contact_field":"renewal_date","follow_field":true})";

// R-10, W-45
TEST(ContactWaits, time_of_day_is_the_contacts_then_the_accounts) {
  Run1 contact(at_nine);
  contact.contact.timezone = "America/New_York";
  contact.account.timezone = "Asia/Tokyo";
  contact.start();
  EXPECT_EQ(contact.due(), "2026-01-27T14:00:00.000Z");
  EXPECT_EQ(contact.last.intent.get("timezone_source"), Value("contact"));
  Run1 account(at_nine);
  account.contact.timezone = "Nowhere/Land";
  account.account.timezone = "Asia/Tokyo";
  account.start();
  EXPECT_EQ(account.due(), "2026-01-27T00:00:00.000Z");
  EXPECT_EQ(account.last.intent.get("timezone_source"), Value("account"));
  EXPECT_EQ(account.last.intent.get("warnings").size(), 1u);
  Run1 neither(at_nine, "");
  neither.start();
  EXPECT_EQ(neither.due(), "2026-01-27T09:00:00.000Z");
}

// W-47: what the contact is now, not what it was when the wait was opened.
TEST(ContactWaits, expressions_see_the_contact_as_it_is_after_the_resume) {
  Run1 test(R"({"wait_type":"fixed_time","duration":30,"unit":"minutes"})");
  auto checked = graph::check_definition(*parse_json(
      R"({"nodes":[{"id":"t","type":"manual","trigger":true},
          {"id":"before","type":"code","parameters":{"source":"return $run.contact.fields.tier"}},
          {"id":"w","type":"wait",
           "parameters":{"wait_type":"fixed_time","duration":30,"unit":"minutes"}},
          {"id":"after","type":"code",
           "parameters":{"source":"return {before: $before.result, now: $run.contact}"}}],
          "edges":[{"id":"1","src":"t","dst":"before"},{"id":"2","src":"before","dst":"w"},
                   {"id":"3","src":"w","dst":"after"}],
          "result":"$after.result"})"));
  for (const Finding& finding : checked.errors) ADD_FAILURE() << finding.message;
  test.definition = checked.definition;
  test.contact.fields = Value::object({{"tier", "gold"}});
  test.contact.email = "a@example.com";
  EXPECT_EQ(test.start(), "");
  test.contact.fields = Value::object({{"tier", "silver"}});
  test.contact.timezone = "Asia/Tokyo";
  EXPECT_EQ(test.tell(WakeRun{}, Duration{30 * 60'000}), "");
  EXPECT_EQ(test.run.output.get("before"), Value("gold"));
  EXPECT_EQ(to_json(test.run.output.get("now")),
            R"({"id":"c-17","timezone":"Asia/Tokyo","phone":null,"email":"a@example.com",)"
            R"("fields":{"tier":"silver"},"labels":{}})");
}

// W-43, W-46
TEST(ContactWaits, business_days_holidays_and_gaps_are_the_accounts) {
  Run1 days(R"({"wait_type":"until_time","target_time":"09:00","business_days_only":true,
                "holidays":["01-29"]})");
  days.account.business.days = DaySet(0b0010000);  // Thursday
  days.account.business.holidays = {*parse_holiday("2026-02-05")};
  days.start();
  EXPECT_EQ(days.due(), "2026-02-12T09:00:00.000Z");
  const char* skipped =
      R"({"wait_type":"until_date","target_date":"2026-03-08T02:30",
          "timezone":"America/New_York"})";
  Run1 end(skipped);
  end.start();
  EXPECT_EQ(end.due(), "2026-03-08T07:00:00.000Z");
  Run1 shifted(skipped);
  shifted.account.gap_policy = GapPolicy::shift;
  shifted.start();
  EXPECT_EQ(shifted.due(), "2026-03-08T07:30:00.000Z");
}

// W-42
TEST(ContactWaits, date_that_a_contact_does_not_have_fails_or_leads_elsewhere) {
  for (const char* field : {R"({})", R"({"renewal_date":""})", R"({"renewal_date":"soon"})"}) {
    Run1 failing(R"({"wait_type":"until_date","contact_field":"renewal_date"})");
    failing.contact.fields = *parse_json(field);
    failing.start();
    EXPECT_EQ(failing.run.status, RunStatus::failed) << field;
    EXPECT_EQ(failing.run.error.get("details").get("code"), Value("contact_field_invalid"));
    EXPECT_TRUE(failing.last.id.empty()) << "no wait was opened";
  }
  Run1 branching(R"({"wait_type":"until_date","contact_field":"renewal_date",
                     "missing_action":"branch","missing_step":"b"})");
  branching.start();
  EXPECT_EQ(branching.run.status, RunStatus::completed);
  EXPECT_EQ(branching.run.ended.size(), 1u) << "the branch alone";
  EXPECT_EQ(branching.told(), "resumed/missing_date");
  Run1 leaving(R"({"wait_type":"until_date","contact_field":"renewal_date",
                   "missing_action":"exit"})");
  leaving.start();
  EXPECT_EQ(leaving.run.exit_reason, "contact_field_invalid");
}

// W-42
TEST(ContactWaits, date_in_a_field_is_followed_when_asked_for) {
  Run1 follows(renewal);
  follows.contact.fields = *parse_json(R"({"renewal_date":"2026-03-15"})");
  follows.start();
  EXPECT_EQ(follows.due(), "2026-03-15T00:00:00.000Z");
  EXPECT_EQ(follows.tell(FollowContact{}), "");
  EXPECT_EQ(follows.history.size(), 1u) << "nothing has changed";
  follows.contact.fields = *parse_json(R"({"renewal_date":"2026-04-01T12:00:00Z"})");
  follows.tell(FollowContact{});
  EXPECT_EQ(follows.due(), "2026-04-01T12:00:00.000Z");
  EXPECT_EQ(follows.tell(WakeRun{}, {int64_t{50} * 86'400'000}), "nothing_due");
  follows.contact.fields = *parse_json(R"({"renewal_date":"2026-01-01"})");
  follows.tell(FollowContact{});
  EXPECT_EQ(follows.told(), "resumed/past_date");
  EXPECT_EQ(follows.run.status, RunStatus::completed);
  Run1 stays(R"({"wait_type":"until_date","contact_field":"renewal_date"})");
  stays.contact.fields = *parse_json(R"({"renewal_date":"2026-03-15"})");
  stays.start();
  stays.contact.fields = *parse_json(R"({"renewal_date":"2026-04-01"})");
  stays.tell(FollowContact{});
  EXPECT_EQ(stays.due(), "2026-03-15T00:00:00.000Z");
}

// W-26, W-63
TEST(ContactWaits, nothing_starts_or_resumes_for_a_contact_that_is_out) {
  Run1 run(R"({"wait_type":"fixed_time","duration":1,"unit":"hours"})");
  run.start();
  run.contact.opted_out_at = run.now;
  run.tell(WakeRun{}, {3'600'000});
  EXPECT_EQ(run.run.status, RunStatus::cancelled);
  EXPECT_EQ(run.run.exit_reason, "contact_opted_out");
  EXPECT_EQ(run.told(), "cancelled/cancelled");
  Run1 late(at_nine);
  late.contact.opted_out_of = {"nurture"};
  EXPECT_EQ(late.start(), "contact_opted_out");
}

// W-31, W-63
TEST(ContactWaits, inactive_workflow_ends_or_holds_what_reaches_a_wait) {
  const char* typed = R"({"wait_type":"fixed_time","duration":1,"unit":"hours"})";
  const char* plain = R"({"amount":1,"unit":"hours"})";
  auto reached = [](const char* wait, OnInactive choice) {
    Run1 run(wait);
    run.workflow = choice;
    run.start();
    return std::string(name_of(run.run.status)) + " " + run.run.exit_reason + run.last.hold;
  };
  EXPECT_EQ(reached(typed, OnInactive::standard), "cancelled workflow_deactivated");
  EXPECT_EQ(reached(plain, OnInactive::standard), "running ");
  EXPECT_EQ(reached(plain, OnInactive::cancel), "cancelled workflow_deactivated");
  EXPECT_EQ(reached(typed, OnInactive::hold), "running workflow_inactive");
  EXPECT_EQ(reached(typed, OnInactive::keep), "running ");
  Run1 due(typed);
  due.start();
  due.workflow = OnInactive::hold;
  due.tell(WakeRun{}, {3'600'000});
  EXPECT_EQ(due.told(), "scheduled/");
  EXPECT_EQ(due.last.hold, "workflow_inactive");
  due.workflow = OnInactive::active;
  due.tell(ReleaseWaits{"", "workflow_inactive"});
  EXPECT_EQ(due.told(), "resumed/scheduler");
}

// W-65, W-81
TEST(ContactWaits, resumes_that_are_switched_off_wait_for_their_release) {
  Run1 run(R"({"wait_type":"fixed_time","duration":1,"unit":"hours"})");
  run.start();
  run.account.waits.resumes_off = true;
  run.tell(WakeRun{}, {3'600'000});
  EXPECT_EQ(run.last.hold, "resumes_off");
  EXPECT_EQ(run.tell(WakeRun{}, {3'600'000}), "nothing_due");
  run.account.waits.resumes_off = false;
  run.tell(ReleaseWaits{"", "resumes_off"});
  EXPECT_EQ(run.told(), "resumed/scheduler");
  Run1 by_hand(R"({"wait_type":"fixed_time","duration":1,"unit":"hours"})");
  by_hand.start();
  by_hand.account.waits.resumes_off = true;
  EXPECT_EQ(by_hand.tell(ResumeWait{by_hand.last.id, {}, "", "", false}), "");
  EXPECT_EQ(by_hand.told(), "resumed/manual");
}

// W-59, W-63
TEST(ContactWaits, goal_completes_the_run_and_cancels_its_waits) {
  Run1 any(at_nine);
  any.start();
  EXPECT_EQ(any.tell(any.goals({"booked"}, {}, "ev-1")), "");
  EXPECT_EQ(any.run.status, RunStatus::completed);
  EXPECT_EQ(any.run.exit_reason, "goal_achieved");
  EXPECT_EQ(any.told(), "cancelled/cancelled");
  EXPECT_EQ(any.last.ended_reason, "goal_achieved");
  EXPECT_EQ(any.tell(any.goals({"booked"}, {}, "ev-2")), "run_finished");
  Run1 all(at_nine);
  all.start();
  std::vector<std::string> needed{"booked", "paid"};
  all.tell(all.goals({"booked"}, needed, "ev-1"));
  all.tell(all.goals({"booked"}, needed, "ev-2"));
  EXPECT_EQ(all.run.status, RunStatus::running);
  EXPECT_EQ(all.history.size(), 2u) << "a goal is reached once";
  auto restored = decode_snapshot(encode_snapshot(all.run), all.definition);
  ASSERT_TRUE(restored);
  EXPECT_EQ(restored->goals, all.run.goals);
  all.tell(all.goals({"paid"}, needed, "ev-3"));
  EXPECT_EQ(all.run.status, RunStatus::completed);
}

// R-10
TEST(ContactWaits, scripts_wait_in_the_zone_of_their_contact) {
  auto due_of = [](std::string contact_zone, std::string account_zone) {
    Run1 run(at_nine);
    flow::CheckedScript checked =
        flow::check_script("workflow w(inputs) {\n  await Timer.until({ time: '09:00' })\n}\n");
    EXPECT_TRUE(checked.errors.empty());
    run.definition = make_script_definition(flow::make_definition(std::move(checked)));
    run.contact.timezone = std::move(contact_zone);
    run.account.timezone = std::move(account_zone);
    EXPECT_EQ(run.start(), "");
    return run.run.timers.empty() ? std::string()
                                  : to_rfc3339(run.run.timers.begin()->due).substr(11, 5);
  };
  EXPECT_EQ(due_of("America/New_York", "Asia/Tokyo"), "14:00");
  EXPECT_EQ(due_of("", "Asia/Tokyo"), "00:00");
  EXPECT_EQ(due_of("", ""), "09:00");
}

}  // namespace
}  // namespace fermata
