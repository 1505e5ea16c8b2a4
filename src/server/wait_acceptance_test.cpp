#include <gtest/gtest.h>

#include <set>

#include "base/json.h"
#include "server/test_world.h"

/// Acceptance scenarios of waits.md section 13 as people who use the API see them, at the time that
/// the section names: 2026-01-26T10:00Z.
namespace fermata::server {
namespace {

/// {S → W → A}: what W waits for is given.
std::string waiting_graph(const std::string& parameters, const std::string& more_nodes = "",
                          const std::string& more_edges = "") {
  return R"({"nodes": [{"id": "S", "type": "manual", "trigger": true},
    {"id": "W", "type": "wait", "parameters": )" +
         parameters + R"(}, {"id": "A", "type": "noop"})" + more_nodes +
         R"(], "edges": [{"id": "e1", "src": "S", "dst": "W"},
                        {"id": "e2", "src": "W", "dst": "A"})" +
         more_edges + "]}";
}

class WaitAcceptance : public ::testing::Test {
 protected:
  WaitAcceptance() { world.advance(Duration{10 * 3'600'000}); }
  TestWorld::Answer ask(const std::string& method, const std::string& path,
                        const std::string& body = "", const std::string& headers = "") {
    return world.ask(method, "/api/v1" + path, body, headers);
  }
  /// A run of a graph about c-17.
  std::string run_of(const std::string& workflow, const std::string& graph) {
    auto put = ask("PUT", "/workflows/" + workflow, graph);
    EXPECT_EQ(put.status, 201) << put.text;
    return world.start(workflow, R"({"contact_id": "c-17"})");
  }
  Value wait(const std::string& run) {
    return ask("GET", "/workflows/executions/" + run + "/wait/W").body;
  }
  Value execution(const std::string& run) { return ask("GET", "/executions/" + run).body; }
  bool went_on(const std::string& run, const std::string& node = "A") {
    Value nodes = ask("GET", "/executions/" + run + "/nodes").body.get("nodes");
    for (const Value& one : nodes.items())
      if (one.get("node_id") == Value(node)) return one.get("status") == Value("success");
    return false;
  }
  Value send(const std::string& event) { return ask("POST", "/events", event).body; }
  std::vector<Value> audited(const std::string& action) {
    Value items = ask("GET", "/audit?action=" + action).body.get("items");
    return {items.items().begin(), items.items().end()};
  }
  TestWorld world;
};

// S-6
TEST_F(WaitAcceptance, past_date_goes_on_at_once_with_a_warning) {
  std::string run =
      run_of("past", waiting_graph(R"({"wait_type": "until_date", "target_date": "2026-01-01"})"));
  EXPECT_EQ(execution(run).get("status"), Value("completed"));
  EXPECT_TRUE(went_on(run));
  EXPECT_EQ(wait(run).get("status"), Value("resumed"));
  EXPECT_EQ(wait(run).get("resumed_by"), Value("past_date"));
  EXPECT_NE(to_json(wait(run).get("warnings")).find("target date is in the past"),
            std::string::npos)
      << to_json(wait(run));
  ASSERT_EQ(audited("wait.past_date").size(), 1u);
  std::string exact = run_of("exact", waiting_graph(R"({"wait_type": "until_date",
                                      "target_date": "2026-01-01T00:00:00Z"})"));
  EXPECT_NE(to_json(wait(exact).get("warnings")).find("target date is in the past"),
            std::string::npos)
      << to_json(wait(exact));
  EXPECT_NE(to_json(audited("wait.past_date")[0]).find("warning"), std::string::npos)
      << to_json(audited("wait.past_date")[0]);
}

// S-8
TEST_F(WaitAcceptance, contact_without_the_date_fails_or_leads_to_its_branch) {
  std::string by_field = R"({"wait_type": "until_date", "contact_field": "renewal_date")";
  int number = 0;
  for (const char* fields : {R"({})", R"({"fields": {"renewal_date": ""}})",
                             R"({"fields": {"renewal_date": "soon"}})"}) {
    ask("PUT", "/contacts/c-17", fields);
    std::string name = "field-" + std::to_string(++number);
    std::string run = run_of(name, waiting_graph(by_field + "}"));
    Value failed = execution(run);
    EXPECT_EQ(failed.get("status"), Value("failed")) << fields;
    EXPECT_EQ(failed.get("error").get("code"), Value("wait_invalid")) << to_json(failed);
    EXPECT_EQ(failed.get("error").get("details").get("code"), Value("contact_field_invalid"));
    EXPECT_FALSE(went_on(run));
    std::string branch =
        run_of(name + "-branch",
               waiting_graph(by_field + R"(, "missing_action": "branch", "missing_step": "B"})",
                             R"(, {"id": "B", "type": "noop"})",
                             R"(, {"id": "e3", "src": "W", "dst": "B"})"));
    EXPECT_EQ(execution(branch).get("status"), Value("completed")) << fields;
    EXPECT_TRUE(went_on(branch, "B")) << fields;
    EXPECT_FALSE(went_on(branch)) << fields;
  }
  ask("PUT", "/workflows/ext", R"({"language": "external"})");
  ask("PUT", "/workflows/ext/executions/r", R"({"contact_id": "c-17"})");
  auto refused = ask("POST", "/workflows/ext/executions/r/wait",
                     R"({"step_id": "w", "wait_type": "until_date",
                         "config": {"contact_field": "renewal_date"}})");
  EXPECT_EQ(refused.status, 422);
  EXPECT_EQ(refused.code(), "contact_field_invalid");
}

