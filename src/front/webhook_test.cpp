#include "front/webhook.h"

#include <gtest/gtest.h>

#include "base/json.h"

namespace fermata::front {
namespace {

graph::Definition with_entry(graph::NodeType type, std::string_view parameters) {
  graph::Definition definition;
  graph::Node node;
  node.type = type;
  node.raw = *parse_json(parameters);
  definition.nodes.push_back(std::move(node));
  definition.entry = 0;
  return definition;
}

TEST(WebhookRules, have_defaults) {  // G-31
  auto rules = webhook_rules(with_entry(graph::NodeType::webhook, "{}"));
  ASSERT_TRUE(rules);
  EXPECT_EQ(rules->method, "POST");
  EXPECT_EQ(rules->auth, "none");
  EXPECT_EQ(rules->dedupe_header, "Idempotency-Key");
  EXPECT_FALSE(rules->respond_result);
}

TEST(WebhookRules, are_read_from_the_trigger_and_from_nothing_else) {
  auto rules = webhook_rules(
      with_entry(graph::NodeType::webhook,
                 R"({"method":"put","auth":"header","dedupe_header":"X-Id","respond":"result"})"));
  ASSERT_TRUE(rules);
  EXPECT_EQ(rules->method, "PUT");
  EXPECT_EQ(rules->auth, "header");
  EXPECT_EQ(rules->dedupe_header, "X-Id");
  EXPECT_TRUE(rules->respond_result);
  EXPECT_FALSE(webhook_rules(with_entry(graph::NodeType::manual, "{}")));
  EXPECT_FALSE(webhook_rules(graph::Definition()));
}

TEST(WebhookBody, is_read_by_its_type) {
  EXPECT_TRUE(read_webhook_body("", "", {}, 128)->is_null());
  EXPECT_EQ(read_webhook_body("application/json; charset=utf-8", "[1]", {}, 128)->size(), 1u);
  EXPECT_EQ(*read_webhook_body("text/plain", "[1]", {}, 128), Value("[1]"));
  EXPECT_FALSE(read_webhook_body("application/cloudevents+json", "[", {}, 128));
  auto form = read_webhook_body("application/x-www-form-urlencoded", "ignored",
                                {{"a", "1"}, {"b", "2"}, {"a", "3"}}, 128);
  EXPECT_EQ(to_json(*form), R"({"a":["1","3"],"b":"2"})");
}

TEST(WebhookInput, leaves_secrets_out) {  // A-13
  Value input = webhook_input(Value(1), {{"Authorization", "x"}, {"X-Sig", "y"}, {"X-Ok", "z"}},
                              {{"q", "1"}}, "POST", "x-SIG");
  EXPECT_EQ(to_json(input),
            R"({"body":1,"headers":{"x-ok":"z"},"query":{"q":"1"},"method":"POST"})");
}

}  // namespace
}  // namespace fermata::front
