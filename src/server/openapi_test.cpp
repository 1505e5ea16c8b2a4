#include <gtest/gtest.h>

#include <algorithm>

#include "server/test_world.h"

namespace fermata::server {
namespace {

void with_everything(ApiOptions& options) {
  options.demo_echo = true;
  options.test_clock =
      TestClock{[] { return Instant{0}; }, [](Instant at) -> Outcome<Instant> { return at; },
                [](Duration by) -> Outcome<Instant> { return Instant{by.ms}; },
                [](bool) -> Outcome<Instant> { return Instant{}; }};
}

std::string filled(std::string_view path) {
  std::string out;
  for (size_t i = 0; i < path.size(); ++i) {
    if (path[i] == '{') {
      i = path.find('}', i);
      out += "1";
    } else {
      out += path[i];
    }
  }
  return out;
}

TEST(OpenApi, every_described_route_exists_and_none_breaks) {  // A-7
  TestWorld world(with_everything);
  auto described = world.ask("GET", "/openapi.json");
  ASSERT_EQ(described.status, 200);
  EXPECT_EQ(described.body.get("openapi"), Value("3.1.0"));
  size_t routes = 0;
  for (const Value::Member& path : described.body.get("paths").members()) {
    for (const Value::Member& method : path.value.members()) {
      std::string name(method.key.as_string());
      std::transform(name.begin(), name.end(), name.begin(), ::toupper);
      std::string target = filled(path.key.as_string());
      if (target == "/api/v1/stream") continue;  // It never ends.
      bool writes = name == "POST" || name == "PUT";
      auto answer = world.ask(name, target, writes ? "{}" : "");
      EXPECT_NE(answer.code(), "route_not_found") << name << " " << target;
      EXPECT_NE(answer.code(), "method_not_allowed") << name << " " << target;
      EXPECT_LT(answer.status, 500) << name << " " << target << answer.text;
      EXPECT_GE(answer.status, 200) << name << " " << target;
      EXPECT_FALSE(method.value.get("summary").as_string().empty());
      ++routes;
    }
  }
  EXPECT_GT(routes, 40u);
}

TEST(OpenApi, operations_have_names_of_their_own) {
  TestWorld world(with_everything);
  auto described = world.ask("GET", "/openapi.json");
  std::set<std::string> seen;
  for (const Value::Member& path : described.body.get("paths").members())
    for (const Value::Member& method : path.value.members())
      EXPECT_TRUE(seen.emplace(method.value.get("operationId").as_string()).second)
          << path.key.as_string();
}

TEST(Api, problems_have_the_same_form_everywhere) {  // A-2
  TestWorld world;
  auto answer = world.ask("GET", "/api/v1/nowhere");
  EXPECT_EQ(answer.status, 404);
  EXPECT_EQ(answer.headers["content-type"], "application/problem+json");
  EXPECT_EQ(answer.body.get("type"), Value("urn:fermata:error:route_not_found"));
  EXPECT_EQ(answer.body.get("status"), Value(404));
  for (const char* field : {"title", "detail", "instance", "code"})
    EXPECT_TRUE(answer.body.get(field).is_string()) << field;
  auto wrong = world.ask("PATCH", "/api/v1/workflows");
  EXPECT_EQ(wrong.status, 405);
  EXPECT_EQ(wrong.headers["allow"], "GET, HEAD, OPTIONS");
  EXPECT_EQ(world.ask("OPTIONS", "/api/v1/workflows").status, 204);
  EXPECT_EQ(world.ask("GET", "/api/v1/workflows/%zz").code(), "bad_request");
  EXPECT_EQ(world.ask("GET", "/api/v1/workflows?a=%zz").code(), "bad_request");
}

TEST(Api, tells_of_its_health) {  // A-7
  bool ready = false;
  TestWorld world([&](ApiOptions& options) {
    options.ready = [&ready] { return ready; };
    options.queue_depth = [] { return size_t{17}; };
  });
  EXPECT_EQ(world.ask("GET", "/healthz").body.get("status"), Value("ok"));
  EXPECT_EQ(world.ask("GET", "/readyz").status, 503);
  ready = true;
  EXPECT_EQ(world.ask("GET", "/readyz").status, 200);
  world.api().set_stopping();
  EXPECT_EQ(world.ask("GET", "/readyz").code(), "shutting_down");
  EXPECT_EQ(world.ask("GET", "/version").body.get("name"), Value("fermata"));
  auto page = world.ask("GET", "/");
  EXPECT_EQ(page.headers["content-type"], "text/html; charset=utf-8");
  EXPECT_NE(page.headers["content-security-policy"].find("script-src '"), std::string::npos);
}

TEST(Api, counts_what_happens) {  // A-7
  TestWorld world([](ApiOptions& options) {
    options.queue_depth = [] { return size_t{17}; };
    options.checkpoints_unreadable = [] { return uint64_t{3}; };
  });
  world.put_workflows();
  world.ask("POST", "/api/v1/workflows/instant/executions?wait=10s", R"({"input":{"n":1}})");
  world.ask("GET", "/api/nowhere");
  std::string text = world.ask("GET", "/metrics").text;
  for (const char* line :
       {"fermata_runs_started_total 1\n", "fermata_runs_completed_total 1\n",
        "fermata_queue_depth 17\n", "fermata_checkpoints_unreadable_total 3\n",
        "# TYPE fermata_commits_total counter\n",
        "fermata_http_requests_total{method=\"PUT\",route=\"/api/v1/workflows/{workflow_id}\","
        "status=\"201\"} 2\n",
        "route=\"unmatched\",status=\"404\"} 1\n", "_bucket{le=\"+Inf\"} 4\n"})
    EXPECT_NE(text.find(line), std::string::npos) << line << text;
  auto overview = world.ask("GET", "/api/v1/overview");
  EXPECT_EQ(overview.body.get("executions").get("completed"), Value(1));
  EXPECT_EQ(overview.body.get("access"), Value("local"));
}

TEST(Api, a_virtual_clock_is_moved_by_requests) {  // A-31
  TestWorld plain;
  EXPECT_EQ(plain.ask("GET", "/api/v1/test/clock").status, 404);
  TestWorld world(with_everything);
  EXPECT_EQ(world.ask("GET", "/api/v1/test/clock").body.get("now"),
            Value("1970-01-01T00:00:00.000Z"));
  EXPECT_EQ(
      world.ask("PUT", "/api/v1/test/clock", R"({"now":"2026-01-01T00:00:00Z"})").body.get("now"),
      Value("2026-01-01T00:00:00.000Z"));
  EXPECT_EQ(world.ask("POST", "/api/v1/test/clock/advance", R"({"ms":1500})").body.get("now"),
            Value("1970-01-01T00:00:01.500Z"));
  EXPECT_EQ(world.ask("POST", "/api/v1/test/clock/advance", R"({"ms":-1})").code(),
            "invalid_field");
}

TEST(Api, the_demo_echoes_what_it_was_sent) {
  TestWorld plain;
  EXPECT_EQ(plain.ask("GET", "/demo/echo").status, 404);
  TestWorld world(with_everything);
  auto answer = world.ask("POST", "/demo/echo?a=1&delay_ms=5", R"({"x":[1]})",
                          "Authorization: Basic s3cret\r\n");
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.body.get("body").get("x").size(), 1u);
  EXPECT_EQ(answer.body.get("query").get("a"), Value("1"));
  EXPECT_EQ(answer.text.find("s3cret"), std::string::npos);
  EXPECT_EQ(world.ask("GET", "/demo/echo?delay_ms=6000").code(), "invalid_query");
}

}  // namespace
}  // namespace fermata::server
