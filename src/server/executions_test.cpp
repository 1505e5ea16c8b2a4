#include <gtest/gtest.h>

#include "base/json.h"
#include "server/test_world.h"

namespace fermata::server {
namespace {

TEST(Executions, a_started_one_can_be_read) {
  TestWorld world;
  world.put_workflows();
  auto started = world.ask("POST", "/api/v1/workflows/instant/executions",
                           R"({"input":{"n":21},"labels":{"team":"a"},"contact_id":"c1"})");
  ASSERT_EQ(started.status, 201) << started.text;
  std::string id(started.body.get("id").as_string());
  EXPECT_EQ(started.headers["location"], "/api/v1/executions/" + id);
  ASSERT_TRUE(world.wait_for(id, "completed"));
  auto run = world.ask("GET", "/api/v1/executions/" + id);
  EXPECT_EQ(run.body.get("output").get("doubled"), Value(42)) << run.text;
  EXPECT_EQ(run.body.get("labels").get("team"), Value("a"));
  EXPECT_EQ(run.body.get("contact_id"), Value("c1"));
  EXPECT_EQ(run.body.get("workflow_id"), Value("instant"));
  EXPECT_EQ(run.body.get("version"), Value(1));
}

TEST(Executions, waiting_for_the_end_answers_with_the_result) {
  TestWorld world;
  world.put_workflows();
  auto done =
      world.ask("POST", "/api/v1/workflows/instant/executions?wait=10s", R"({"input":{"n":4}})");
  EXPECT_EQ(done.status, 201);
  EXPECT_EQ(done.body.get("status"), Value("completed")) << done.text;
  EXPECT_EQ(done.body.get("output").get("doubled"), Value(8));
  auto not_yet = world.ask("POST", "/api/v1/workflows/waiting/executions?wait=20ms", "{}");
  EXPECT_EQ(not_yet.status, 201);
  EXPECT_FALSE(not_yet.body.find("output"));
  EXPECT_EQ(world.ask("POST", "/api/v1/workflows/instant/executions?wait=5m", "{}").code(),
            "invalid_query");
  EXPECT_EQ(world.ask("POST", "/api/v1/workflows/instant/executions?wait=soon", "{}").code(),
            "invalid_query");
}

TEST(Executions, who_waits_is_answered_when_the_run_ends) {
  TestWorld world;
  world.put_workflows();
  TestClient waiter(world.server().port());
  waiter.send(
      "POST /api/v1/workflows/waiting/executions?wait=20s HTTP/1.1\r\nHost: localhost\r\n"
      "Idempotency-Key: k\r\nContent-Length: 2\r\n\r\n{}");
  auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  Value items;
  do items = world.ask("GET", "/api/v1/executions").body.get("items");
  while (items.size() == 0 && std::chrono::steady_clock::now() < deadline);
  ASSERT_EQ(items.size(), 1u);
  std::string id(items.items()[0].get("id").as_string());
  EXPECT_EQ(
      world.ask("POST", "/api/v1/executions/" + id + "/signals/go", R"({"payload":1})").status,
      200);
  auto answer = waiter.receive();
  EXPECT_EQ(answer.status, 201);
  EXPECT_NE(answer.body.find("\"completed\""), std::string::npos) << answer.body;
}

TEST(Executions, bad_start_fields_are_all_told_at_once) {
  TestWorld world;
  world.put_workflows();
  auto answer = world.ask("POST", "/api/v1/workflows/instant/executions",
                          R"({"version":0,"labels":{"a":1},"start_at":"soon","nonsense":1})");
  EXPECT_EQ(answer.status, 422);
  EXPECT_EQ(answer.code(), "invalid_field");
  EXPECT_EQ(answer.body.get("errors").size(), 4u) << answer.text;
  EXPECT_EQ(world.ask("POST", "/api/v1/workflows/instant/executions", R"({"nonsense":1})").code(),
            "unknown_field");
  EXPECT_EQ(world.ask("POST", "/api/v1/workflows/none/executions", "{}").code(),
            "workflow_not_found");
  EXPECT_EQ(world.ask("POST", "/api/v1/workflows/instant/executions", R"({"version":9})").code(),
            "version_not_found");
}

TEST(Executions, the_same_idempotency_key_starts_once) {  // A-4
  TestWorld world;
  world.put_workflows();
  std::string key = "Idempotency-Key: order-1\r\n";
  std::string target = "/api/v1/workflows/waiting/executions";
  auto first = world.ask("POST", target, R"({"input":{"a":1,"b":2}})", key);
  auto again = world.ask("POST", target, R"({ "input": {"b":2,"a":1} })", key);
  EXPECT_EQ(first.status, 201);
  EXPECT_EQ(again.status, 201);
  EXPECT_EQ(first.body.get("id"), again.body.get("id"));
  auto other = world.ask("POST", target, R"({"input":{"a":2}})", key);
  EXPECT_EQ(other.status, 409);
  EXPECT_EQ(other.code(), "idempotency_key_reused");
  EXPECT_EQ(world.ask("GET", "/api/v1/executions").body.get("items").size(), 1u);
  // The key belongs to the account: another one's is another key.
  world.ask("PUT", "/api/v1/workflows/waiting", waiting_workflow, "X-Account-Id: b\r\n");
  auto foreign = world.ask("POST", target, R"({"input":{"a":9}})", key + "X-Account-Id: b\r\n");
  EXPECT_EQ(foreign.status, 201);
  EXPECT_EQ(world.ask("POST", target, "{}", "Idempotency-Key: \r\n").code(), "bad_request");
}

TEST(Executions, a_repeated_start_is_answered_though_its_workflow_is_gone) {  // A-4
  TestWorld world;
  world.put_workflows();
  std::string key = "Idempotency-Key: order-1\r\n";
  std::string target = "/api/v1/workflows/waiting/executions";
  Value id = world.ask("POST", target, "{}", key).body.get("id");
  world.ask("POST", "/api/v1/workflows/waiting/deactivate", R"({"on_waits":"keep"})");
  for (bool deleted : {false, true}) {
    if (deleted) world.ask("DELETE", "/api/v1/workflows/waiting");
    auto again = world.ask("POST", target, "{}", key);
    EXPECT_EQ(again.status, 201) << again.text;
    EXPECT_EQ(again.body.get("id"), id);
    EXPECT_EQ(world.ask("POST", target, R"({"input":1})", key).code(), "idempotency_key_reused");
    EXPECT_EQ(world.ask("POST", target, "{}", "Idempotency-Key: order-2\r\n").code(),
              deleted ? "workflow_not_found" : "workflow_inactive");
  }
}

TEST(Executions, keep_the_definition_they_began_with) {  // G-3
  TestWorld world;
  world.put_workflows();
  std::string id = world.start("waiting");
  auto before = world.ask("GET", "/api/v1/executions/" + id);
  EXPECT_EQ(world.ask("PUT", "/api/v1/workflows/waiting", instant_workflow).status, 200);
  std::string of_second = world.start("waiting", R"({"input":{"n":4}})");
  EXPECT_TRUE(world.wait_for(of_second, "completed"));
  EXPECT_EQ(world.ask("DELETE", "/api/v1/workflows/waiting").status, 204);
  auto signalled =
      world.ask("POST", "/api/v1/executions/" + id + "/signals/go", R"({"payload":"on"})");
  EXPECT_EQ(signalled.status, 200) << signalled.text;
  ASSERT_TRUE(world.wait_for(id, "completed"));
  auto after = world.ask("GET", "/api/v1/executions/" + id);
  EXPECT_EQ(after.body.get("hash"), before.body.get("hash"));
  EXPECT_EQ(after.body.get("version"), Value(1));
  EXPECT_EQ(after.body.get("output").get("Wait").get("payload"), Value("on")) << after.text;
}

TEST(Executions, are_listed_by_every_filter) {
  TestWorld world;
  world.put_workflows();
  std::string id = world.start("waiting", R"({"labels":{"team":"a"},"contact_id":"c1"})");
  world.start("waiting", R"({"labels":{"team":"b"}})");
  std::string done = world.start("instant", R"({"input":{"n":1}})");
  ASSERT_TRUE(world.wait_for(done, "completed"));
  auto count = [&](const std::string& query) {
    return world.ask("GET", "/api/v1/executions" + query).body.get("items").size();
  };
  EXPECT_EQ(count(""), 3u);
  EXPECT_EQ(count("?status=completed"), 1u);
  EXPECT_EQ(count("?status=completed,waiting"), 3u);
  EXPECT_EQ(count("?status=completed&status=waiting"), 3u);
  EXPECT_EQ(count("?workflow_id=waiting"), 2u);
  EXPECT_EQ(count("?label=team:a"), 1u);
  EXPECT_EQ(count("?label=team"), 2u);
  EXPECT_EQ(count("?contact_id=c1"), 1u);
  EXPECT_EQ(count("?q=" + id), 1u);
  EXPECT_EQ(count("?from=2026-01-26T00:00:00Z"), 3u);
  EXPECT_EQ(count("?to=2026-01-26T00:00:00Z"), 0u);
  EXPECT_EQ(count("?limit=2"), 2u);
  auto bad = world.ask("GET", "/api/v1/executions?status=odd&from=then");
  EXPECT_EQ(bad.code(), "invalid_query");
  EXPECT_EQ(bad.body.get("errors").size(), 2u);
}

TEST(Executions, history_is_paged_by_sequence) {  // G-101
  TestWorld world;
  world.put_workflows();
  std::string id = world.start("instant", R"({"input":{"n":1}})");
  ASSERT_TRUE(world.wait_for(id, "completed"));
  std::string path = "/api/v1/executions/" + id + "/history";
  auto whole = world.ask("GET", path);
  ASSERT_GE(whole.body.get("items").size(), 3u) << whole.text;
  EXPECT_TRUE(whole.body.get("next_cursor").is_null());
  int64_t expected = 1;
  std::string target = path + "?limit=1";
  for (;;) {
    auto page = world.ask("GET", target);
    ASSERT_EQ(page.body.get("items").size(), 1u) << page.text;
    EXPECT_EQ(page.body.get("items").items()[0].get("sequence"), Value(expected++));
    if (page.body.get("next_cursor").is_null()) break;
    target = path + "?limit=1&cursor=" + std::string(page.body.get("next_cursor").as_string());
  }
  EXPECT_EQ(static_cast<size_t>(expected - 1), whole.body.get("items").size());
  std::string nodes = "/api/v1/executions/" + id + "/nodes";
  EXPECT_EQ(world.ask("GET", nodes).body.get("nodes").size(), 2u);
  EXPECT_EQ(world.ask("GET", nodes + "/e").status, 200);
  EXPECT_EQ(world.ask("GET", nodes + "/none").code(), "node_not_found");
}

TEST(Executions, are_paused_resumed_signalled_and_cancelled) {
  TestWorld world;
  world.put_workflows();
  std::string path = "/api/v1/executions/" + world.start("waiting");
  EXPECT_EQ(world.ask("POST", path + "/resume").code(), "run_not_paused");
  EXPECT_EQ(world.ask("POST", path + "/pause").body.get("status"), Value("paused"));
  EXPECT_EQ(world.ask("POST", path + "/resume").status, 200);
  auto cancelled = world.ask("POST", path + "/cancel", R"({"reason":"enough"})");
  EXPECT_EQ(cancelled.body.get("status"), Value("cancelled")) << cancelled.text;
  EXPECT_EQ(world.ask("POST", path + "/cancel").status, 200);  // G-93
  EXPECT_EQ(world.ask("POST", path + "/signals/go").code(), "run_finished");
  EXPECT_EQ(world.ask("POST", path + "/cancel", R"({"why":"x"})").code(), "unknown_field");
  EXPECT_EQ(world.ask("POST", "/api/v1/executions/none/cancel").code(), "execution_not_found");
}

TEST(Executions, an_ended_one_is_retried_rerun_or_forked_as_a_new_one) {  // G-96
  TestWorld world;
  world.put_workflows();
  std::string id = world.start("instant", R"({"input":{"n":3}})");
  ASSERT_TRUE(world.wait_for(id, "completed"));
  std::string path = "/api/v1/executions/" + id;
  EXPECT_EQ(world.ask("POST", path + "/retry").code(), "run_not_failed");
  auto plan = world.ask("POST", path + "/rerun?dry_run=true", R"({"from_node":"e"})");
  EXPECT_EQ(plan.status, 200) << plan.text;
  EXPECT_TRUE(plan.body.find("repeat"));
  auto rerun = world.ask("POST", path + "/rerun", R"({"from_node":"e"})", "Idempotency-Key: r\r\n");
  ASSERT_EQ(rerun.status, 201) << rerun.text;
  EXPECT_EQ(world.ask("POST", path + "/rerun", R"({"from_node":"e"})", "Idempotency-Key: r\r\n")
                .body.get("id"),
            rerun.body.get("id"));
  std::string made(rerun.body.get("id").as_string());
  ASSERT_TRUE(world.wait_for(made, "completed"));
  auto shown = world.ask("GET", "/api/v1/executions/" + made);
  EXPECT_EQ(shown.body.get("origin").get("run"), Value(id)) << shown.text;
  EXPECT_EQ(world.ask("POST", path + "/fork", R"({"at_sequence":1})").status, 201);
  EXPECT_EQ(world.ask("POST", path + "/fork", R"({"at_sequence":999})").code(), "sequence_unknown");
  EXPECT_EQ(world.ask("POST", path + "/rerun", "{}").code(), "invalid_field");
}

TEST(Executions, a_new_one_can_be_planned_first) {  // G-96
  TestWorld world;
  ASSERT_EQ(world
                .ask("PUT", "/api/v1/workflows/w",
                     R"({"nodes":[{"id":"t","type":"manual","trigger":true},
                         {"id":"a","name":"A","type":"edit",
                          "parameters":{"assignments":[{"name":"x","value":1}]}},
                         {"id":"s","type":"signal",
                          "parameters":{"execution_id":"nobody","name":"go"},
                          "error":{"type":"ignore"}},
                         {"id":"b","type":"fail"},{"id":"c","type":"noop"}],
                        "edges":[{"id":"1","src":"t","dst":"a"},{"id":"2","src":"a","dst":"s"},
                                 {"id":"3","src":"s","dst":"b"},{"id":"4","src":"b","dst":"c"}]})")
                .status,
            201);
  std::string id = world.start("w");
  ASSERT_TRUE(world.wait_for(id, "failed"));
  std::string path = "/api/v1/executions/" + id;
  auto plan = [&](const std::string& how, const std::string& body) {
    auto answer = world.ask("POST", path + "/" + how + "?dry_run=true", body);
    EXPECT_EQ(answer.status, 200) << answer.text;
    return to_json(answer.body);
  };
  EXPECT_EQ(plan("retry", ""),
            R"({"repeat":["b"],"reuse":["t","a","s"],"cancel":[],"warnings":[]})");
  EXPECT_EQ(plan("rerun", R"({"from_node":"a"})"),
            R"({"repeat":["a","s","b"],"reuse":["t"],"cancel":[],"warnings":[)"
            R"("s reaches outside again, under a new idempotency key"]})");
  EXPECT_EQ(plan("fork", R"({"at_sequence":3})"),
            R"({"repeat":["s","b"],"reuse":["t","a"],"cancel":[],"warnings":[)"
            R"("s reaches outside again, under a new idempotency key"]})");
  auto unknown = world.ask("POST", path + "/fork", R"({"at_sequence":3,"changes":{"$Nope":1}})");
  EXPECT_EQ(unknown.status, 422) << unknown.text;
  EXPECT_EQ(unknown.body.get("errors").items()[0].get("path"), Value("/changes/$Nope"));
  EXPECT_EQ(world.ask("GET", "/api/v1/executions").body.get("items").size(), 1u);
}

