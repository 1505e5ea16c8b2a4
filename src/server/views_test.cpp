#include <gtest/gtest.h>

#include "base/json.h"
#include "server/test_world.h"

/// Saved views, private and shared (U-13, T-5).
namespace fermata::server {
namespace {

class SavedViews : public testing::Test {
 protected:
  SavedViews()
      : anna(header(world.add_key(Role::operator_))),
        ben(header(world.add_key(Role::operator_))),
        viewer(header(world.add_key(Role::viewer))),
        admin(header(world.add_key(Role::admin))),
        rival(header(world.add_key(Role::admin, "rival"))) {}
  static std::string header(const std::string& key) { return "X-API-Key: " + key + "\r\n"; }
  TestWorld::Answer ask(const char* method, const std::string& path, const std::string& who,
                        const std::string& body = "") {
    return world.ask(method, "/api/v1/views" + path, body, who);
  }
  std::string make(const std::string& who, const std::string& body) {
    auto made = ask("POST", "", who, body);
    EXPECT_EQ(made.status, 201) << made.text;
    return made.body.get("id").is_string() ? std::string(made.body.get("id").as_string()) : "";
  }
  size_t many(const std::string& who, const std::string& rest = "") {
    return ask("GET", rest, who).body.get("items").size();
  }
  std::string refused(const TestWorld::Answer& answer) {
    return std::to_string(answer.status) + " " + answer.code();
  }

  TestWorld world;
  std::string anna, ben, viewer, admin, rival;
};

constexpr const char* failed_today =
    R"({"page":"runs","name":"Failed today","query":{"status":"failed"}})";
constexpr const char* for_all =
    R"({"page":"runs","name":"Ours","query":{"label":"team:blue"},"shared":true})";

TEST_F(SavedViews, private_ones_are_seen_by_their_owner_alone) {
  std::string id = make(anna, failed_today);
  EXPECT_EQ(many(anna), 1u);
  EXPECT_EQ(many(ben), 0u);
  EXPECT_EQ(many(admin), 0u);
  auto shown = ask("GET", "/" + id, anna);
  EXPECT_EQ(shown.body.get("query").get("status"), Value("failed"));
  EXPECT_EQ(shown.body.get("may_change"), Value(true));
  EXPECT_EQ(refused(ask("GET", "/" + id, ben)), "404 value_not_found");
  EXPECT_EQ(refused(ask("PUT", "/" + id, ben, R"({"name":"x"})")), "404 value_not_found");
  EXPECT_EQ(refused(ask("DELETE", "/" + id, ben)), "404 value_not_found");
}

TEST_F(SavedViews, shared_ones_are_seen_by_all_and_changed_by_owner_and_administrators) {
  std::string id = make(anna, for_all);
  EXPECT_EQ(many(ben), 1u);
  EXPECT_EQ(many(viewer), 1u);
  EXPECT_EQ(many(rival), 0u);
  EXPECT_EQ(refused(ask("GET", "/" + id, rival)), "404 value_not_found");
  EXPECT_EQ(refused(ask("PUT", "/" + id, ben, R"({"name":"Mine"})")), "403 forbidden");
  EXPECT_EQ(ask("PUT", "/" + id, admin, R"({"name":"The team's"})").status, 200);
  auto shown = ask("GET", "/" + id, ben);
  EXPECT_EQ(shown.body.get("name"), Value("The team's"));
  EXPECT_EQ(shown.body.get("query").get("label"), Value("team:blue")) << "what was not said stays";
  EXPECT_EQ(shown.body.get("may_change"), Value(false));
  EXPECT_EQ(ask("DELETE", "/" + id, anna).status, 204);
  EXPECT_EQ(many(ben), 0u);
}

TEST_F(SavedViews, are_listed_by_page_and_change_by_their_revision) {
  std::string id = make(anna, failed_today);
  make(anna, R"({"page":"waits","name":"Late"})");
  EXPECT_EQ(many(anna, "?page=waits"), 1u);
  auto shown = ask("GET", "/" + id, anna);
  std::string tag = anna + "If-Match: " + shown.headers.at("etag") + "\r\n";
  EXPECT_EQ(ask("PUT", "/" + id, tag, R"({"name":"Second"})").status, 200);
  EXPECT_EQ(refused(ask("PUT", "/" + id, tag, R"({"name":"Third"})")), "412 version_conflict");
  EXPECT_EQ(refused(ask("GET", "?page=moons", anna)), "422 invalid_query");
}

TEST_F(SavedViews, bad_ones_are_told_precisely) {
  EXPECT_EQ(refused(ask("POST", "", anna, R"({"name":"x"})")), "422 invalid_field");
  EXPECT_EQ(refused(ask("POST", "", anna, R"({"page":"moons","name":"x"})")), "422 invalid_field");
  EXPECT_EQ(refused(ask("POST", "", anna, R"({"page":"runs","name":""})")), "422 invalid_field");
  EXPECT_EQ(refused(ask("POST", "", anna, R"({"page":"runs","name":"x","query":{"a":1}})")),
            "422 invalid_field");
  EXPECT_EQ(refused(ask("POST", "", viewer, for_all)), "403 forbidden");
  EXPECT_EQ(ask("POST", "", viewer, failed_today).status, 201);
  std::string id = make(anna, failed_today);
  EXPECT_EQ(refused(ask("PUT", "/" + id, anna, R"({"page":"waits"})")), "422 invalid_field");
}

TEST_F(SavedViews, one_owner_has_a_hundred_at_most) {
  for (int i = 0; i < 100; ++i) ASSERT_EQ(ask("POST", "", anna, failed_today).status, 201) << i;
  EXPECT_EQ(ask("POST", "", anna, failed_today).status, 422);
  EXPECT_EQ(ask("POST", "", ben, failed_today).status, 201);
}

}  // namespace
}  // namespace fermata::server
