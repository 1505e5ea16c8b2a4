#include <gtest/gtest.h>

#include <algorithm>

#include "base/json.h"
#include "server/test_world.h"

/// What accounts, contacts and definitions say about events and waits for them.
namespace fermata::server {
namespace {

std::string listening_to(const std::string& type, const std::string& more = "") {
  return R"({)" + more + R"("nodes": [{"id": "S", "type": "manual", "trigger": true},
      {"id": "W", "type": "wait", "parameters": {"wait_type": "for_event", "event_type": ")" +
         type + R"("}}], "edges": [{"id": "e1", "src": "S", "dst": "W"}]})";
}

class SignalSettingsApi : public ::testing::Test {
 protected:
  TestWorld::Answer put(const std::string& id, const std::string& definition) {
    return world.ask("PUT", "/api/v1/workflows/" + id, definition);
  }
  TestWorld::Answer send(const std::string& body) {
    return world.ask("POST", "/api/v1/events", body);
  }
  void settings(const char* body) {
    auto set = world.ask("PATCH", "/api/v1/settings", body);
    ASSERT_EQ(set.status, 200) << set.text;
  }
  static std::string at(const std::string& run, const std::string& step = "W") {
    return "/api/v1/workflows/executions/" + run + "/wait/" + step;
  }
  Value wait(const std::string& run) { return world.ask("GET", at(run)).body; }
  std::string told(const std::string& id) {
    Value body = world.ask("GET", "/api/v1/executions/" + id).body;
    const Value& reason = body.get("exit_reason");
    return std::string(body.get("status").as_string()) + "/" +
           (reason.is_string() ? std::string(reason.as_string()) : "");
  }
  size_t audited(const std::string& action) {
    return world.ask("GET", "/api/v1/audit?action=" + action).body.get("items").size();
  }
  TestWorld world;
};

// W-52, S-14
TEST_F(SignalSettingsApi, events_find_their_contact_by_phone_and_mail) {
  put("reply", listening_to("sms_reply"));
  put("open", listening_to("email_open"));
  world.ask("PUT", "/api/v1/contacts/c-17",
            R"({"phone":"+1 212 555 0100","email":"Ann@Example.org"})");
  std::string reply = world.start("reply", R"({"contact_id":"c-17"})");
  std::string open = world.start("open", R"({"contact_id":"c-17"})");
  EXPECT_EQ(wait(reply).get("listeners").items()[0].get("phone"), Value("+12125550100"));
  auto by_phone = send(R"({"event_type":"sms_received","phone":"0012125550100"})");
  EXPECT_EQ(by_phone.body.get("contact_id"), Value("c-17")) << by_phone.text;
  EXPECT_EQ(by_phone.body.get("matched_total"), Value(1));
  EXPECT_EQ(wait(reply).get("status"), Value("resumed"));
  auto by_mail = send(R"({"event_type":"email_open","email":"ann@example.org"})");
  EXPECT_EQ(by_mail.body.get("contact_id"), Value("c-17")) << by_mail.text;
  EXPECT_EQ(by_mail.body.get("matched_total"), Value(1));
  auto nobody = send(R"({"event_type":"email_open","email":"bob@example.org"})");
  EXPECT_EQ(nobody.body.get("contact_id"), Value());
  EXPECT_EQ(to_json(nobody.body.get("warnings")), R"(["unknown_contact"])");
  auto unknown = send(R"({"event_type":"email_open","contact_id":"c-99"})");
  EXPECT_EQ(to_json(unknown.body.get("warnings")), R"(["unknown_contact"])");
  world.ask("PUT", "/api/v1/contacts/c-18", R"({"phone":"+12125550100"})");
  auto either = send(R"({"event_type":"page_visit","phone":"+12125550100"})");
  EXPECT_EQ(either.body.get("contact_id"), Value("c-17")) << "the one that is known longest";
  EXPECT_EQ(to_json(either.body.get("warnings")), R"(["ambiguous_contact"])");
}

