#include <gtest/gtest.h>

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

}  // namespace
}  // namespace fermata::server
