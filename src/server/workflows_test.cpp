#include <gtest/gtest.h>

#include "server/test_world.h"

namespace fermata::server {
namespace {

TEST(Workflows, storing_the_same_content_keeps_the_version) {
  TestWorld world;
  auto first = world.ask("PUT", "/api/v1/workflows/w", instant_workflow);
  EXPECT_EQ(first.status, 201) << first.text;
  EXPECT_EQ(first.body.get("version"), Value(1));
  auto again = world.ask("PUT", "/api/v1/workflows/w", instant_workflow);
  EXPECT_EQ(again.status, 200);
  EXPECT_EQ(again.body.get("version"), Value(1));
  EXPECT_EQ(again.body.get("hash"), first.body.get("hash"));
  auto other = world.ask("PUT", "/api/v1/workflows/w", waiting_workflow);
  EXPECT_EQ(other.body.get("version"), Value(2));
  auto versions = world.ask("GET", "/api/v1/workflows/w/versions");
  EXPECT_EQ(versions.body.get("items").size(), 2u);
  EXPECT_EQ(world.ask("GET", "/api/v1/workflows/w/versions/1").status, 200);
  EXPECT_EQ(world.ask("GET", "/api/v1/workflows/w/versions/3").code(), "version_not_found");
  EXPECT_EQ(world.ask("GET", "/api/v1/workflows/w/versions/x").code(), "version_not_found");
}

TEST(Workflows, an_invalid_definition_tells_all_findings_with_their_places) {  // G-7
  TestWorld world;
  auto answer = world.ask("PUT", "/api/v1/workflows/w",
                          "{\"nodes\":[{\"id\":\"a\",\"type\":\"nonsense\"}],\n"
                          "\"edges\":[{\"id\":\"e\",\"src\":\"a\",\"dst\":\"b\"}]}");
  EXPECT_EQ(answer.status, 422);
  EXPECT_EQ(answer.code(), "invalid_definition");
  ASSERT_GE(answer.body.get("errors").size(), 2u) << answer.text;
  for (const Value& finding : answer.body.get("errors").items()) {
    EXPECT_TRUE(finding.get("code").is_string());
    EXPECT_TRUE(finding.get("path").is_string());
    EXPECT_GE(finding.get("line").as_integer(), 1);
  }
  EXPECT_EQ(world.ask("GET", "/api/v1/workflows/w").code(), "workflow_not_found");
}

TEST(Workflows, checking_stores_nothing) {  // G-7
  TestWorld world;
  auto good = world.ask("POST", "/api/v1/workflows/check", instant_workflow);
  EXPECT_EQ(good.status, 200);
  EXPECT_EQ(good.body.get("valid"), Value(true));
  auto bad = world.ask("POST", "/api/v1/workflows/check", R"({"nodes":[],"edges":[]})");
  EXPECT_EQ(bad.body.get("valid"), Value(false));
  EXPECT_GE(bad.body.get("errors").size(), 1u);
  EXPECT_EQ(world.ask("GET", "/api/v1/workflows").body.get("items").size(), 0u);
}

TEST(Workflows, a_write_with_an_old_etag_is_refused) {  // A-5
  TestWorld world;
  auto first = world.ask("PUT", "/api/v1/workflows/w", instant_workflow);
  std::string old_tag = first.headers["etag"];
  ASSERT_FALSE(old_tag.empty());
  EXPECT_EQ(
      world.ask("PUT", "/api/v1/workflows/w", waiting_workflow, "If-Match: " + old_tag + "\r\n")
          .status,
      200);
  auto late =
      world.ask("PUT", "/api/v1/workflows/w", instant_workflow, "If-Match: " + old_tag + "\r\n");
  EXPECT_EQ(late.status, 412);
  EXPECT_EQ(late.code(), "version_conflict");
  EXPECT_EQ(
      world.ask("PUT", "/api/v1/workflows/w", instant_workflow, "If-None-Match: *\r\n").status,
      412);
  auto now = world.ask("GET", "/api/v1/workflows/w");
  EXPECT_EQ(
      world.ask("GET", "/api/v1/workflows/w", "", "If-None-Match: " + now.headers["etag"] + "\r\n")
          .status,
      304);
}

TEST(Workflows, ids_that_paths_cannot_carry_are_refused) {  // W-4
  TestWorld world;
  for (std::string id : {"a%20b", "a%2Fb", "a%3Fb", "bulk", "executions", "%C3%A4"})
    EXPECT_EQ(world.ask("PUT", "/api/v1/workflows/" + id, instant_workflow).code(), "invalid_id")
        << id;
  EXPECT_EQ(world.ask("PUT", "/api/v1/workflows/check", instant_workflow).status, 201);
  EXPECT_EQ(world.ask("GET", "/api/v1/workflows/check").status, 200);
}

TEST(Workflows, rollback_and_activation_change_what_starts) {
  TestWorld world;
  world.ask("PUT", "/api/v1/workflows/w", instant_workflow);
  world.ask("PUT", "/api/v1/workflows/w", waiting_workflow);
  auto back = world.ask("POST", "/api/v1/workflows/w/rollback", R"({"version":1})");
  EXPECT_EQ(back.body.get("version"), Value(1)) << back.text;
  EXPECT_EQ(world.ask("POST", "/api/v1/workflows/w/rollback", R"({"version":9})").code(),
            "version_not_found");
  EXPECT_EQ(world.ask("POST", "/api/v1/workflows/w/rollback", "{}").code(), "invalid_field");
  EXPECT_EQ(world.ask("POST", "/api/v1/workflows/w/deactivate").body.get("active"), Value(false));
  EXPECT_EQ(world.ask("POST", "/api/v1/workflows/w/executions", "{}").code(), "workflow_inactive");
  EXPECT_EQ(world.ask("POST", "/api/v1/workflows/w/activate").body.get("active"), Value(true));
  EXPECT_EQ(world.ask("POST", "/api/v1/workflows/w/executions", R"({"input":{"n":1}})").status,
            201);
  EXPECT_EQ(world.ask("DELETE", "/api/v1/workflows/w").status, 204);
  EXPECT_EQ(world.ask("DELETE", "/api/v1/workflows/w").status, 404);
}

TEST(Workflows, lists_are_paged_by_cursor) {  // A-3
  TestWorld world;
  for (char c : std::string("abcde"))
    world.ask("PUT", "/api/v1/workflows/" + std::string(1, c), instant_workflow);
  std::string seen;
  std::string target = "/api/v1/workflows?limit=2";
  for (int page = 0; page < 3; ++page) {
    auto answer = world.ask("GET", target);
    for (const Value& item : answer.body.get("items").items()) seen += item.get("id").as_string();
    const Value& next = answer.body.get("next_cursor");
    if (next.is_null()) break;
    target = "/api/v1/workflows?limit=2&cursor=" + std::string(next.as_string());
  }
  EXPECT_EQ(seen, "abcde");
  EXPECT_EQ(world.ask("GET", "/api/v1/workflows?limit=0").code(), "invalid_query");
  EXPECT_EQ(world.ask("GET", "/api/v1/workflows?limit=1001").code(), "invalid_query");
  EXPECT_EQ(world.ask("GET", "/api/v1/workflows?limt=5").code(), "invalid_query");
}

TEST(Workflows, unreadable_bodies_are_told_apart) {  // A-2, A-8
  TestWorld world;
  EXPECT_EQ(world.ask("PUT", "/api/v1/workflows/w", "{").code(), "bad_json");
  EXPECT_EQ(world.ask("PUT", "/api/v1/workflows/w").code(), "bad_json");
  std::string deep(200, '[');
  EXPECT_EQ(world.ask("PUT", "/api/v1/workflows/w", deep + std::string(200, ']')).code(),
            "nesting_too_deep");
  EXPECT_EQ(world.ask("PUT", "/api/v1/workflows/w", "x", "Content-Type: text/plain\r\n").code(),
            "unsupported_media_type");
}

// A-2: a body that is there is read, and `null` is no object.
TEST(Workflows, a_body_of_null_is_not_no_body) {
  TestWorld world;
  world.put_workflows();
  for (const char* target :
       {"/api/v1/workflows/instant/executions", "/api/v1/workflows/instant/deactivate",
        "/api/v1/workflows/check", "/api/v1/executions/bulk"}) {
    auto answer = world.ask("POST", target, " null ");
    EXPECT_EQ(answer.status, 422) << target << answer.text;
    EXPECT_EQ(answer.code(), "invalid_field") << target;
    EXPECT_EQ(answer.body.get("errors").items()[0].get("path"), Value("")) << target;
  }
  EXPECT_EQ(world.ask("PUT", "/api/v1/workflows/w", "null").status, 422);
  auto number = world.ask("POST", "/api/v1/workflows/instant/executions", "5");
  EXPECT_EQ(number.body.get("detail"), Value("An object is expected here."));
  EXPECT_TRUE(world.ask("GET", "/api/v1/workflows/instant").body.get("active").as_bool());
  EXPECT_EQ(world.ask("GET", "/api/v1/executions").body.get("items").size(), 0u);
}

}  // namespace
}  // namespace fermata::server
