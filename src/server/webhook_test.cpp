#include <gtest/gtest.h>

#include "base/hash.h"
#include "server/test_world.h"

namespace fermata::server {
namespace {

std::string hook(const std::string& parameters, const std::string& more = "") {
  return R"({"nodes":[{"id":"t","name":"Hook","type":"webhook","trigger":true,"parameters":{)" +
         parameters + "}" + more + R"(},
    {"id":"e","name":"Edit","type":"edit","parameters":{"assignments":[
      {"name":"got","value":"$trigger.n"},{"name":"how","value":"$input.method"}]}}],
    "edges":[{"id":"1","src":"t","dst":"e"}],"result":"{{ $Edit.$json }}"})";
}

std::string put_hook(TestWorld& world, const std::string& definition) {
  auto stored = world.ask("PUT", "/api/v1/workflows/hook", definition);
  EXPECT_LT(stored.status, 300) << stored.text;
  const Value& path = stored.body.get("webhook_path");
  return path.is_string() ? std::string(path.as_string()) : "";
}

TEST(Webhook, starts_a_run_and_keeps_its_address_over_versions) {  // G-31
  TestWorld world;
  std::string path = put_hook(world, hook(""));
  ASSERT_TRUE(path.starts_with("/webhook/"));
  auto accepted = world.ask("POST", path, R"({"n":5})");
  EXPECT_EQ(accepted.status, 202) << accepted.text;
  ASSERT_TRUE(world.wait_for(std::string(accepted.body.get("id").as_string()), "completed"));
  EXPECT_EQ(world.ask("POST", "/api/v1" + path, R"({"n":5})").status, 202);
  EXPECT_EQ(put_hook(world, hook(R"("respond":"result")")), path);
  auto result = world.ask("POST", path, R"({"n":6})");
  EXPECT_EQ(result.status, 200) << result.text;
  EXPECT_EQ(result.body.get("got"), Value(6));
  EXPECT_EQ(result.body.get("how"), Value("POST"));
}

TEST(Webhook, exists_only_while_its_workflow_is_active) {  // G-31
  TestWorld world;
  std::string path = put_hook(world, hook(""));
  world.ask("POST", "/api/v1/workflows/hook/deactivate");
  EXPECT_EQ(world.ask("POST", path, "{}").code(), "webhook_not_found");
  world.ask("POST", "/api/v1/workflows/hook/activate");
  EXPECT_EQ(world.ask("POST", path, R"({"n":1})").status, 202);
  EXPECT_EQ(world.ask("POST", "/webhook/none", "{}").code(), "webhook_not_found");
}

TEST(Webhook, takes_its_own_method_only) {  // G-31
  TestWorld world;
  std::string path = put_hook(world, hook(R"("method":"GET")"));
  EXPECT_EQ(world.ask("GET", path + "?x=1").status, 202);
  auto wrong = world.ask("POST", path, "{}");
  EXPECT_EQ(wrong.status, 405);
  EXPECT_EQ(wrong.headers["allow"], "GET");
}

TEST(Webhook, the_same_dedupe_value_is_the_same_run) {  // G-31
  TestWorld world;
  std::string path = put_hook(world, hook(R"("dedupe_header":"X-Delivery")"));
  auto first = world.ask("POST", path, R"({"n":1})", "X-Delivery: d1\r\n");
  auto again = world.ask("POST", path, R"({"n":2})", "X-Delivery: d1\r\n");
  auto other = world.ask("POST", path, R"({"n":1})", "X-Delivery: d2\r\n");
  EXPECT_EQ(again.status, 202) << again.text;
  EXPECT_EQ(first.body.get("id"), again.body.get("id"));
  EXPECT_NE(first.body.get("id"), other.body.get("id"));
}

TEST(Webhook, secrets_do_not_reach_the_run) {  // A-13
  TestWorld world;
  std::string path = put_hook(world, hook(""));
  auto accepted = world.ask("POST", path, R"({"n":5})",
                            "Authorization: Bearer s3cret\r\nCookie: c=s3cret\r\nX-Ok: yes\r\n");
  ASSERT_EQ(accepted.status, 202);
  std::string id(accepted.body.get("id").as_string());
  ASSERT_TRUE(world.wait_for(id, "completed"));
  auto run = world.ask("GET", "/api/v1/executions/" + id);
  EXPECT_EQ(run.text.find("s3cret"), std::string::npos);
  EXPECT_EQ(run.body.get("input").get("headers").get("x-ok"), Value("yes"));
}

TEST(Webhook, a_body_is_read_by_its_type) {
  TestWorld world;
  std::string path = put_hook(world, hook(R"("respond":"result")"));
  EXPECT_EQ(world.ask("POST", path, "{").code(), "bad_json");
  auto form =
      world.ask("POST", path, "n=7&x=a%20b", "Content-Type: application/x-www-form-urlencoded\r\n");
  EXPECT_EQ(form.body.get("got"), Value("7")) << form.text;
}

void put_credential(TestWorld& world, const std::string& body) {
  auto stored = world.ask("PUT", "/api/v1/credentials/c", body);
  ASSERT_LT(stored.status, 300) << stored.text;
}

size_t runs_of(TestWorld& world) {
  return world.ask("GET", "/api/v1/executions").body.get("items").size();
}

