#include <gtest/gtest.h>

#include "server/test_world.h"

/// Settings of accounts, and what switching resumes or a workflow off does (W-29, W-31, W-65).
namespace fermata::server {
namespace {

constexpr const char* nurture = R"({"nodes": [{"id": "S", "type": "manual", "trigger": true},
    {"id": "wait_1", "type": "wait",
     "parameters": {"wait_type": "fixed_time", "duration": 30, "unit": "minutes"}},
    {"id": "A", "type": "noop"}],
    "edges": [{"id": "e1", "src": "S", "dst": "wait_1"},
              {"id": "e2", "src": "wait_1", "dst": "A"}]})";
constexpr const char* plain = R"({"nodes": [{"id": "S", "type": "manual", "trigger": true},
    {"id": "pause", "type": "wait", "parameters": {"amount": 30, "unit": "minutes"}}],
    "edges": [{"id": "e1", "src": "S", "dst": "pause"}]})";

class AccountSettingsApi : public ::testing::Test {
 protected:
  AccountSettingsApi() {
    EXPECT_EQ(world.ask("PUT", "/api/v1/workflows/nurture", nurture).status, 201);
    EXPECT_EQ(world.ask("PUT", "/api/v1/workflows/plain", plain).status, 201);
  }
  std::string told(const std::string& id) {
    Value body = world.ask("GET", "/api/v1/executions/" + id).body;
    const Value& reason = body.get("exit_reason");
    return std::string(body.get("status").as_string()) + "/" +
           (reason.is_string() ? std::string(reason.as_string()) : "");
  }
  Value wait(const std::string& id) {
    return world.ask("GET", "/api/v1/workflows/executions/" + id + "/wait/wait_1").body;
  }
  std::vector<std::string> start_some(int count) {
    std::vector<std::string> ids;
    for (int i = 0; i < count; ++i) ids.push_back(world.start("nurture"));
    return ids;
  }
  TestWorld world;
};

