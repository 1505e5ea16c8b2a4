#include <gtest/gtest.h>

#include "base/hash.h"
#include "base/json.h"
#include "server/test_world.h"

namespace fermata::server {
namespace {

constexpr std::string_view first_source = "workflow w(inputs) {\n  return inputs.a\n}\n";
constexpr std::string_view second_source = "workflow w(inputs) {\n  return inputs.b\n}\n";
constexpr std::string_view as_text = "Content-Type: text/x-flow; charset=utf-8\r\n";

std::string document(std::string_view source) {
  return to_json(Value::object({{"language", "flow"}, {"source", source}}));
}

// F-54
TEST(Scripts, are_stored_as_json_or_as_text_and_given_back) {
  TestWorld world;
  auto made = world.ask("PUT", "/api/v1/workflows/w", document(first_source));
  EXPECT_EQ(made.status, 201) << made.text;
  EXPECT_EQ(made.body.get("version"), Value(1));
  EXPECT_EQ(made.body.get("language"), Value("flow"));
  EXPECT_EQ(made.body.get("hash"), Value(sha256_hex(first_source)));
  EXPECT_EQ(made.body.get("warnings").size(), 0u);
  auto again = world.ask("PUT", "/api/v1/workflows/w",
                         "\xef\xbb\xbfworkflow w(inputs) {\r\n  return inputs.a\r\n}\r\n", as_text);
  EXPECT_EQ(again.status, 200) << again.text;
  EXPECT_EQ(again.body.get("version"), Value(1));
  EXPECT_EQ(again.body.get("created_version"), Value(false));
  auto read = world.ask("GET", "/api/v1/workflows/w");
  EXPECT_EQ(read.body.get("language"), Value("flow"));
  EXPECT_EQ(to_json(read.body.get("definition")), document(first_source));
  auto version = world.ask("GET", "/api/v1/workflows/w/versions/1");
  EXPECT_EQ(version.body.get("definition").get("source"), Value(first_source));
  auto list = world.ask("GET", "/api/v1/workflows");
  EXPECT_EQ(list.body.get("items").items()[0].get("language"), Value("flow"));
}

// F-55
TEST(Scripts, a_version_that_is_needed_cannot_be_deleted) {
  TestWorld world;
  std::string_view waits = "workflow w(inputs) {\n  return await Signal.next('go')\n}\n";
  world.ask("PUT", "/api/v1/workflows/w", document(waits));
  std::string run = world.start("w");
  ASSERT_TRUE(world.wait_for(run, "waiting"));
  world.ask("PUT", "/api/v1/workflows/w", document(first_source));
  auto remove = [&](const std::string& version) {
    auto answer = world.ask("DELETE", "/api/v1/workflows/w/versions/" + version);
    return std::to_string(answer.status) + " " + answer.code();
  };
  EXPECT_EQ(remove("1"), "409 version_in_use");
  EXPECT_EQ(remove("2"), "409 version_in_use");
  EXPECT_EQ(remove("3"), "404 version_not_found");
  EXPECT_EQ(remove("x"), "404 version_not_found");
  world.ask("POST", "/api/v1/executions/" + run + "/signals/go", R"({"payload": 5})");
  ASSERT_TRUE(world.wait_for(run, "completed"));
  world.ask("POST", "/api/v1/schedules",
            R"({"id": "s", "workflow_id": "w", "cron": "@daily", "version": 1})");
  EXPECT_EQ(remove("1"), "409 version_in_use");
  world.ask("DELETE", "/api/v1/schedules/s");
  EXPECT_EQ(remove("1"), "204 ");
  EXPECT_EQ(world.ask("GET", "/api/v1/workflows/w/versions").body.get("items").size(), 1u);
  // What has ended is shown as it was.
  EXPECT_EQ(world.ask("GET", "/api/v1/executions/" + run).body.get("output"), Value(5));
}

// F-57
TEST(Scripts, with_errors_are_refused_with_rule_line_and_column) {
  TestWorld world;
  for (bool text : {false, true}) {
    std::string_view source = "workflow x() {\n  reslt = 1\n  return result\n}\n";
    auto refused = world.ask("PUT", "/api/v1/workflows/w", text ? source : document(source),
                             text ? as_text : "");
    EXPECT_EQ(refused.status, 422);
    EXPECT_EQ(refused.code(), "invalid_definition");
    const Value error = refused.body.get("errors").items()[0];
    EXPECT_EQ(error.get("rule"), Value("undefined-variable"));
    EXPECT_EQ(error.get("severity"), Value("error"));
    EXPECT_EQ(error.get("line"), Value(3));
    EXPECT_EQ(error.get("column"), Value(10));
    EXPECT_EQ(error.get("path"), Value(text ? "" : "/source"));
    EXPECT_NE(error.get("message").as_string().find("did you mean `reslt`"), std::string::npos);
    ASSERT_EQ(refused.body.get("warnings").size(), 2u) << refused.text;
    EXPECT_EQ(refused.body.get("warnings").items()[0].get("rule"), Value("name-mismatch"));
    EXPECT_EQ(refused.body.get("warnings").items()[1].get("rule"), Value("implicit-let"));
  }
  EXPECT_EQ(world.ask("GET", "/api/v1/workflows/w").code(), "workflow_not_found");
  EXPECT_EQ(world.ask("PUT", "/api/v1/workflows/w", R"({"language":"flow"})").code(),
            "invalid_field");
  EXPECT_EQ(
      world.ask("PUT", "/api/v1/workflows/w", R"({"language":"flow","source":"","x":1})").code(),
      "unknown_field");
  EXPECT_EQ(world.ask("PUT", "/api/v1/workflows/w", "", as_text).code(), "invalid_definition");
  EXPECT_EQ(world.ask("PUT", "/api/v1/workflows/w", "x", "Content-Type: text/plain\r\n").status,
            415);
}

// F-54, scenario 24
TEST(Scripts, an_older_source_makes_its_version_current_again) {
  TestWorld world;
  auto current = [&] { return world.ask("GET", "/api/v1/workflows/w").body.get("version"); };
  world.ask("PUT", "/api/v1/workflows/w", first_source, as_text);
  EXPECT_EQ(world.ask("PUT", "/api/v1/workflows/w", second_source, as_text).body.get("version"),
            Value(2));
  EXPECT_EQ(world.ask("POST", "/api/v1/workflows/w/rollback", R"({"version":1})").status, 200);
  EXPECT_EQ(current(), Value(1));
  auto same = world.ask("PUT", "/api/v1/workflows/w", first_source, as_text);
  EXPECT_EQ(same.body.get("version"), Value(1));
  EXPECT_EQ(same.body.get("created_version"), Value(false));
  auto back = world.ask("PUT", "/api/v1/workflows/w", second_source, as_text);
  EXPECT_EQ(back.body.get("version"), Value(2));
  EXPECT_EQ(back.body.get("created_version"), Value(false));
  EXPECT_EQ(current(), Value(2));
  EXPECT_EQ(world.ask("GET", "/api/v1/workflows/w/versions").body.get("items").size(), 2u);
}

// F-54
TEST(Scripts, a_version_can_be_stored_without_becoming_current) {
  TestWorld world;
  world.ask("PUT", "/api/v1/workflows/w", first_source, as_text);
  auto stored = world.ask("PUT", "/api/v1/workflows/w?current=false", second_source, as_text);
  EXPECT_EQ(stored.status, 200) << stored.text;
  EXPECT_EQ(stored.body.get("version"), Value(2));
  EXPECT_EQ(stored.body.get("current_version"), Value(1));
  EXPECT_EQ(world.ask("GET", "/api/v1/workflows/w").body.get("version"), Value(1));
  EXPECT_EQ(world.ask("PUT", "/api/v1/workflows/w?current=maybe", second_source, as_text).code(),
            "invalid_query");
}

TEST(Scripts, are_checked_without_being_stored) {
  TestWorld world;
  auto good = world.ask("POST", "/api/v1/workflows/check", first_source, as_text);
  EXPECT_EQ(good.body.get("valid"), Value(true)) << good.text;
  EXPECT_EQ(good.body.get("hash"), Value(sha256_hex(first_source)));
  auto bad = world.ask("POST", "/api/v1/workflows/check", document("return ndef"));
  EXPECT_EQ(bad.status, 200);
  EXPECT_EQ(bad.body.get("valid"), Value(false));
  EXPECT_EQ(bad.body.get("errors").items()[0].get("rule"), Value("undefined-variable"));
  EXPECT_EQ(world.ask("GET", "/api/v1/workflows").body.get("items").size(), 0u);
}

// F-47
TEST(Scripts, run_park_and_go_on_with_a_signal) {
  TestWorld world;
  std::string source =
      "Run.progress(1, 2)\n"
      "const answer = await Signal.next(\"answer\")\n"
      "return {greeting: `Hello, ${Inputs.name}`, answer}";
  world.ask("PUT", "/api/v1/workflows/w", source, as_text);
  auto start = world.ask("POST", "/api/v1/workflows/w/executions", R"({"input":{"name":"Ada"}})");
  ASSERT_EQ(start.status, 201) << start.text;
  std::string path = "/api/v1/executions/" + std::string(start.body.get("id").as_string());
  auto waiting = world.ask("GET", path);
  EXPECT_EQ(waiting.body.get("status"), Value("waiting")) << waiting.text;
  EXPECT_EQ(waiting.body.get("waiting").items()[0].get("node"), Value("main:2")) << waiting.text;
  EXPECT_EQ(waiting.body.get("progress").get("planned"), Value(2)) << waiting.text;
  auto sent = world.ask("POST", path + "/signals/answer", R"({"payload":42})");
  EXPECT_LT(sent.status, 300) << sent.text;
  auto done = world.ask("GET", path);
  EXPECT_EQ(done.body.get("status"), Value("completed")) << done.text;
  EXPECT_EQ(done.body.get("output").get("answer"), Value(42)) << done.text;
  EXPECT_EQ(done.body.get("output").get("greeting"), Value("Hello, Ada")) << done.text;
  auto history = world.ask("GET", path + "/history");
  EXPECT_NE(history.text.find("FlowResumed"), std::string::npos) << history.text;
}

std::string begun(TestWorld& world, std::string_view source, std::string_view body = "{}") {
  world.ask("PUT", "/api/v1/workflows/w", source, as_text);
  auto start = world.ask("POST", "/api/v1/workflows/w/executions", body);
  EXPECT_EQ(start.status, 201) << start.text;
  return "/api/v1/executions/" + std::string(start.body.get("id").as_string());
}

// F-47
TEST(Scripts, snapshots_show_fibers_frames_and_variables) {
  TestWorld world;
  std::string path = begun(world,
                           "workflow w(inputs) {\n  const n = inputs.n, o = { list: [1, 'x'] }\n"
                           "  return ask(n) + o.list.length\n}\n"
                           "function ask(who) {\n  return await Signal.next('answer')\n}",
                           R"({"input":{"n":5}})");
  auto shown = world.ask("GET", path + "/snapshot");
  ASSERT_EQ(shown.status, 200) << shown.text;
  const Value main = shown.body.get("fibers").items()[0];
  EXPECT_EQ(main.get("fiber"), Value("main"));
  const Value ask = main.get("frames").items()[0];
  EXPECT_EQ(ask.get("function"), Value("ask"));
  EXPECT_EQ(ask.get("line"), Value(6));
  EXPECT_EQ(ask.get("variables").get("who"), Value(5));
  const Value outer = main.get("frames").items()[1];
  EXPECT_EQ(outer.get("function"), Value("w"));
  EXPECT_EQ(to_json(outer.get("variables").get("o")), R"({"list":[1,"x"]})");
  EXPECT_EQ(shown.body.get("awaitables").items()[0].get("name"), Value("answer"));
  world.ask("POST", path + "/cancel", R"({"force":true})");
  EXPECT_EQ(world.ask("GET", path + "/snapshot").code(), "snapshot_gone");
}

// F-53
TEST(Scripts, cancel_waits_for_finally_unless_it_is_forced) {
  TestWorld world;
  std::string_view source = "try { await Signal.next('a') } finally { await Signal.next('tidy') }";
  std::string polite = begun(world, source);
  world.ask("POST", polite + "/cancel", R"({"reason":"enough"})");
  EXPECT_EQ(world.ask("GET", polite).body.get("status"), Value("waiting"));
  world.ask("POST", polite + "/signals/tidy", "{}");
  EXPECT_EQ(world.ask("GET", polite).body.get("status"), Value("cancelled"));
  std::string forced = begun(world, source);
  world.ask("POST", forced + "/cancel", R"({"force":true})");
  EXPECT_EQ(world.ask("GET", forced).body.get("status"), Value("cancelled"));
}

// F-48, F-56, scenarios 25 and 26
TEST(Scripts, are_retried_forked_rerun_and_migrated) {
  TestWorld world;
  std::string broken = "const got = await Signal.next('x')\nconst n = 3\nreturn got.a.b";
  std::string path = begun(world, broken);
  uint64_t parked = static_cast<uint64_t>(world.ask("GET", path).body.get("sequence").as_integer());
  EXPECT_EQ(world.ask("POST", path + "/retry", "{}").code(), "run_not_finished");
  world.ask("POST", path + "/signals/x", R"({"payload":{}})");
  ASSERT_EQ(world.ask("GET", path).body.get("status"), Value("failed"));
  world.ask("PUT", "/api/v1/workflows/w",
            "const got = await Signal.next('x')\nconst n = 3\nreturn [got?.a?.b, n]", as_text);
  auto plan = world.ask("POST", path + "/retry", R"({"version":2,"dry_run":true})");
  EXPECT_EQ(plan.body.get("ok"), Value(true)) << plan.text;
  EXPECT_EQ(plan.body.get("frames").items()[0].get("to"), Value("main:1:13")) << plan.text;
  auto retried = world.ask("POST", path + "/retry", R"({"version":2})");
  ASSERT_EQ(retried.status, 201) << retried.text;
  auto end =
      world.ask("GET", "/api/v1/executions/" + std::string(retried.body.get("id").as_string()));
  EXPECT_EQ(to_json(end.body.get("output")), "[null,3]") << end.text;
  EXPECT_EQ(end.body.get("origin").get("kind"), Value("retry"));
  auto forked =
      world.ask("POST", path + "/fork", "{\"at_sequence\":" + std::to_string(parked) + "}");
  ASSERT_EQ(forked.status, 201) << forked.text;
  std::string fork = "/api/v1/executions/" + std::string(forked.body.get("id").as_string());
  world.ask("POST", fork + "/signals/x", R"({"payload":{"a":{"b":9}}})");
  EXPECT_EQ(world.ask("GET", fork).body.get("output"), Value(9));
  auto rerun = world.ask("POST", path + "/rerun", "{}");
  ASSERT_EQ(rerun.status, 201) << rerun.text;
  std::string again = "/api/v1/executions/" + std::string(rerun.body.get("id").as_string());
  EXPECT_EQ(world.ask("GET", again).body.get("status"), Value("waiting"));
  world.ask("PUT", "/api/v1/workflows/w", "return 1", as_text);
  auto refused = world.ask("POST", again + "/migrate", R"({"version":3})");
  EXPECT_EQ(refused.status, 409);
  EXPECT_EQ(refused.code(), "not_migratable");
  EXPECT_EQ(refused.body.get("errors").items()[0].get("line"), Value(1)) << refused.text;
  auto moved = world.ask("POST", again + "/migrate", R"({"version":2})");
  EXPECT_EQ(moved.status, 200) << moved.text;
  EXPECT_EQ(moved.body.get("ok"), Value(true)) << moved.text;
  world.ask("POST", again + "/signals/x", R"({"payload":{}})");
  EXPECT_EQ(to_json(world.ask("GET", again).body.get("output")), "[null,3]");
  auto history = world.ask("GET", again + "/history");
  EXPECT_NE(history.text.find("FlowMigrated"), std::string::npos);
}

}  // namespace
}  // namespace fermata::server
