#include <gtest/gtest.h>

#include "base/json.h"
#include "server/event_stream.h"
#include "server/test_world.h"

namespace fermata::server {
namespace {

std::string get(const std::string& target, const std::string& headers = "") {
  return "GET " + target + " HTTP/1.1\r\nHost: 127.0.0.1\r\n" + headers + "\r\n";
}

/// The ids of the events in a piece of a stream.
std::vector<std::string> ids_in(const std::string& text) {
  std::vector<std::string> out;
  for (size_t at = text.find("\nid: "); at != std::string::npos; at = text.find("\nid: ", at + 1))
    out.push_back(text.substr(at + 5, text.find('\n', at + 1) - at - 5));
  return out;
}

TEST(Streams, an_event_has_the_form_browsers_read) {
  EXPECT_EQ(sse_event("run", "7", "{}"), "event: run\nid: 7\ndata: {}\n\n");
  EXPECT_EQ(sse_event("run", "", "{}"), "event: run\ndata: {}\n\n");
}

TEST(Streams, a_run_is_told_from_its_beginning_to_its_end) {  // A-6, G-102
  TestWorld world;
  world.put_workflows();
  std::string id = world.start("waiting");
  TestClient reader(world.server().port());
  reader.send(get("/api/v1/executions/" + id + "/stream"));
  std::string first = reader.read_until("\"waiting\"");
  EXPECT_NE(first.find("Content-Type: text/event-stream"), std::string::npos) << first;
  EXPECT_NE(first.find("event: run\n"), std::string::npos);
  EXPECT_NE(first.find("event: node\n"), std::string::npos);
  world.ask("POST", "/api/v1/executions/" + id + "/signals/go");
  std::string rest = reader.read_until("0\r\n\r\n");
  EXPECT_NE(rest.find("\"completed\""), std::string::npos) << rest;
}

TEST(Streams, a_resumed_stream_neither_repeats_nor_forgets) {  // A-6
  TestWorld world;
  world.put_workflows();
  std::string id = world.start("instant", R"({"input":{"n":1}})");
  ASSERT_TRUE(world.wait_for(id, "completed"));
  std::string target = "/api/v1/executions/" + id + "/stream";
  TestClient reader(world.server().port());
  reader.send(get(target));
  auto all = ids_in(reader.receive().body);
  ASSERT_GE(all.size(), 2u);
  for (size_t i = 0; i < all.size(); ++i) {
    reader.send(get(target, "Last-Event-ID: " + all[i] + "\r\n"));
    auto answer = reader.receive();
    std::vector<std::string> expected(all.begin() + static_cast<std::ptrdiff_t>(i) + 1, all.end());
    EXPECT_EQ(ids_in(answer.body), expected) << all[i];
  }
  reader.send(get(target, "Last-Event-ID: 999\r\n"));
  EXPECT_EQ(reader.receive().status, 204);
  reader.send(get(target, "Last-Event-ID: x\r\n"));
  EXPECT_EQ(reader.receive().status, 422);
  reader.send(get(target + "?detail=some"));
  EXPECT_EQ(reader.receive().status, 422);
}

TEST(Streams, an_account_hears_of_its_own_runs_only) {  // A-6, A-10
  TestWorld world;
  world.put_workflows();
  world.ask("PUT", "/api/v1/workflows/waiting", waiting_workflow, "X-Account-Id: b\r\n");
  TestClient reader(world.server().port());
  reader.send(get("/api/v1/stream?kinds=run"));
  reader.read_until("retry: 1000\n\n");
  world.ask("POST", "/api/v1/workflows/waiting/executions", "{}", "X-Account-Id: b\r\n");
  std::string id = world.start("waiting");
  std::string heard = reader.read_until(id);
  EXPECT_EQ(heard.find("\"account_id\":\"b\""), std::string::npos) << heard;
  std::string event = reader.read_until("\n\n");
  EXPECT_NE((heard + event).find("event: run\n"), std::string::npos);
}

TEST(Streams, an_account_stream_resumes_where_it_was) {  // A-6
  TestWorld world;
  world.put_workflows();
  auto first = std::make_unique<TestClient>(world.server().port());
  first->send(get("/api/v1/stream"));
  first->read_until("retry: 1000\n\n");
  std::string one = world.start("waiting");
  auto seen = ids_in(first->read_until(one) + first->read_until("\n\n"));
  ASSERT_EQ(seen.size(), 1u);
  first.reset();
  std::string two = world.start("waiting");
  TestClient second(world.server().port());
  second.send(get("/api/v1/stream", "Last-Event-ID: " + seen[0] + "\r\n"));
  std::string heard = second.read_until(two);
  EXPECT_EQ(heard.find(one), std::string::npos);
  EXPECT_EQ(heard.find("event: reset"), std::string::npos);
}

TEST(Streams, who_resumes_from_another_life_is_told_to_read_again) {
  TestWorld world;
  world.put_workflows();
  TestClient reader(world.server().port());
  reader.send(get("/api/v1/stream", "Last-Event-ID: 0000.5\r\n"));
  EXPECT_NE(reader.read_until("event: reset").find("event: reset"), std::string::npos);
}

TEST(Streams, a_quiet_stream_shows_a_sign_of_life) {
  TestWorld world([](ApiOptions& options) { options.stream_keep_alive_ms = 5; });
  world.put_workflows();
  TestClient reader(world.server().port());
  reader.send(get("/api/v1/stream"));
  EXPECT_NE(reader.read_until(": alive\n\n").find(": alive"), std::string::npos);
}

TEST(Streams, are_counted_while_they_are_open) {
  TestWorld world;
  world.put_workflows();
  auto open = [&] { return world.api().metrics().streams_open.load(); };
  {
    TestClient reader(world.server().port());
    reader.send(get("/api/v1/stream"));
    reader.read_until("retry: 1000\n\n");
    EXPECT_EQ(open(), 1u);
  }
  auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (open() > 0 && std::chrono::steady_clock::now() < deadline) std::this_thread::yield();
  EXPECT_EQ(open(), 0u);
}

/// The events of a stream that has ended: name and data of each.
std::vector<std::pair<std::string, Value>> events_in(const std::string& text) {
  std::vector<std::pair<std::string, Value>> out;
  for (size_t at = text.find("event: "); at != std::string::npos; at = text.find("event: ", at)) {
    std::string name = text.substr(at + 7, text.find('\n', at) - at - 7);
    size_t data = text.find("data: ", at) + 6;
    at = text.find('\n', data);
    auto parsed = parse_json(text.substr(data, at - data));
    EXPECT_TRUE(parsed) << text.substr(data, at - data);
    out.emplace_back(std::move(name), parsed ? *parsed : Value());
  }
  return out;
}

const char* const split_workflow =
    R"({"nodes":[{"id":"t","name":"Start","type":"manual","trigger":true},
        {"id":"s","name":"Each","type":"split","parameters":{"input_array":"$input.items"}},
        {"id":"c","name":"Check","type":"code","parameters":{
          "source":"if ($item == 7) throw 'seven'\n return $item"}},
        {"id":"w","name":"Wait","type":"wait_for_signal","parameters":{"name":"go"}},
        {"id":"a","name":"All","type":"aggregator"}],
       "edges":[{"id":"1","src":"t","dst":"s"},{"id":"2","src":"s","dst":"c"},
        {"id":"3","src":"c","dst":"a"},{"id":"4","src":"a","dst":"w"}]})";

