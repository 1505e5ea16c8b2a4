#include <gtest/gtest.h>

#include "base/json.h"
#include "server/test_world.h"

namespace fermata::server {
namespace {

const std::string all = "/api/v1/credentials";
const std::string github = all + "/github";
const std::string token =
    R"({"name":"GitHub","type":"token","values":{"token":"s3cret-of-github"}})";

TEST(Credentials, are_made_shown_without_values_and_found_again) {  // A-13
  TestWorld world;
  auto made = world.ask("PUT", github, token);
  EXPECT_EQ(made.status, 201) << made.text;
  EXPECT_EQ(made.headers["etag"], "\"1\"");
  EXPECT_EQ(made.body.get("id"), Value("github"));
  EXPECT_EQ(made.body.get("name"), Value("GitHub"));
  EXPECT_EQ(made.body.get("type"), Value("token"));
  EXPECT_EQ(made.body.get("created_at"), Value("2026-01-26T00:00:00.000Z"));
  EXPECT_TRUE(made.body.get("revoked_at").is_null());
  EXPECT_TRUE(made.body.get("last_used_at").is_null());
  auto found = world.ask("GET", github);
  EXPECT_EQ(found.status, 200);
  EXPECT_EQ(found.text, made.text);
  EXPECT_EQ(world.ask("GET", github, "", "If-None-Match: \"1\"\r\n").status, 304);
  auto listed = world.ask("GET", all);
  ASSERT_EQ(listed.body.get("items").size(), 1u);
  for (const auto& answer : {made, found, listed, world.ask("GET", "/api/v1/audit")})
    EXPECT_EQ(answer.text.find("s3cret"), std::string::npos) << answer.text;
}

TEST(Credentials, are_created_with_a_fresh_id_once_per_idempotency_key) {  // A-4
  TestWorld world;
  std::string key = "Idempotency-Key: k1\r\n";
  auto first = world.ask("POST", all, token, key);
  ASSERT_EQ(first.status, 201) << first.text;
  EXPECT_EQ(first.headers["location"], all + "/" + std::string(first.body.get("id").as_string()));
  auto again = world.ask("POST", all, token, key);
  EXPECT_EQ(again.status, 201) << again.text;
  EXPECT_EQ(again.headers["idempotent-replay"], "true");
  EXPECT_EQ(again.body.get("id"), first.body.get("id"));
  std::string other = R"({"name":"GitHub","type":"token","values":{"token":"another"}})";
  EXPECT_EQ(world.ask("POST", all, other, key).code(), "idempotency_key_reused");
  EXPECT_EQ(world.ask("POST", all, token).code(), "credential_exists");
  EXPECT_EQ(world.ask("POST", all, R"({"id":"mine","type":"custom","values":{"a":1}})").status,
            201);
  EXPECT_EQ(world.ask("GET", all + "/mine").body.get("name"), Value("mine"));
  EXPECT_EQ(world.ask("GET", all).body.get("items").size(), 2u);
}

TEST(Credentials, mistakes_are_told_by_their_path_and_never_by_their_value) {  // A-2, A-13
  TestWorld world;
  auto path = [&](const std::string& body) {
    auto answer = world.ask("POST", all, body);
    EXPECT_EQ(answer.status, 422) << answer.text;
    EXPECT_EQ(answer.text.find("s3cret"), std::string::npos) << answer.text;
    const Value& errors = answer.body.get("errors");
    return errors.size() > 0 ? std::string(errors.items()[0].get("path").as_string()) : "";
  };
  EXPECT_EQ(path(R"({"type":"token","values":{"token":"s3cret"}})"), "/name");
  EXPECT_EQ(path(R"({"name":"n","type":"tokn","values":{"token":"s3cret"}})"), "/type");
  EXPECT_EQ(path(R"({"name":"n","values":{"token":"s3cret"}})"), "/type");
  EXPECT_EQ(path(R"({"name":"n","type":"token","values":{"tokn":"s3cret"}})"), "/values/tokn");
  EXPECT_EQ(path(R"({"name":"n","type":"token","values":{"token":"s3cret\n"}})"), "/values/token");
  EXPECT_EQ(path(R"({"name":"n","type":"token","values":"s3cret"})"), "/values");
  EXPECT_EQ(path(R"({"name":"n","type":"token"})"), "/values");
  EXPECT_EQ(path(R"({"name":"a\nb","type":"token","values":{"token":"s3cret"}})"), "/name");
  EXPECT_EQ(path(R"({"id":"a/b","type":"token","values":{"token":"s3cret"}})"), "/id");
  EXPECT_EQ(path(R"({"name":"n","type":"token","values":{"token":"s3cret"},"scope":1})"), "/scope");
  EXPECT_EQ(world.ask("PUT", all + "/a%20b", token).code(), "invalid_id");
  EXPECT_EQ(world.ask("PUT", github, R"({"id":"other","type":"custom","values":{"a":1}})").status,
            422);
  EXPECT_EQ(world.ask("GET", all).body.get("items").size(), 0u);
}

TEST(Credentials, values_have_a_limit) {
  TestWorld world([](ApiOptions& options) { options.credential_bytes_max = 100; });
  std::string body = R"({"type":"custom","values":{"x":")" + std::string(100, 'x') + R"("}})";
  auto refused = world.ask("PUT", github, body);
  EXPECT_EQ(refused.code(), "invalid_field");
  EXPECT_NE(refused.text.find("credential_bytes_max"), std::string::npos);
}

TEST(Credentials, replacing_asks_for_the_revision_that_was_read) {  // A-5
  TestWorld world;
  world.ask("PUT", github, token);
  std::string next = R"({"values":{"token":"another"}})";
  EXPECT_EQ(world.ask("PUT", github, next, "If-Match: \"2\"\r\n").code(), "version_conflict");
  auto replaced = world.ask("PUT", github, next, "If-Match: \"1\"\r\n");
  EXPECT_EQ(replaced.status, 200) << replaced.text;
  EXPECT_EQ(replaced.headers["etag"], "\"2\"");
  EXPECT_EQ(replaced.body.get("name"), Value("GitHub"));
  EXPECT_EQ(world.ask("PUT", github, token, "If-None-Match: *\r\n").code(), "version_conflict");
  EXPECT_EQ(world.ask("PUT", github, R"({"name":"renamed"})", "If-Match: \"1\"\r\n").code(),
            "version_conflict");
  auto renamed = world.ask("PUT", github, R"({"name":"renamed"})", "If-Match: \"2\"\r\n");
  EXPECT_EQ(renamed.body.get("name"), Value("renamed")) << renamed.text;
  EXPECT_EQ(
      world.ask("PUT", all + "/b", R"({"name":"renamed","type":"custom","values":{"a":1}})").code(),
      "credential_exists");
}

TEST(Credentials, are_revoked_and_deleted) {  // G-4
  TestWorld world;
  world.ask("PUT", github, token);
  auto revoked = world.ask("POST", github + "/revoke", R"({"reason":"leaked"})");
  EXPECT_EQ(revoked.status, 200) << revoked.text;
  EXPECT_TRUE(revoked.body.get("revoked_at").is_string());
  EXPECT_EQ(world.ask("POST", github + "/revoke").status, 200);
  EXPECT_EQ(world.ask("PUT", github, R"({"name":"x"})").status, 422);
  auto revived = world.ask("PUT", github, token);
  EXPECT_TRUE(revived.body.get("revoked_at").is_null()) << revived.text;
  EXPECT_EQ(world.ask("DELETE", github).status, 204);
  for (const char* method : {"GET", "DELETE"})
    EXPECT_EQ(world.ask(method, github).code(), "credential_not_found");
  EXPECT_EQ(world.ask("POST", github + "/revoke").code(), "credential_not_found");
}

TEST(Credentials, every_change_is_audited) {  // A-14
  TestWorld world;
  world.ask("PUT", github, token);
  world.ask("PUT", github, token);
  world.ask("POST", github + "/revoke", R"({"reason":"leaked"})");
  world.ask("DELETE", github);
  auto audit = world.ask("GET", "/api/v1/audit?action=credential.");
  std::string actions;
  for (const Value& line : audit.body.get("items").items()) {
    EXPECT_EQ(line.get("subject"), Value("github"));
    actions += std::string(line.get("action").as_string()) + " ";
  }
  EXPECT_EQ(actions, "credential.delete credential.revoke credential.replace credential.create ");
  EXPECT_NE(audit.text.find("leaked"), std::string::npos);
  EXPECT_EQ(audit.text.find("s3cret"), std::string::npos);
}

TEST(Credentials, editors_write_viewers_see_names_and_roots_reseal) {  // A-11
  TestWorld world([](ApiOptions& options) { options.access.mode = AccessMode::keys; });
  auto as = [&](Role role, const std::string& account = "default") {
    return "Authorization: Bearer " + world.add_key(role, account) + "\r\n";
  };
  std::string editor = as(Role::editor);
  std::string viewer = as(Role::viewer);
  EXPECT_EQ(world.ask("PUT", github, token, as(Role::operator_)).status, 403);
  EXPECT_EQ(world.ask("POST", all, token, viewer).status, 403);
  EXPECT_EQ(world.ask("PUT", github, token, editor).status, 201);
  EXPECT_EQ(world.ask("GET", github, "", viewer).status, 200);
  EXPECT_EQ(world.ask("POST", github + "/revoke", "", viewer).status, 403);
  EXPECT_EQ(world.ask("DELETE", github, "", viewer).status, 403);
  EXPECT_EQ(world.ask("POST", all + "/reseal", "", as(Role::admin)).status, 403);
  EXPECT_EQ(world.ask("POST", all + "/reseal", "", as(Role::root)).body.get("kept"), Value(1));
  // A-10: another account's credential does not exist.
  std::string foreign = as(Role::admin, "other");
  EXPECT_EQ(world.ask("GET", github, "", foreign).status, 404);
  EXPECT_EQ(world.ask("DELETE", github, "", foreign).status, 404);
  EXPECT_EQ(world.ask("GET", all, "", foreign).body.get("items").size(), 0u);
}

TEST(Credentials, are_listed_page_by_page) {  // A-3
  TestWorld world;
  for (const char* id : {"a", "b", "c"})
    world.ask("PUT", all + "/" + id, R"({"type":"custom","values":{"a":1}})");
  auto page = world.ask("GET", all + "?limit=2");
  EXPECT_EQ(page.body.get("items").size(), 2u);
  std::string cursor(page.body.get("next_cursor").as_string());
  auto rest = world.ask("GET", all + "?limit=2&cursor=" + cursor);
  ASSERT_EQ(rest.body.get("items").size(), 1u);
  EXPECT_EQ(rest.body.get("items").items()[0].get("id"), Value("c"));
  EXPECT_TRUE(rest.body.get("next_cursor").is_null());
}

std::string graph_with(const std::string& credentials) {
  return R"({"nodes":[{"id":"t","type":"manual","trigger":true},
      {"id":"h","name":"Call","type":"http","parameters":{"url":"http://x.test/"},
       "credentials":)" +
         credentials + R"(}],
    "edges":[{"id":"1","src":"t","dst":"h"}]})";
}

