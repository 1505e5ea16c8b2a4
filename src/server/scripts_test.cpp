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

}  // namespace
}  // namespace fermata::server
