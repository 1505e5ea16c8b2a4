#include <gtest/gtest.h>

#include "server/test_world.h"

/// Goals and triggers of workflows: events that end executions, and that start them (W-30, W-59).
namespace fermata::server {
namespace {

constexpr const char* campaign = R"({"nodes": [{"id": "S", "type": "manual", "trigger": true},
    {"id": "later", "type": "wait",
     "parameters": {"wait_type": "fixed_time", "duration": 2, "unit": "days"}},
    {"id": "booked", "type": "wait",
     "parameters": {"wait_type": "for_event", "event_type": "appointment_booked"}},
    {"id": "A", "type": "noop"}],
    "edges": [{"id": "e1", "src": "S", "dst": "later"}, {"id": "e2", "src": "S", "dst": "booked"},
              {"id": "e3", "src": "booked", "dst": "A"}]})";
constexpr const char* goals = R"({"mode": "any", "goals": [
    {"id": "booked", "event_type": "appointment.booked", "criteria": {"calendar_id": "cal-1"}}]})";

class GoalsApi : public ::testing::Test {
 protected:
  GoalsApi() { EXPECT_EQ(world.ask("PUT", "/api/v1/workflows/campaign", campaign).status, 201); }
  TestWorld::Answer rules(const char* method, const std::string& which, std::string_view body = "",
                          std::string_view headers = "") {
    return world.ask(method, "/api/v1/workflows/campaign/" + which, body, headers);
  }
  std::string refused(const std::string& which, std::string_view body) {
    auto answer = rules("PUT", which, body);
    std::string told = std::to_string(answer.status) + " " + answer.code();
    const Value& errors = answer.body.get("errors");
    for (size_t i = 0; errors.is_array() && i < errors.size(); ++i)
      told += " " + std::string(errors.items()[i].get("path").as_string());
    return told;
  }
  TestWorld::Answer send(std::string_view body) {
    return world.ask("POST", "/api/v1/events", body);
  }
  Value execution(const std::string& id) {
    return world.ask("GET", "/api/v1/executions/" + id).body;
  }
  size_t runs_of(const std::string& contact) {
    return world.ask("GET", "/api/v1/executions?contact_id=" + contact).body.get("items").size();
  }
  TestWorld world;
};

// W-30
TEST_F(GoalsApi, rules_are_stored_as_they_are_meant_and_pinned_to_a_revision) {
  auto none = rules("GET", "goals");
  EXPECT_EQ(none.text, R"({"mode":"any","goals":[]})");
  EXPECT_EQ(none.headers["etag"], "\"0\"");
  EXPECT_EQ(rules("GET", "triggers").text, "[]");
  auto put = rules("PUT", "goals", goals, "If-None-Match: *\r\n");
  ASSERT_EQ(put.status, 200) << put.text;
  EXPECT_EQ(put.headers["etag"], "\"1\"");
  EXPECT_EQ(put.body.get("goals").items()[0].get("event_type"), Value("appointment_booked"));
  EXPECT_EQ(rules("GET", "goals").body, put.body);
  EXPECT_EQ(rules("PUT", "goals", goals, "If-Match: \"1\"\r\n").status, 200);
  EXPECT_EQ(rules("PUT", "goals", goals, "If-Match: \"1\"\r\n").code(), "version_conflict");
  auto triggers = rules("PUT", "triggers", R"([{"event_type":"form.submitted"}])");
  ASSERT_EQ(triggers.status, 200) << triggers.text;
  EXPECT_EQ(triggers.text, R"([{"event_type":"form_submit","enrolment":"single"}])");
  EXPECT_EQ(world.ask("PUT", "/api/v1/workflows/nobody/goals", goals).status, 404);
  EXPECT_EQ(world.ask("GET", "/api/v1/workflows/nobody/triggers").status, 404);
  auto audit = world.ask("GET", "/api/v1/audit?action=workflow.goals");
  EXPECT_EQ(audit.body.get("items").size(), 2u);
}