TEST(InlinedValues, are_sealed_and_left_out_of_what_is_stored) {  // G-4
  TestWorld world;
  std::string inlined = graph_with(
      R"({"id":"shop","name":"Shop","type":"token","values":{"token":"s3cret-inline"}})");
  auto checked = world.ask("POST", "/api/v1/workflows/check", inlined);
  EXPECT_EQ(checked.body.get("valid"), Value(true));
  EXPECT_EQ(world.ask("GET", all).body.get("items").size(), 0u);

  auto stored = world.ask("PUT", "/api/v1/workflows/w", inlined);
  ASSERT_EQ(stored.status, 201) << stored.text;
  EXPECT_EQ(stored.body.get("warnings").items()[0].get("code"), Value("credential_inlined"));
  auto workflow = world.ask("GET", "/api/v1/workflows/w");
  EXPECT_EQ(to_json(workflow.body.get("definition").get("nodes").items()[1].get("credentials")),
            R"({"id":"shop"})");
  auto made = world.ask("GET", all + "/shop");
  EXPECT_EQ(made.body.get("type"), Value("token"));
  EXPECT_EQ(made.body.get("name"), Value("Shop"));
  // Only the reference is part of the hash.
  auto plain = world.ask("PUT", "/api/v1/workflows/w", graph_with(R"({"id":"shop"})"));
  EXPECT_EQ(plain.body.get("hash"), stored.body.get("hash"));
  EXPECT_EQ(plain.body.get("created_version"), Value(false));
  EXPECT_EQ(world.ask("PUT", "/api/v1/workflows/w", inlined).status, 200);
  EXPECT_EQ(made.text, world.ask("GET", all + "/shop").text);
  for (const auto& answer : {checked, stored, workflow, world.ask("GET", "/api/v1/audit")})
    EXPECT_EQ(answer.text.find("s3cret"), std::string::npos) << answer.text;
}