TEST(Executions, a_live_one_migrates_to_another_version) {  // G-97
  TestWorld world;
  world.put_workflows();
  std::string path = "/api/v1/executions/" + world.start("waiting");
  std::string second = waiting_workflow;
  second.replace(second.find("\"go\""), 4, "\"gone\"");
  ASSERT_EQ(world.ask("PUT", "/api/v1/workflows/waiting", second).status, 200);
  EXPECT_EQ(world.ask("POST", path + "/migrate", R"({"version":7})").code(), "version_not_found");
  auto moved = world.ask("POST", path + "/migrate", R"({"version":2})");
  EXPECT_EQ(moved.status, 200) << moved.text;
  EXPECT_EQ(world.ask("GET", path).body.get("version"), Value(2));
}

TEST(Executions, a_failed_one_is_retried_in_another_version) {  // G-96, G-97
  TestWorld world;
  auto version = [](const char* node, const char* source) {
    return R"({"nodes":[{"id":"t","name":"Start","type":"manual","trigger":true},
        {"id":")" +
           std::string(node) + R"(","name":"Work","type":"code","parameters":{"source":")" +
           source + R"("}}],"edges":[{"id":"1","src":"t","dst":")" + node + R"("}]})";
  };
  ASSERT_EQ(world.ask("PUT", "/api/v1/workflows/w", version("a", "throw 'no'")).status, 201);
  std::string id = world.start("w");
  ASSERT_TRUE(world.wait_for(id, "failed"));
  ASSERT_EQ(world.ask("PUT", "/api/v1/workflows/w", version("a", "return 42")).status, 200);
  ASSERT_EQ(world.ask("PUT", "/api/v1/workflows/w", version("b", "return 43")).status, 200);
  std::string path = "/api/v1/executions/" + id + "/retry";
  auto finished = [&](const TestWorld::Answer& retried) {
    EXPECT_EQ(retried.status, 201) << retried.text;
    std::string made(retried.body.get("id").as_string());
    EXPECT_TRUE(world.wait_for(made, "completed"));
    auto run = world.ask("GET", "/api/v1/executions/" + made);
    EXPECT_EQ(run.body.get("origin").get("kind"), Value("retry"));
    return run.body;
  };
  auto second = finished(world.ask("POST", path, R"({"version":2})"));
  EXPECT_EQ(second.get("version"), Value(2));
  EXPECT_EQ(second.get("output").get("Work").get("result"), Value(42));
  auto refused = world.ask("POST", path, R"({"version":3})");
  EXPECT_EQ(refused.status, 409);
  EXPECT_EQ(refused.code(), "migration_refused");
  EXPECT_EQ(refused.body.get("errors").items()[0].get("path"), Value("/nodes/a"));
  auto mapped = finished(world.ask("POST", path, R"({"version":3,"map":{"a":"b"}})"));
  EXPECT_EQ(mapped.get("output").get("Work").get("result"), Value(43));
  EXPECT_EQ(world.ask("POST", path, R"({"version":3,"map":{"a":"x"}})").code(),
            "migration_refused");
  EXPECT_EQ(world.ask("POST", path, R"({"version":9})").code(), "version_not_found");
  EXPECT_EQ(world.ask("POST", path, R"({"map":{"a":"b"}})").code(), "invalid_field");
  auto plan = world.ask("POST", path + "?dry_run=true", R"({"version":2})");
  EXPECT_EQ(plan.body.get("repeat").items()[0], Value("a")) << plan.text;
}

