#include <gtest/gtest.h>

#include "base/json.h"
#include "server/test_world.h"

/// Who started whom, and what two versions do not share (console.md section 4).
namespace fermata::server {
namespace {

constexpr const char* caller = R"({"nodes": [{"id": "S", "type": "manual", "trigger": true},
    {"id": "child", "type": "subworkflow", "parameters": {"workflow_id": "waiting"}}],
    "edges": [{"id": "1", "src": "S", "dst": "child"}]})";
constexpr const char* first = R"({"nodes": [{"id": "S", "type": "manual", "trigger": true},
    {"id": "A", "name": "Old", "type": "noop"}, {"id": "B", "type": "noop"}],
    "edges": [{"id": "1", "src": "S", "dst": "A"}, {"id": "2", "src": "A", "dst": "B"}]})";
constexpr const char* second = R"({"nodes": [{"id": "S", "type": "manual", "trigger": true},
    {"id": "A", "name": "New", "type": "noop"}, {"id": "C", "type": "noop"}],
    "edges": [{"id": "1", "src": "S", "dst": "A"}, {"id": "2", "src": "A", "dst": "C"}]})";

class Comparing : public ::testing::Test {
 protected:
  Comparing() { world.put_workflows(); }
  Value get(const std::string& path) {
    auto answer = world.ask("GET", "/api/v1" + path);
    EXPECT_EQ(answer.status, 200) << path << answer.text;
    return answer.body;
  }
  std::string refused(const std::string& path, const std::string& headers = "") {
    auto answer = world.ask("GET", "/api/v1" + path, "", headers);
    return std::to_string(answer.status) + " " + answer.code();
  }
  void put(const std::string& id, std::string_view definition) {
    auto answer = world.ask("PUT", "/api/v1/workflows/" + id, definition);
    ASSERT_LT(answer.status, 300) << answer.text;
  }

  TestWorld world;
};

// U-55, U-23
TEST_F(Comparing, tree_shows_an_execution_among_its_relatives) {
  put("caller", caller);
  std::string root = world.start("caller");
  // The child is made in the commit that asks for it.
  Value tree = get("/executions/" + root + "/tree");
  EXPECT_EQ(tree.get("count"), Value(2)) << to_json(tree);
  EXPECT_EQ(tree.get("truncated"), Value(false));
  ASSERT_EQ(tree.get("root").get("children").size(), 1u);
  const Value child = tree.get("root").get("children").items()[0];
  EXPECT_EQ(child.get("workflow_id"), Value("waiting"));
  EXPECT_EQ(child.get("parent"), Value(root));
  EXPECT_EQ(child.get("children").size(), 0u);
  // From the child the same tree is seen.
  Value below = get("/executions/" + std::string(child.get("id").as_string()) + "/tree");
  EXPECT_EQ(below.get("root").get("id"), tree.get("root").get("id"));
  EXPECT_EQ(below.get("count"), tree.get("count"));
  EXPECT_EQ(below.get("execution_id"), child.get("id"));
  EXPECT_EQ(refused("/executions/nobody/tree"), "404 execution_not_found");
}

// A-10
TEST_F(Comparing, another_accounts_tree_does_not_exist) {
  std::string run = world.start("waiting");
  std::string rival = "X-API-Key: " + world.add_key(Role::admin, "rival") + "\r\n";
  EXPECT_EQ(refused("/executions/" + run + "/tree", rival), "404 execution_not_found");
}

// U-55, U-34
TEST_F(Comparing, diff_tells_nodes_edges_and_lines) {
  put("graph", first);
  put("graph", second);
  Value diff = get("/workflows/graph/diff?from=1&to=2");
  EXPECT_EQ(to_json(diff.get("nodes").get("added")), R"(["C"])");
  EXPECT_EQ(to_json(diff.get("nodes").get("removed")), R"(["B"])");
  EXPECT_EQ(to_json(diff.get("nodes").get("changed")), R"([{"id":"A","fields":["name"]}])");
  EXPECT_EQ(to_json(diff.get("edges").get("changed")), R"([{"id":"2","fields":["dst"]}])");
  EXPECT_EQ(diff.get("same"), Value(false));
  std::string gone, come;
  for (const Value& line : diff.get("lines").items()) {
    if (line.get("op") == Value("-")) gone += line.get("text").as_string();
    if (line.get("op") == Value("+")) come += line.get("text").as_string();
  }
  EXPECT_NE(gone.find("Old"), std::string::npos) << gone;
  EXPECT_EQ(gone.find("New"), std::string::npos);
  EXPECT_NE(come.find("New"), std::string::npos) << come;
  Value same = get("/workflows/graph/diff?from=2&to=2");
  EXPECT_EQ(same.get("same"), Value(true));
  EXPECT_EQ(same.get("nodes").get("changed").size(), 0u);
}