// W-29, W-81
TEST_F(AccountSettingsApi, settings_are_read_replaced_and_changed_with_their_etag) {
  auto defaults = world.ask("GET", "/api/v1/settings");
  EXPECT_EQ(defaults.status, 200) << defaults.text;
  EXPECT_EQ(defaults.headers["etag"], "\"0\"");
  EXPECT_EQ(defaults.body.get("limits").get("waits_per_account"), Value(10'000));
  auto put = world.ask("PUT", "/api/v1/settings",
                       R"({"timezone":"UTC","holidays":["12-25"],"waits":{"overdue_alert_s":60}})",
                       "If-None-Match: *\r\n");
  ASSERT_EQ(put.status, 200) << put.text;
  EXPECT_EQ(put.headers["etag"], "\"1\"");
  auto patched =
      world.ask("PATCH", "/api/v1/settings",
                R"({"waits":{"default_timeout_hours":24},"holidays":null})", "If-Match: \"1\"\r\n");
  ASSERT_EQ(patched.status, 200) << patched.text;
  EXPECT_EQ(patched.body.get("timezone"), Value("UTC"));
  EXPECT_EQ(patched.body.get("waits").get("overdue_alert_s"), Value(60));
  EXPECT_EQ(patched.body.get("waits").get("default_timeout_hours"), Value(24));
  EXPECT_EQ(patched.body.get("holidays").size(), 0u);
  EXPECT_EQ(world.ask("PUT", "/api/v1/settings", "{}", "If-Match: \"1\"\r\n").code(),
            "version_conflict");
  auto sent_back = world.ask("PUT", "/api/v1/settings", patched.text);
  EXPECT_EQ(sent_back.status, 200) << "what is read can be sent back: " << sent_back.text;
  EXPECT_EQ(world.ask("PUT", "/api/v1/settings", R"({"timezone":"Mars/Base"})").code(),
            "unknown_timezone");
  EXPECT_EQ(world.ask("PUT", "/api/v1/settings", R"({"holidays":["13-01"]})").code(),
            "invalid_holiday");
  EXPECT_EQ(world.ask("PATCH", "/api/v1/settings", R"({"retention_days":5})").code(),
            "invalid_setting");
  EXPECT_EQ(world.ask("PATCH", "/api/v1/settings", R"({"colour":5})").code(), "unknown_field");
  auto audit = world.ask("GET", "/api/v1/audit?action=settings.changed");
  EXPECT_EQ(audit.body.get("items").size(), 3u);
}

// W-29
TEST_F(AccountSettingsApi, etag_of_what_nobody_has_written_yet_is_taken_back) {
  auto first =
      world.ask("PATCH", "/api/v1/settings", R"({"timezone":"UTC"})", "If-Match: \"0\"\r\n");
  EXPECT_EQ(first.status, 200) << first.text;
  EXPECT_EQ(world.ask("PATCH", "/api/v1/settings", "{}", "If-Match: \"0\"\r\n").code(),
            "version_conflict");
}

// W-29, W-75
TEST_F(AccountSettingsApi, secret_of_callbacks_is_kept_and_never_shown) {
  auto set = world.ask("PATCH", "/api/v1/settings",
                       R"({"callbacks":{"secret":"a secret of some length"}})");
  ASSERT_EQ(set.status, 200) << set.text;
  EXPECT_EQ(set.body.get("callbacks").get("secret_set"), Value(true));
  EXPECT_EQ(set.text.find("a secret of"), std::string::npos);
  auto kept = world.ask("PUT", "/api/v1/settings", R"({"timezone":"UTC"})");
  EXPECT_EQ(kept.body.get("callbacks").get("secret_set"), Value(true));
  auto gone = world.ask("PATCH", "/api/v1/settings", R"({"callbacks":{"secret":null}})");
  EXPECT_EQ(gone.body.get("callbacks").get("secret_set"), Value(false));
  EXPECT_EQ(world.ask("PATCH", "/api/v1/settings", R"({"callbacks":{"secret":"x"}})").code(),
            "invalid_setting");
}

// W-29
TEST_F(AccountSettingsApi, root_makes_accounts_and_others_see_their_own) {
  auto made = world.ask("PUT", "/api/v1/accounts/acme/settings", R"({"gap_policy":"shift"})");
  EXPECT_EQ(made.status, 201) << made.text;
  std::string key = world.add_key(Role::admin, "acme");
  std::string headers = "Authorization: Bearer " + key + "\r\n";
  EXPECT_EQ(world.ask("GET", "/api/v1/settings", "", headers).body.get("gap_policy"),
            Value("shift"));
  EXPECT_EQ(world.ask("GET", "/api/v1/settings").body.get("gap_policy"), Value("gap_end"));
  EXPECT_EQ(world.ask("PUT", "/api/v1/accounts/acme/settings", "{}", headers).status, 403);
  std::string viewer = "Authorization: Bearer " + world.add_key(Role::viewer, "acme") + "\r\n";
  EXPECT_EQ(world.ask("PUT", "/api/v1/settings", "{}", viewer).status, 403);
}

// W-65, W-81, S-30
TEST_F(AccountSettingsApi, resumes_that_are_off_wait_until_they_are_on_again) {
  std::string held = world.start("nurture"), by_hand = world.start("nurture");
  world.ask("PATCH", "/api/v1/settings", R"({"waits":{"resumes_off":true}})");
  world.advance(Duration{36 * 60'000});
  EXPECT_EQ(told(held), "waiting/");
  Value shown = wait(held);
  EXPECT_EQ(shown.get("hold_reason"), Value("resumes_off"));
  EXPECT_EQ(shown.get("overdue_s"), Value(360));
  auto resumed =
      world.ask("POST", "/api/v1/workflows/executions/" + by_hand + "/wait/wait_1/resume", "{}");
  EXPECT_EQ(resumed.status, 200) << resumed.text;
  EXPECT_EQ(told(by_hand), "completed/");
  EXPECT_EQ(world.ask("PATCH", "/api/v1/settings", R"({"waits":{"resumes_off":false}})").status,
            200);
  EXPECT_EQ(told(held), "completed/");
}

// W-31, W-63, S-24
TEST_F(AccountSettingsApi, deactivation_cancels_what_waits) {
  auto ids = start_some(10);
  std::string other = world.start("plain");
  auto off = world.ask("POST", "/api/v1/workflows/nurture/deactivate", R"({"reason":"over"})");
  ASSERT_EQ(off.status, 200) << off.text;
  EXPECT_EQ(off.body.get("status"), Value("inactive"));
  EXPECT_EQ(off.body.get("waits"),
            Value::object({{"cancelled", 10}, {"held", 0}, {"released", 0}}));
  EXPECT_EQ(off.body.get("executions"), Value::object({{"cancelled", 10}}));
  world.advance(Duration{3'600'000});
  for (const std::string& id : ids) EXPECT_EQ(told(id), "cancelled/workflow_deactivated");
  EXPECT_EQ(told(other), "completed/");
  EXPECT_EQ(world.ask("POST", "/api/v1/workflows/nurture/executions", "{}").code(),
            "workflow_inactive");
  auto again = world.ask("POST", "/api/v1/workflows/nurture/deactivate");
  EXPECT_EQ(again.body.get("waits").get("cancelled"), Value(0));
  auto audit = world.ask("GET", "/api/v1/audit?action=workflow.deactivated");
  EXPECT_EQ(audit.body.get("items").size(), 1u);
  auto plain_off = world.ask("POST", "/api/v1/workflows/plain/deactivate");
  EXPECT_EQ(plain_off.body.get("waits").get("cancelled"), Value(0));
}

// W-31, W-65, S-25
TEST_F(AccountSettingsApi, deactivation_can_hold_what_waits) {
  auto first = start_some(5);
  world.advance(Duration{15 * 60'000});
  auto second = start_some(5);
  auto off = world.ask("POST", "/api/v1/workflows/nurture/deactivate", R"({"on_waits":"hold"})");
  EXPECT_EQ(off.body.get("waits"), Value::object({{"cancelled", 0}, {"held", 10}, {"released", 0}}))
      << off.text;
  world.advance(Duration{20 * 60'000});
  for (const std::string& id : first) EXPECT_EQ(told(id), "waiting/");
  auto on = world.ask("POST", "/api/v1/workflows/nurture/activate");
  EXPECT_EQ(on.body.get("waits").get("released"), Value(10)) << on.text;
  for (const std::string& id : first) EXPECT_EQ(told(id), "completed/");
  for (const std::string& id : second) EXPECT_EQ(told(id), "waiting/");
  world.advance(Duration{10 * 60'000});
  for (const std::string& id : second) EXPECT_EQ(told(id), "completed/");
  EXPECT_EQ(world.ask("POST", "/api/v1/workflows/nurture/deactivate", R"({"on_waits":"x"})").code(),
            "invalid_field");
  EXPECT_EQ(world.ask("POST", "/api/v1/workflows/none/deactivate").code(), "workflow_not_found");
}

}  // namespace
}  // namespace fermata::server