TEST(Executions, a_migration_can_be_tried_first) {  // G-97
  TestWorld world;
  world.put_workflows();
  std::string path = "/api/v1/executions/" + world.start("waiting");
  std::string second = waiting_workflow;
  second.replace(second.find("\"id\":\"w\""), 8, "\"id\":\"v\"");
  second.replace(second.find("\"dst\":\"w\""), 9, "\"dst\":\"v\"");
  ASSERT_EQ(world.ask("PUT", "/api/v1/workflows/waiting", second).status, 200);
  auto refused = world.ask("POST", path + "/migrate?dry_run=true", R"({"version":2})");
  EXPECT_EQ(refused.code(), "migration_refused") << refused.text;
  auto plan = world.ask("POST", path + "/migrate?dry_run=true", R"({"version":2,"map":{"w":"v"}})");
  EXPECT_EQ(plan.status, 200) << plan.text;
  EXPECT_EQ(plan.body.get("reuse").items()[0], Value("t"));
  EXPECT_EQ(world.ask("GET", path).body.get("version"), Value(1));
}

TEST(Executions, pages_are_taken_by_offset_with_their_total) {  // A-3
  TestWorld world;
  world.put_workflows();
  std::vector<std::string> ids;
  for (int i = 0; i < 5; ++i)
    ids.push_back(world.start("waiting", i % 2 ? "{}" : R"({"labels":{"even":"yes"}})"));
  auto list = [&](const std::string& query) {
    return world.ask("GET", "/api/v1/executions" + query).body;
  };
  auto page = list("?offset=3&limit=10");
  EXPECT_EQ(page.get("total"), Value(5));
  ASSERT_EQ(page.get("items").size(), 2u);
  EXPECT_EQ(page.get("items").items()[0].get("id"), Value(ids[1]));
  EXPECT_EQ(list("?offset=9").get("items").size(), 0u);
  EXPECT_EQ(list("?offset=1&label=even").get("total"), Value(3));
  EXPECT_EQ(list("?offset=1&label=even").get("items").size(), 2u);
  // A cursor goes on from a page by offset; without one the total is told where it is counted.
  auto first = list("?offset=0&limit=2");
  std::string cursor(first.get("next_cursor").as_string());
  EXPECT_EQ(list("?cursor=" + cursor).get("items").size(), 3u);
  EXPECT_EQ(list("?status=waiting").get("total"), Value(5));
  EXPECT_EQ(list("?status=failed").get("total"), Value(0));
  EXPECT_FALSE(list("?label=even").find("total"));
  EXPECT_EQ(world.ask("GET", "/api/v1/executions?offset=1&cursor=" + cursor).code(),
            "invalid_query");
}

TEST(Executions, a_full_engine_says_when_to_come_back) {  // A-2
  TestWorld world;
  world.put_workflows();
  world.intake().full = true;
  auto refused = world.ask("POST", "/api/v1/workflows/instant/executions", "{}");
  EXPECT_EQ(refused.status, 429);
  EXPECT_EQ(refused.code(), "queue_full");
  EXPECT_EQ(refused.headers["retry-after"], "1");
  world.intake().full = false;
  world.intake().failure = Error{ErrorCode::outcome_unknown, "who knows", {}};
  EXPECT_EQ(world.ask("POST", "/api/v1/workflows/instant/executions", "{}").code(),
            "outcome_unknown");
}

}  // namespace
}  // namespace fermata::server