// W-30
TEST_F(GoalsApi, mistakes_of_rules_are_named_and_nothing_is_stored) {
  EXPECT_EQ(refused("goals", R"({"goals":[{"id":"a","event_type":"email_eaten"}]})"),
            "422 unknown_event_type /goals/0/event_type");
  EXPECT_EQ(refused("goals", R"({"goals":[{"id":"a","event_type":"email_open"},
      {"id":"a","event_type":"email_open","criteria":5}]})")
                .substr(0, 3),
            "422");
  EXPECT_EQ(refused("goals", R"({"goals":[
      {"id":"a","event_type":"email_open","criteria":5}]})"),
            "422 invalid_criteria /goals/0/criteria");
  std::string goal = R"({"id":"g%","event_type":"email_open"},)";
  std::string four;
  for (char n : {'1', '2', '3', '4'}) {
    four += goal;
    four[four.find('%')] = n;
  }
  four.pop_back();
  EXPECT_EQ(refused("goals", R"({"goals":[)" + four + "]}"), "422 too_many /goals");
  EXPECT_EQ(refused("goals", R"({"mode":"some","goals":[]})"), "422 invalid_field /mode");
  EXPECT_EQ(refused("goals", R"({"goals":[],"colour":1})"), "422 unknown_field /colour");
  EXPECT_EQ(refused("triggers", R"([{"event_type":"form_submit","enrolment":"twice"}])"),
            "422 invalid_field /0/enrolment");
  EXPECT_EQ(refused("triggers", R"([{}])").substr(0, 3), "422");
  std::string many = "[";
  for (int i = 0; i < 21; ++i) many += std::string(i ? "," : "") + R"({"event_type":"page_visit"})";
  EXPECT_EQ(refused("triggers", many + "]").substr(0, 12), "422 too_many");
  EXPECT_EQ(rules("GET", "goals").headers["etag"], "\"0\"");
}

// W-59, W-63, S-26
TEST_F(GoalsApi, goal_completes_the_execution_before_any_wait_hears_of_it) {
  ASSERT_EQ(rules("PUT", "goals", goals).status, 200);
  std::string run = world.start("campaign", R"({"contact_id": "c-17"})");
  std::string other = world.start("campaign", R"({"contact_id": "c-18"})");
  auto missed = send(R"({"event_type":"appointment_booked","contact_id":"c-18",
                         "data":{"calendar_id":"cal-2"}})");
  EXPECT_EQ(missed.body.get("matched").get("goals").size(), 0u);
  EXPECT_EQ(missed.body.get("matched").get("waits").size(), 1u) << "the wait has no criteria";
  auto sent = send(R"({"event_id":"ev-1","event_type":"appointment_booked","contact_id":"c-17",
                       "data":{"calendar_id":"cal-1"}})");
  ASSERT_EQ(sent.status, 200) << sent.text;
  ASSERT_EQ(sent.body.get("matched").get("goals").size(), 1u) << sent.text;
  const Value reached = sent.body.get("matched").get("goals").items()[0];
  EXPECT_EQ(reached.get("execution_id"), Value(run));
  EXPECT_EQ(reached.get("goal_id"), Value("booked"));
  EXPECT_EQ(sent.body.get("matched").get("waits").size(), 0u);
  EXPECT_EQ(sent.body.get("ignored").size(), 0u) << sent.text;
  EXPECT_EQ(execution(run).get("status"), Value("completed"));
  EXPECT_EQ(execution(run).get("exit_reason"), Value("goal_achieved"));
  for (const char* step : {"later", "booked"}) {
    auto wait = world.ask("GET", "/api/v1/workflows/executions/" + run + "/wait/" + step);
    EXPECT_EQ(wait.body.get("status"), Value("cancelled")) << step;
    EXPECT_EQ(wait.body.get("resumed_by"), Value("cancelled")) << step;
  }
  EXPECT_EQ(execution(other).get("status"), Value("waiting"));
  auto audit = world.ask("GET", "/api/v1/audit?action=goal.achieved");
  EXPECT_EQ(audit.body.get("items").size(), 1u) << audit.text;
  auto kept = world.ask("GET", "/api/v1/events/ev-1");
  EXPECT_EQ(kept.body.get("matched"), sent.body.get("matched"));
}

// W-30: all of them are needed.
TEST_F(GoalsApi, mode_all_needs_each_goal_once) {
  ASSERT_EQ(rules("PUT", "goals", R"({"mode":"all","goals":[
      {"id":"paid","event_type":"payment_received"},{"id":"seen","event_type":"page_visit"}]})")
                .status,
            200);
  std::string run = world.start("campaign", R"({"contact_id": "c-17"})");
  auto first = send(R"({"event_type":"payment.completed","contact_id":"c-17"})");
  EXPECT_EQ(first.body.get("matched_total"), Value(1)) << first.text;
  auto again = send(R"({"event_type":"payment_received","contact_id":"c-17"})");
  EXPECT_EQ(again.body.get("matched_total"), Value(0)) << again.text;
  EXPECT_EQ(execution(run).get("status"), Value("waiting"));
  send(R"({"event_type":"page_visit","contact_id":"c-17"})");
  EXPECT_EQ(execution(run).get("exit_reason"), Value("goal_achieved"));
}