const std::string by_credential = R"(,"credentials":{"id":"c"})";

TEST(Webhook, a_caller_is_checked_by_the_header_of_a_credential) {  // G-31
  TestWorld world;
  std::string path = put_hook(world, hook(R"("auth":"header")", by_credential));
  auto missing = world.ask("POST", path, R"({"n":1})");
  EXPECT_EQ(missing.status, 403);
  EXPECT_EQ(missing.code(), "forbidden");

  put_credential(world, R"({"type":"header","values":{"name":"X-Hook","value":"s3cret-hook"}})");
  for (const char* header : {"", "X-Hook: wrong\r\n", "X-Hook: s3cret-hook2\r\n", "X-Hook:\r\n"}) {
    auto refused = world.ask("POST", path, R"({"n":1})", header);
    EXPECT_EQ(refused.status, 401) << header;
    EXPECT_EQ(refused.code(), "webhook_unauthorized");
  }
  EXPECT_EQ(runs_of(world), 0u);
  EXPECT_NE(world.ask("GET", "/metrics").text.find("fermata_webhooks_refused_total 5\n"),
            std::string::npos);
  auto accepted = world.ask("POST", path, R"({"n":1})", "X-Hook: s3cret-hook\r\n");
  EXPECT_EQ(accepted.status, 202) << accepted.text;
  std::string id(accepted.body.get("id").as_string());
  EXPECT_EQ(world.ask("GET", "/api/v1/executions/" + id).text.find("s3cret"), std::string::npos);
  EXPECT_TRUE(world.ask("GET", "/api/v1/credentials/c").body.get("last_used_at").is_string());

  put_credential(world, R"({"type":"basic_auth","values":{"username":"u","password":"p"}})");
  EXPECT_EQ(world.ask("POST", path, "{}", "X-Hook: s3cret-hook\r\n").status, 401);
  EXPECT_EQ(world.ask("POST", path, R"({"n":1})", "Authorization: Basic dTpw\r\n").status, 202);
  world.ask("POST", "/api/v1/credentials/c/revoke");
  EXPECT_EQ(world.ask("POST", path, R"({"n":1})", "Authorization: Basic dTpw\r\n").status, 403);
}

TEST(Webhook, a_caller_is_checked_by_the_signature_of_the_body) {  // G-31
  TestWorld world;
  std::string path = put_hook(world, hook(R"("auth":"hmac_sha256")", by_credential));
  put_credential(world, R"({"type":"hmac_sha256","values":{"secret":"Jefe"}})");
  std::string body = R"({"n": 7})";
  auto digest = hmac_sha256("Jefe", body);
  std::string_view bytes(reinterpret_cast<const char*>(digest.data()), digest.size());
  for (const std::string& right : {hex(bytes), "sha256=" + hex(bytes), base64(bytes)})
    EXPECT_EQ(world.ask("POST", path, body, "X-Signature: " + right + "\r\n").status, 202);
  EXPECT_EQ(runs_of(world), 3u);
  std::string header = "X-Signature: sha256=" + hex(bytes) + "\r\n";
  EXPECT_EQ(world.ask("POST", path, R"({"n":7})", header).code(), "webhook_unauthorized");
  EXPECT_EQ(world.ask("POST", path, body).status, 401);
  EXPECT_EQ(world.ask("POST", path, body, "X-Signature: sha256=00\r\n").status, 401);
  EXPECT_EQ(runs_of(world), 3u);

  put_credential(world, R"({"values":{"secret":"Jefe","header":"X-Hub-Signature-256"}})");
  EXPECT_EQ(world.ask("POST", path, body, header).status, 401);
  EXPECT_EQ(
      world.ask("POST", path, body, "X-Hub-Signature-256: sha256=" + hex(bytes) + "\r\n").status,
      202);
}

TEST(Webhook, a_credential_of_another_kind_checks_nobody) {  // G-31
  TestWorld world;
  std::string path = put_hook(world, hook(R"("auth":"hmac_sha256")", by_credential));
  put_credential(world, R"({"type":"token","values":{"token":"s3cret"}})");
  auto refused = world.ask("POST", path, R"({"n":1})", "Authorization: Bearer s3cret\r\n");
  EXPECT_EQ(refused.status, 403) << refused.text;
  path = put_hook(world, hook(R"("auth":"header")", by_credential));
  EXPECT_EQ(world.ask("POST", path, R"({"n":1})", "Authorization: Bearer s3cret\r\n").status, 202);
  put_credential(world, R"({"type":"query","values":{"name":"k","value":"s3cret"}})");
  EXPECT_EQ(world.ask("POST", path + "?k=s3cret", R"({"n":1})").status, 403);
}

TEST(Webhook, an_address_in_use_is_not_taken_over) {
  TestWorld world;
  std::string path = put_hook(world, hook(""));
  std::string guid = path.substr(9);
  auto other = world.ask("PUT", "/api/v1/workflows/other",
                         hook("", R"(,"webhook_guid":")" + guid + "\""), "X-Account-Id: b\r\n");
  ASSERT_EQ(other.status, 201) << other.text;
  EXPECT_NE(other.body.get("webhook_guid"), Value(guid));
}

}  // namespace
}  // namespace fermata::server