// W-51, W-81
TEST_F(SignalSettingsApi, types_of_the_account_are_taken_everywhere) {
  EXPECT_EQ(put("cart", listening_to("cart_left")).status, 422);
  EXPECT_EQ(send(R"({"event_type":"cart_left"})").code(), "unknown_event_type");
  settings(R"({"signals":{"event_types":["cart_left"]}})");
  ASSERT_EQ(put("cart", listening_to("cart_left")).status, 201);
  EXPECT_EQ(
      world.ask("POST", "/api/v1/workflows/check", listening_to("cart_left")).body.get("valid"),
      Value(true));
  EXPECT_EQ(world
                .ask("PUT", "/api/v1/workflows/cart/goals",
                     R"({"goals":[{"id":"g","event_type":"cart_left"}]})")
                .status,
            200);
  world.ask("PUT", "/api/v1/workflows/cart/goals", R"({"goals":[]})");
  std::string run = world.start("cart", R"({"contact_id":"c-17"})");
  auto sent = send(R"({"event_type":"cart_left","contact_id":"c-17"})");
  EXPECT_EQ(sent.body.get("matched_total"), Value(1)) << sent.text;
  EXPECT_EQ(told(run), "completed/");
  std::string after = world.start("cart", R"({"contact_id":"c-18"})");
  settings(R"({"signals":{"event_types":[]}})");
  EXPECT_EQ(wait(after).get("status"), Value("waiting")) << "what waits goes on waiting";
}

// W-56, W-60, W-81
TEST_F(SignalSettingsApi, retention_late_window_timeout_and_audit_are_the_accounts) {
  settings(R"({"signals":{"retention_hours":2,"late_window_hours":1},
               "waits":{"default_timeout_hours":3},"audit":{"signals":"all"}})");
  put("open", listening_to("email_open"));
  std::string run = world.start("open", R"({"contact_id":"c-17"})");
  EXPECT_EQ(wait(run).get("event_timeout_at"), Value("2026-01-26T03:00:00.000Z"));
  send(R"({"event_id":"ev-1","event_type":"email_open","contact_id":"c-17"})");
  EXPECT_EQ(world.ask("GET", "/api/v1/events/ev-1").body.get("expires_at"),
            Value("2026-01-26T02:00:00.000Z"));
  auto late = send(R"({"event_type":"email_open","contact_id":"c-17"})");
  EXPECT_EQ(late.body.get("ignored").size(), 1u) << late.text;
  world.advance(Duration{3'600'001});
  auto later = send(R"({"event_type":"email_open","contact_id":"c-17"})");
  EXPECT_EQ(later.body.get("ignored").size(), 0u) << later.text;
  world.advance(Duration{0});
  EXPECT_EQ(audited("signal.received"), 3u) << "also those that matched nothing";
  settings(R"({"audit":{"signals":"matched"}})");
  send(R"({"event_type":"page_visit","contact_id":"c-17"})");
  world.advance(Duration{0});
  EXPECT_EQ(audited("signal.received"), 3u);
}

// W-27
TEST_F(SignalSettingsApi, deletion_of_a_contact_erases_the_data_of_its_events) {
  world.ask("PUT", "/api/v1/contacts/c-17", R"({"email":"ann@example.org"})");
  send(R"({"event_id":"ev-1","event_type":"form_submit","email":"ann@example.org",
           "data":{"answer":"private"}})");
  EXPECT_EQ(world.ask("GET", "/api/v1/events/ev-1").body.get("data").get("answer"),
            Value("private"));
  EXPECT_EQ(world.ask("DELETE", "/api/v1/contacts/c-17").status, 200);
  auto left = world.ask("GET", "/api/v1/events/ev-1");
  EXPECT_EQ(left.status, 200);
  EXPECT_EQ(left.text.find("private"), std::string::npos) << left.text;
  EXPECT_EQ(left.text.find("example.org"), std::string::npos) << left.text;
  EXPECT_EQ(left.body.get("contact_id"), Value("c-17"));
}

