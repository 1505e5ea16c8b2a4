#include <gtest/gtest.h>

#include "server/test_world.h"

/// Contacts and what ends for them (W-25 to W-28).
namespace fermata::server {
namespace {

constexpr const char* nurture = R"({"nodes": [{"id": "S", "type": "manual", "trigger": true},
    {"id": "wait_1", "type": "wait",
     "parameters": {"wait_type": "fixed_time", "duration": 30, "unit": "minutes"}},
    {"id": "A", "type": "noop"}],
    "edges": [{"id": "e1", "src": "S", "dst": "wait_1"},
              {"id": "e2", "src": "wait_1", "dst": "A"}]})";
constexpr const char* renewal = R"({"nodes": [{"id": "S", "type": "manual", "trigger": true},
    {"id": "until", "type": "wait", "parameters": {"wait_type": "until_date",
     "contact_field": "renewal_date", "follow_field": true}}],
    "edges": [{"id": "e1", "src": "S", "dst": "until"}]})";

class Contacts : public ::testing::Test {
 protected:
  Contacts() {
    EXPECT_EQ(world.ask("PUT", "/api/v1/workflows/nurture", nurture).status, 201);
    EXPECT_EQ(world.ask("PUT", "/api/v1/workflows/renewal", renewal).status, 201);
  }
  std::string start(const std::string& workflow = "nurture", const std::string& contact = "c-17") {
    return world.start(workflow, R"({"contact_id": ")" + contact + "\"}");
  }
  Value run(const std::string& id) { return world.ask("GET", "/api/v1/executions/" + id).body; }
  std::string told(const std::string& id) {
    Value body = run(id);
    const Value& reason = body.get("exit_reason");
    return std::string(body.get("status").as_string()) + "/" +
           (reason.is_string() ? std::string(reason.as_string()) : "");
  }
  std::string wait_told(const std::string& id, const std::string& step = "wait_1") {
    Value wait = world.ask("GET", "/api/v1/workflows/executions/" + id + "/wait/" + step).body;
    const Value& by = wait.get("resumed_by");
    return std::string(wait.get("status").as_string()) + "/" +
           (by.is_string() ? std::string(by.as_string()) : "");
  }
  TestWorld world;
};

// W-25, W-52
TEST_F(Contacts, contact_is_made_by_hand_or_by_a_run_that_names_it) {
  auto made = world.ask("PUT", "/api/v1/contacts/c-17",
                        R"({"timezone":"UTC","phone":"+1 212 555 0100","email":"Ada@Example.com",
                            "fields":{"renewal_date":"2026-03-15"},"labels":{"tier":"gold"}})");
  ASSERT_EQ(made.status, 201) << made.text;
  EXPECT_EQ(made.body.get("pending_waits"), Value(0));
  EXPECT_TRUE(made.body.get("next").is_null());
  EXPECT_EQ(made.headers["etag"], "\"1\"");
  start();
  auto shown = world.ask("GET", "/api/v1/contacts/c-17");
  EXPECT_EQ(shown.body.get("pending_waits"), Value(1));
  EXPECT_EQ(shown.body.get("next").get("due_at"), Value("2026-01-26T00:30:00.000Z"));
  EXPECT_EQ(shown.body.get("next").get("local"), Value("2026-01-26T00:30:00"));
  EXPECT_EQ(shown.body.get("next").get("step_id"), Value("wait_1"));
  EXPECT_EQ(world.ask("GET", "/api/v1/contacts/c-18").code(), "contact_not_found");
  start("nurture", "c-18");
  auto named = world.ask("GET", "/api/v1/contacts/c-18");
  EXPECT_EQ(named.status, 200) << named.text;
  EXPECT_EQ(named.body.get("opted_out"), Value(false));
  auto list = world.ask("GET", "/api/v1/contacts?phone=0012125550100");
  ASSERT_EQ(list.body.get("items").size(), 1u);
  EXPECT_EQ(list.body.get("items").items()[0].get("contact_id"), Value("c-17"));
  EXPECT_EQ(world.ask("GET", "/api/v1/contacts").body.get("items").size(), 2u);
}