TEST(InlinedValues, other_values_under_an_existing_id_are_refused_and_nothing_is_stored) {  // G-4
  TestWorld world;
  world.ask("PUT", all + "/shop", R"({"type":"token","values":{"token":"first"}})");
  std::string other = R"({"id":"shop","values":{"token":"s3cret-inline"}})";
  auto refused = world.ask("PUT", "/api/v1/workflows/w", graph_with(other));
  EXPECT_EQ(refused.status, 422);
  const Value& error = refused.body.get("errors").items()[0];
  EXPECT_EQ(error.get("code"), Value("credential_conflict"));
  EXPECT_EQ(error.get("path"), Value("/nodes/1/credentials/values"));
  EXPECT_EQ(refused.text.find("s3cret"), std::string::npos) << refused.text;
  EXPECT_EQ(world.ask("GET", "/api/v1/workflows/w").status, 404);
  EXPECT_EQ(world.ask("GET", all + "/shop").headers["etag"], "\"1\"");
  // A definition that is refused leaves no credential behind either.
  auto conflict =
      world.ask("PUT", "/api/v1/workflows/w", graph_with(R"({"id":"new","values":{"token":"x"}})"),
                "If-Match: \"9\"\r\n");
  EXPECT_EQ(conflict.code(), "version_conflict");
  EXPECT_EQ(world.ask("GET", all + "/new").status, 404);
}

}  // namespace
}  // namespace fermata::server
