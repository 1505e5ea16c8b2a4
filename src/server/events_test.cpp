#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "server/test_world.h"

/// The endpoints of events (W-23, W-24), over what graphs wait for.
namespace fermata::server {
namespace {

constexpr const char* nurture = R"({"nodes": [{"id": "S", "type": "manual", "trigger": true},
    {"id": "opened", "type": "wait",
     "parameters": {"wait_type": "for_event", "event_type": "email_open", "timeout_hours": 72,
                    "criteria": {"message_id": "email-123"}}},
    {"id": "A", "type": "noop"}],
    "edges": [{"id": "e1", "src": "S", "dst": "opened"},
              {"id": "e2", "src": "opened", "dst": "A"}]})";
constexpr const char* form = R"({"nodes": [{"id": "S", "type": "manual", "trigger": true},
    {"id": "W", "type": "wait",
     "parameters": {"wait_type": "for_event", "event_type": "form_submit"}}],
    "edges": [{"id": "e1", "src": "S", "dst": "W"}]})";

class Events : public ::testing::Test {
 protected:
  Events() {
    EXPECT_EQ(world.ask("PUT", "/api/v1/workflows/nurture", nurture).status, 201);
    EXPECT_EQ(world.ask("PUT", "/api/v1/workflows/form", form).status, 201);
  }
  TestWorld::Answer send(std::string_view body, std::string_view headers = "",
                         const std::string& query = "") {
    return world.ask("POST", "/api/v1/events" + query, body, headers);
  }
  std::string refused(std::string_view body, const std::string& query = "") {
    auto answer = send(body, "", query);
    std::string told = std::to_string(answer.status) + " " + answer.code();
    const Value& errors = answer.body.get("errors");
    if (!errors.is_array()) return told;
    for (const Value& error : errors.items())
      told += " " + std::string(error.get("path").as_string());
    return told;
  }
  /// What an event came to is noted after its answer: asks until so many are listed.
  TestWorld::Answer listed(const std::string& path, size_t items) {
    auto answer = world.ask("GET", path);
    for (int i = 0; i < 1'000 && answer.body.get("items").size() < items; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      answer = world.ask("GET", path);
    }
    return answer;
  }
  static std::string at(const std::string& run, const std::string& step) {
    return "/api/v1/workflows/executions/" + run + "/wait/" + step;
  }
  TestWorld world;
};

// W-23, W-50, W-62, S-12, S-13
TEST_F(Events, event_resumes_the_wait_and_the_answer_names_it) {
  std::string run = world.start("nurture", R"({"contact_id": "c-17"})");
  auto wait = world.ask("GET", at(run, "opened"));
  EXPECT_EQ(wait.body.get("status"), Value("waiting"));
  EXPECT_EQ(wait.body.get("scheduled_at"), Value());
  EXPECT_EQ(wait.body.get("event_timeout_at"), Value("2026-01-29T00:00:00.000Z"));
  auto listeners = world.ask("GET", "/api/v1/waits/listeners?event_type=email_open");
  ASSERT_EQ(listeners.body.get("items").size(), 1u) << listeners.text;
  const Value listener = listeners.body.get("items").items()[0];
  EXPECT_EQ(listener.get("contact_id"), Value("c-17"));
  EXPECT_EQ(listener.get("criteria").get("message_id"), Value("email-123"));
  EXPECT_EQ(listener.get("age_s"), Value(0));
  auto none = send(R"({"event_type": "email_open", "contact_id": "c-17",
                       "data": {"message_id": "other"}})");
  EXPECT_EQ(none.status, 200) << none.text;
  EXPECT_EQ(none.body.get("matched_total"), Value(0));
  auto sent = send(R"({"event_id": "ev-1", "event_type": "email_opened", "contact_id": "c-17",
      "timestamp": "2026-01-26T00:00:00Z", "correlation_id": "m-9",
      "data": {"message_id": "email-123"}})");
  ASSERT_EQ(sent.status, 200) << sent.text;
  EXPECT_EQ(sent.body.get("status"), Value("accepted"));
  EXPECT_EQ(sent.body.get("matched_total"), Value(1));
  EXPECT_EQ(sent.body.get("pending"), Value(0));
  const Value reached = sent.body.get("matched").get("waits").items()[0];
  EXPECT_EQ(reached.get("wait_id"), wait.body.get("id"));
  EXPECT_EQ(reached.get("execution_id"), Value(run));
  EXPECT_EQ(reached.get("step_id"), Value("opened"));
  auto after = world.ask("GET", at(run, "opened"));
  EXPECT_EQ(after.body.get("status"), Value("resumed"));
  EXPECT_EQ(after.body.get("resumed_by"), Value("event"));
  EXPECT_EQ(after.body.get("listeners").items()[0].get("status"), Value("matched"));
  EXPECT_TRUE(world.wait_for(run, "completed"));
  EXPECT_EQ(world.ask("GET", "/api/v1/waits/listeners").body.get("items").size(), 0u);
}