// W-25
TEST_F(Contacts, changes_are_checked_and_pinned_to_a_version) {
  world.ask("PUT", "/api/v1/contacts/c-17", R"({"fields":{"a":1,"b":2},"phone":"123"})");
  auto patched = world.ask("PATCH", "/api/v1/contacts/c-17", R"({"fields":{"b":null,"c":3}})",
                           "If-Match: \"1\"\r\n");
  EXPECT_EQ(patched.status, 200) << patched.text;
  EXPECT_EQ(patched.body.get("fields"), Value::object({{"a", 1}, {"c", 3}}));
  EXPECT_EQ(patched.body.get("phone"), Value("123"));
  EXPECT_EQ(world.ask("PATCH", "/api/v1/contacts/c-17", "{}", "If-Match: \"1\"\r\n").code(),
            "version_conflict");
  EXPECT_EQ(world.ask("PATCH", "/api/v1/contacts/nobody", "{}").code(), "contact_not_found");
  EXPECT_EQ(world.ask("PUT", "/api/v1/contacts/c-17", R"({"phone":"call me"})").code(),
            "invalid_contact");
  EXPECT_EQ(world.ask("PUT", "/api/v1/contacts/c-17", R"({"email":"nowhere"})").code(),
            "invalid_contact");
  EXPECT_EQ(world.ask("PUT", "/api/v1/contacts/c-17", R"({"colour":"red"})").code(),
            "unknown_field");
  EXPECT_EQ(world.ask("PUT", "/api/v1/contacts/a%20b", "{}").code(), "invalid_id");
  auto warned = world.ask("PUT", "/api/v1/contacts/c-17", R"({"timezone":"Mars/Base"})");
  EXPECT_EQ(warned.status, 200);
  EXPECT_EQ(warned.body.get("timezone"), Value("Mars/Base")) << "kept, and warned of";
  EXPECT_EQ(warned.body.get("warnings").size(), 1u);
}

// W-42
TEST_F(Contacts, wait_follows_the_field_in_the_commit_of_the_change) {
  world.ask("PUT", "/api/v1/contacts/c-17", R"({"fields":{"renewal_date":"2026-03-15"}})");
  std::string id = start("renewal");
  EXPECT_EQ(run(id).get("status"), Value("waiting"));
  world.ask("PATCH", "/api/v1/contacts/c-17", R"({"fields":{"renewal_date":"2026-02-01"}})");
  auto wait = world.ask("GET", "/api/v1/workflows/executions/" + id + "/wait/until");
  EXPECT_EQ(wait.body.get("scheduled_at"), Value("2026-02-01T00:00:00.000Z"));
  world.ask("PATCH", "/api/v1/contacts/c-17", R"({"fields":{"renewal_date":"2026-01-01"}})");
  EXPECT_EQ(wait_told(id, "until"), "resumed/past_date");
  EXPECT_EQ(told(id), "completed/");
}

// W-26, W-63, S-24
TEST_F(Contacts, opting_out_ends_every_run_before_it_is_answered) {
  std::string first = start(), second = start(), other = start("nurture", "c-18");
  auto out = world.ask("POST", "/api/v1/contacts/c-17/opt-out", R"({"reason":"STOP"})");
  EXPECT_EQ(out.status, 200) << out.text;
  EXPECT_EQ(
      out.body,
      Value::object({{"opted_out", true}, {"waits_cancelled", 2}, {"executions_cancelled", 2}}));
  EXPECT_EQ(told(first), "cancelled/contact_opted_out");
  EXPECT_EQ(wait_told(second), "cancelled/cancelled");
  EXPECT_EQ(told(other), "waiting/");
  auto refused =
      world.ask("POST", "/api/v1/workflows/nurture/executions", R"({"contact_id":"c-17"})");
  EXPECT_EQ(refused.status, 409);
  EXPECT_EQ(refused.code(), "contact_opted_out");
  auto again = world.ask("POST", "/api/v1/contacts/c-17/opt-out");
  EXPECT_EQ(again.body.get("executions_cancelled"), Value(0));
  EXPECT_EQ(world.ask("POST", "/api/v1/contacts/c-17/opt-in").body.get("opted_out"), Value(false));
  EXPECT_EQ(told(start()), "waiting/");
  EXPECT_EQ(world.ask("POST", "/api/v1/contacts/nobody/opt-out").code(), "contact_not_found");
  auto audit = world.ask("GET", "/api/v1/audit?action=contact.opted_out");
  ASSERT_EQ(audit.body.get("items").size(), 1u);
  EXPECT_EQ(audit.body.get("items").items()[0].get("reason"), Value("STOP"));
}

