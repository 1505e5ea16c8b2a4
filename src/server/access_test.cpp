#include "server/access.h"

#include <gtest/gtest.h>

#include "server/test_world.h"

namespace fermata::server {
namespace {

std::string key_header(const std::string& key) { return "Authorization: Bearer " + key + "\r\n"; }

void with_keys(ApiOptions& options) { options.access.mode = AccessMode::keys; }

TEST(Access, the_mode_is_chosen_by_address_and_keys) {  // A-12
  http::ListenAddress local{"127.0.0.1", 1};
  http::ListenAddress open{"0.0.0.0", 1};
  EXPECT_EQ(*choose_access(local, false, false), AccessMode::local);
  EXPECT_EQ(*choose_access(local, true, false), AccessMode::keys);
  EXPECT_EQ(*choose_access(open, true, false), AccessMode::keys);
  EXPECT_EQ(*choose_access(open, false, true), AccessMode::insecure);
  EXPECT_EQ(choose_access(open, false, false).error().code, ErrorCode::invalid_setting);
}

TEST(Access, a_key_is_needed_and_must_be_right) {  // A-11
  TestWorld world(with_keys);
  EXPECT_EQ(world.ask("GET", "/healthz").status, 200);
  auto without = world.ask("GET", "/api/v1/workflows");
  EXPECT_EQ(without.status, 401);
  EXPECT_EQ(without.headers["www-authenticate"], "Bearer");
  std::string key = world.add_key(Role::viewer);
  EXPECT_EQ(world.ask("GET", "/api/v1/workflows", "", key_header(key)).status, 200);
  EXPECT_EQ(world.ask("GET", "/api/v1/workflows", "", "X-API-Key: " + key + "\r\n").status, 200);
  std::string wrong = key;
  wrong.back() = wrong.back() == 'A' ? 'B' : 'A';
  EXPECT_EQ(world.ask("GET", "/api/v1/workflows", "", key_header(wrong)).status, 401);
  EXPECT_EQ(world.ask("GET", "/api/v1/workflows", "", key_header("fk_short")).status, 401);
  EXPECT_EQ(world.ask("GET", "/api/v1/workflows", "", "Authorization: Basic xyz\r\n").status, 401);
}

TEST(Access, each_role_may_do_what_it_says) {  // A-11
  TestWorld world(with_keys);
  auto tries = [&](Role role, const char* method, const char* target, const char* body = "") {
    return world.ask(method, target, body, key_header(world.add_key(role))).status;
  };
  EXPECT_EQ(tries(Role::viewer, "GET", "/api/v1/executions"), 200);
  EXPECT_EQ(tries(Role::viewer, "PUT", "/api/v1/workflows/w", instant_workflow), 403);
  EXPECT_EQ(tries(Role::operator_, "PUT", "/api/v1/workflows/w", instant_workflow), 403);
  EXPECT_EQ(tries(Role::editor, "PUT", "/api/v1/workflows/w", instant_workflow), 201);
  EXPECT_EQ(tries(Role::viewer, "POST", "/api/v1/workflows/w/executions", "{}"), 403);
  EXPECT_EQ(tries(Role::operator_, "POST", "/api/v1/workflows/w/executions", "{}"), 201);
  EXPECT_EQ(tries(Role::editor, "GET", "/api/v1/keys"), 403);
  EXPECT_EQ(tries(Role::admin, "GET", "/api/v1/keys"), 200);
  EXPECT_EQ(tries(Role::worker, "GET", "/api/v1/executions"), 403);
}

TEST(Access, another_accounts_things_do_not_exist) {  // A-10
  TestWorld world(with_keys);
  std::string one = key_header(world.add_key(Role::editor, "one"));
  std::string two = key_header(world.add_key(Role::editor, "two"));
  world.ask("PUT", "/api/v1/workflows/w", waiting_workflow, one);
  auto started = world.ask("POST", "/api/v1/workflows/w/executions", "{}", one);
  std::string run = "/api/v1/executions/" + std::string(started.body.get("id").as_string());
  EXPECT_EQ(world.ask("GET", run, "", one).status, 200);
  EXPECT_EQ(world.ask("GET", "/api/v1/workflows/w", "", two).status, 404);
  for (const char* part : {"", "/history", "/stream", "/nodes"})
    EXPECT_EQ(world.ask("GET", run + part, "", two).status, 404) << part;
  for (const char* part : {"/cancel", "/pause", "/resume", "/signals/go", "/retry"})
    EXPECT_EQ(world.ask("POST", run + part, "", two).status, 404) << part;
  EXPECT_EQ(world.ask("GET", "/api/v1/executions", "", two).body.get("items").size(), 0u);
  EXPECT_EQ(world.ask("GET", run, "", one + "X-Account-Id: two\r\n").code(), "account_mismatch");
  std::string root = key_header(world.add_key(Role::root));
  EXPECT_EQ(world.ask("GET", run, "", root).status, 404);
  EXPECT_EQ(world.ask("GET", run, "", root + "X-Account-Id: one\r\n").status, 200);
}

TEST(Access, a_web_page_cannot_drive_a_local_root) {  // A-12, U-75
  TestWorld world;
  auto raw = [&](const std::string& target, const std::string& headers) {
    world.client().send("GET " + target + " HTTP/1.1\r\n" + headers + "\r\n");
    return world.client().receive().status;
  };
  EXPECT_EQ(raw("/api/v1/workflows", "Host: localhost:4747\r\n"), 200);
  EXPECT_EQ(raw("/api/v1/workflows", "Host: [::1]:4747\r\n"), 200);
  EXPECT_EQ(raw("/api/v1/workflows", "Host: evil.test\r\n"), 403);
  EXPECT_EQ(raw("/", "Host: evil.test\r\n"), 403);
  EXPECT_EQ(raw("/healthz", "Host: 127.0.0.1.evil.test\r\n"), 403);
  EXPECT_EQ(raw("http://evil.test/api/v1/workflows", "Host: localhost\r\n"), 403);
  std::string host = "Host: localhost:4747\r\n";
  EXPECT_EQ(raw("/api/v1/workflows", host + "Origin: http://evil.test\r\n"), 403);
  EXPECT_EQ(raw("/api/v1/workflows", host + "Origin: null\r\n"), 403);
  EXPECT_EQ(raw("/api/v1/workflows", host + "Origin: http://localhost:9999\r\n"), 403);
  EXPECT_EQ(raw("/api/v1/workflows", host + "Origin: http://localhost:4747\r\n"), 200);
  EXPECT_EQ(raw("/api/v1/workflows", host + "Sec-Fetch-Site: cross-site\r\n"), 403);
  EXPECT_EQ(raw("/", host + "Sec-Fetch-Site: cross-site\r\n"), 200);
}

TEST(Access, a_key_is_shown_once_and_can_be_revoked) {  // A-11
  TestWorld world(with_keys);
  std::string admin = key_header(world.add_key(Role::admin));
  auto made = world.ask("POST", "/api/v1/keys", R"({"role":"viewer","name":"ci"})",
                        admin + "Idempotency-Key: k\r\n");
  ASSERT_EQ(made.status, 201) << made.text;
  std::string key(made.body.get("key").as_string());
  std::string id(made.body.get("id").as_string());
  EXPECT_EQ(world.ask("GET", "/api/v1/workflows", "", key_header(key)).status, 200);
  auto shown = world.ask("GET", "/api/v1/keys/" + id, "", admin);
  EXPECT_EQ(shown.text.find(key.substr(key.size() - 43)), std::string::npos);
  EXPECT_EQ(shown.body.get("name"), Value("ci"));
  auto again = world.ask("POST", "/api/v1/keys", R"({"role":"viewer","name":"ci"})",
                         admin + "Idempotency-Key: k\r\n");
  EXPECT_EQ(again.body.get("id"), Value(id));
  EXPECT_TRUE(again.body.get("key").is_null());
  EXPECT_EQ(
      world.ask("POST", "/api/v1/keys", R"({"role":"admin"})", admin + "Idempotency-Key: k\r\n")
          .code(),
      "idempotency_key_reused");
  EXPECT_EQ(world.ask("DELETE", "/api/v1/keys/" + id, "", admin).status, 204);
  EXPECT_EQ(world.ask("GET", "/api/v1/workflows", "", key_header(key)).status, 401);
  EXPECT_EQ(world.ask("POST", "/api/v1/keys", R"({"role":"root"})", admin).status, 403);
  EXPECT_EQ(world.ask("POST", "/api/v1/keys", R"({"role":"king"})", admin).code(), "invalid_field");
  EXPECT_EQ(world.ask("GET", "/api/v1/keys/fk_none", "", admin).code(), "key_not_found");
}

TEST(Access, what_was_done_stands_in_the_audit) {  // A-14
  TestWorld world;
  world.put_workflows();
  std::string id = world.start("waiting");
  world.ask("POST", "/api/v1/executions/" + id + "/cancel", R"({"reason":"because"})");
  world.ask("POST", "/api/v1/keys", R"({"role":"viewer"})");
  auto all = world.ask("GET", "/api/v1/audit");
  std::string seen;
  for (const Value& line : all.body.get("items").items())
    seen += std::string(line.get("action").as_string()) + " ";
  EXPECT_EQ(seen, "key.create execution.cancel execution.start workflow.put workflow.put ");
  auto cancels = world.ask("GET", "/api/v1/audit?action=execution.cancel&subject=" + id);
  ASSERT_EQ(cancels.body.get("items").size(), 1u);
  EXPECT_EQ(cancels.body.get("items").items()[0].get("reason"), Value("because"));
  EXPECT_EQ(cancels.body.get("items").items()[0].get("actor"), Value("local"));
}

TEST(Access, an_account_over_its_rate_is_told_when_to_come_back) {  // A-13
  TestWorld world([](ApiOptions& options) { options.rate_limit = {0.001, 3}; });
  for (int i = 0; i < 3; ++i) EXPECT_EQ(world.ask("GET", "/api/v1/workflows").status, 200);
  auto refused = world.ask("GET", "/api/v1/workflows");
  EXPECT_EQ(refused.status, 429);
  EXPECT_EQ(refused.code(), "rate_limited");
  EXPECT_GE(std::atoi(refused.headers["retry-after"].c_str()), 500);
  EXPECT_EQ(world.ask("GET", "/api/v1/workflows", "", "X-Account-Id: other\r\n").status, 200);
  EXPECT_EQ(world.ask("GET", "/healthz").status, 200);
}

}  // namespace
}  // namespace fermata::server