// W-31
TEST_F(SignalSettingsApi, definition_says_what_becomes_of_its_waits_when_it_is_deactivated) {
  ASSERT_EQ(put("held", listening_to("email_open", R"("on_deactivate": "hold",)")).status, 201);
  EXPECT_EQ(put("bad", listening_to("email_open", R"("on_deactivate": "sleep",)")).status, 422);
  std::string run = world.start("held", R"({"contact_id":"c-17"})");
  auto off = world.ask("POST", "/api/v1/workflows/held/deactivate");
  EXPECT_EQ(off.body.get("waits").get("held"), Value(1)) << off.text;
  EXPECT_EQ(send(R"({"event_type":"email_open","contact_id":"c-17"})").body.get("matched_total"),
            Value(0));
  world.ask("POST", "/api/v1/workflows/held/activate");
  EXPECT_EQ(told(run), "completed/") << "it hears what was kept";
  std::string second = world.start("held", R"({"contact_id":"c-18"})");
  world.ask("POST", "/api/v1/workflows/held/deactivate", R"({"on_waits":"cancel"})");
  EXPECT_EQ(told(second), "cancelled/workflow_deactivated") << "the request has the last word";
}

// W-16
TEST_F(SignalSettingsApi, wait_for_events_can_be_changed) {
  put("open", listening_to("email_open"));
  std::string run = world.start("open", R"({"contact_id":"c-17"})");
  auto changed =
      world.ask("PATCH", at(run), R"({"config":{"event_type":"page_visit","timeout_hours":5}})");
  ASSERT_EQ(changed.status, 200) << changed.text;
  EXPECT_EQ(changed.body.get("event_timeout_at"), Value("2026-01-26T05:00:00.000Z"));
  EXPECT_EQ(world.ask("PATCH", at(run), R"({"config":{"event_type":"nothing"}})").code(),
            "unknown_event_type");
  EXPECT_EQ(send(R"({"event_type":"email_open","contact_id":"c-17"})").body.get("matched_total"),
            Value(0));
  EXPECT_EQ(send(R"({"event_type":"page_visit","contact_id":"c-17"})").body.get("matched_total"),
            Value(1));
  EXPECT_EQ(told(run), "completed/");
}

// W-65, W-81
TEST_F(SignalSettingsApi, events_that_come_while_resumes_are_off_are_heard_afterwards) {
  put("open", listening_to("email_open"));
  std::string run = world.start("open", R"({"contact_id":"c-17"})");
  settings(R"({"waits":{"resumes_off":true}})");
  auto sent = send(R"({"event_id":"ev-1","event_type":"email_open","contact_id":"c-17"})");
  EXPECT_EQ(sent.body.get("matched_total"), Value(0)) << sent.text;
  EXPECT_EQ(wait(run).get("hold_reason"), Value("resumes_off"));
  settings(R"({"waits":{"resumes_off":false}})");
  EXPECT_EQ(told(run), "completed/");
  EXPECT_EQ(wait(run).get("resumed_by"), Value("event"));
  auto kept = world.ask("GET", "/api/v1/events/ev-1");
  EXPECT_EQ(kept.body.get("matched_total"), Value(1)) << kept.text;
}