TEST_F(Comparing, scripts_are_compared_by_their_lines) {
  auto flow = [&](std::string_view source) {
    put("script", to_json(Value::object({{"language", "flow"}, {"source", source}})));
  };
  flow("workflow script(inputs) {\n  return 1\n}\n");
  flow("workflow script(inputs) {\n  return 2\n}\n");
  Value diff = get("/workflows/script/diff?from=1&to=2");
  ASSERT_EQ(diff.get("lines").size(), 4u) << to_json(diff);
  EXPECT_EQ(to_json(diff.get("lines").items()[1]),
            R"({"op":"-","from":2,"to":null,"text":"  return 1"})");
  EXPECT_EQ(to_json(diff.get("fields")), R"(["source"])");
}

TEST_F(Comparing, versions_that_are_none_are_refused) {
  put("graph", first);
  EXPECT_EQ(refused("/workflows/graph/diff?from=1"), "422 invalid_query");
  EXPECT_EQ(refused("/workflows/graph/diff?from=0&to=1"), "422 invalid_query");
  EXPECT_EQ(refused("/workflows/graph/diff?from=1&to=7"), "404 version_not_found");
  EXPECT_EQ(refused("/workflows/nobody/diff?from=1&to=1"), "404 workflow_not_found");
}

// U-34, T-22
TEST_F(Comparing, dry_run_of_a_migration_tells_of_each_execution) {
  constexpr const char* waits = R"({"nodes": [{"id": "S", "type": "manual", "trigger": true},
      {"id": "go", "type": "wait_for_signal", "parameters": {"name": "go"}},
      {"id": "more", "type": "wait_for_signal", "parameters": {"name": "more"}}],
      "edges": [{"id": "1", "src": "S", "dst": "go"}, {"id": "2", "src": "go", "dst": "more"}]})";
  put("steps", waits);
  std::string early = world.start("steps"), late = world.start("steps");
  ASSERT_TRUE(world.wait_for(late, "waiting"));
  ASSERT_EQ(world.ask("POST", "/api/v1/executions/" + late + "/signals/go", "{}").status, 200);
  ASSERT_TRUE(world.wait_for(late, "waiting"));
  std::string ended = world.start("steps");
  ASSERT_EQ(world.ask("POST", "/api/v1/executions/" + ended + "/cancel").status, 200);
  // `more` is gone in the other version.
  put("steps", R"({"nodes": [{"id": "S", "type": "manual", "trigger": true},
      {"id": "go", "type": "wait_for_signal", "parameters": {"name": "go"}},
      {"id": "last", "type": "wait_for_signal", "parameters": {"name": "more"}}],
      "edges": [{"id": "1", "src": "S", "dst": "go"}, {"id": "2", "src": "go", "dst": "last"}]})");
  auto dry = [&](const std::string& more) {
    auto answer = world.ask("POST", "/api/v1/executions/bulk",
                            R"({"action":"migrate","version":2,"dry_run":true,
                                "filter":{"workflow_id":"steps"})" +
                                more + "}");
    EXPECT_EQ(answer.status, 200) << answer.text;
    return answer.body;
  };
  Value told = dry("");
  EXPECT_EQ(to_json(told.get("fits")), R"({"cannot":1,"clean":1,"needs_map":1})");
  EXPECT_EQ(told.get("runs_more"), Value(false));
  for (const Value& run : told.get("runs").items()) {
    if (run.get("id") == Value(early)) EXPECT_EQ(run.get("fit"), Value("clean"));
    if (run.get("id") == Value(ended)) EXPECT_EQ(run.get("code"), Value("run_finished"));
    if (run.get("id") != Value(late)) continue;
    EXPECT_EQ(run.get("fit"), Value("needs_map"));
    EXPECT_EQ(run.get("errors").items()[0].get("path"), Value("/nodes/more"));
  }
  EXPECT_EQ(dry(R"(,"map":{"more":"last"})").get("fits").get("clean"), Value(2));
}

}  // namespace
}  // namespace fermata::server
