#include <gtest/gtest.h>

#include "server/test_world.h"

/// What looks across things: search, statistics, calendar, state at a moment, load, the audit's
/// chain (console.md section 4).
namespace fermata::server {
namespace {

constexpr const char* nurture = R"({"nodes": [{"id": "S", "type": "manual", "trigger": true},
    {"id": "pause", "type": "wait",
     "parameters": {"wait_type": "fixed_time", "duration": 30, "unit": "minutes"}},
    {"id": "A", "type": "noop"}],
    "edges": [{"id": "1", "src": "S", "dst": "pause"}, {"id": "2", "src": "pause", "dst": "A"}]})";

class Looking : public ::testing::Test {
 protected:
  Looking() {
    world.put_workflows();
    EXPECT_EQ(world.ask("PUT", "/api/v1/workflows/nurture", nurture).status, 201);
  }
  Value get(const std::string& path) {
    auto answer = world.ask("GET", "/api/v1" + path);
    EXPECT_EQ(answer.status, 200) << path << answer.text;
    return answer.body;
  }
  std::string refused(const std::string& path) {
    auto answer = world.ask("GET", "/api/v1" + path);
    return std::to_string(answer.status) + " " + answer.code();
  }

  TestWorld world;
};

// U-7, U-55
TEST_F(Looking, finds_things_by_id_and_by_a_part_of_their_name) {
  std::string run = world.start("nurture", R"({"contact_id": "anna-17"})");
  ASSERT_TRUE(world.wait_for(run, "waiting"));
  Value wait = get("/waits?execution_id=" + run).get("items").items()[0];
  auto kinds = [&](const std::string& q) {
    std::string out;
    const Value answer = get("/search?q=" + q);
    for (const Value& item : answer.get("items").items())
      out += std::string(item.get("kind").as_string()) + " ";
    return out;
  };
  EXPECT_EQ(kinds(run), "execution ");
  EXPECT_EQ(kinds(std::string(wait.get("id").as_string())), "wait ");
  EXPECT_EQ(kinds("NURT"), "workflow execution ");
  EXPECT_EQ(kinds("anna"), "contact execution ");
  EXPECT_EQ(kinds("nothing-is-called-that"), "");
  EXPECT_EQ(refused("/search"), "422 invalid_query");
  EXPECT_EQ(refused("/search?q=" + std::string(201, 'x')), "422 invalid_query");
}

// U-22, U-55, U-56
TEST_F(Looking, executions_are_counted_by_status_by_workflow_and_by_error) {
  world.start("nurture");
  std::string other = world.start("nurture");
  ASSERT_TRUE(world.wait_for(other, "waiting"));
  Value by_status = get("/executions/stats");
  EXPECT_EQ(by_status.get("groups").items()[0].get("key"), Value("waiting"));
  EXPECT_EQ(by_status.get("groups").items()[0].get("count"), Value(2));
  Value by_workflow = get("/executions/stats?group_by=workflow_id&status=waiting");
  EXPECT_EQ(by_workflow.get("counted"), Value(2));
  EXPECT_EQ(by_workflow.get("more"), Value(false));
  EXPECT_EQ(by_workflow.get("groups").items()[0].get("key"), Value("nurture"));
  EXPECT_EQ(get("/executions/stats?group_by=error_code").get("groups").size(), 0u);
  EXPECT_EQ(refused("/executions/stats?group_by=mood"), "422 invalid_query");
  EXPECT_EQ(refused("/executions/stats?status=odd"), "422 invalid_query");
}