// W-26, W-28
TEST_F(Contacts, one_workflow_can_be_left_alone) {
  world.ask("PUT", "/api/v1/contacts/c-17", R"({"fields":{"renewal_date":"2026-03-15"}})");
  std::string first = start(), second = start("renewal");
  auto removed = world.ask("DELETE", "/api/v1/workflows/nurture/contacts/c-17?reason=moved");
  EXPECT_EQ(removed.body,
            Value::object({{"success", true}, {"waits_cancelled", 1}, {"executions_cancelled", 1}}))
      << removed.text;
  EXPECT_EQ(told(first), "cancelled/manual_removal");
  EXPECT_EQ(told(second), "waiting/");
  std::string third = start();
  world.ask("POST", "/api/v1/contacts/c-17/opt-out", R"({"workflow_id":"nurture"})");
  EXPECT_EQ(told(third), "cancelled/contact_opted_out");
  EXPECT_EQ(told(second), "waiting/");
  EXPECT_EQ(world.ask("DELETE", "/api/v1/workflows/none/contacts/c-17").code(),
            "workflow_not_found");
  EXPECT_EQ(world.ask("DELETE", "/api/v1/workflows/nurture/contacts/nobody").code(),
            "contact_not_found");
}

// W-27
TEST_F(Contacts, deletion_erases_the_person_and_ends_the_runs) {
  world.ask("PUT", "/api/v1/contacts/c-17",
            R"({"phone":"123456","email":"a@b.example","fields":{"secret":"x"}})");
  std::string id = start();
  auto gone = world.ask("DELETE", "/api/v1/contacts/c-17?reason=asked");
  EXPECT_EQ(
      gone.body,
      Value::object({{"success", true}, {"waits_cancelled", 1}, {"executions_cancelled", 1}}));
  EXPECT_EQ(told(id), "cancelled/contact_deleted");
  EXPECT_EQ(run(id).get("contact_id"), Value("c-17")) << "ids stay in history";
  EXPECT_EQ(world.ask("GET", "/api/v1/contacts/c-17").code(), "contact_not_found");
  EXPECT_EQ(world.ask("GET", "/api/v1/contacts?phone=123456").body.get("items").size(), 0u);
  EXPECT_EQ(world.ask("DELETE", "/api/v1/contacts/c-17").status, 404);
  start();
  auto anew = world.ask("GET", "/api/v1/contacts/c-17");
  EXPECT_EQ(anew.status, 200);
  EXPECT_TRUE(anew.body.get("phone").is_null());
  EXPECT_EQ(anew.body.get("fields").size(), 0u);
}

// W-10
TEST_F(Contacts, contacts_of_another_account_do_not_exist) {
  std::string key = world.add_key(Role::editor, "other");
  std::string headers = "Authorization: Bearer " + key + "\r\n";
  world.ask("PUT", "/api/v1/contacts/c-17", "{}");
  EXPECT_EQ(world.ask("GET", "/api/v1/contacts/c-17", "", headers).status, 404);
  EXPECT_EQ(world.ask("DELETE", "/api/v1/contacts/c-17", "", headers).status, 404);
}

}  // namespace
}  // namespace fermata::server
