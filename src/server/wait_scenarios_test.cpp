#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "base/json.h"
#include "server/test_world.h"

/// Acceptance scenarios of waits that need their full size (waits.md section 13).
namespace fermata::server {
namespace {

std::string listening_graph(const std::string& type) {
  return R"({"nodes": [{"id": "S", "type": "manual", "trigger": true},
    {"id": "W", "type": "wait", "parameters": {"wait_type": "for_event", "event_type": ")" +
         type + R"(", "timeout_hours": 72}}, {"id": "A", "type": "noop"}],
    "edges": [{"id": "e1", "src": "S", "dst": "W"}, {"id": "e2", "src": "W", "dst": "A"}]})";
}

std::string at_wait(const std::string& run) {
  return "/api/v1/workflows/executions/" + run + "/wait/W";
}

// S-18
TEST(WaitScenarios, event_of_each_built_in_type_resumes_its_own_run_only) {
  TestWorld world;
  const std::vector<std::string> types = {"email_open",  "email_click", "sms_reply",
                                          "form_submit", "page_visit",  "appointment_booked"};
  std::vector<std::string> runs;
  for (const std::string& type : types) {
    ASSERT_EQ(world.ask("PUT", "/api/v1/workflows/" + type, listening_graph(type)).status, 201);
    runs.push_back(world.start(type, R"({"contact_id": "c-17"})"));
  }
  for (size_t i = 0; i < types.size(); ++i) {
    auto sent = world.ask("POST", "/api/v1/events",
                          R"({"event_type": ")" + types[i] + R"(", "contact_id": "c-17"})");
    EXPECT_EQ(sent.body.get("matched_total"), Value(1)) << sent.text;
    for (size_t j = 0; j < runs.size(); ++j)
      EXPECT_EQ(world.ask("GET", at_wait(runs[j])).body.get("status"),
                Value(j <= i ? "resumed" : "waiting"))
          << types[i] << " and " << types[j];
  }
  auto unknown = world.ask("PUT", "/api/v1/workflows/eaten", listening_graph("email_eaten"));
  EXPECT_EQ(unknown.status, 422) << unknown.text;
}

// S-21: a thousand rounds, several clients.
TEST(WaitScenarios, event_and_cancel_have_one_winner_in_every_round) {
  TestWorld world;
  ASSERT_EQ(world.ask("PUT", "/api/v1/workflows/form", listening_graph("form_submit")).status, 201);
  ASSERT_EQ(world
                .ask("PATCH", "/api/v1/settings",
                     R"({"limits": {"listeners_per_minute": 0, "waits_per_account": 0}})")
                .status,
            200);
  constexpr int clients = 4, rounds_each = 250;
  std::atomic<int> cancels{0}, resumes{0};
  std::vector<std::thread> threads;
  for (int one = 0; one < clients; ++one) {
    threads.emplace_back([&, one] {
      TestClient mine(world.server().port()), other(world.server().port());
      for (int round = 0; round < rounds_each; ++round) {
        std::string contact = "c-" + std::to_string(one) + "-" + std::to_string(round);
        auto started = mine.ask("POST", "/api/v1/workflows/form/executions",
                                R"({"contact_id": ")" + contact + R"("})");
        std::string run(parse_json(started.body)->get("id").as_string());
        ClientAnswer cancelled;
        std::thread second([&] { cancelled = other.ask("DELETE", at_wait(run)); });
        auto sent =
            mine.ask("POST", "/api/v1/events",
                     R"({"event_type": "form_submit", "contact_id": ")" + contact + R"("})");
        second.join();
        bool won = parse_json(sent.body)->get("matched_total") == Value(1);
        Value wait = *parse_json(mine.ask("GET", at_wait(run)).body);
        EXPECT_EQ(wait.get("status"), Value(won ? "resumed" : "cancelled")) << sent.body;
        EXPECT_EQ(wait.get("resumed_by"), Value(won ? "event" : "cancelled"));
        EXPECT_EQ(cancelled.status, won ? 409 : 200) << cancelled.body;
        Value state = *parse_json(mine.ask("GET", "/api/v1/executions/" + run).body);
        if (!won) EXPECT_EQ(state.get("status"), Value("waiting")) << "a step ran after the cancel";
        ++(won ? resumes : cancels);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(cancels + resumes, clients * rounds_each);
  RecordProperty("cancels_won", cancels.load());
}

// S-37, S-36
TEST(WaitScenarios, thousand_waits_of_one_minute_all_resume_once) {
  TestWorld world;
  ASSERT_EQ(world
                .ask("PUT", "/api/v1/workflows/last", R"({"nodes": [
                    {"id": "S", "type": "manual", "trigger": true},
                    {"id": "W", "type": "wait", "parameters": {"wait_type": "fixed_time",
                     "duration": 1, "unit": "minutes"}}],
                    "edges": [{"id": "e1", "src": "S", "dst": "W"}]})")
                .status,
            201);
  std::vector<std::string> runs;
  for (int i = 0; i < 1'000; ++i) runs.push_back(world.start("last"));
  world.advance(Duration{60'000});
  EXPECT_EQ(world.ask("GET", "/api/v1/waits?status=pending").body.get("total"), Value(0));
  EXPECT_EQ(world.ask("GET", "/api/v1/waits?status=resumed").body.get("total"), Value(1'000));
  for (size_t i = 0; i < runs.size(); i += 97)
    EXPECT_TRUE(world.wait_for(runs[i], "completed")) << "its last node was a wait";
}

}  // namespace
}  // namespace fermata::server
