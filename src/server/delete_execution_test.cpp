#include <gtest/gtest.h>

#include "server/test_world.h"

namespace fermata::server {
namespace {

class Deletion : public testing::Test {
 protected:
  Deletion() { world.put_workflows(); }
  TestWorld::Answer remove(const std::string& id) {
    return world.ask("DELETE", "/api/v1/executions/" + id);
  }
  TestWorld world;
};

TEST_F(Deletion, ended_execution_is_gone_with_its_history_and_stands_in_the_audit) {
  std::string id = world.start("instant", R"({"input":{"n":1}})");
  ASSERT_TRUE(world.wait_for(id, "completed"));
  EXPECT_EQ(remove(id).status, 204);
  EXPECT_EQ(world.ask("GET", "/api/v1/executions/" + id).status, 404);
  EXPECT_EQ(world.ask("GET", "/api/v1/executions/" + id + "/history").status, 404);
  EXPECT_EQ(world.ask("GET", "/api/v1/executions").body.get("items").size(), 0u);
  EXPECT_EQ(remove(id).code(), "execution_not_found");
  Value line =
      world.ask("GET", "/api/v1/audit?action=execution.delete").body.get("items").items()[0];
  EXPECT_EQ(line.get("subject"), Value(id));
  EXPECT_EQ(line.get("details").get("status"), Value("completed"));
}

TEST_F(Deletion, live_execution_stays) {
  std::string id = world.start("waiting");
  auto refused = remove(id);
  EXPECT_EQ(refused.status, 409) << refused.text;
  EXPECT_EQ(refused.code(), "run_not_finished");
  EXPECT_EQ(world.ask("GET", "/api/v1/executions/" + id).status, 200);
}

// A-4: the run is what remembers the key.
TEST_F(Deletion, execution_that_remembers_an_idempotency_key_stays_for_a_day) {
  auto started = world.ask("POST", "/api/v1/workflows/instant/executions", R"({"input":{"n":1}})",
                           "Idempotency-Key: once\r\n");
  std::string id(started.body.get("id").as_string());
  ASSERT_TRUE(world.wait_for(id, "completed"));
  auto refused = remove(id);
  EXPECT_EQ(refused.status, 409) << refused.text;
  EXPECT_EQ(refused.code(), "execution_kept");
  EXPECT_NE(refused.text.find("2026-01-27T00:00:00"), std::string::npos) << refused.text;
}

TEST_F(Deletion, roles_below_editor_may_not) {
  TestWorld keyed([](ApiOptions& options) { options.access.mode = AccessMode::keys; });
  std::string key = keyed.add_key(Role::operator_);
  auto refused =
      keyed.ask("DELETE", "/api/v1/executions/any", "", "Authorization: Bearer " + key + "\r\n");
  EXPECT_EQ(refused.status, 403) << refused.text;
}

TEST_F(Deletion, nobody_removes_what_is_anothers) {
  EXPECT_EQ(remove("00000000-0000-0000-0000-000000000000").status, 404);
}

}  // namespace
}  // namespace fermata::server