// W-50, S-20
TEST_F(Events, repeated_event_has_the_first_answer_and_no_effect) {
  std::string run = world.start("form", R"({"contact_id": "c-17"})");
  std::string body = R"({"event_id": "ev-1", "event_type": "form_submit", "contact_id": "c-17"})";
  auto first = send(body);
  EXPECT_EQ(first.body.get("matched_total"), Value(1)) << first.text;
  auto again = send(body);
  EXPECT_EQ(again.body.get("status"), Value("duplicate"));
  EXPECT_EQ(again.body.get("matched"), first.body.get("matched"));
  EXPECT_EQ(again.body.get("received_at"), first.body.get("received_at"));
  // By the key of the request the same answer comes, and another event under it is refused.
  auto keyed = send(R"({"event_type": "page_visit"})", "Idempotency-Key: k1\r\n");
  auto same = send(R"({"event_type": "page_visit"})", "Idempotency-Key: k1\r\n");
  EXPECT_EQ(same.body, keyed.body);
  EXPECT_EQ(send(R"({"event_type": "email_open"})", "Idempotency-Key: k1\r\n").code(),
            "idempotency_key_reused");
}

// W-60
TEST_F(Events, late_event_is_ignored_and_told_of) {
  std::string run = world.start("form", R"({"contact_id": "c-17"})");
  send(R"({"event_id": "ev-1", "event_type": "form_submit", "contact_id": "c-17"})");
  auto late = send(R"({"event_id": "ev-2", "event_type": "form_submit", "contact_id": "c-17"})");
  EXPECT_EQ(late.body.get("matched_total"), Value(0)) << late.text;
  ASSERT_EQ(late.body.get("ignored").size(), 1u) << late.text;
  EXPECT_EQ(late.body.get("ignored").items()[0].get("reason"), Value("resumed"));
  auto audit = listed("/api/v1/audit?action=signal.late", 1);
  ASSERT_EQ(audit.body.get("items").size(), 1u) << audit.text;
  EXPECT_EQ(audit.body.get("items").items()[0].get("subject"), Value("ev-2"));
  EXPECT_EQ(listed("/api/v1/audit?action=signal.received", 1).body.get("items").size(), 1u);
}

