#include "server/simulations.h"

#include <gtest/gtest.h>

#include <chrono>

#include "server/test_world.h"

namespace fermata::server {
namespace {

const char* const racing =
    R"({"nodes":[{"id":"t","name":"Start","type":"manual","trigger":true},
        {"id":"c","name":"Call","type":"http","parameters":{"url":"https://example.org"}},
        {"id":"w","name":"Wait","type":"wait","parameters":{"amount":5,"unit":"seconds"}},
        {"id":"m","name":"First","type":"merge",
         "parameters":{"wait_mode":"wait_for_any","cancel_losers":true}}],
       "edges":[{"id":"1","src":"t","dst":"c"},{"id":"2","src":"t","dst":"w"},
        {"id":"3","src":"c","dst":"m"},{"id":"4","src":"w","dst":"m"}]})";

Value ended(TestWorld& world, const std::string& id) {
  auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (std::chrono::steady_clock::now() < deadline) {
    auto answer = world.ask("GET", "/api/v1/simulations/" + id);
    std::string_view state = answer.body.get("state").as_string();
    if (state != "waiting" && state != "running") return answer.body;
  }
  return {};
}

std::string begin(TestWorld& world, const std::string& body) {
  auto answer = world.ask("POST", "/api/v1/simulations", body);
  EXPECT_EQ(answer.status, 202) << answer.text;
  return std::string(answer.body.get("id").as_string());
}

// U-47
TEST(simulations, live_many_seeds_and_leave_nothing_behind) {
  TestWorld world;
  ASSERT_EQ(world.ask("PUT", "/api/v1/workflows/race", racing).status, 201);
  std::string id = begin(
      world, R"({"workflow_id":"race","seeds":300,"calls":[{"name":"*","latency_max_ms":5100}],
                 "promises":["ends",{"name":"soon","condition":"$length_ms < 5000"}]})");
  Value done = ended(world, id);
  EXPECT_EQ(done.get("state"), Value("done"));
  const Value& result = done.get("result");
  EXPECT_EQ(result.get("seeds"), Value(300));
  const Value& soon = result.get("promises").items()[1];
  ASSERT_GT(soon.get("broken").as_integer(), 0);
  EXPECT_EQ(world.ask("GET", "/api/v1/executions").body.get("items").size(), 0u);
  EXPECT_EQ(world.ask("GET", "/api/v1/waits").body.get("items").size(), 0u);

  std::string seed = "/api/v1/simulations/" + id + "/seeds/" +
                     std::to_string(soon.get("seeds").items()[0].as_integer());
  auto run = world.ask("GET", seed);
  EXPECT_EQ(run.status, 200) << run.text;
  EXPECT_EQ(run.body.get("status"), Value("completed"));
  auto history = world.ask("GET", seed + "/history?limit=100");
  EXPECT_EQ(history.body.get("items").items()[0].get("type"), Value("RunStarted"));
  EXPECT_EQ(world.ask("GET", seed + "/nodes?at=2").body.get("nodes").size(), 4u);
  EXPECT_EQ(world.ask("GET", seed + "/nodes/w").body.get("node_name"), Value("Wait"));
  EXPECT_EQ(world.ask("GET", seed + "/state?at=1").body.get("sequence"), Value(1));
  EXPECT_EQ(world.ask("GET", "/api/v1/simulations/" + id + "/seeds/301").status, 404);
  EXPECT_EQ(world.ask("GET", "/api/v1/simulations/" + id + "/seeds/x").status, 404);
}

TEST(simulations, draft_is_tried_without_being_stored) {
  TestWorld world;
  std::string id = begin(world, std::string(R"({"seeds":3,"definition":)") + racing + "}");
  EXPECT_EQ(ended(world, id).get("result").get("seeds"), Value(3));
  EXPECT_EQ(world.ask("GET", "/api/v1/workflows").body.get("items").size(), 0u);
  auto bad = world.ask("POST", "/api/v1/simulations",
                       R"({"definition":{"nodes":[],"edges":[{"id":"1","src":"a","dst":"b"}]}})");
  EXPECT_EQ(bad.code(), "invalid_definition") << bad.text;
}

TEST(simulations, bad_requests_name_every_field) {
  TestWorld world;
  auto answer = world.ask("POST", "/api/v1/simulations",
                          R"({"workflow_id":"none","seeds":0,"horizon_ms":1,"wrong":1,
                              "calls":[{"failure":2}],"promises":[{"name":"x","condition":"1 +"}],
                              "faults":{"restart":"often"}})");
  EXPECT_EQ(answer.status, 422) << answer.text;
  for (const char* path : {"/seeds", "/horizon_ms", "/wrong", "/calls/0/name", "/calls/0/failure",
                           "/promises/0/condition", "/faults/restart"})
    EXPECT_NE(answer.text.find(path), std::string::npos) << path << " in " << answer.text;
  EXPECT_EQ(world.ask("POST", "/api/v1/simulations", R"({"workflow_id":"none"})").code(),
            "workflow_not_found");
  EXPECT_EQ(world.ask("POST", "/api/v1/simulations", "{}").code(), "invalid_field");
}

TEST(simulations, are_stopped_and_forgotten) {
  TestWorld world;
  ASSERT_EQ(world.ask("PUT", "/api/v1/workflows/race", racing).status, 201);
  std::string id = begin(world, R"({"workflow_id":"race","seeds":10000})");
  EXPECT_EQ(world.ask("POST", "/api/v1/simulations/" + id + "/stop").status, 200);
  EXPECT_EQ(ended(world, id).get("state"), Value("stopped"));
  EXPECT_EQ(world.ask("GET", "/api/v1/simulations").body.get("items").size(), 1u);
  EXPECT_EQ(world.ask("DELETE", "/api/v1/simulations/" + id).status, 204);
  EXPECT_EQ(world.ask("GET", "/api/v1/simulations/" + id).status, 404);
}

TEST(simulations, wait_for_their_turn_up_to_a_limit) {
  TestWorld world;
  ASSERT_EQ(world.ask("PUT", "/api/v1/workflows/race", racing).status, 201);
  int refused = 0;
  for (size_t i = 0; i < Simulations::waiting_max + 2; ++i)
    refused += world.ask("POST", "/api/v1/simulations", R"({"workflow_id":"race","seeds":10000})")
                           .status == 429
                   ? 1
                   : 0;
  EXPECT_GE(refused, 1);
}

}  // namespace
}  // namespace fermata::server
