#include <gtest/gtest.h>

#include "base/json.h"
#include "server/test_world.h"

/// Requests about waits, events, contacts and settings that cannot be carried out: each has its own
/// problem document and leaves nothing behind (W-10, and section 3 of waits.md).
namespace fermata::server {
namespace {

class WaitRefusals : public ::testing::Test {
 protected:
  WaitRefusals() {
    ask("PUT", "/workflows/ext", R"({"language": "external"})");
    ask("PUT", "/workflows/ext/executions/r1", R"({"contact_id": "c-17"})");
  }
  TestWorld::Answer ask(const std::string& method, const std::string& path,
                        const std::string& body = "", const std::string& headers = "") {
    return world.ask(method, "/api/v1" + path, body, headers);
  }
  /// Status, code and the paths of what is wrong.
  std::string told(const std::string& method, const std::string& path, const std::string& body = "",
                   const std::string& headers = "") {
    TestWorld::Answer answer = ask(method, path, body, headers);
    std::string out = std::to_string(answer.status) + " " + answer.code();
    EXPECT_EQ(answer.body.get("status"), Value(answer.status)) << answer.text;
    EXPECT_EQ(answer.headers["content-type"], "application/problem+json") << path << body;
    const Value& errors = answer.body.get("errors");
    if (errors.is_array())
      for (const Value& error : errors.items())
        out += " " + std::string(error.get("path").as_string());
    return out;
  }
  std::string open(const std::string& type, const std::string& config) {
    return told("POST", "/workflows/ext/executions/r1/wait",
                R"({"step_id": "s", "wait_type": ")" + type + R"(", "config": )" + config + "}");
  }
  TestWorld world;
};

// W-4, W-44, W-55, W-56
TEST_F(WaitRefusals, mistakes_of_waits_for_events_have_their_codes) {
  auto with = [&](const std::string& more) {
    return open("for_event", R"({"event_type": "email_open", )" + more + "}");
  };
  EXPECT_EQ(with(R"("correlation_id": "a b")"), "422 invalid_id /config/correlation_id");
  EXPECT_EQ(with(R"("criteria": {"a": {"like": 1}})"), "422 invalid_criteria /config/criteria");
  EXPECT_EQ(with(R"("criteria": {"any": 5})"), "422 invalid_criteria /config/criteria");
  EXPECT_EQ(with(R"("related_step": "nowhere")"), "422 unknown_step /config/related_step");
  EXPECT_EQ(open("until_date", R"({"target_date": "2026-02-14",
                "resume_window": {"start": "09:00", "end": "10:00", "days": []}})"),
            "422 invalid_window /config/resume_window/days");
  const std::string endless(70'000, 'x');
  EXPECT_EQ(with(R"("timeout_action": "branch", "timeout_step": ")" + endless + "\""),
            "422 invalid_config /config");
  EXPECT_EQ(
      with(R"("timeout_action": "branch", "timeout_step": ")" + endless.substr(0, 1'001) + "\""),
      "422 unknown_step /config/timeout_step");
  EXPECT_EQ(with(R"("timeout_action": "branch", "timeout_step": "a\u0007")"),
            "422 unknown_step /config/timeout_step");
  EXPECT_EQ(with(R"("criteria": {"a": ")" + endless + "\"}"), "422 invalid_config /config");
  EXPECT_EQ(ask("GET", "/waits").body.get("total"), Value(0)) << "nothing is stored";
}

// W-22
TEST_F(WaitRefusals, previews_know_the_zones_and_years_they_are_asked_about) {
  auto preview = [&](const std::string& more) {
    return told("POST", "/waits/preview",
                R"({"wait_type": "until_time", "config": {"target_time": "10:00"}, )" + more + "}");
  };
  EXPECT_EQ(preview(R"("account_timezone": "Mars/Olympus")"),
            "422 unknown_timezone /account_timezone");
  EXPECT_EQ(preview(R"("now": "9999-12-31T23:59:59Z")"), "422 invalid_field /now");
  EXPECT_EQ(preview(R"("now": "1600-01-01T00:00:00Z")"), "422 invalid_field /now");
}

// W-18
TEST_F(WaitRefusals, filters_of_bulk_actions_are_named_where_they_stand) {
  auto bulk = [&](const std::string& filter) {
    return told("POST", "/waits/bulk", R"({"action": "resume", "filter": )" + filter + "}");
  };
  EXPECT_EQ(bulk(R"({"zz": "1"})"), "422 unknown_field /filter/zz");
  EXPECT_EQ(bulk(R"({"wait_type": "x"})"), "422 invalid_field /filter/wait_type");
  EXPECT_EQ(bulk(R"({"on_hold": "x"})"), "422 invalid_field /filter/on_hold");
  EXPECT_EQ(bulk("{}"), "422 filter_required /filter");
  EXPECT_EQ(told("POST", "/waits/bulk", R"({"action": "", "ids": ["x"]})"),
            "422 invalid_field /action")
      << "no action is not one that resumes";
}