// W-32, W-71: opt-out, deactivation and goals of executions that run elsewhere.
TEST_F(SignalSettingsApi, executions_of_another_engine_end_as_all_others) {
  put("crm", R"({"language":"external","callback":{"url":"https://crm.example/hook"}})");
  auto open = [&](const std::string& run, const std::string& contact) {
    world.ask("PUT", "/api/v1/workflows/crm/executions/" + run,
              R"({"contact_id":")" + contact + R"("})");
    auto opened = world.ask("POST", "/api/v1/workflows/crm/executions/" + run + "/wait",
                            R"({"step_id":"W","wait_type":"fixed_time",
                                "config":{"duration":3,"unit":"days"}})");
    EXPECT_EQ(opened.status, 201) << opened.text;
  };
  open("run-1", "c-1");
  open("run-2", "c-2");
  open("run-3", "c-3");
  auto out = world.ask("POST", "/api/v1/contacts/c-1/opt-out", R"({"reason":"STOP"})");
  EXPECT_EQ(out.body.get("executions_cancelled"), Value(1)) << out.text;
  EXPECT_EQ(told("run-1"), "cancelled/contact_opted_out");
  EXPECT_EQ(
      world.ask("PUT", "/api/v1/workflows/crm/executions/run-9", R"({"contact_id":"c-1"})").code(),
      "contact_opted_out");
  world.ask("PUT", "/api/v1/workflows/crm/goals",
            R"({"goals":[{"id":"paid","event_type":"payment_received"}]})");
  send(R"({"event_type":"payment_received","contact_id":"c-2"})");
  EXPECT_EQ(told("run-2"), "completed/goal_achieved");
  auto off = world.ask("POST", "/api/v1/workflows/crm/deactivate");
  EXPECT_EQ(off.status, 200) << off.text;
  EXPECT_EQ(told("run-3"), "cancelled/workflow_deactivated");
  world.advance(Duration{0});
  std::vector<std::string> ends;
  for (const CallRequest& request : world.sink().received())
    if (parse_json(request.body)->get("type") == Value("execution.ended"))
      ends.emplace_back(parse_json(request.body)->get("exit_reason").as_string());
  std::sort(ends.begin(), ends.end());
  EXPECT_EQ(ends, (std::vector<std::string>{"contact_opted_out", "goal_achieved",
                                            "workflow_deactivated"}));
}

// W-10
TEST_F(SignalSettingsApi, common_errors_have_their_names) {
  put("open", listening_to("email_open"));
  std::string run = world.start("open", R"({"contact_id":"c-17"})");
  std::string viewer = "Authorization: Bearer " + world.add_key(Role::viewer) + "\r\n";
  std::string foreign = "Authorization: Bearer " + world.add_key(Role::admin, "beta") + "\r\n";
  struct Endpoint {
    const char* method;
    std::string path;
    const char* body;
  };
  const Endpoint endpoints[] = {
      {"POST", "/api/v1/events", R"({"event_type":"email_open"})"},
      {"POST", "/api/v1/contacts/c-17/opt-out", "{}"},
      {"PUT", "/api/v1/contacts/c-17", "{}"},
      {"PUT", "/api/v1/workflows/open/goals", R"({"goals":[]})"},
      {"POST", "/api/v1/workflows/open/deactivate", "{}"},
      {"POST", at(run) + "/resume", "{}"},
      {"PATCH", at(run), "{}"},
  };
  for (const Endpoint& one : endpoints) {
    SCOPED_TRACE(std::string(one.method) + " " + one.path);
    EXPECT_EQ(world.ask(one.method, one.path, "{").code(), "bad_json");
    EXPECT_EQ(world.ask(one.method, one.path, R"({"colour":1})").status, 422);
    EXPECT_EQ(world.ask(one.method, one.path, one.body, "Authorization: Bearer none\r\n").code(),
              "unauthorized");
    EXPECT_EQ(world.ask(one.method, one.path, one.body, viewer).code(), "forbidden");
    bool own = one.path == "/api/v1/events" || one.path == "/api/v1/contacts/c-17";
    if (!own) EXPECT_EQ(world.ask(one.method, one.path, one.body, foreign).status, 404);
  }
  EXPECT_EQ(wait(run).get("status"), Value("waiting")) << "none of them has done anything";
  EXPECT_EQ(world.ask("GET", "/api/v1/events/none").code(), "event_not_found");
  EXPECT_EQ(world.ask("GET", "/api/v1/contacts/none").code(), "contact_not_found");
  EXPECT_EQ(world.ask("GET", "/api/v1/events?matched=perhaps").code(), "invalid_query");
}

}  // namespace
}  // namespace fermata::server