// S-11
TEST_F(WaitAcceptance, time_of_day_is_today_or_tomorrow) {
  auto preview = [&](const std::string& now) {
    return ask("POST", "/waits/preview",
               R"({"wait_type": "until_time", "now": ")" + now +
                   R"(", "config": {"target_time": "10:00"}})")
        .body.get("scheduled_at");
  };
  EXPECT_EQ(preview("2026-01-26T09:59:59Z"), Value("2026-01-26T10:00:00.000Z"));
  EXPECT_EQ(preview("2026-01-26T10:00:00Z"), Value("2026-01-27T10:00:00.000Z"));
  EXPECT_EQ(preview("2026-01-26T10:00:01Z"), Value("2026-01-27T10:00:00.000Z"));
}

// S-14, W-52, W-54
TEST_F(WaitAcceptance, reply_is_known_by_its_telephone_number) {
  ask("PUT", "/contacts/c-17", R"({"phone": "+1 212 555 0100"})");
  std::string run = run_of("reply", waiting_graph(R"({"wait_type": "for_event",
                           "event_type": "sms_reply", "timeout_hours": 48})"));
  EXPECT_EQ(wait(run).get("event_timeout_at"), Value("2026-01-28T10:00:00.000Z"));
  EXPECT_EQ(wait(run).get("listeners").items()[0].get("phone"), Value("+12125550100"));
  Value told = send(R"({"event_type": "sms_reply", "phone": "0012125550100"})");
  EXPECT_EQ(told.get("matched_total"), Value(1)) << to_json(told);
  EXPECT_EQ(wait(run).get("resumed_by"), Value("event"));
}

// S-15, S-16, W-87
TEST_F(WaitAcceptance, timeout_goes_on_or_ends_the_run) {
  std::string opened =
      run_of("opened", waiting_graph(R"({"wait_type": "for_event", "event_type": "email_open",
                                      "timeout_hours": 24, "timeout_action": "continue"})"));
  std::string clicked =
      run_of("clicked", waiting_graph(R"({"wait_type": "for_event", "event_type": "email_click",
                                       "timeout_hours": 72, "timeout_action": "exit"})"));
  world.advance(Duration{24 * 3'600'000 - 1});
  EXPECT_EQ(wait(opened).get("status"), Value("waiting"));
  world.advance(Duration{1});
  EXPECT_EQ(wait(opened).get("status"), Value("timeout"));
  EXPECT_EQ(wait(opened).get("resumed_by"), Value("timeout"));
  EXPECT_EQ(wait(opened).get("listeners").items()[0].get("status"), Value("expired"));
  EXPECT_TRUE(went_on(opened));
  Value seen = ask("GET", "/executions/" + opened + "/nodes/W").body.get("last").get("output");
  EXPECT_EQ(seen.get("timed_out"), Value(true)) << to_json(seen);
  world.advance(Duration{48 * 3'600'000});
  EXPECT_EQ(wait(clicked).get("status"), Value("timeout"));
  EXPECT_EQ(execution(clicked).get("status"), Value("cancelled"));
  EXPECT_EQ(execution(clicked).get("exit_reason"), Value("wait_timeout"));
  EXPECT_FALSE(went_on(clicked));
  EXPECT_EQ(audited("wait.timeout").size(), 2u);
}

// S-19
TEST_F(WaitAcceptance, what_does_not_fit_resumes_nothing) {
  std::string run = run_of("form", waiting_graph(R"({"wait_type": "for_event",
                           "event_type": "form_submit", "criteria": {"form_id": "f1"}})"));
  const std::string fits = R"({"event_type": "form_submit", "contact_id": "c-17",
                               "data": {"form_id": "f1"}})";
  for (const char* other :
       {R"({"event_type": "form_submit", "contact_id": "c-18", "data": {"form_id": "f1"}})",
        R"({"event_type": "page_visit", "contact_id": "c-17", "data": {"form_id": "f1"}})",
        R"({"event_type": "form_submit", "contact_id": "c-17", "data": {"form_id": "f2"}})"})
    EXPECT_EQ(send(other).get("matched_total"), Value(0)) << other;
  std::string rival = "Authorization: Bearer " + world.add_key(Role::operator_, "rival") + "\r\n";
  EXPECT_EQ(ask("POST", "/events", fits, rival).body.get("matched_total"), Value(0));
  EXPECT_EQ(wait(run).get("status"), Value("waiting"));
  EXPECT_EQ(send(fits).get("matched_total"), Value(1));
  EXPECT_EQ(wait(run).get("status"), Value("resumed"));
}

