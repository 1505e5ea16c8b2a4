#include "core/policy/output.h"

#include "core/policy/policy_fixture.h"

namespace fermata::policy {
namespace {

using job::OutputDecision;
using Plan = job::OutputPlan::Step;

OutputPolicy rules(std::string_view list, std::string_view settings = "{}") {
  auto reading =
      read_document(json(R"({"version":1,"default_decision":"allow","output_policy":)" +
                         std::string(settings) + R"(,"output_rules":)" + std::string(list) + "}"),
                    DocumentKind::base);
  EXPECT_TRUE(reading.ok());
  return std::move(reading.document.output);
}

OutputFacts facts_of(std::string topic = "job.x", uint64_t bytes = 10) {
  OutputFacts facts;
  facts.topic = std::move(topic);
  facts.tenant = "acme";
  facts.bytes = bytes;
  facts.content_types = {"application/json"};
  return facts;
}

job::OutputPlan plan(const OutputPolicy& policy, const OutputFacts& facts = facts_of(),
                     OutputSettings settings = {}) {
  return plan_output(&policy, settings, facts);
}

// J-45: what can be told without reading is told at once.
TEST(OutputPlan, rule_without_content_decides_unless_one_before_it_must_read) {
  OutputPolicy size = rules(R"([{"id":"s","match":{"output_size_gt":100},"decision":"deny"}])");
  EXPECT_EQ(plan(size).step, Plan::pass);
  EXPECT_EQ(plan(size, facts_of("job.x", 101)).step, Plan::refuse);
  OutputPolicy both = rules(R"([{"id":"k","match":{"keywords":["x"]},"decision":"allow"},
      {"id":"s","match":{"output_size_gt":100},"decision":"deny"}])");
  EXPECT_EQ(plan(both, facts_of("job.x", 101)).step, Plan::scan);
  OutputPolicy allowed = rules(R"([{"id":"a","match":{"topics":["x"]},"decision":"allow"},
      {"id":"k","match":{"keywords":["x"]},"decision":"deny"}])");
  EXPECT_EQ(plan(allowed).step, Plan::pass);
  EXPECT_EQ(plan(allowed, facts_of("job.y")).step, Plan::scan);
}

TEST(OutputPlan, every_field_of_a_match_must_hold) {
  OutputPolicy policy = rules(R"([{"id":"a","decision":"deny","match":{"tenants":["ac*"],
      "topics":["x"],"capabilities":["ocr"],"risk_tags":["pii"],"content_types":["application/*"],
      "has_error":false,"output_size_gt":5}}])");
  OutputFacts facts = facts_of();
  facts.capability = "ocr";
  facts.risk_tags = {"pii"};
  EXPECT_EQ(plan(policy, facts).step, Plan::refuse);
  auto without = [&](auto change) {
    OutputFacts other = facts;
    change(other);
    return plan(policy, other).step;
  };
  EXPECT_EQ(without([](OutputFacts& f) { f.tenant = "other"; }), Plan::pass);
  EXPECT_EQ(without([](OutputFacts& f) { f.topic = "job.y"; }), Plan::pass);
  EXPECT_EQ(without([](OutputFacts& f) { f.capability = ""; }), Plan::pass);
  EXPECT_EQ(without([](OutputFacts& f) { f.risk_tags = {}; }), Plan::pass);
  EXPECT_EQ(without([](OutputFacts& f) { f.content_types = {"text/plain"}; }), Plan::pass);
  EXPECT_EQ(without([](OutputFacts& f) { f.has_error = true; }), Plan::pass);
  EXPECT_EQ(without([](OutputFacts& f) { f.bytes = 5; }), Plan::pass);
}

TEST(OutputPlan, rule_that_is_switched_off_is_none) {
  OutputPolicy policy = rules(R"([{"id":"a","enabled":false,"match":{},"decision":"deny"}])");
  EXPECT_EQ(plan(policy).step, Plan::pass);
}

// J-46, J-47
TEST(OutputPlan, topics_choose_release_and_fail_mode_for_themselves) {
  std::string_view list = R"([{"id":"k","match":{"keywords":["x"]},"decision":"deny"}])";
  OutputPolicy policy = rules(list, R"({"topics":[{"pattern":"fast.*","release":"optimistic"},
      {"pattern":"off","enabled":false},{"pattern":"lax","fail_mode":"open"}]})");
  EXPECT_FALSE(plan(policy).optimistic) << "gated is the default";
  EXPECT_FALSE(plan(policy).fail_open) << "and closed with it";
  EXPECT_TRUE(plan(policy, facts_of("job.fast.a")).optimistic);
  EXPECT_TRUE(plan(policy, facts_of("job.fast.a")).fail_open);
  EXPECT_EQ(plan(policy, facts_of("job.off")).step, Plan::pass);
  EXPECT_TRUE(plan(policy, facts_of("job.lax")).fail_open);
}

TEST(OutputPlan, settings_of_the_server_come_first) {
  OutputPolicy policy = rules(R"([{"id":"k","match":{"keywords":["x"]},"decision":"deny"}])",
                              R"({"fail_mode":"closed"})");
  EXPECT_EQ(plan(policy, facts_of(), {.enabled = false}).step, Plan::pass);
  EXPECT_TRUE(plan(policy, facts_of(), {.fail_mode = FailMode::open}).fail_open);
}

}  // namespace
}  // namespace fermata::policy