// W-30, W-59
TEST_F(GoalsApi, trigger_starts_one_execution_per_event) {
  ASSERT_EQ(rules("PUT", "triggers",
                  R"([{"event_type":"form_submit","criteria":{"form_id":"f1"},
                       "enrolment":"multiple"},
                      {"event_type":"form_submit","enrolment":"multiple"}])")
                .status,
            200);
  std::string body = R"({"event_id":"ev-1","event_type":"form_submit","contact_id":"c-17",
                         "data":{"form_id":"f1"}})";
  auto sent = send(body);
  ASSERT_EQ(sent.body.get("matched").get("triggers").size(), 1u) << sent.text;
  const Value started = sent.body.get("matched").get("triggers").items()[0];
  EXPECT_EQ(started.get("workflow_id"), Value("campaign"));
  std::string run(started.get("execution_id").as_string());
  EXPECT_EQ(execution(run).get("contact_id"), Value("c-17"));
  EXPECT_EQ(execution(run).get("trigger"), Value("event"));
  EXPECT_EQ(execution(run).get("event").get("id"), Value("ev-1"));
  EXPECT_EQ(send(body).body.get("status"), Value("duplicate"));
  EXPECT_EQ(runs_of("c-17"), 1u);
  send(R"({"event_id":"ev-2","event_type":"form_submit","contact_id":"c-17"})");
  EXPECT_EQ(runs_of("c-17"), 2u);
  EXPECT_EQ(send(R"({"event_type":"form_submit","execution_id":")" + run + R"("})")
                .body.get("matched")
                .get("triggers")
                .size(),
            0u)
      << "what is sent to one execution reaches that one alone";
}

// W-30
TEST_F(GoalsApi, single_enrolment_waits_for_the_end_of_the_one_before) {
  ASSERT_EQ(rules("PUT", "triggers", R"([{"event_type":"form_submit"}])").status, 200);
  send(R"({"event_type":"form_submit","contact_id":"c-17"})");
  auto second = send(R"({"event_type":"form_submit","contact_id":"c-17"})");
  EXPECT_EQ(second.body.get("matched_total"), Value(0)) << second.text;
  EXPECT_EQ(runs_of("c-17"), 1u);
  send(R"({"event_type":"form_submit","contact_id":"c-18"})");
  EXPECT_EQ(runs_of("c-18"), 1u);
  world.ask("POST", "/api/v1/contacts/c-17/opt-out", R"({"reason":"STOP"})");
  EXPECT_EQ(send(R"({"event_type":"form_submit","contact_id":"c-17"})").body.get("matched_total"),
            Value(0))
      << "nothing is started for who has opted out";
  world.ask("POST", "/api/v1/contacts/c-17/opt-in", "{}");
  send(R"({"event_type":"form_submit","contact_id":"c-17"})");
  EXPECT_EQ(runs_of("c-17"), 2u);
  world.ask("POST", "/api/v1/workflows/campaign/deactivate", "{}");
  EXPECT_EQ(send(R"({"event_type":"form_submit","contact_id":"c-19"})").body.get("matched_total"),
            Value(0))
      << "an inactive workflow is not started";
}

// W-30: the role that changes rules.
TEST_F(GoalsApi, rules_have_roles_and_stay_in_their_account) {
  auto key = [&](Role role, const std::string& account = "default") {
    return "Authorization: Bearer " + world.add_key(role, account) + "\r\n";
  };
  std::string viewer = key(Role::viewer), foreign = key(Role::editor, "beta");
  EXPECT_EQ(rules("GET", "goals", "", viewer).status, 200);
  EXPECT_EQ(rules("PUT", "goals", goals, viewer).code(), "forbidden");
  EXPECT_EQ(rules("PUT", "triggers", "[]", viewer).code(), "forbidden");
  EXPECT_EQ(rules("GET", "goals", "", foreign).code(), "workflow_not_found");
  EXPECT_EQ(rules("PUT", "triggers", "[]", foreign).code(), "workflow_not_found");
}

}  // namespace
}  // namespace fermata::server