// S-23, W-64
TEST_F(WaitAcceptance, cancelled_wait_stays_where_it_is_until_somebody_resumes_it) {
  std::string run = run_of("cancel", waiting_graph(R"({"wait_type": "fixed_time", "duration": 30,
                                                    "unit": "minutes"})"));
  std::string path = "/workflows/executions/" + run + "/wait/W";
  EXPECT_EQ(ask("DELETE", path + "?reason=customer%20called").status, 200);
  world.advance(Duration{3'600'000});
  EXPECT_EQ(wait(run).get("status"), Value("cancelled"));
  EXPECT_EQ(execution(run).get("status"), Value("waiting"));
  EXPECT_FALSE(went_on(run));
  ASSERT_EQ(audited("wait.cancelled").size(), 1u);
  EXPECT_EQ(audited("wait.cancelled")[0].get("reason"), Value("customer called"));
  EXPECT_EQ(ask("POST", path + "/resume", "{}").status, 200);
  EXPECT_TRUE(world.wait_for(run, "completed"));
  EXPECT_EQ(wait(run).get("status"), Value("cancelled")) << "an ended wait never changes";
}

// S-24: listeners are gone as well.
TEST_F(WaitAcceptance, deactivation_leaves_no_listener) {
  std::string graph = waiting_graph(R"({"wait_type": "for_event", "event_type": "email_open"})");
  for (int i = 0; i < 10; ++i)
    if (i == 0)
      run_of("gone", graph);
    else
      world.start("gone", R"({"contact_id": "c-17"})");
  EXPECT_EQ(ask("GET", "/waits/listeners").body.get("items").size(), 10u);
  auto off = ask("POST", "/workflows/gone/deactivate");
  EXPECT_EQ(off.body.get("waits").get("cancelled"), Value(10)) << off.text;
  EXPECT_EQ(ask("GET", "/waits/listeners").body.get("items").size(), 0u);
  EXPECT_EQ(send(R"({"event_type": "email_open", "contact_id": "c-17"})").get("matched_total"),
            Value(0));
}

// S-34
TEST_F(WaitAcceptance, pages_of_137_waits_have_no_gap_and_no_repeat) {
  ask("PUT", "/workflows/many", waiting_graph(R"({"wait_type": "fixed_time", "duration": 30,
                                               "unit": "minutes"})"));
  for (int i = 0; i < 137; ++i) world.start("many");
  std::set<std::string> ids;
  std::vector<size_t> sizes;
  for (const char* offset : {"0", "50", "100"}) {
    Value page =
        ask("GET", std::string("/admin/workflows/waits/pending?limit=50&offset=") + offset).body;
    EXPECT_EQ(page.get("total"), Value(137));
    sizes.push_back(page.get("items").size());
    for (const Value& one : page.get("items").items())
      EXPECT_TRUE(ids.insert(std::string(one.get("id").as_string())).second);
  }
  EXPECT_EQ(sizes, (std::vector<size_t>{50, 50, 37}));
  for (const char* limit : {"0", "1001"})
    EXPECT_EQ(ask("GET", std::string("/admin/workflows/waits/pending?limit=") + limit).status, 422);
}

// W-87: the lines that other tests do not look at.
TEST_F(WaitAcceptance, audit_has_a_line_for_everything_that_happens_to_waits) {
  std::string run = run_of("audit", waiting_graph(R"({"wait_type": "fixed_time", "duration": 30,
                                                   "unit": "minutes"})"));
  ask("PATCH", "/workflows/executions/" + run + "/wait/W",
      R"({"config": {"duration": 2, "unit": "hours"}})");
  ask("POST", "/workflows/audit/deactivate", R"({"on_waits": "hold"})");
  ask("POST", "/workflows/audit/activate");
  ask("POST", "/contacts/c-17/opt-out", R"({"reason": "STOP"})");
  ask("DELETE", "/contacts/c-17?reason=asked");
  ask("PATCH", "/settings", R"({"callbacks": {"give_up_hours": 1}})");
  world.sink().answer = [](const CallRequest&) {
    CallAnswer answer;
    answer.status = 500;
    return answer;
  };
  ask("PUT", "/workflows/ext", R"({"language": "external",
                                   "callback": {"url": "https://crm.example/hook"}})");
  ask("PUT", "/workflows/ext/executions/r", "{}");
  ask("POST", "/workflows/ext/executions/r/wait",
      R"({"step_id": "w", "wait_type": "fixed_time",
          "config": {"duration": 1, "unit": "minutes"}})");
  world.advance(Duration{3 * 3'600'000});
  for (const char* action :
       {"wait.rescheduled", "wait.held", "wait.released", "contact.opted_out", "contact.deleted",
        "workflow.deactivated", "workflow.activated", "callback.dead", "settings.changed"})
    EXPECT_EQ(audited(action).size(), 1u) << action;
}

}  // namespace
}  // namespace fermata::server