// W-25, W-29, W-30: what has changed since it was read.
TEST_F(WaitRefusals, old_versions_conflict) {
  ask("PUT", "/contacts/c-1", "{}");
  const char* stale = "If-Match: \"99\"\r\n";
  for (const char* method : {"PUT", "PATCH"}) {
    EXPECT_EQ(told(method, "/contacts/c-1", "{}", stale), "409 version_conflict") << method;
    EXPECT_EQ(told(method, "/settings", "{}", stale), "409 version_conflict") << method;
    EXPECT_EQ(told(method, "/accounts/default/settings", "{}", stale), "409 version_conflict");
  }
  EXPECT_EQ(told("PUT", "/workflows/ext/goals", R"({"goals": []})", stale), "409 version_conflict");
  EXPECT_EQ(told("PUT", "/workflows/ext/triggers", "[]", stale), "409 version_conflict");
  EXPECT_EQ(told("PUT", "/workflows/ext", R"({"language": "external"})", stale),
            "412 version_conflict")
      << "definitions say it their own way";
}

// W-42: what a contact lacks by the API, as at a step.
TEST_F(WaitRefusals, date_that_is_missing_leads_where_it_is_told_to) {
  auto missing = [&](const std::string& step, const std::string& more) {
    return ask("POST", "/workflows/ext/executions/r1/wait",
               R"({"step_id": ")" + step + R"(", "wait_type": "until_date",
                   "config": {"contact_field": "renewal_date")" +
                   more + "}}");
  };
  EXPECT_EQ(missing("a", "").code(), "contact_field_invalid");
  EXPECT_EQ(missing("b", R"(, "missing_action": "fail")").code(), "contact_field_invalid");
  auto gone_on = missing("c", R"(, "missing_action": "branch", "missing_step": "ask")");
  EXPECT_EQ(gone_on.status, 201) << gone_on.text;
  EXPECT_EQ(gone_on.body.get("status"), Value("resumed"));
  EXPECT_EQ(gone_on.body.get("resumed_by"), Value("missing_date"));
  EXPECT_EQ(missing("d", R"(, "missing_action": "exit")").status, 201);
  Value run = ask("GET", "/executions/r1").body;
  EXPECT_EQ(run.get("status"), Value("cancelled"));
  EXPECT_EQ(run.get("exit_reason"), Value("contact_field_invalid"));
}

// W-42: a change of the field that leads into the past.
TEST_F(WaitRefusals, field_that_is_followed_into_the_past_is_a_past_date) {
  ask("PUT", "/contacts/c-17", R"({"fields": {"renewal_date": "2026-03-15"}})");
  auto opened = ask("POST", "/workflows/ext/executions/r1/wait",
                    R"({"step_id": "a", "wait_type": "until_date",
                        "config": {"contact_field": "renewal_date", "follow_field": true}})");
  ASSERT_EQ(opened.body.get("status"), Value("scheduled")) << opened.text;
  ask("PATCH", "/contacts/c-17", R"({"fields": {"renewal_date": "2020-01-01"}})");
  Value wait = ask("GET", "/workflows/executions/r1/wait/a").body;
  EXPECT_EQ(wait.get("status"), Value("resumed"));
  EXPECT_EQ(wait.get("resumed_by"), Value("past_date"));
}

// W-23: of a thousand events one bad one is named and the others count.
TEST_F(WaitRefusals, one_bad_event_of_a_thousand_stops_no_other) {
  std::string body = R"({"events": [)";
  for (int i = 0; i < 1'000; ++i)
    body += (i ? "," : "") + (i == 500 ? std::string(R"({"event_type": "email_eaten"})")
                                       : R"({"event_type": "page_visit", "event_id": "e)" +
                                             std::to_string(i) + "\"}");
  Value results = ask("POST", "/events", body + "]}").body.get("results");
  ASSERT_EQ(results.size(), 1'000u);
  for (size_t i = 0; i < results.size(); ++i) {
    const Value& one = results.items()[i];
    ASSERT_EQ(one.get("status"), Value(i == 500 ? "invalid" : "accepted")) << i;
    if (i != 500) ASSERT_EQ(one.get("event_id"), Value("e" + std::to_string(i)));
  }
  EXPECT_EQ(results.items()[500].get("problem").get("code"), Value("unknown_event_type"));
  EXPECT_EQ(ask("GET", "/events/e999").status, 200);
}

// W-87: a repeat is told of where the first one is.
TEST_F(WaitRefusals, repeated_event_that_counted_is_audited) {
  ask("POST", "/workflows/ext/executions/r1/wait",
      R"({"step_id": "a", "wait_type": "for_event", "config": {"event_type": "email_open"}})");
  const char* event = R"({"event_id": "ev-1", "event_type": "email_open", "contact_id": "c-17"})";
  const char* idle = R"({"event_id": "ev-2", "event_type": "page_visit", "contact_id": "c-17"})";
  for (const char* one : {event, idle, event, idle}) ask("POST", "/events", one);
  // The line goes with the next commit, whatever that is.
  world.advance(Duration{1'000});
  Value lines = ask("GET", "/audit?action=signal.duplicate").body.get("items");
  ASSERT_EQ(lines.size(), 1u) << to_json(lines);
  EXPECT_EQ(lines.items()[0].get("subject"), Value("ev-1"));
  ask("PATCH", "/settings", R"({"audit": {"signals": "all"}})");
  ask("POST", "/events", idle);
  world.advance(Duration{1'000});
  EXPECT_EQ(ask("GET", "/audit?action=signal.duplicate").body.get("items").size(), 2u);
}

}  // namespace
}  // namespace fermata::server
