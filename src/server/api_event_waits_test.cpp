#include <gtest/gtest.h>

#include "server/test_world.h"

/// Waits of the API that listen to events (W-11, W-44), over HTTP.
namespace fermata::server {
namespace {

class ApiEventWaits : public ::testing::Test {
 protected:
  ApiEventWaits() {
    EXPECT_EQ(world.ask("PUT", "/api/v1/workflows/nurture", R"({"language": "external"})").status,
              201);
    EXPECT_EQ(world
                  .ask("PUT", "/api/v1/workflows/nurture/executions/run-1",
                       R"({"contact_id": "c-17", "callback": {"url": "https://crm.example/hook"}})")
                  .status,
              201);
  }
  TestWorld::Answer open(const std::string& config) {
    return world.ask(
        "POST", "/api/v1/workflows/nurture/executions/run-1/wait",
        R"({"step_id": "opened", "wait_type": "for_event", "config": )" + config + "}");
  }
  TestWorld::Answer send(const std::string& event) {
    return world.ask("POST", "/api/v1/events", event);
  }
  TestWorld world;
};

// W-11, W-44, S-12, S-13
TEST_F(ApiEventWaits, event_resumes_the_wait_and_is_called_back) {
  auto made = open(R"({"event_type": "email_open", "timeout_hours": 72,
                       "criteria": {"message_id": "email-123"}})");
  ASSERT_EQ(made.status, 201) << made.text;
  EXPECT_EQ(made.body.get("status"), Value("waiting"));
  EXPECT_EQ(made.body.get("event_timeout_at"), Value("2026-01-29T00:00:00.000Z"));
  auto other = send(R"({"event_type": "email_open", "contact_id": "c-17",
                        "data": {"message_id": "email-9"}})");
  EXPECT_EQ(other.body.get("matched_total"), Value(0)) << other.text;
  auto sent = send(R"({"event_id": "ev-1", "event_type": "email_open", "contact_id": "c-17",
                       "data": {"message_id": "email-123"}})");
  EXPECT_EQ(sent.body.get("matched_total"), Value(1)) << sent.text;
  auto shown = world.ask("GET", "/api/v1/workflows/executions/run-1/wait/opened");
  EXPECT_EQ(shown.body.get("status"), Value("resumed")) << shown.text;
  EXPECT_EQ(shown.body.get("resumed_by"), Value("event"));
  EXPECT_EQ(world.ask("GET", "/api/v1/waits/listeners").body.get("items").size(), 0u);
}

// W-56: no gap between what came before and what is listened to.
TEST_F(ApiEventWaits, event_that_came_before_is_found) {
  send(R"({"event_id": "ev-1", "event_type": "form_submit", "contact_id": "c-17"})");
  auto made = open(R"({"event_type": "form_submit"})");
  EXPECT_EQ(made.status, 201) << made.text;
  EXPECT_EQ(made.body.get("status"), Value("resumed")) << made.text;
  auto again = open(R"({"event_type": "form_submit"})");
  EXPECT_EQ(again.body.get("status"), Value("waiting")) << again.text;
  EXPECT_EQ(again.body.get("occurrence"), Value(2));
}

// W-11
TEST_F(ApiEventWaits, mistakes_and_opted_out_contacts_are_refused) {
  EXPECT_EQ(open(R"({"event_type": "email_eaten"})").code(), "unknown_event_type");
  EXPECT_EQ(open(R"({"event_type": "email_open", "timeout_hours": 9999})").code(),
            "timeout_out_of_range");
  EXPECT_EQ(world.ask("PUT", "/api/v1/contacts/c-18", R"({})").status, 201);
  EXPECT_EQ(
      world.ask("PUT", "/api/v1/workflows/nurture/executions/run-2", R"({"contact_id": "c-18"})")
          .status,
      201);
  world.ask("POST", "/api/v1/contacts/c-18/opt-out", R"({"reason": "STOP"})");
  auto late = world.ask("POST", "/api/v1/workflows/nurture/executions/run-2/wait",
                        R"({"step_id": "w", "wait_type": "fixed_time",
                            "config": {"duration": 30, "unit": "minutes"}})");
  EXPECT_EQ(late.status, 409) << late.text;
}

}  // namespace
}  // namespace fermata::server