// W-23, W-51, W-4, S-18
TEST_F(Events, what_is_wrong_with_an_event_is_named) {
  EXPECT_EQ(refused(R"({"event_type": "email_eaten"})"), "422 unknown_event_type /event_type");
  EXPECT_EQ(refused(R"({"contact_id": "c-17"})"), "422 invalid_event /event_type");
  EXPECT_EQ(refused(R"({"event_type": "email_open", "data": [1]})"), "422 invalid_event /data");
  EXPECT_EQ(refused(R"({"event_type": "email_open", "timestamp": "now"})"),
            "422 invalid_event /timestamp");
  EXPECT_EQ(refused(R"({"event_type": "email_open", "phone": "none"})"),
            "422 invalid_event /phone");
  EXPECT_EQ(refused(R"({"event_type": "email_open", "contact_id": "a b"})"),
            "422 invalid_id /contact_id");
  EXPECT_EQ(refused(R"({"event_type": "email_open", "contact": "c"})"),
            "422 unknown_field /contact");
  EXPECT_EQ(refused(R"({"event_type": "email_open", "account_id": "beta"})"),
            "403 account_mismatch");
  EXPECT_EQ(refused(R"({"event_type": "email_open"})", "?wait=11s"), "422 invalid_query wait");
  std::string large =
      R"({"event_type": "email_open", "data": {"x": ")" + std::string(65'536, 'x') + R"("}})";
  EXPECT_EQ(refused(large), "413 signal_too_large");
  EXPECT_EQ(refused(R"({"events": []})"), "422 invalid_event /events");
  EXPECT_EQ(refused(R"({"events": [{"event_type": "email_open"}], "wait": 1})"),
            "422 invalid_event /events");
  std::string many = R"({"event_type": "custom.x"})";
  for (int i = 0; i < 1'000; ++i) many += R"(, {"event_type": "custom.x"})";
  EXPECT_EQ(refused("{\"events\": [" + many + "]}"), "413 batch_too_large");
  EXPECT_EQ(refused("[1]"), "422 invalid_event ");
  EXPECT_EQ(world.ask("GET", "/api/v1/events").body.get("items").size(), 0u);
  EXPECT_EQ(world.ask("GET", "/api/v1/events/ev-1").code(), "event_not_found");
}

// W-23, W-59
TEST_F(Events, batch_is_answered_in_order_and_a_bad_item_stops_no_other) {
  std::string run = world.start("form", R"({"contact_id": "c-17"})");
  auto answer = send(R"({"events": [
      {"event_id": "a", "event_type": "form_submit", "contact_id": "c-17"},
      {"event_id": "b", "event_type": "nothing"},
      {"event_id": "c", "event_type": "form_submit", "contact_id": "c-17"},
      {"event_id": "a", "event_type": "form_submit", "contact_id": "c-17"}]})");
  ASSERT_EQ(answer.status, 200) << answer.text;
  auto results = answer.body.get("results").items();
  ASSERT_EQ(results.size(), 4u);
  EXPECT_EQ(results[0].get("matched_total"), Value(1));
  EXPECT_EQ(results[1].get("status"), Value("invalid"));
  EXPECT_EQ(results[1].get("problem").get("code"), Value("unknown_event_type"));
  EXPECT_EQ(results[2].get("matched_total"), Value(0));
  EXPECT_EQ(results[2].get("ignored").size(), 1u);
  EXPECT_EQ(results[3].get("status"), Value("duplicate"));
  EXPECT_EQ(results[3].get("matched_total"), Value(1));
}

// W-24
TEST_F(Events, events_are_listed_with_what_they_reached) {
  std::string run = world.start("form", R"({"contact_id": "c-17"})");
  send(R"({"event_id": "ev-1", "event_type": "form_submit", "contact_id": "c-17",
           "data": {"form_id": "f1"}})");
  send(R"({"event_id": "ev-2", "event_type": "page_visit", "contact_id": "c-18"})");
  auto all = world.ask("GET", "/api/v1/events");
  ASSERT_EQ(all.body.get("items").size(), 2u) << all.text;
  EXPECT_EQ(all.body.get("items").items()[0].get("event_id"), Value("ev-2"));
  auto matched = listed("/api/v1/events?matched=true", 1);
  ASSERT_EQ(matched.body.get("items").size(), 1u) << matched.text;
  EXPECT_EQ(matched.body.get("items").items()[0].get("event_id"), Value("ev-1"));
  EXPECT_EQ(world.ask("GET", "/api/v1/events?contact_id=c-18").body.get("items").size(), 1u);
  EXPECT_EQ(world.ask("GET", "/api/v1/events?matched=maybe").code(), "invalid_query");
  auto one = world.ask("GET", "/api/v1/events/ev-1");
  EXPECT_EQ(one.body.get("data").get("form_id"), Value("f1"));
  EXPECT_EQ(one.body.get("matched").get("waits").size(), 1u);
  EXPECT_EQ(one.body.get("matched_total"), Value(1));
}