std::string numbers(int count) {
  std::string out = R"({"input":{"items":[)";
  for (int i = 0; i < count; ++i) out += (i ? "," : "") + std::to_string(i);
  return out + "]}}";
}

TEST(Streams, of_a_large_split_only_failures_waits_and_progress_are_told) {  // G-102
  TestWorld world;
  ASSERT_EQ(world.ask("PUT", "/api/v1/workflows/split", split_workflow).status, 201);
  std::string id = world.start("split", numbers(1'500));
  ASSERT_TRUE(world.wait_for(id, "waiting"));
  ASSERT_EQ(world.ask("POST", "/api/v1/executions/" + id + "/signals/go").status, 200);
  ASSERT_TRUE(world.wait_for(id, "completed"));
  std::string target = "/api/v1/executions/" + id + "/stream";
  TestClient reader(world.server().port());
  reader.send(get(target));
  std::string text = reader.receive().body;
  size_t failed = 0;
  Value progress;
  for (const auto& [name, data] : events_in(text)) {
    if (name == "progress") progress = data;
    if (data.get("node_id") != Value("c")) continue;
    EXPECT_EQ(data.get("status"), Value("failed"));
    ++failed;
    EXPECT_EQ(data.get("lineage").items()[0].get("branch_id"), Value("s@0.7"));
  }
  EXPECT_EQ(failed, 1u);
  EXPECT_EQ(progress.get("node_id"), Value("s")) << text.substr(0, 500);
  EXPECT_EQ(progress.get("total"), Value(1'500));
  EXPECT_EQ(progress.get("resolved"), Value(1'500));
  EXPECT_EQ(progress.get("failed"), Value(1));
  // Whoever resumes in the middle is told no more than the others, and by the same names.
  reader.send(get(target, "Last-Event-ID: 5\r\n"));
  for (const auto& [name, data] : events_in(reader.receive().body)) {
    if (data.get("node_id") != Value("c")) continue;
    EXPECT_EQ(data.get("status"), Value("failed"));
    EXPECT_EQ(data.get("lineage").items()[0].get("branch_id"), Value("s@0.7"));
  }
  reader.send(get(target + "?detail=all"));
  size_t all = 0;
  for (const auto& [name, data] : events_in(reader.receive().body))
    if (data.get("node_id") == Value("c")) ++all;
  EXPECT_EQ(all, 1'500u);
}

TEST(Streams, of_a_small_split_everything_is_told) {  // G-102
  TestWorld world;
  ASSERT_EQ(world.ask("PUT", "/api/v1/workflows/split", split_workflow).status, 201);
  std::string id = world.start("split", numbers(1'000));
  ASSERT_TRUE(world.wait_for(id, "waiting"));
  world.ask("POST", "/api/v1/executions/" + id + "/cancel");
  TestClient reader(world.server().port());
  reader.send(get("/api/v1/executions/" + id + "/stream"));
  size_t told = 0;
  for (const auto& [name, data] : events_in(reader.receive().body)) {
    EXPECT_NE(name, "progress");
    if (data.get("node_id") == Value("c")) ++told;
    if (data.get("node_id") != Value("a")) continue;
    // What the aggregator gathered, though its event does not hold it.
    EXPECT_EQ(data.get("details").get("output").get("count"), Value(1'000));
  }
  EXPECT_EQ(told, 1'000u);
}

TEST(Streams, a_large_value_is_referred_to_and_found) {  // G-102
  TestWorld world;
  world.put_workflows();
  const char* large = R"json({"nodes":[{"id":"t","name":"Start","type":"manual","trigger":true},
      {"id":"c","name":"Big","type":"code","parameters":{"source":"return 'x'.repeat(20000)"}},
      {"id":"d","name":"Fits","type":"code","parameters":{"source":"return 'x'.repeat(16000)"}}],
      "edges":[{"id":"1","src":"t","dst":"c"},{"id":"2","src":"t","dst":"d"}],
      "result":"$Big.result"})json";
  ASSERT_EQ(world.ask("PUT", "/api/v1/workflows/large", large).status, 201);
  std::string id = world.start("large");
  ASSERT_TRUE(world.wait_for(id, "completed"));
  std::string path = "/api/v1/executions/" + id;
  TestClient reader(world.server().port());
  reader.send(get(path + "/stream"));
  std::vector<std::string> refs;
  for (const auto& [name, data] : events_in(reader.receive().body)) {
    const Value& json = name == "run" ? data.get("output") : data.get("details").get("json");
    if (data.get("node_id") == Value("d")) {
      EXPECT_TRUE(json.is_string());
    }
    if (const Value* ref = json.find("ref")) {
      EXPECT_EQ(json.get("bytes"), Value(20'002));
      refs.emplace_back(ref->as_string());
    }
  }
  ASSERT_EQ(refs.size(), 2u);
  for (const std::string& ref : refs) {
    auto value = world.ask("GET", path + "/values/" + ref);
    EXPECT_EQ(value.status, 200) << ref << value.text;
    EXPECT_EQ(value.body, Value(std::string(20'000, 'x')));
  }
  auto history = world.ask("GET", path + "/history");
  EXPECT_LT(history.text.size(), 20'000u);
  EXPECT_NE(history.text.find("\"ref\":\"" + refs[0] + "\""), std::string::npos);
  for (const char* wrong : {"/values/0/output", "/values/x/output", "/values/999/output",
                            "/values/1/nothing", "/values/-1/input"})
    EXPECT_EQ(world.ask("GET", path + wrong).code(), "value_not_found") << wrong;
  EXPECT_EQ(world.ask("GET", path + "/values/" + refs[0], "", "X-Account-Id: b\r\n").code(),
            "execution_not_found");
}

}  // namespace
}  // namespace fermata::server