// U-37, U-55
TEST_F(Looking, calendar_counts_waits_and_schedules_by_the_hour) {
  ASSERT_TRUE(world.wait_for(world.start("nurture"), "waiting"));
  ASSERT_EQ(world
                .ask("PUT", "/api/v1/schedules/hourly",
                     R"({"workflow_id": "nurture", "cron": "0 * * * *"})")
                .status,
            201);
  std::string span = "from=2026-01-26T00:00:00Z&to=2026-01-26T03:00:00Z";
  Value shown = get("/calendar?" + span);
  ASSERT_EQ(shown.get("buckets").size(), 3u);
  EXPECT_EQ(shown.get("buckets").items()[0].get("by_kind").get("wait"), Value(1));
  EXPECT_EQ(shown.get("buckets").items()[1].get("by_kind").get("schedule"), Value(1));
  EXPECT_EQ(shown.get("truncated"), Value(false));
  EXPECT_EQ(get("/calendar?kinds=wait&" + span).get("buckets").size(), 1u);
  EXPECT_EQ(get("/calendar?kinds=timeout&" + span).get("buckets").size(), 0u);
  EXPECT_EQ(refused("/calendar?kinds=moons"), "422 invalid_query");
  EXPECT_EQ(refused("/calendar?zone=Mars/Olympus"), "422 unknown_timezone");
  ASSERT_EQ(
      world.ask("PUT", "/api/v1/schedules/often", R"({"workflow_id": "nurture", "every_ms": 1000})")
          .status,
      201);
  EXPECT_EQ(get("/calendar?kinds=schedule").get("truncated"), Value(true));
}

// U-30, U-55
TEST_F(Looking, state_of_a_moment_has_the_values_of_then) {
  std::string run = world.start("nurture", R"({"input": {"name": "Ada"}})");
  ASSERT_TRUE(world.wait_for(run, "waiting"));
  Value now = get("/executions/" + run + "/state");
  EXPECT_EQ(now.get("status"), Value("waiting"));
  EXPECT_EQ(now.get("waiting").size(), 1u);
  world.advance(Duration{31 * 60'000});
  ASSERT_TRUE(world.wait_for(run, "completed"));
  std::string at = std::to_string(now.get("sequence").as_integer());
  Value then = get("/executions/" + run + "/state?at=" + at);
  EXPECT_EQ(then.get("status"), Value("waiting"));
  EXPECT_EQ(then.get("values"), now.get("values"));
  Value end = get("/executions/" + run + "/state");
  EXPECT_EQ(end.get("status"), Value("completed"));
  EXPECT_GT(end.get("values").size(), then.get("values").size());
  EXPECT_EQ(get("/executions/" + run + "/state?at=1").get("values").size(), 0u);
  EXPECT_EQ(refused("/executions/" + run + "/state?at=0"), "422 invalid_query");
  EXPECT_EQ(refused("/executions/" + run + "/state?at=999"), "422 invalid_query");
  EXPECT_EQ(refused("/executions/nobody/state"), "404 execution_not_found");
}

// U-32, U-34, U-55
TEST_F(Looking, load_of_a_workflow_tells_versions_and_where_they_wait) {
  ASSERT_TRUE(world.wait_for(world.start("nurture"), "waiting"));
  Value load = get("/workflows/nurture/load");
  EXPECT_EQ(load.get("waiting").get("pause"), Value(1));
  EXPECT_EQ(load.get("versions").items()[0].get("version"), Value(1));
  EXPECT_EQ(load.get("versions").items()[0].get("waiting"), Value(1));
  EXPECT_EQ(refused("/workflows/nobody/load"), "404 workflow_not_found");
}

// U-48, U-55
TEST_F(Looking, chain_of_the_audit_is_verified) {
  world.start("nurture");
  auto answer = world.ask("POST", "/api/v1/audit/verify");
  ASSERT_EQ(answer.status, 200) << answer.text;
  EXPECT_EQ(answer.body.get("unbroken"), Value(true));
  EXPECT_GE(answer.body.get("lines").as_integer(), 2);
  EXPECT_EQ(answer.body.get("first"), Value(1));
}

// U-20, U-21
TEST_F(Looking, overview_counts_waits_and_dead_letters) {
  ASSERT_TRUE(world.wait_for(world.start("nurture"), "waiting"));
  Value overview = get("/overview");
  EXPECT_EQ(overview.get("waits").get("pending"), Value(1));
  EXPECT_EQ(overview.get("waits").get("overdue"), Value(0));
  EXPECT_EQ(overview.get("dead_letters"), Value(0));
}

}  // namespace
}  // namespace fermata::server