// W-10, W-52, S-19
TEST_F(Events, roles_and_accounts_are_kept_apart) {
  std::string run = world.start("form", R"({"contact_id": "c-17"})");
  std::string body = R"({"event_id": "ev-1", "event_type": "form_submit", "contact_id": "c-17"})";
  std::string viewer = "Authorization: Bearer " + world.add_key(Role::viewer) + "\r\n";
  std::string other = "Authorization: Bearer " + world.add_key(Role::operator_, "beta") + "\r\n";
  EXPECT_EQ(send(body, viewer).code(), "forbidden");
  auto foreign = send(body, other);
  EXPECT_EQ(foreign.status, 200) << foreign.text;
  EXPECT_EQ(foreign.body.get("matched_total"), Value(0));
  std::string own = "Authorization: Bearer " + world.add_key(Role::operator_) + "\r\n";
  EXPECT_EQ(world.ask("GET", "/api/v1/events/ev-1", "", viewer).code(), "event_not_found");
  auto sent = send(body, own);
  EXPECT_EQ(sent.body.get("matched_total"), Value(1)) << sent.text;
  EXPECT_EQ(world.ask("GET", "/api/v1/events/ev-1", "", viewer).status, 200);
}

// W-17, S-17
TEST_F(Events, one_event_resumes_all_that_listen) {
  std::string one = world.start("form", R"({"contact_id": "c-17"})");
  std::string two = world.start("form", R"({"contact_id": "c-17"})");
  auto sent = send(R"({"event_type": "form_submit", "data": {"contact_id": "c-17"}})");
  EXPECT_EQ(sent.body.get("matched_total"), Value(2)) << sent.text;
  EXPECT_TRUE(world.wait_for(one, "completed"));
  EXPECT_TRUE(world.wait_for(two, "completed"));
}

// W-2, W-63, S-21
TEST_F(Events, event_and_cancel_have_one_winner) {
  TestClient client(world.server().port());
  int cancels = 0;
  for (int round = 0; round < 60; ++round) {
    std::string contact = "c-" + std::to_string(round);
    std::string run = world.start("form", "{\"contact_id\": \"" + contact + "\"}");
    std::string body = "{\"event_type\": \"form_submit\", \"contact_id\": \"" + contact + "\"}";
    ClientAnswer cancelled;
    std::thread other([&] { cancelled = client.ask("DELETE", at(run, "W")); });
    auto sent = send(body);
    other.join();
    auto wait = world.ask("GET", at(run, "W"));
    bool won = sent.body.get("matched_total") == Value(1);
    EXPECT_EQ(wait.body.get("status"), Value(won ? "resumed" : "cancelled")) << sent.text;
    EXPECT_EQ(cancelled.status, won ? 409 : 200) << cancelled.body;
    if (!won) ++cancels;
    if (won) EXPECT_TRUE(world.wait_for(run, "completed"));
    if (!won) EXPECT_TRUE(world.wait_for(run, "waiting"));
  }
  RecordProperty("cancels_won", cancels);
}

// W-63, S-15, S-16
TEST_F(Events, timeout_expires_the_listener) {
  std::string run = world.start("nurture", R"({"contact_id": "c-17"})");
  world.advance(Duration{72 * 3'600'000LL});
  EXPECT_TRUE(world.wait_for(run, "completed"));
  auto wait = world.ask("GET", at(run, "opened"));
  EXPECT_EQ(wait.body.get("status"), Value("timeout"));
  EXPECT_EQ(wait.body.get("listeners").items()[0].get("status"), Value("expired"));
}

}  // namespace
}  // namespace fermata::server
